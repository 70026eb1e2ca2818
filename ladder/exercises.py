"""Reads the exercises of the ladder: ladder/exercises/<topic's stem>/<name>.cu, described in ladder/exercises/README.md.

A file has a comment "/* Exercise NAME: TITLE" with the task, hints and sizes; the solution, in which comments mark the
blanks; and, after the line "/* Check */", the check. <name>.faults next to it lists mistakes that the check must find.
"""

import re
import sys

from rung_files import title

HEAD = re.compile(r"/\* Exercise ([a-z0-9-]+): (.+?)\n \*\n(.*?)\*/\n", re.DOTALL)
BLANK = re.compile(r"^([ \t]*)/\* Blank: (.*?) \*/\n.*?^[ \t]*/\* End of blank(?:: (.*?))? \*/\n", re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"^[ \t]*/\* (?:Blank: .*?|End of blank.*?) \*/\n", re.MULTILINE | re.DOTALL)
SIZES = re.compile(r"([\d\s]+);\s+(\d+)\s+on\s+a\s+GPU")
CHECK = "/* Check */\n"
FAULT = re.compile(r"^([a-z0-9-]+): .+\n((?:[-+].*\n)+)", re.MULTILINE)


class Exercise:
    def __init__(self, path, topic_stem, topic):
        self.path, self.topic_stem, self.topic = path, topic_stem, topic
        text = path.read_text(encoding="utf-8")
        head = HEAD.match(text)
        if not head or head[1] != path.stem or text.count(CHECK) != 1:
            self.refuse(f'expected a comment "/* Exercise {path.stem}: TITLE" at the start and one line "{CHECK.strip()}"')
        self.name, self.idea = head[1], " ".join(re.sub("^ \\*", "", head[2], flags=re.MULTILINE).split())
        self.stem = self.name.replace("-", "_")
        self.marked, check = text[head.end():].split(CHECK)
        self.check_name = f"check_{topic_stem}_{self.stem}"
        line = text[:text.index(CHECK)].count("\n") + 2
        self.check = f'#define check_exercise {self.check_name}\n#line {line} "{path.name}"\n{check}'
        self.read_head(head[3])
        self.solution = self.comment("The solution") + MARKER.sub("", self.marked)
        if not BLANK.search(self.marked):
            self.refuse("there is no blank")
        self.start = self.comment() + BLANK.sub(self.without, self.marked)

    def refuse(self, sentence):
        sys.exit(f"{self.path}: {sentence}")

    def read_head(self, comment):
        lines = [line.strip().removeprefix("*").removeprefix(" ") for line in comment.splitlines()]
        paragraphs = [p.strip("\n") for p in re.split(r"\n\s*\n", "\n".join(lines)) if p.strip()]
        self.hints = [p.removeprefix("Hint: ") for p in paragraphs if p.startswith("Hint: ")]
        sizes = [SIZES.fullmatch(p.removeprefix("Sizes: ")) for p in paragraphs if p.startswith("Sizes: ")]
        if len(sizes) != 1 or not sizes[0] or not self.hints:
            self.refuse('expected hints, "Hint: ...", and one paragraph "Sizes: N N N; N on a GPU"')
        self.sizes, self.gpu_size = [int(size) for size in sizes[0][1].split()], int(sizes[0][2])
        self.task = [p for p in paragraphs if not p.startswith(("Hint: ", "Sizes: "))]

    def comment(self, also=""):
        """Returns the comment at the start of the learner's file, by which the command recognizes the exercise."""
        name = f"{self.topic}/{self.name}"
        use = [f"    weft ladder try FILE{' ' * (len(name) + 2)}runs and checks it",
               f"    weft ladder hint {name} 1   the first of {len(self.hints)} hints"]
        paragraphs = [*self.task, also + "." if also else "\n".join(use)]
        body = "\n *\n".join("\n".join(" * " + line if line else " *" for line in p.splitlines()) for p in paragraphs)
        return f"{title(name, self.idea)}\n *\n{body}\n */\n"

    @staticmethod
    def without(blank):
        indent, text, instead = blank.groups()
        return f"{indent}/* WRITE THIS: {text} */\n" + (f"{indent}{instead}\n" if instead else "")

    def faults(self):
        """Returns the faulty solutions by name. A fault is a line "name: what is wrong", and then lines that begin with -
        (the text that is replaced, which must occur once in the solution) and with + (the text that replaces it)."""
        path = self.path.with_suffix(".faults")
        if not path.exists():
            self.refuse(f"{path.name} is missing")
        listed = path.read_text(encoding="utf-8")
        rest = FAULT.sub("", listed).strip()
        if rest:
            sys.exit(f"{path}: expected faults, not: {rest.splitlines()[0]}")
        found = {}
        for name, changes in FAULT.findall(listed):
            text = self.solution
            for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", changes, re.MULTILINE):
                old, new = (re.sub(r"^[-+]", "", part, flags=re.MULTILINE) for part in (old, new))
                if text.count(old) != 1:
                    sys.exit(f"{path}: {name}: the solution has this text {text.count(old)} times, not once:\n{old}")
                text = text.replace(old, new)
            if name in found:
                sys.exit(f"{path}: more than one fault is called {name}")
            found[name] = text
        return found

    def write(self, target):
        """Writes the check to target/checks and the other files to target/<topic's stem>/<name>."""
        folder = target / self.topic_stem / self.name
        (folder / "faults").mkdir(parents=True, exist_ok=True)
        (target / "checks").mkdir(exist_ok=True)
        (target / "solutions" / self.topic_stem).mkdir(parents=True, exist_ok=True)
        (target / "checks" / f"{self.check_name}.cu").write_text(self.check, encoding="utf-8")
        (target / "solutions" / self.topic_stem / f"{self.name}.cu").write_text(self.solution, encoding="utf-8")
        (folder / "start.cu").write_text(self.start, encoding="utf-8")
        for old in (folder / "faults").glob("*.cu"):
            old.unlink()
        for name, text in self.faults().items():
            (folder / "faults" / f"{name}.cu").write_text(text, encoding="utf-8")


def of_topic(folder, stem, name):
    return [Exercise(path, stem, name) for path in sorted((folder / "exercises" / stem).glob("*.cu"))]
