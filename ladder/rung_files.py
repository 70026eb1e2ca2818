"""Makes a file of one rung: the blocks of its topic's source that it needs, and a climb_<stem> that runs only this rung."""

import re
import textwrap

COLUMNS = 76  # of the files of learners, as in ladder/.clang-format
KEYWORDS = {"alignas", "decltype", "noexcept", "requires", "sizeof", "static_assert", "__align__", "__launch_bounds__"}
QUOTED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
STATEMENT = re.compile(r"(if|for|while|do|else|switch)\b")
BLOCK_STATEMENT = re.compile(r"(?:(?:(?:else )?if(?: constexpr)?|for|while|switch) \(\)|else|do)\s*\{")
TEMPLATE = re.compile(r"\btemplate\s*<(?:[^<>]|<[^<>]*>)*>")
DECLARED = re.compile(r"\b(\w+) = ")
NAMED = re.compile(r'\(\s*"([\w-]+)"')  # a call whose first argument is the name of a rung


def title(name, idea):
    """Returns the first lines of a learner's file."""
    return textwrap.fill(f"/* weft ladder {name}: {idea}", COLUMNS, subsequent_indent=" * ", break_on_hyphens=False)


def without_quoted(text):
    """Replaces comments and strings by spaces, line ends excepted, so that positions stay the same."""
    return QUOTED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def nested(text, opening, closing):
    """Replaces what is between the outermost brackets by nothing."""
    out, depth = [], 0
    for c in text:
        depth -= c == closing
        if depth == 0:
            out.append(c)
        depth += c == opening
    return "".join(out)


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", without_quoted(text)))


