#!/usr/bin/env python3
"""Writes the Fortran module weft_c, C's own interface, from include/weft.h.

Usage: interfaces.py WEFT_H FORTRAN_SOURCE... > weft_c.f90

Each whole number that is #defined gives a constant, each enum its enumerators, each struct a bind(C) type, each
function an interface. A function that one of the Fortran sources defines for itself is called c_NAME in weft_c, so
that both can be used side by side. Fortran does not tell capitals from small letters: an enumerator that has a
function's name is followed by the last word of its enum's name (WEFT_DEVICE of weft_memory is weft_device_memory).
What cannot be translated ends this program.
"""
import re
import sys

SCALARS = {
    "int": "integer(c_int)", "unsigned": "integer(c_int)", "int32_t": "integer(c_int32_t)",
    "uint32_t": "integer(c_int32_t)", "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)",
    "uint8_t": "integer(c_int8_t)", "size_t": "integer(c_size_t)", "ptrdiff_t": "integer(c_ptrdiff_t)", "float": "real(c_float)",
    "double": "real(c_double)", "char": "character(kind=c_char)",
}


class Header:
    """The constants, enums, structs and functions of a C header, in its order."""

    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        self.constants = re.findall(r"^#define (WEFT_\w+) (\d{1,9})$", text, flags=re.M)
        self.enums = [(name, self.enumerators(body)) for body, name in
                      re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, flags=re.S)]
        self.structs = {name: [line.strip() for line in body.split(";") if line.strip()] for body, name in
                        re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, flags=re.S)}
        self.callbacks = re.findall(r"typedef \w+ (\w+)\([^()]*\);", text)
        self.opaque = re.findall(r"typedef struct \w+ (\w+);", text)
        self.functions = [(" ".join(result.split()), name, self.arguments(arguments)) for result, name, arguments in
                          re.findall(r"^WEFT_API ([\w ]+?[ *]+)(weft_\w+)\((.*?)\);", text, flags=re.S | re.M)]
        declared = len(re.findall(r"^WEFT_API ", text, flags=re.M))
        if declared != len(self.functions):
            sys.exit(f"interfaces.py: {declared} functions are declared and {len(self.functions)} were understood")

    @staticmethod
    def enumerators(body):
        return [tuple(part.split("=")) for part in re.sub(r"\s", "", body).split(",") if part]

    @staticmethod
    def arguments(text):
        """[(type with its stars, name)], without const."""
        found = []
        for argument in text.split(","):
            argument = " ".join(argument.split())
            if argument == "void":
                continue
            declaration, name = re.fullmatch(r"(.*?[ *])(\w+)", argument).groups()
            found.append((declaration.replace(" *", "*").strip(), name))
        return found


def declaration(header, ctype, name):
    """The Fortran declaration of one argument of a C function."""
    enums = {enum for enum, _ in header.enums}
    const = ctype.startswith("const ")
    ctype = ctype.removeprefix("const ")
    base, stars = ctype.rstrip("*"), ctype.count("*")
    if base in header.opaque and stars in (1, 2):
        return f"type({base}), {'value' if stars == 1 else 'intent(out)'} :: {name}"
    if base in header.callbacks and stars == 1:
        return f"type(c_funptr), value :: {name}"
    if base == "char" and stars == 1 and const:
        return f"character(kind=c_char), intent(in) :: {name}(*)"
    if base in enums and stars < 2:
        return f"integer(c_int), {'intent(out)' if stars else 'value'} :: {name}"
    if base in header.structs and (stars == 0 or stars == 1 and not const):
        return f"type({base}), {'intent(inout)' if stars else 'value'} :: {name}"
    if stars: # of an array, as a rule
        return f"type(c_ptr), {'value' if stars == 1 or '*const' in ctype else 'intent(out)'} :: {name}"
    if base in SCALARS:
        return f"{SCALARS[base]}, value :: {name}"
    sys.exit(f"interfaces.py: no Fortran for the argument {ctype} {name}")


