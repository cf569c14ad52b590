"""The manual: a page for every mode, all linked, no link that leads nowhere, and the words of the panel."""

import importlib.util
import re
from pathlib import Path

import pytest
from action_loom.core import verbs
from action_loom.core.options import declared

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "docs" / "manual"
PAGES = sorted(MANUAL.glob("*.md"))
MODES = {
    "follow": "path",
    "in_place": "travel",
    "key_poses": "poses",
    "restyle": "style",
    "ask": "parametric",
}  # whose page is called otherwise
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def pages():
    """The tool that writes the manual for the zip."""
    return tool("manual_pages")


def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def anchors(path):
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda path: path.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        path = (page.parent / name) if name else page
        assert path.exists(), link
        assert not anchor or anchor in anchors(path), link


def test_every_page_is_linked_from_the_first():
    linked = {link.partition("#")[0] for link in LINK.findall((MANUAL / "README.md").read_text(encoding="utf-8"))}
    assert {page.name for page in PAGES} - {"README.md"} <= linked


@pytest.mark.parametrize(
    "recipe", [row.recipe for row in verbs.VERBS.values() if row.recipe.mode], ids=lambda r: r.verb
)
def test_every_mode_has_a_page_that_names_it(recipe):
    page = (MANUAL / f"{MODES.get(recipe.verb, recipe.verb)}.md").read_text(encoding="utf-8")
    assert recipe.mode in page
    shown = [about for about in declared(recipe).values() if about.choices and f"**{about.title}**" in page]
    for about in shown:
        named = [choice.title for choice in about.choices if f"*{choice.title}*" in page]
        assert named, (recipe.verb, about.name)


def test_the_zips_pages_have_the_tables_and_what_the_manual_leans_on(pages):
    splice = pages.as_html(MANUAL / "splice.md")
    assert splice.count("<table>") == 2
    assert "<br><em>Keep Posture</em>" in splice
    assert {"index.html", "options.html", "farms.html", "jobs.html"} <= set(pages.names())
    assert 'href="farms.html"' in pages.as_html(MANUAL / "README.md")
