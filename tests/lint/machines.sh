#!/bin/sh
# Checks that the table of other machines in the README is that of tests/machines/results.txt.
# Usage: machines.sh SOURCE_DIR
set -u
cd "$1" || exit 1
table=$(sh tests/machines/table.sh .) || exit 1
found=$(awk '/^<!-- tests\/machines\/table.sh/ { table = 1; next } table && !/^\|/ { exit } table' README.md)
if [ "$found" != "$table" ]; then
    echo "machines: README.md has another table than tests/machines/results.txt: run sh tests/machines/table.sh . --write"
    exit 1
fi
echo "machines: in order"
