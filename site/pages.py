"""Hooks of MkDocs. The navigation is made from docs/README.md: a section for each heading, a page for each link. The
landing page is README.md, with its picture and its two commands on the first screen."""
import re
from pathlib import Path

from mkdocs.structure.files import File

LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")
ENTRY = re.compile(r"^\* \[([^\]]+)\]\(([^)]+)\)", flags=re.M)
SITE = Path(__file__).resolve().parent
ROOT = SITE.parent  # of the repository
SOURCES = {".h": "c", ".hpp": "cpp", ".c": "c", ".def": "c", ".cc": "cpp", ".cu": "cpp", ".cuh": "cpp",
           ".f90": "fortran", ".py": "python", ".sh": "sh", ".cmake": "cmake"}
LANDING = re.compile(r"(?P<title># .*?\n\n.*?\n\n)(?P<bullets>\* .*?\n\n)(?P<picture>!\[.*?\n\n)## Try it\n\n"
                     r"(?P<commands>(?:    [^\n]*\n)+)\n(?P<advice>.*?\n\n)(?P<rest>.*)", flags=re.S)


def on_config(config):
    pages = Path(config["docs_dir"])
    index = (pages / "docs/README.md").read_text(encoding="utf-8")
    config["nav"] = [{"weft": "README.md"}]
    for section in index.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        entries = [{text: page_of(pages, "docs/README.md", target)} for text, target in ENTRY.findall(section)]
        config["nav"].append({title: [entry for entry in entries if list(entry.values())[0].endswith(".md")]})
    config["nav"][-1]["About"].append({"All pages": "docs/README.md"})
    return config


def on_files(files, config):
    """Adds the style sheet, the script for search without a server, and a page for each source file that a page links
    to. The headers, which are manuals, can be searched."""
    for name in ("site.css", "iframe-worker.js"):
        files.append(File.generated(config, name, abs_src_path=str(SITE / name)))
    pages = Path(config["docs_dir"])
    linked = {page_of(pages, page.relative_to(pages).as_posix(), target) for page in pages.rglob("*.md")
              for _, target in LINK.findall(page.read_text(encoding="utf-8"))}
    for name in sorted(link.removesuffix(".md") for link in linked if source_of(link)):
        head = "" if name.startswith("include/") else "---\nsearch:\n  exclude: true\n---\n"
        text = f"{head}# {name}\n\n```{SOURCES[Path(name).suffix]}\n{(ROOT / name).read_text(encoding='utf-8')}```\n"
        files.append(File.generated(config, f"{name}.md", content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    del files
    here, pages = page.file.src_uri, Path(config["docs_dir"])
    if here == "README.md":
        page.meta["hide"] = ["navigation", "toc"]
        markdown = landing(markdown)
    if here.startswith("bench/"):
        page.meta["search"] = {"exclude": True}
    return LINK.sub(lambda link: f"[{link[1]}]({relative(page_of(pages, here, link[2]), here)})", markdown)


def landing(readme):
    """README.md with the section "Try it" after the first sentence, and the bullets next to the picture."""
    part = LANDING.match(readme)
    assert part, "README.md: expected a title, a sentence, bullets, a picture and the section 'Try it' with commands"
    return (f"{part['title']}{part['commands']}\n{part['advice']}"
            f'<div class="grid" markdown>\n<div markdown>\n\n{part["bullets"]}</div>\n'
            f'<div markdown>\n\n{part["picture"]}</div>\n</div>\n\n{part["rest"]}')


def page_of(pages, here, target):
    """The path below `pages` of a link's target in the page `here`: a folder's README.md, a source file's page.
    Addresses and paths outside of `pages` are returned as they are."""
    path = (pages / here).parent.joinpath(target).resolve()
    if "://" in target or not path.is_relative_to(pages.resolve()):
        return target
    name = path.relative_to(pages.resolve()).as_posix()
    if (path / "README.md").exists():
        return f"{name}/README.md"
    return f"{name}.md" if source_of(f"{name}.md") else name


def source_of(page):
    """True if the page shows a source file."""
    name = page.removesuffix(".md")
    return name != page and Path(name).suffix in SOURCES and (ROOT / name).is_file()


def relative(target, here):
    """The path `target`, which begins at the root of the pages, as a link in the page `here`."""
    if "://" in target or target.startswith(".."):
        return target
    return "../" * here.count("/") + target
