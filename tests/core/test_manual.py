"""The manual: a page for every mode, a link to every page, no dead link, and the panel's own words."""

import importlib.util
import re
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from action_loom.core import verbs
from action_loom.core.options import declared_options

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "docs" / "manual"
PAGES = sorted(MANUAL.glob("*.md"))
MODES = {
    "follow": "path",
    "in_place": "travel",
    "key_poses": "poses",
    "restyle": "style",
    "ask": "parametric",
    "cut_out": "take",
    "walk": "endless",
}  # whose page is called otherwise
LINK = re.compile(r"\]\(([^)\s]+)\)")
EMPHASIS = re.compile(r"\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])")
CODE = re.compile(r"<!-- options.*?<!-- end -->|```.*?```|`[^`]*`|(?m:^ {4,}[^\n]*$)", re.DOTALL)


def names_in(text):
    return set(" ".join(text.split()).split(", "))


# Words of Blender's own menus, panels and keys, and of Rigify.
OF_BLENDER = names_in("""
    Add-ons, Animation, Auto Keying, Backspace, Ctrl, Edit, Enter, Esc, Euler Filter, FK->IK, IK->FK, Get
    Extensions, Install from Disk, Marker, N, Online Manual, Only Show Selected, P, Pose, Preferences, Shift, Space,
    Preserve Volume, Library Override, Make, Show Pose Markers, Stretch, Switch Direction, Uninstall
""")
# Capitalised words beside the labels: actions of the demo, names of results and markers.
NAMES = names_in("""
    Action Loom, FK, IK, Run, Run + Walk 50:50, Seam 1, Sneak, Turn Left, Turn Right, Walk, Walk on Hero
""")
SMALL = {"a", "and", "at", "by", "for", "from", "in", "is", "it", "like", "of", "on", "or", "the", "this", "to"}


@pytest.fixture(scope="module")
def pages():
    """The tool that writes the manual for the zip."""
    return tool("manual_pages")


@cache
def tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where its dataclasses look for their types
    spec.loader.exec_module(module)
    return module


@cache
def texts():
    return tool("interface_texts").collect()


@pytest.fixture(scope="module")
def labels():
    """Every text that the add-on shows, without the unit or the dots that it may end with."""
    titles = {about.title for row in verbs.VERBS.values() for about in declared_options(row.recipe).values()}
    return {bare(text) for text in titles.union(texts())}


def bare(text):
    return re.sub(r" \([^)]*\)$", "", text).rstrip("….:, ")


def looks_like_a_label(words):
    """Say whether words are written as labels are: each with a capital, but for small ones inside."""
    first, *others = words.split()
    return first[0].isupper() and all(not word[0].islower() or word in SMALL for word in others)


def labels_on(page):
    """Yield each step of a page's menu paths that looks like a label."""
    for bold, italic in EMPHASIS.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        for words in re.sub(r"\s+", " ", bold or italic).split(" > "):
            if looks_like_a_label(words):
                yield bare(words)


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
    shown = [about for about in declared_options(recipe).values() if about.choices and f"**{about.title}**" in page]
    for about in shown:
        named = [choice.title for choice in about.choices if f"*{choice.title}*" in page]
        assert named, (recipe.verb, about.name)


def test_the_zips_pages_have_the_tables_and_what_the_manual_leans_on(pages):
    splice = pages.as_html(MANUAL / "splice.md")
    assert splice.count("<table>") == 1
    assert "<br><em>Keep Posture</em>" in splice
    assert {"index.html", "options.html", "farms.html", "jobs.html"} <= set(pages.names())
    assert 'href="farms.html"' in pages.as_html(MANUAL / "README.md")


def test_what_looks_like_a_label_is_one(labels):
    known = labels | OF_BLENDER | NAMES
    assert [(page.name, words) for page in PAGES for words in labels_on(page) if words not in known] == []


