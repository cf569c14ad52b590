"""Values declared once agree everywhere: choices, tables of the manual, sections named in comments."""

import importlib.util
import re
from pathlib import Path

import pytest
from action_loom.core import verbs
from action_loom.core.options import HIDDEN, SHOWN, declared_options
from action_loom.core.recipes.matching import Matching
from action_loom.core.recipes.metrics import METRICS
from action_loom.core.recipes.reading import ReadingOptions, SourceOptions
from action_loom.core.recipes.result import ResultOptions

ROOT = Path(__file__).resolve().parents[2]
DECLARATIONS = [*(row.recipe for row in verbs.VERBS.values()), ResultOptions, ReadingOptions, SourceOptions]
SOURCES = [path for room in ("core", "addon", "tools", "tests") for path in (ROOT / room).rglob("*.py")]


def test_the_choices_of_a_metric_are_the_registry():
    assert declared_options(Matching)["metric"].names == ("auto", *METRICS)


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda cls: cls.__name__)
def test_every_option_says_where_it_is_shown_and_for_what_it_is_meant(declaration):
    options = declared_options(declaration)
    for about in options.values():
        assert about.shown in SHOWN
        if about.only_for is not None:
            decides, hint = about.only_for
            assert set(hint) < set(options[decides].names or (True, False))


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda cls: cls.__name__)
def test_choices_have_sentences_of_their_own_unless_their_labels_say_all(declaration):
    for about in declared_options(declaration).values():
        sentences = [choice.description for choice in about.choices or () if choice.description]
        assert len(set(sentences)) == len(sentences), about.name
        for sentence in sentences:
            assert 8 <= len(sentence) <= 110, (about.name, sentence)
            assert sentence[0].isupper(), sentence
            assert not sentence.endswith("."), sentence


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda cls: cls.__name__)
def test_earlier_names_are_no_names_of_today(declaration):
    options = declared_options(declaration)
    aliases = [alias for about in options.values() for alias in about.aliases]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(options)


def test_verbs_and_their_earlier_names_are_different():
    names = [name for row in verbs.VERBS.values() for name in (row.recipe.verb, *row.recipe.earlier_verbs)]
    assert len(set(names)) == len(names)


@pytest.fixture(scope="module")
def tables():
    """The tool that writes the tables."""
    spec = importlib.util.spec_from_file_location("option_tables", ROOT / "tools" / "option_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_manuals_tables_are_the_declarations(tables):
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert page == tables.page(), "python tools/option_tables.py writes the page"


def test_the_list_of_verbs_for_job_files_is_the_registry(tables):
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
    assert len(tables.LISTED.findall(text)) == 1
    assert text == tables.with_verbs(text), "python tools/option_tables.py writes it"


PAGES = sorted((ROOT / "docs" / "manual").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_tables_on_pages_of_the_manual_are_the_declarations(page, tables):
    text = page.read_text(encoding="utf-8")
    assert text == tables.with_tables(text), "python tools/option_tables.py writes them"
    assert text.count("<!-- options: ") == text.count("<!-- end -->") == len(tables.MARKED.findall(text))


def test_every_mode_and_every_tool_has_a_table_on_some_page(tables):
    marked = {name.split()[0] for page in PAGES for _, name, _ in tables.MARKED.findall(page.read_text("utf-8"))}
    recipes = [row.recipe for row in verbs.VERBS.values()]
    wanted = {one.verb for one in recipes if one.mode or (one.of_action and one.verb != "plant")}
    without = (wanted | set(tables.OF_A_PANEL)) - marked
    assert not without, f"docs/manual lacks a line `<!-- options: NAME usual -->` for each of {sorted(without)}"


def test_a_table_has_every_option_that_is_shown(tables):
    for name, options in (("splice", verbs.VERBS["splice"].recipe), ("matching", Matching), ("result", ResultOptions)):
        rows = tables.panel_table(name).splitlines()[2:]
        shown = [about for about in declared_options(options).values() if about.shown != HIDDEN]
        assert sorted(row.split(" | ")[0].removeprefix("| ") for row in rows) == sorted(a.title for a in shown)


def test_every_section_that_docstrings_point_to_exists():
    """A title may run on to the next line of its docstring; sections are parted by semicolons."""
    sections = re.findall(
        r"^## (.+)$", (ROOT / "docs" / "development" / "methods.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    longest = max(len(title) for title in sections)
    pointed = 0
    for path in (p for p in SOURCES if p != Path(__file__)):
        text = re.sub(r"\s+(?:# )?", " ", path.read_text(encoding="utf-8"))
        for found in re.finditer(r"\bMethod: |\bmethods: ", text):
            pointed += 1
            rest = text[found.end() : found.end() + longest]
            assert any(rest.startswith(title) for title in sections), f"{path}: no section of methods.md: {rest}"
    assert pointed > 100
