"""Reads the topics of the ladder: the comments and code of ladder/<stem>.cu, in the order of ladder/topics.def.

Usage: source.py text LADDER_DIR OUT.c          a C file with the topics and rungs for `weft ladder`
       source.py pages LADDER_DIR DIR RESULTS   a page of documentation for each topic, and their list, with the times
                                                measured on GPUs (measured.py)
       source.py exercises LADDER_DIR DIR       for each exercise, its check, starting file, solution and faulty solutions

A part of a file begins with a comment "/* Topic NAME: TITLE", "/* Rung NAME: IDEA", "/* Faulty rung NAME: IDEA",
"/* Exercises" or "/* Climbing the rungs." and extends to the next one. --show prints the part of a rung.
"""

import json
import re
import sys
import textwrap
from pathlib import Path

import exercises
import measured
import rung_files

TOPIC = re.compile(r'^TOPIC\((\w+), "([\w-]+)", "([\w ]+)", (.+), (.+)\)$', re.MULTILINE)
PART = re.compile(r"^/\* (Topic|Rung|Faulty rung|Exercises|Climbing the rungs)\b(?: ([\w-]+):)?", re.MULTILINE)


class Part:
    """A part of a file. The first paragraph of its comment is its title."""

    def __init__(self, kind, name, text):
        self.kind, self.name, self.text = kind, name, text.rstrip() + "\n"
        comment, _, code = self.text.partition("*/")
        lines = [line.strip().removeprefix("*").removeprefix(" ") for line in comment.splitlines()]
        title, _, words = "\n".join(lines).partition("\n\n")
        self.idea = " ".join(title.partition(f" {name}: ")[2].split())
        self.words = words.strip()
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
        self.exercise_files = exercises.of_topic(folder, stem, name)
        names = [part.name for part in self.rungs + self.exercise_files]
        twice = {rung for rung in names if names.count(rung) > 1}
        if twice:
            sys.exit(f"{path}: more than one rung or exercise is called {', '.join(sorted(twice))}")
        for rung in self.rungs:
            if not re.search(rf'\(\s*"{rung.name}"', parts[-1].text):
                sys.exit(f"{path}: the rung {rung.name} is never climbed")
        self.last = parts[-1]


def topics(folder):
    listed = TOPIC.findall((folder / "topics.def").read_text(encoding="utf-8"))
    return [Topic(folder, stem, name, types, sizes) for stem, name, types, *sizes in listed]


def quoted(text):
    """Returns a C string with one line of text per line. With its parentheses, it is one element of an array."""
    lines = "\n".join("        " + json.dumps(line, ensure_ascii=False) for line in text.splitlines(keepends=True))
    return f"({lines.strip()})" if lines else '""'


def write_rungs(topic):
    """Returns the tables of a topic's rungs. The file of a rung consists of blocks of the topic's source, which it shares
    with other rungs, and of an end of its own."""
    files = rung_files.RungFiles(topic)
    rungs = []
    for rung in topic.rungs:
        faulty = "true" if rung.kind == "Faulty rung" else "false"
        head, blocks, end = files.of(rung)
        rungs.append(f"    {{{json.dumps(rung.name)}, {json.dumps(rung.idea)}, {faulty},\n{quoted(rung.text)},\n"
                     f"{quoted(head)},\n        (const int[]){{{', '.join(map(str, blocks))}, -1}},\n{quoted(end)}}},")
    return [f"static const char *const blocks_of_{topic.stem}[] = {{",
            ",\n".join(quoted(block.text + "\n") for block in files.blocks), "};",
            f"static const ladder_rung_text rungs_of_{topic.stem}[] = {{", *rungs, "};"]


def write_exercises(topic):
    rows = []
    out = []
    for exercise in topic.exercise_files:
        stem = f"{topic.stem}_{exercise.stem}"
        out += [f"static const char *const hints_of_{stem}[] = {{",
                ",\n".join(quoted(hint + "\n") for hint in exercise.hints), "};",
                f"static const size_t sizes_of_{stem}[] = {{{', '.join(map(str, exercise.sizes))}}};"]
        rows.append(f"    {{{json.dumps(exercise.name)}, {json.dumps(exercise.idea)}, {json.dumps(exercise.check_name)},\n"
                    f"{quoted(exercise.start)},\n        hints_of_{stem}, {len(exercise.hints)}, sizes_of_{stem}, "
                    f"{len(exercise.sizes)}, {exercise.gpu_size}}},")
    return [*out, f"static const ladder_exercise_text exercises_of_{topic.stem}[] = {{", *(rows or ["    {0}"]), "};"]


