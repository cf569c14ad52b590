"""Writes from declarations: docs/options.md, the tables of options in the manual, and the verbs in docs/jobs.md.

A page of the manual has a table where it says `<!-- options: blend -->`; it goes to the next `<!-- end -->`, as does
the list of verbs from `<!-- verbs -->`.
"""

import re
from pathlib import Path

from action_loom.core.options import HIDDEN, MODE, PANEL, RARE, Declared, Option, declared_options
from action_loom.core.recipes.base import Recipe
from action_loom.core.recipes.graph import GraphOptions
from action_loom.core.recipes.matching import Matching
from action_loom.core.recipes.planting import PlantOptions
from action_loom.core.recipes.points import FromPoints
from action_loom.core.recipes.reading import ReadingOptions, SourceOptions
from action_loom.core.recipes.result import ResultOptions
from action_loom.core.recipes.splice import PointOptions
from action_loom.core.recipes.style import StyleOptions
from action_loom.core.verbs import VERBS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "options.md"
JOBS = DOCS / "jobs.md"
HEAD = """# Options

For whoever sets options on a command line, in a job file or in a script: each option of each verb.
`python tools/option_tables.py` writes this page from the declarations; a test compares them.

An option has the same name everywhere: `--open-end-penalty 2` on a command line, `open_end_penalty = 2` in a job file
and in a script, and similar words in a panel. Earlier names, in brackets, are still read.
"""
# Options that several verbs share; each verb's section mentions them.
SHARED: tuple[tuple[str, type[Declared]], ...] = (
    ("Synchronising", Matching),
    ("Motion graphs", GraphOptions),
    ("Feet", PlantOptions),
    ("Splice points", PointOptions),
    ("Styles", StyleOptions),
)
ACTIONS: tuple[tuple[str, str, type[Declared]], ...] = (
    ("Results as actions", "In Blender, and on the command line inside Blender.", ResultOptions),
    ("Sources", "How all sources of a result are read.", ReadingOptions),
    ("Points", "Files of 3D points, imported in Blender or by `action-loom points`.", FromPoints),
    ("One source", "How one source is read, where it differs from the others: below the list.", SourceOptions),
)
# Options that several verbs share have a panel of their own, as in `addon.model.properties`.
OF_A_PANEL = {
    "matching": Matching,
    "graph": GraphOptions,
    "style": StyleOptions,
    "result": ResultOptions,
    "reading": ReadingOptions,
    "points": FromPoints,
}
# Defaults in panels that differ from the defaults in scripts, as in `addon.model.properties`.
OF_PANELS = {"place": "figure"}
MARKED = re.compile(r"(<!-- options: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
LISTED = re.compile(r"(<!-- verbs -->).*?(<!-- end -->)", re.DOTALL)


def page() -> str:
    """Return the text of the page."""
    recipes = [row.recipe for row in VERBS.values()]
    rows = ["| verb | what it does |", "|---|---|"]
    rows += [f"| [`{one.verb}`](#{anchor(heading(one))}) | {one.__doc__} |" for one in recipes]
    parts = [HEAD, "## Verbs", "\n".join(rows)]
    for title, declaration in SHARED:
        having = ", ".join(f"`{one.verb}`" for one in recipes if issubclass(one, declaration))
        parts += [f"## {title}", f"For {having}.", table(declared_options(declaration))]
    for recipe in recipes:
        bases = [(title, declaration) for title, declaration in SHARED if issubclass(recipe, declaration)]
        shared = {name for _, declaration in bases for name in declared_options(declaration)}
        own = {name: about for name, about in declared_options(recipe).items() if name not in shared}
        parts.append(f"## {heading(recipe)}")
        if bases:
            parts.append(f"With the options of {', '.join(f'[{title}](#{anchor(title)})' for title, _ in bases)}.")
        parts += [table(own)] if own else []
    for title, about, declaration in ACTIONS:
        parts.append(f"## {title}\n\n{about}\n\n{table(declared_options(declaration))}")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def heading(recipe: type[Recipe]) -> str:
    """Return the heading of a verb's section."""
    return recipe.verb + (f" (earlier `{'`, `'.join(recipe.earlier_verbs)}`)" if recipe.earlier_verbs else "")


def anchor(title: str) -> str:
    """Return the anchor of a heading, which ends a link to it."""
    return re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")


def table(options: dict[str, Option]) -> str:
    """Return a row for every option."""
    rows = ["| option | default | values | |", "|---|---|---|---|"]
    rows += [
        f"| {name(about)} | {default(about)} | {values(about)} | {sentence(about)} |" for about in options.values()
    ]
    return "\n".join(rows)


def name(about: Option) -> str:
    return f"`{about.name}`" + (f" (`{'`, `'.join(about.aliases)}`)" if about.aliases else "")


def default(about: Option) -> str:
    if about.kind is tuple or about.default == "":
        return ""
    return f"`{about.default:.4g}{about.unit}`" if about.kind is float else f"`{str(about.default).lower()}`"


def values(about: Option) -> str:
    if about.choices:
        return ", ".join(f"`{one}`" for one in about.names)
    if about.table:
        return "rows of numbers" + (", or a file of them" if about.from_file else "")
    if about.kind is tuple:
        return "numbers"
    if about.minimum is not None and about.maximum is not None:
        return f"{about.minimum:g} to {about.maximum:g}{about.unit}"
    if about.minimum is not None:
        return f"{about.minimum:g} or more"
    return {bool: "yes or no", str: "text", int: "a number", float: "a number"}[about.kind]


def sentence(about: Option) -> str:
    text = about.description.replace("|", "\\|")
    if about.only:
        text += f" ({about.only})"
    return text + ("" if about.shown != HIDDEN else ". Set in the list or the view, not as a field")


# --- tables for those who read labels -----------------------------------------------------------------------------


def with_tables(text: str) -> str:
    """Return a page of the manual with its tables as the declarations are now."""
    return MARKED.sub(lambda found: f"{found[1]}\n{panel_table(*found[2].split())}\n\n{found[3]}", text)


def with_verbs(text: str) -> str:
    """Return the page of job files with the list of verbs as the registry is now."""
    return LISTED.sub(lambda found: f"{found[1]}{', '.join(f'`{verb}`' for verb in VERBS)}{found[2]}", text)


def panel_table(name: str, where: str = "") -> str:
    """Return a table of the options of a mode, a tool or a panel, by their labels.

    where : `usual` for options in the panel itself, `rare` for options in its part below; "" for both
    """
    declaration = OF_A_PANEL.get(name) or VERBS[name].recipe
    usual, rare = _options_of(declaration)
    shown = [*(usual if where != "rare" else ()), *(rare if where != "usual" else ())]
    rows = [
        f"| {about.title} | {at_first(about)} | {meaning(about, declared_options(declaration))} |" for about in shown
    ]
    return "\n".join(["| Option | Default | What it does |", "|---|---|---|", *rows] if rows else [])


def _options_of(declaration: type) -> tuple[list[Option], list[Option]]:
    """Return the options in a panel, including visible shared options, and the options in its part below."""
    shared = [one for one in OF_A_PANEL.values() if issubclass(declaration, one) and one is not declaration]
    of_others = [about for one in shared for about in declared_options(one).values()]
    others = {about.name for about in of_others}
    mine = [about for about in declared_options(declaration).values() if about.name not in others]
    usual = [about for about in of_others if about.shown == MODE]
    usual += [about for about in mine if about.shown in (MODE, PANEL)]
    return usual, [about for about in mine if about.shown == RARE]


def at_first(about: Option) -> str:
    """Return the value that an option has before anybody sets it, as a panel shows it."""
    if about.choices:
        first = OF_PANELS.get(about.name, about.default)
        return next(choice.title for choice in about.choices if choice.name == first)
    if about.kind is bool:
        return "on" if about.default else "off"
    if about.kind in (tuple, str):
        return str(about.default) if about.default else "empty"
    unit = " s" if about.unit.strip() == "s" else ""  # the label has the other units
    value = f"{about.default:.4g}{unit}"
    meant = about.means(about.default)
    return f"{value}: {meant}" if meant else value


def meaning(about: Option, options: dict[str, Option]) -> str:
    """Return the description of an option and of each of its choices, one line each.

    options : all options of the declaration, by name
    """
    lines = [about.description, *(_choice(choice.title, choice.description) for choice in about.choices)]
    if about.only_for is not None:
        name, values = about.only_for
        titles = [f"*{choice.title}*" for choice in options[name].choices if choice.name in values]
        titles = titles or ["on" if value else "off" for value in values]
        lines.append(f"Only where *{options[name].title}* is {' or '.join(titles)}")
    return "<br>".join(lines).replace("|", "\\|")


def _choice(title: str, description: str) -> str:
    return f"*{title}*" + (f": {description[0].lower()}{description[1:]}" if description else "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    JOBS.write_text(with_verbs(JOBS.read_text(encoding="utf-8")), encoding="utf-8")
    for one in sorted((DOCS / "manual").glob("*.md")):
        one.write_text(with_tables(one.read_text(encoding="utf-8")), encoding="utf-8")