class Block:
    """Lines without an empty line outside of brackets and #if: a function, a type, or declarations. Also an #if group
    that includes the headers of a library and defines the macro that says so."""

    def __init__(self, text):
        self.text = text
        plain = without_quoted(text)
        outside = TEMPLATE.sub("", nested(nested(plain, "{", "}"), "(", ")"))
        self.names = set(re.findall(r"#\s*define (\w+)", plain))
        self.names |= set(re.findall(r"\b(?:struct|class|union|enum|using)\s+(?:\w+\(\)\s*)?(\w+)", outside))
        self.names |= set(re.findall(r"\b(\w+)\s*\(\)", outside)) - KEYWORDS
        self.names |= set(re.findall(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|,|;|\{\})", outside))
        for members in re.findall(r"\benum\b[^{;(]*\{([^}]*)\}", plain):
            self.names |= words(members)
        self.uses = words(text)
        self.is_include = "#include" in plain and not self.names


def blocks_of(code):
    found, lines, depth, open_ifs = [], [], 0, 0

    def end_block():
        if lines:
            found.append(Block("\n".join(lines) + "\n"))
            lines.clear()

    for line, plain in zip(code.splitlines(), without_quoted(code).splitlines()):
        if line in ("namespace {", "} // namespace"):
            continue
        is_directive = plain.lstrip().startswith("#")
        if is_directive:
            if open_ifs == 0 and re.match(r"\s*#\s*if", plain) and lines and lines[-1].startswith("#include"):
                end_block()
            open_ifs += bool(re.match(r"\s*#\s*if", plain)) - bool(re.match(r"\s*#\s*endif", plain))
        else:
            depth += plain.count("{") - plain.count("}")
        in_comment = "/*" in line and "*/" not in line or any("/*" in l for l in lines) and \
            "\n".join(lines).rfind("/*") > "\n".join(lines).rfind("*/")
        if line.strip() or depth > 0 or open_ifs > 0 or in_comment:
            lines.append(line)
        else:
            end_block()
    end_block()
    return found


def statements(body):
    """Divides the text between the braces of a function into statements, with the comments before them."""
    plain, start, depth, found = without_quoted(body), 0, 0, []
    for at, c in enumerate(plain):
        depth += (c in "({[") - (c in ")}]")
        is_block = c == "}" and STATEMENT.match(plain[start:].lstrip()) is not None
        if depth == 0 and (c == ";" or is_block):
            end = body.find("\n", at)
            end = len(body) if end < 0 else end + 1
            found.append(body[start:end])
            start = end
    return found, body[start:]


class Climb:
    """Removes other rungs from the functions of a topic's last part."""

    def __init__(self, wanted, others):
        self.wanted, self.others = wanted, others
        self.holders, self.empty = set(), set()  # functions that run the wanted rung, and those that run only others

    def is_other(self, statement):
        named = set(NAMED.findall(statement)) & self.others
        if named and self.wanted not in NAMED.findall(statement):
            return True
        return any(re.search(rf"\b{name}\(", statement) for name in self.empty)

    def trimmed(self, body):
        kept, rest = statements(body)
        inner = []
        for statement in kept:
            plain = without_quoted(statement).lstrip()
            if BLOCK_STATEMENT.match(nested(plain, "(", ")")) and NAMED.search(statement):
                open_at, close_at = without_quoted(statement).index("{"), without_quoted(statement).rindex("}")
                statement_body = self.trimmed(statement[open_at + 1:close_at])
                if NAMED.search(statement_body):
                    inner.append(statement[:open_at + 1] + statement_body + statement[close_at:])
            elif not self.is_other(statement):
                inner.append(statement)
        text = "".join(self.used(inner)) + rest
        return text if text.startswith("\n") or not body.startswith("\n") else "\n" + text

    @staticmethod
    def used(kept):
        """Drops declarations of constants that no other statement uses."""
        while True:
            for i, statement in enumerate(kept):
                plain = without_quoted(statement)
                flat = nested(nested(plain, "{", "}"), "(", ")")
                names = DECLARED.findall(flat) + re.findall(r"std::vector<\w+> (\w+)\(", flat)
                others = words("".join(kept[:i] + kept[i + 1:]))
                if "const " in plain and names and not STATEMENT.match(plain.lstrip()) and not others & set(names):
                    del kept[i]
                    break
            else:
                return kept

    def function(self, text):
        """Returns the function without other rungs, or "" if it had only those."""
        plain = without_quoted(text)
        if not NAMED.search(text) or "{" not in plain or not re.search(r"\bclimb &", plain):
            return text
        start, end = plain.index("{"), plain.rindex("}")
        had = {name for name in NAMED.findall(text) if name in self.others or name == self.wanted}
        body = self.trimmed(text[start + 1:end])
        name = re.search(r"(\w+)\([^()]*$", plain[:plain.index("climb &c")])[1]
        if self.wanted in had or any(re.search(rf"\b{holder}\(", body) for holder in self.holders):
            self.holders.add(name)
        elif had:
            self.empty.add(name)
            return ""
        return text[:start + 1] + body + text[end:]


class RungFiles:
    def __init__(self, topic):
        self.topic = topic
        self.blocks, self.part_of = [], []
        for part in [topic.head, *topic.rungs]:
            for block in blocks_of(part.code):
                self.blocks.append(block)
                self.part_of.append(part)
        self.last = blocks_of(topic.last.code)

    def end_for(self, rung):
        """Returns the functions that run the rung, those in the anonymous namespace apart from climb_<stem>."""
        others = {other.name for other in self.topic.rungs} - {rung.name}
        climb, kept = Climb(rung.name, others), []
        for block in self.last:
            kept.append(climb.function(block.text))
        entry = [text for text in kept if re.search(rf"\bvoid climb_{self.topic.stem}\(", text)]
        inside = [Block(text) for text in kept if text and text not in entry]
        needed = words("".join(entry))
        for block in reversed(inside):
            if block.names & needed:
                needed |= block.uses
        inside = [block.text for block in inside if block.names & needed]
        return inside, [text.replace("c.faulty(", "c.rung(") for text in entry]

    def of(self, rung):
        """Returns the head of the rung's file, the indices of the topic's blocks in it, and its end."""
        inside, entry = self.end_for(rung)
        inside = [text.replace("c.faulty(", "c.rung(") for text in inside]
        needed = words("".join(inside + entry))
        chosen = set()
        for at in reversed(range(len(self.blocks))):
            block = self.blocks[at]
            if block.is_include or self.part_of[at] is rung or block.names & needed:
                chosen.add(at)
                needed |= block.uses
        faulty = "Wrong on purpose: repair it.\n\n" if rung.kind == "Faulty rung" else ""
        use = f"{faulty}    weft ladder try FILE    compiles, runs and checks this file"
        body = "\n".join(f" * {line}" if line else " *" for line in f"{rung.words}\n\n{use}".splitlines())
        head = f"{title(f'{self.topic.name}/{rung.name}', rung.idea)}\n *\n{body}\n */\n"
        end = "\n".join(inside) + "\n} // namespace\n\n" + "\n".join(entry)
        return head, sorted(chosen), end
