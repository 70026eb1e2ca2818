"""Checks that code fits a telephone, a page and a terminal of 80 columns: the code blocks of docs/ladder, the sources that
these pages show, and the files that `weft ladder new` writes have lines of at most 76 columns.

    columns.py SOURCE_DIR

The output of programs is not checked: it is in blocks of the language text, and in those of the language console below
their commands.
"""
import json
import sys
from pathlib import Path

from run import blocks


def shown(block, language):
    """Returns the lines of a block that are code or commands."""
    if language == "text":
        return []
    if language != "console":
        return block
    return [line for line in block if line.startswith(("$ ", "> "))]


def texts(source):
    """Yields the texts with their names."""
    ladder = source / "ladder"
    sys.path.insert(0, str(ladder))
    from rung_files import RungFiles
    from source import topics

    for page in sorted((source / "docs/ladder").glob("*.md")):
        for language, block in blocks(page):
            yield page.name, shown(block, language)
    for notebook in sorted((source / "docs/ladder").glob("*.ipynb")):
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield notebook.name, "".join(cell["source"]).split("\n")
    for topic in topics(ladder):
        path = ladder / f"{topic.stem}.cu"
        yield path.name, path.read_text(encoding="utf-8").split("\n")
        files = RungFiles(topic)
        for rung in topic.rungs:
            head, chosen, end = files.of(rung)
            text = head + "".join(files.blocks[at].text for at in chosen) + end
            yield f"file of {topic.name}/{rung.name}", text.split("\n")
        for exercise in topic.exercise_files:
            yield exercise.path.relative_to(source), exercise.path.read_text(encoding="utf-8").split("\n")
            yield f"file of {topic.name}/{exercise.name}", exercise.start.split("\n")
            yield f"solution of {topic.name}/{exercise.name}", exercise.solution.split("\n")
    for path in sorted((ladder / "linking").iterdir()):
        yield path.relative_to(source), path.read_text(encoding="utf-8").split("\n")


def main():
    source = Path(sys.argv[1]).resolve()
    style = (source / "ladder/.clang-format").read_text(encoding="utf-8")
    most = int(style.split("ColumnLimit:")[1].split()[0])
    count, wide = 0, []
    for name, lines in texts(source):
        count += 1
        wide += [f"{name}: {len(line)} columns, expected at most {most}: {line}" for line in lines if len(line) > most]
    print("\n".join([*wide, f"{count} texts, {len(wide)} lines are too long"]))
    return bool(wide)


if __name__ == "__main__":
    sys.exit(main())
