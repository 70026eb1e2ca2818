"""`python -m pyweft ARGUMENTS`: the weft command."""

from pyweft._command import main

main()