def write_text(folder, target):
    out = ["/* Generated by ladder/source.py. */", '#include "cli/ladder/ladder_text.h"', ""]
    listed = topics(folder)
    for topic in listed:
        out += write_rungs(topic) + write_exercises(topic)
    out.append("const ladder_topic_text LADDER_TOPICS[] = {")
    for topic in listed:
        rungs = f"rungs_of_{topic.stem}"
        out.append(f"    {{{json.dumps(topic.name)}, {json.dumps(topic.stem)}, {json.dumps(topic.head.idea)}, "
                   f"{json.dumps(topic.types)}, {', '.join(topic.sizes)}, {rungs}, sizeof {rungs} / sizeof *{rungs},\n"
                   f"        blocks_of_{topic.stem}, exercises_of_{topic.stem}, {len(topic.exercise_files)},\n"
                   f"{quoted(topic.head.words)}}},")
    out += ["};", "const size_t LADDER_TOPIC_COUNT = sizeof LADDER_TOPICS / sizeof *LADDER_TOPICS;", ""]
    target.write_text("\n".join(out), encoding="utf-8")


def write_exercise_files(folder, target):
    for topic in topics(folder):
        for exercise in topic.exercise_files:
            exercise.write(target)


def prose(text):
    """Escapes the characters that have a meaning in Markdown, except between backquotes and in indented lines. A line
    that begins with a minus would begin a list."""
    text = re.sub(r"^([-+])(?= )", r"\\\1", text, flags=re.MULTILINE)

    def escaped(match):
        return match[0] if match[0].startswith("    ") else "\\" + match[0]

    parts = text.split("`")
    return "`".join(re.sub(r"^    .*|[*_<]", escaped, part, flags=re.MULTILINE) if i % 2 == 0 else part
                    for i, part in enumerate(parts))


RUNGS = textwrap.fill(
    "The kernel of a rung comes first. After it come functions of the host: its launch, and the plain loop with which the "
    "result is compared.", measured.WRAPPED)
ROOFLINE = textwrap.fill(
    "The roofline shows the limit of a kernel. The slope is the speed of copies, multiplied by the operations per byte. The "
    "level part is the speed of the f32 units. A point far below the roof waits for something other than memory: barriers, "
    "atomics, latency. A point above the slope reads data that are in a cache, because the executor counts each access. To "
    "move to the right, a kernel must read each byte less often. The horizontal position is that for the executor's n: a "
    "rung with a fixed number of blocks moves fewer bytes per operation if n is larger.", measured.WRAPPED)


def told(rung, runs, seen):
    """Returns the sentences that a rung has printed on GPUs, or on the executor if it has not run on a GPU."""
    rows = [(run.machine, row) for run in runs for row in [run.find(rung.name)] if row]
    if not any(row.said and row.verdict == "right" for _, row in rows) and seen and rung.name in seen.rungs:
        rows = [("executor", seen.rungs[rung.name])]
    return [f"On the {machine}: {prose(row.said)}.\n" for machine, row in rows if row.said and row.verdict == "right"]


def fault(rung, seen):
    """Returns what the executor finds in a rung that is wrong on purpose."""
    row = seen.rungs.get(rung.name) if seen else None
    if not row or row.verdict not in ("faulty", "lucky"):
        return []
    if row.verdict == "lucky":
        return ["*Executor:* the result is right by luck. With `--schedule backward` it is wrong.\n"]
    return [f"*Executor:* {prose(row.said)}.\n"]


def sentence(idea):
    """Returns the idea as a sentence; a formula keeps its small letters."""
    text = prose(idea)
    return text[0].upper() + text[1:] + "." if re.match(r"(a|[a-z]{2,})[ ,-]", text) else text + "."


def rung_section(rung, runs, seen):
    faulty = rung.kind == "Faulty rung"
    facts = [measured.reads_and_writes(seen, rung.name), *(measured.time_and_rate(run, rung.name) for run in runs)]
    return "\n".join([
        f"### {rung.name}\n",
        f"*Wrong on purpose: {prose(rung.idea)}.*\n" if faulty else f"*{sentence(rung.idea)}*\n",
        f"{prose(rung.words)}\n",
        *([f"```cuda\n{rung.code}```\n"] if rung.code.strip() else []),
        *told(rung, runs, seen),
        *(fault(rung, seen) if faulty else [f"{fact}\n" for fact in facts if fact]),
    ])


