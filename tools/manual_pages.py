"""Converts docs/manual, its linked pages and its pictures to HTML pages for the zip."""

import re
import shutil
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parent.parent
MANUAL = ROOT / "docs" / "manual"
BESIDE = tuple(ROOT / "docs" / name for name in ("options.md", "farms.md", "jobs.md"))
PAGES = (*sorted(MANUAL.glob("*.md")), *BESIDE)
EXTENSIONS = ("tables", "fenced_code", "toc")
STYLE = """
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto 4rem; padding: 0 1rem; color: #222; }
nav { font-size: 0.9rem; margin-bottom: 1.5rem; }
a { color: #1f6fb5; }
img { max-width: 100%; border-radius: 4px; }
code { background: #eee; padding: 0 0.25em; border-radius: 3px; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.9rem; }
th, td { border: 1px solid #ccc; padding: 0.25em 0.6em; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { background: #1d1d1d; color: #ddd; } a { color: #7db9e8; }
  code { background: #333; } th, td { border-color: #444; }
}
"""


def page_name(name: str) -> str:
    """The page's file in the zip, of a Markdown file."""
    return "index.html" if name == "README.md" else name.removesuffix(".md") + ".html"


def write(folder: Path) -> list[str]:
    """Empty a folder, write all pages and pictures to it, and return their names."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in PAGES:
        (folder / page_name(path.name)).write_text(as_html(path), encoding="utf-8")
    if (MANUAL / "images").is_dir():
        shutil.copytree(MANUAL / "images", folder / "images")
    return names()


def names() -> list[str]:
    """The files of the manual in the zip, relative to its folder."""
    pictures = sorted((MANUAL / "images").glob("*.*"))
    return [*(page_name(path.name) for path in PAGES), *(f"images/{path.name}" for path in pictures)]


def as_html(path: Path) -> str:
    """Return a Markdown page as HTML; links to files outside the zip become plain text."""
    text = re.sub(
        r"\[([^\]]+)\]\(([^)\s]+)\)", lambda link: _link(path, *link.groups()), path.read_text(encoding="utf-8")
    )
    body = markdown.markdown(text, extensions=list(EXTENSIONS))
    title = re.search(r"^# (.*)$", text, re.MULTILINE)
    heading = title.group(1) if title else path.stem
    back = "" if path.name == "README.md" else '<nav><a href="index.html">Action Loom: manual</a></nav>'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body>{back}\n{body}\n</body></html>\n"
    )


def _link(page: Path, words: str, target: str) -> str:
    name, mark, anchor = target.partition("#")
    hint = (page.parent / name).resolve() if name else page
    if "://" in target or hint.suffix in (".png", ".webp"):
        return f"[{words}]({target})"
    if hint in PAGES:
        return f"[{words}]({page_name(hint.name)}{mark}{anchor})"
    return words