def result_type(header, ctype):
    if "*" in ctype:
        return "type(c_ptr)"
    if ctype in {enum for enum, _ in header.enums}:
        return "integer(c_int)"
    if ctype in header.structs:
        return f"type({ctype})"
    if ctype in SCALARS:
        return SCALARS[ctype]
    sys.exit(f"interfaces.py: no Fortran for the result {ctype}")


def member_type(header, ctype):
    if "*" in ctype:
        return "type(c_ptr)"
    if ctype in {enum for enum, _ in header.enums}:
        return "integer(c_int)"
    if ctype in header.structs:
        return f"type({ctype})"
    return SCALARS.get(ctype)


def struct_lines(header, name, fields):
    yield f"  type, bind(c) :: {name}"
    for field in fields:
        function = re.fullmatch(r"[\w ]+\*?\(\*(\w+)\)\(.*\)", field, flags=re.S)
        if function:
            yield f"    type(c_funptr) :: {function[1]}"
            continue
        ctype, names = re.fullmatch(r"(?:const )?(\w+ ?(?:\*const )?\*?)(.*)", field).groups()
        fortran = member_type(header, ctype.strip())
        if fortran is None or "*" in names:
            sys.exit(f"interfaces.py: no Fortran for the member {field} of {name}")
        yield f"    {fortran} :: {names.strip().translate(str.maketrans('[]', '()'))}"
    yield f"  end type {name}"


def wrapped(text, indent):
    """One statement in lines of at most 100 characters."""
    line = indent
    for word in text.split(" "):
        if len(line) + len(word) > 98:
            yield line + " &"
            line = indent + "    "
        line += ("" if line.isspace() or not line else " ") + word
    yield line


def interface_lines(header, function, own):
    result, name, arguments = function
    names = ", ".join(argument for _, argument in arguments)
    kind = "subroutine" if result == "void" else "function"
    fortran = f"c_{name}" if name in own else name
    suffix = "" if kind == "subroutine" else " result(returned)"
    yield from wrapped(f"{kind} {fortran}({names}) bind(c, name='{name}'){suffix}", "    ")
    yield "      import"
    for ctype, argument in arguments:
        yield "      " + declaration(header, ctype, argument)
    if kind == "function":
        yield f"      {result_type(header, result)} :: returned"
    yield f"    end {kind} {fortran}"


def module_lines(header, own):
    yield "! C's interface of weft. Written by fortran/interfaces.py from include/weft.h."
    yield "module weft_c"
    yield "  use, intrinsic :: iso_c_binding"
    yield "  implicit none"
    yield "  public"
    taken = {name for _, name, _ in header.functions} | set(header.structs) | set(header.opaque)
    for name, value in header.constants:
        if name.lower() not in taken: # WEFT_ORDER_VERSION is: the function weft_order_version says it
            yield f"  integer(c_int), parameter :: {name} = {value}"
    for enum, enumerators in header.enums:
        yield f"  ! {enum}"
        yield "  enum, bind(c)"
        for name, value in enumerators:
            if name.lower() in taken:
                name += "_" + enum.split("_")[-1].upper()
            yield f"    enumerator :: {name} = {value}"
        yield "  end enum"
    for name in header.opaque:
        yield f"  type, bind(c) :: {name} ! a pointer to C's {name}"
        yield "    type(c_ptr) :: p = c_null_ptr"
        yield f"  end type {name}"
    for name, fields in header.structs.items():
        yield from struct_lines(header, name, fields)
    yield "  interface"
    for function in header.functions:
        yield from interface_lines(header, function, own)
    yield "  end interface"
    yield "end module weft_c"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        header = Header(file.read())
    own = set()
    for source in sys.argv[2:]:
        with open(source, encoding="utf-8") as file:
            own |= set(re.findall(r"^ *(?:subroutine|function) (weft_\w+)", file.read(), flags=re.M))
    print("\n".join(module_lines(header, own)))


main()
