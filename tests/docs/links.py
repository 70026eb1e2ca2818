"""Checks that the file and the heading of every link of the documentation exist, and every page that a comment names.
Checks that docs/README.md lists every page of docs, and that every clause cited as "ORDER.md 6.2" exists.

    links.py SOURCE_DIR
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTION = re.compile(r"(?<![\w/.-])(?:docs|examples|bench|tests|include)/[\w/.-]*\.md\b")
CLAUSE = re.compile(r"^(?:#+ (\d+) |\*\*(\d+\.\d+) )", re.M)
NUMBER = r"\d+(?:\.\d+)?"
CITATION = re.compile(rf"ORDER\.md\)?(?:,)?[\s*/#]+({NUMBER}(?:(?:, | and | to ){NUMBER}(?![\w-]))*)")
ADDRESS = re.compile(r"^[a-z]+:")


def anchors(page):
    """Returns the anchors of the page's headings on GitHub and in MkDocs."""
    names, fenced = set(), False
    for line in page.read_text(encoding="utf-8").split("\n"):
        fenced ^= line.startswith("```")
        heading = re.match(r"#+ (.*)", line)
        if heading and not fenced:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            names.add(re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-"))
    return names


def prose(text):
    """Returns the text without its blocks and spans of code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def dead_links(page):
    for link in LINK.findall(prose(page.read_text(encoding="utf-8"))):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        if ADDRESS.match(link):
            continue
        if not target.exists():
            yield link
        elif heading and target.suffix == ".md" and heading not in anchors(target):
            yield link


def unlisted_pages(docs):
    """Returns the pages of docs to which docs/README.md has no link."""
    index = docs / "README.md"
    listed = {(docs / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    return [page for page in sorted(docs.rglob("*.md")) if page != index and page.resolve() not in listed]


def wrong_clauses(text, clauses):
    """Returns the clauses of docs/spec/ORDER.md that a text cites and that do not exist."""
    cited = [number for citation in CITATION.findall(text) for number in re.findall(NUMBER, citation)]
    return [f"ORDER.md {number}" for number in cited if number not in clauses]


def main():
    source = Path(sys.argv[1]).resolve()
    dead = count = 0
    clauses = {a or b for a, b in CLAUSE.findall((source / "docs/spec/ORDER.md").read_text(encoding="utf-8"))}
    folders = "include src cli tests ladder bench docs examples python fortran cmake".split()
    for file in sorted([*source.glob("*.md"), *(f for folder in folders for f in (source / folder).rglob("*"))]):
        name = str(file.relative_to(source))
        if not file.is_file() or file.suffix in (".npy", ".png", ".pyc") or name.startswith("bench/results"):
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        wrong = [mention for mention in MENTION.findall(text) if not (source / mention).exists()]
        wrong += wrong_clauses(text, clauses)
        if file.suffix == ".md":
            count += len(LINK.findall(text))
            wrong += dead_links(file)
        for link in wrong:
            print(f"{name}: {link} does not exist")
        dead += len(wrong)
    for page in unlisted_pages(source / "docs"):
        print(f"docs/README.md: does not list {page.relative_to(source)}")
        dead += 1
    print(f"{count} links, {dead} errors")
    sys.exit(dead > 0)


main()
