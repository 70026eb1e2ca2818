"""Reads the topics of the ladder: the comments and code of ladder/<stem>.cu, in the order of ladder/topics.def.

Usage: source.py text LADDER_DIR OUT.c          a C file with the topics and rungs for `weft ladder`
       source.py pages LADDER_DIR DIR RESULTS   a page of documentation for each topic, and their list, with the times
                                                measured on GPUs (measured.py)

A part of a file begins with a comment "/* Topic NAME: TITLE", "/* Rung NAME: IDEA", "/* Faulty rung NAME: IDEA",
"/* Exercises" or "/* Climbing the rungs." and extends to the next one. --show prints the part of a rung.
"""

import json
import re
import sys
from html import escape
from pathlib import Path

import measured

TOPIC = re.compile(r'^TOPIC\((\w+), "([\w-]+)", "([\w ]+)", (.+), (.+)\)$', re.MULTILINE)
PART = re.compile(r"^/\* (Topic|Rung|Faulty rung|Exercises|Climbing the rungs)\b(?: ([\w-]+): (.+))?", re.MULTILINE)


class Part:
    def __init__(self, kind, name, idea, text):
        self.kind, self.name, self.text = kind, name, text.rstrip() + "\n"
        self.idea = (idea or "").removesuffix(" */")
        comment, _, code = self.text.partition("*/")
        lines = [line.strip() for line in comment.splitlines()[1:]]
        self.words = "\n".join(line.removeprefix("*").removeprefix(" ") for line in lines).strip()
        self.code = code.strip() + "\n"


class Topic:
    def __init__(self, folder, stem, name, types, sizes):
        self.stem, self.name, self.types, self.sizes = stem, name, types, sizes
        path = folder / f"{stem}.cu"
        source = path.read_text(encoding="utf-8")
        starts = [*PART.finditer(source)]
        ends = [match.start() for match in starts[1:]] + [len(source)]
        parts = [Part(*match.groups(), source[match.start():end]) for match, end in zip(starts, ends)]
        if not parts or parts[0].kind != "Topic" or parts[0].name != name:
            sys.exit(f'{path}: it must begin with "/* Topic {name}: ..."')
        self.head = parts[0]
        self.rungs = [part for part in parts if "ung" in part.kind and part.name]
        self.exercises = next((part.words for part in parts if part.kind == "Exercises"), "")
        names = [rung.name for rung in self.rungs]
        twice = {rung for rung in names if names.count(rung) > 1}
        if twice:
            sys.exit(f"{path}: more than one rung is called {', '.join(sorted(twice))}")
        for rung in self.rungs:
            if not re.search(rf'\(\s*"{rung.name}"', parts[-1].text):
                sys.exit(f"{path}: the rung {rung.name} is never climbed")


def topics(folder):
    listed = TOPIC.findall((folder / "topics.def").read_text(encoding="utf-8"))
    return [Topic(folder, stem, name, types, sizes) for stem, name, types, *sizes in listed]


def quoted(text):
    """Returns a C string with one line of text per line."""
    return "\n".join("        " + json.dumps(line, ensure_ascii=False) for line in text.splitlines(keepends=True)) or '""'


def write_text(folder, target):
    out = ["/* Made by ladder/source.py. */", '#include "cli/ladder/ladder_text.h"', ""]
    for topic in topics(folder):
        out.append(f"static const ladder_rung_text rungs_of_{topic.stem}[] = {{")
        for rung in topic.rungs:
            faulty = "true" if rung.kind == "Faulty rung" else "false"
            out.append(f"    {{{json.dumps(rung.name)}, {json.dumps(rung.idea)}, {faulty},\n{quoted(rung.text)}}},")
        out.append("};")
    out.append("const ladder_topic_text LADDER_TOPICS[] = {")
    for topic in topics(folder):
        rungs = f"rungs_of_{topic.stem}"
        out.append(f"    {{{json.dumps(topic.name)}, {json.dumps(topic.head.idea)}, {json.dumps(topic.types)}, "
                   f"{', '.join(topic.sizes)}, {rungs}, sizeof {rungs} / sizeof *{rungs},\n{quoted(topic.head.words)}}},")
    out += ["};", "const size_t LADDER_TOPIC_COUNT = sizeof LADDER_TOPICS / sizeof *LADDER_TOPICS;", ""]
    target.write_text("\n".join(out), encoding="utf-8")


def prose(text):
    """Escapes the characters that have a meaning in Markdown, except between backquotes."""
    parts = text.split("`")
    return "`".join(re.sub(r"([*_<])", r"\\\1", part) if i % 2 == 0 else part for i, part in enumerate(parts))


def told(rung, runs):
    """Returns the sentences that a rung has printed on GPUs."""
    return "".join(f"On the {run.machine}: {prose(row.said)}.\n\n" for run in runs for row in run.rungs
                   if row.name == rung.name and row.said and row.verdict == "right")


def rung_section(rung, runs):
    kind = "Wrong on purpose: " if rung.kind == "Faulty rung" else ""
    code = f"```cuda\n{rung.code}```\n" if rung.code.strip() else ""
    return f"## {rung.name}\n\n*{kind}{prose(rung.idea)}.*\n\n{prose(rung.words)}\n\n{told(rung, runs)}{code}"


def page(topic, runs):
    tables = [line for run in runs for line in measured.table(run, topic.stem)]
    return "\n".join([
        f"# {topic.name}: {prose(topic.head.idea)}",
        "",
        f"Made of [ladder/{topic.stem}.cu](../../ladder/{topic.stem}.cu) by `./x ladder-docs`. "
        f"Run it: `weft ladder {topic.name}`.",
        "",
        prose(topic.head.words),
        "",
        *(tables or ["Measured on a GPU: not yet.", ""]),
        *[rung_section(rung, runs) for rung in topic.rungs],
        *(["## Exercises", "", prose(topic.exercises), ""] if topic.exercises else []),
    ])


def write_topic(topic, runs, target):
    (target / f"{topic.stem}.md").write_text(page(topic, runs), encoding="utf-8")
    for run in runs:
        if run.bars:
            svg = measured.picture(run, escape(f"{topic.name}: {topic.head.idea}"))
            (target / run.picture(topic.stem)).write_text(svg, encoding="utf-8")


def write_pages(folder, target, results):
    found = measured.runs(results)
    machines = sorted({run.machine for runs in found.values() for run in runs})
    where = f"Measured on: {', '.join(machines)}." if machines else "Measured on a GPU: not yet."
    rows = [where, "", "| topic | what it is | rungs | weft's rung |", "|---|---|---|---|"]
    for topic in topics(folder):
        runs = found.get(topic.name, [])
        write_topic(topic, runs, target)
        names = ", ".join(rung.name for rung in topic.rungs)
        last = "; ".join(filter(None, map(measured.last_rungs, runs)))
        rows.append(f"| [{topic.name}]({topic.stem}.md) | {prose(topic.head.idea)} | {names} | {last} |")
    readme = target / "README.md"
    head, _, _ = readme.read_text(encoding="utf-8").partition("Measured on")
    readme.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


def main():
    verb, *paths = sys.argv[1:]
    {"text": write_text, "pages": write_pages}[verb](*map(Path, paths))


main()