def test_labels_are_found_and_told_from_other_words(labels):
    found = list(labels_on(MANUAL / "splice.md"))
    assert {"Keep Posture", "Points Within", "Splice Points", "Strength"} <= set(found)
    assert {"Add Demo", "Weave", "Find Transitions", "3D Cursor"} <= labels
    assert not looks_like_a_label("The zip is refused.")
    assert looks_like_a_label("Add from Selected Armatures")
    assert "Weave Everything" not in labels


def test_no_word_of_blender_or_name_is_listed_in_vain():
    found = {words for page in PAGES for words in labels_on(page)}
    assert found >= OF_BLENDER | NAMES


def test_what_is_quoted_is_said_by_the_add_on():
    page = (MANUAL / "troubleshooting.md").read_text(encoding="utf-8")
    quotes = [re.sub(r"\s+", " ", one) for one in re.findall(r'"([^"]+)"', page)]
    said = [re.sub(r"\{[^{}]*\}", "…", text) for text in texts()]
    assert len(quotes) > 15
    assert [one for one in quotes[1:] if not any(_says(text, one) for text in said)] == []


def _says(text, quoted):
    """Say whether a text has the pieces of a quotation, in their order."""
    pieces = [re.escape(piece.strip(" ,;:")) for piece in quoted.split("…") if piece.strip(" ,;:?")]
    return re.search(".*".join(pieces), text) is not None


def test_the_words_are_sorted_and_each_is_told_of_in_a_few_lines():
    parts = (MANUAL / "glossary.md").read_text(encoding="utf-8").split("\n## ")[1:]
    words = [part.partition("\n")[0] for part in parts]
    assert words == sorted(words, key=str.lower)
    assert len(words) > 30
    for part in parts:
        assert 1 <= len(part.strip().splitlines()) - 2 <= 4, part


def test_every_strip_is_on_a_page_is_small_and_has_words_for_who_does_not_see_it():
    strips = tool("manual_strips").strips()
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    shown = {name: words for words, name in re.findall(r"!\[([^\]]+)\]\(images/strip_(\w+)\.webp\)", text)}
    assert set(shown) == set(strips)
    for name, words in shown.items():
        assert len(words) > 40, name
        assert 2000 < (MANUAL / "images" / f"strip_{name}.webp").stat().st_size <= 80 * 1024


def test_a_strip_is_drawn_again_from_what_is_declared(tmp_path):
    strips = tool("manual_strips")
    for name in ("mirror", "move_events", "in_place"):
        strips.save(strips.draw(strips.strips()[name]), tmp_path / f"{name}.webp")
        assert (tmp_path / f"{name}.webp").stat().st_size > 2000


@pytest.mark.parametrize("page", sorted(set(MODES.values()) | {"blend", "connect", "loop", "splice", "travel"}))
def test_every_page_of_a_mode_has_a_picture(page):
    assert "](images/" in (MANUAL / f"{page}.md").read_text(encoding="utf-8")


def test_the_moving_picture_of_the_readme_is_small_and_moves_for_some_seconds():
    path = ROOT / "docs" / "images" / "drive.webp"
    assert "](docs/images/drive.webp)" in (ROOT / "README.md").read_text(encoding="utf-8").split("## ")[0]
    assert path.stat().st_size < 2 * 2**20
    seconds = 0.0
    with import_module("PIL.Image").open(path) as image:
        assert image.n_frames > 50
        for place in range(image.n_frames):
            image.seek(place)
            image.load()
            seconds += image.info["duration"] / 1000.0
    assert 4.0 <= seconds <= 6.5


def test_links_of_the_zips_pages_lead_somewhere(pages):
    html = {pages.page_name(path.name): pages.as_html(path) for path in pages.PAGES}
    for name, text in html.items():
        for page, anchor in re.findall(r'href="([\w.]*)#([^"]+)"', text):
            assert f'id="{anchor}"' in html[page or name], (name, page, anchor)
