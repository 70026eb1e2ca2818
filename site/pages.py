"""Hooks of MkDocs: what stands in the menu is what README.md links to under "Further"."""
import re
from pathlib import Path

LINK = re.compile(r"\[([^\]]+)\]\(([^)#]+)\)")


def on_config(config):
    """The menu: the operations in README's order, then its other pages."""
    pages = Path(config["docs_dir"])
    further = (pages / "README.md").read_text(encoding="utf-8").split("\n## Further\n")[1]
    operations, others = [], []
    for bullet in re.split(r"^\* ", further, flags=re.M)[1:]:
        section = operations if bullet.startswith("Operations:") else others
        for text, target in LINK.findall(bullet):
            target = page_of(pages, target)
            if target.endswith(".md"):
                section.append({text if section is operations else text[0].upper() + text[1:]: target})
    config["nav"] = [{"weft": "README.md"}, {"Operations": operations}, {"Further": others}]
    return config


def on_page_markdown(markdown, page, config, files):
    """A link to a folder leads to its newest page."""
    del files
    here = Path(config["docs_dir"]) / Path(page.file.src_uri).parent
    return LINK.sub(lambda link: f"[{link[1]}]({page_of(here, link[2])})", markdown)


def page_of(base, target):
    folder = base / target
    if "://" in target or not folder.is_dir():
        return target
    newest = max((path.name for path in folder.glob("*.md")), default=None)
    return f"{target.rstrip('/')}/{newest}" if newest else target