def exercise_section(exercise):
    name = f"{exercise.topic}/{exercise.name}"
    lines = [f"### {name}", "", f"*{sentence(exercise.idea)}*", "", prose("\n\n".join(exercise.task)), "",
             f"    weft ladder new {name} my.cu", "    weft ladder try my.cu", ""]
    for number, hint in enumerate(exercise.hints, 1):
        lines += ['<details markdown="1">', f"<summary>Hint {number}</summary>", "", prose(hint), "", "</details>", ""]
    return "\n".join(lines)


def exercises_part(topic):
    """Returns the exercises that `weft ladder try` checks, and the questions at the end of the topic's file."""
    lines = []
    if topic.exercise_files:
        lines += ["## Exercises", "", "`weft ladder try` checks each of these, without a GPU ([how](exercises.md)).", ""]
        lines += [exercise_section(exercise) for exercise in topic.exercise_files]
    if topic.exercises:
        lines += ["## Questions", "", prose(topic.exercises), ""]
    return lines


def pictures(topic, runs, seen):
    lines = []
    for run in runs:
        if run.bars:
            lines += [f"![Speed of the rungs on an {run.machine}]({run.picture(topic.stem)})", ""]
    roofs = [run for run in runs if measured.points(run, seen)]
    if roofs:
        lines += [ROOFLINE, "", *(line for run in roofs for line in (
            f"![Roofline of an {run.machine}]({run.picture(topic.stem, '_roofline')})", ""))]
    return lines


def page(topic, runs, seen):
    names = [rung.name for rung in topic.rungs]
    table = measured.table(seen, runs, names)
    without = [] if runs else ["Measured on a GPU: not yet.", ""]
    return "\n".join([
        f"# {topic.name}: {prose(topic.head.idea)}", "",
        prose(topic.head.words), "",
        textwrap.fill(f"`weft ladder {topic.name}` runs the kernels of this page, on a GPU or on the CPU. With `--faulty` "
                      "it also runs those that are wrong on purpose. The source is "
                      f"[ladder/{topic.stem}.cu](../../ladder/{topic.stem}.cu).", measured.WRAPPED,
                      break_on_hyphens=False), "",
        "## Counts and times", "", *without, *measured.legend(seen, runs), *table, *pictures(topic, runs, seen),
        "## Rungs", "", RUNGS, "", *[rung_section(rung, runs, seen) for rung in topic.rungs],
        *exercises_part(topic),
        f"This page is generated from [ladder/{topic.stem}.cu](../../ladder/{topic.stem}.cu) by `./x ladder-docs`.", "",
    ])


def write_topic(topic, runs, seen, target):
    (target / f"{topic.stem}.md").write_text(page(topic, runs, seen), encoding="utf-8")
    for run in runs:
        if run.bars:
            (target / run.picture(topic.stem)).write_text(measured.bars(run, topic.name), encoding="utf-8")
        if measured.points(run, seen):
            (target / run.picture(topic.stem, "_roofline")).write_text(measured.roofline(run, seen, topic.name), encoding="utf-8")


def write_pages(folder, target, results):
    found, counts = measured.runs(results), measured.counts(results)
    machines = sorted({run.machine for runs in found.values() for run in runs})
    where = f"Measured on: {', '.join(machines)}." if machines else "Measured on a GPU: not yet."
    rows = [where, "", "| topic | what it is | rungs | weft's rung |", "|---|---|---|---|"]
    for topic in topics(folder):
        runs = found.get(topic.name, [])
        for run in runs:
            run.keep_only([rung.name for rung in topic.rungs])
        write_topic(topic, runs, counts.get(topic.name), target)
        names = ", ".join(rung.name for rung in topic.rungs)
        last = "; ".join(filter(None, map(measured.last_rungs, runs)))
        rows.append(f"| [{topic.name}]({topic.stem}.md) | {prose(topic.head.idea)} | {names} | {last} |")
    replace_from(target / "README.md", "Measured on", rows)
    replace_from(target / "exercises.md", "| exercise |", ["| exercise | what it is |", "|---|---|", *[
        f"| [{topic.name}/{exercise.name}]({topic.stem}.md#{topic.name}{exercise.name}) | {prose(exercise.idea)} |"
        for topic in topics(folder) for exercise in topic.exercise_files]])


def replace_from(page, mark, rows):
    """Replaces the end of a page, from the mark on."""
    head, _, _ = page.read_text(encoding="utf-8").partition(mark)
    page.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


def main():
    verb, *paths = sys.argv[1:]
    {"text": write_text, "pages": write_pages, "exercises": write_exercise_files}[verb](*map(Path, paths))


if __name__ == "__main__":
    main()
