"""Writes docs/options.md, and the tables of options on pages of the manual, from the declarations themselves.

A page of the manual has a table where it says `<!-- options: blend -->`; it goes to the next `<!-- end -->`.
"""

import re
from pathlib import Path

from action_loom.core.options import HIDDEN, MODE, PANEL, RARE, Option, declared
from action_loom.core.recipes.graph import GraphOptions
from action_loom.core.recipes.matching import Matching
from action_loom.core.recipes.reading import ReadingOptions, SourceOptions
from action_loom.core.recipes.result import ResultOptions
from action_loom.core.recipes.style import StyleOptions
from action_loom.core.verbs import VERBS

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "options.md"
HEAD = """# Options

Written by `tools/option_tables.py` from the declarations in `core/recipes`; a test compares them.

An option has the same name everywhere: `--open-end-penalty 2` on a command line, `open_end_penalty = 2` in a job file
and in a script, and words like these in a panel. Names of earlier versions, in brackets, are still read.
"""
SHARED = (
    ("Synchronising", "Of every verb that synchronises: `sync` and `blend`.", Matching),
    ("Motion graphs", "Of `graph build`, and of walks that build their graph themselves.", GraphOptions),
)
ACTIONS = (
    ("Results as actions", "In Blender, and on the command line inside Blender.", ResultOptions),
    ("Sources", "How all sources of a result are read.", ReadingOptions),
    ("One source", "How one source is read, where not as usual: below the list.", SourceOptions),
)
# Options that several verbs share have a panel of their own, as in `addon.model.properties`.
OF_A_PANEL = {
    "matching": Matching,
    "graph": GraphOptions,
    "style": StyleOptions,
    "result": ResultOptions,
    "reading": ReadingOptions,
}
MARKED = re.compile(r"(<!-- options: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for title, about, declaration in SHARED:
        parts.append(f"## {title}\n\n{about}\n\n{table(declared(declaration))}")
    for row in VERBS.values():
        recipe = row.recipe
        bases = [(title, declaration) for title, _, declaration in SHARED if issubclass(recipe, declaration)]
        shared = {name for _, declaration in bases for name in declared(declaration)}
        own = {name: about for name, about in declared(recipe).items() if name not in shared}
        earlier = f" (earlier `{'`, `'.join(recipe.earlier_verbs)}`)" if recipe.earlier_verbs else ""
        also = f" Options of {' and '.join(f'*{title}*' for title, _ in bases)} as well." if bases else ""
        parts.append(f"## {recipe.verb}{earlier}\n\n{recipe.__doc__}{also}")
        parts += [table(own)] if own else []
    for title, about, declaration in ACTIONS:
        parts.append(f"## {title}\n\n{about}\n\n{table(declared(declaration))}")
    return "\n\n".join(part.strip() for part in parts) + "\n"


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


def panel_table(name: str, where: str = "") -> str:
    """Return a table of the options of a mode, a tool or a panel, by their labels.

    where : `usual` for those that the panel itself shows, `rare` for those in its part below; both if empty
    """
    declaration = OF_A_PANEL.get(name) or VERBS[name].recipe
    usual, rare = _options_of(declaration)
    rows = ["| Option | At first | What it does |", "|---|---|---|"]
    shown = [*(usual if where != "rare" else ()), *(rare if where != "usual" else ())]
    rows += [f"| {about.title} | {at_first(about)} | {meaning(about, declared(declaration))} |" for about in shown]
    return "\n".join(rows)


def _options_of(declaration: type) -> tuple[list[Option], list[Option]]:
    """The options that a panel shows, with those of others that are meant for it, and those in its part below."""
    shared = [one for one in OF_A_PANEL.values() if issubclass(declaration, one) and one is not declaration]
    of_others = [about for one in shared for about in declared(one).values()]
    others = {about.name for about in of_others}
    mine = [about for about in declared(declaration).values() if about.name not in others]
    usual = [about for about in of_others if about.shown == MODE]
    usual += [about for about in mine if about.shown in (MODE, PANEL)]
    return usual, [about for about in mine if about.shown == RARE]


def at_first(about: Option) -> str:
    """Return the value that an option has before anybody sets it, as a panel shows it."""
    if about.choices:
        return next(choice.title for choice in about.choices if choice.name == about.default)
    if about.kind is bool:
        return "on" if about.default else "off"
    if about.kind in (tuple, str):
        return str(about.default) if about.default else "empty"
    unit = " s" if about.unit.strip() == "s" else ""  # other units stand in the label
    value = f"{about.default:.4g}{unit}"
    return f"{value}: {about.zero}" if about.zero and about.default <= 0 else value


def meaning(about: Option, options: dict[str, Option]) -> str:
    """Return what an option does, and each of its choices, a line for each.

    options : those of its declaration, by name
    """
    lines = [about.description, *(_choice(choice.title, choice.description) for choice in about.choices)]
    if about.only_for is not None:
        name, values = about.only_for
        titles = [f"*{choice.title}*" for choice in options[name].choices if choice.name in values]
        lines.append(f"Only where *{options[name].title}* is {' or '.join(titles)}")
    return "<br>".join(lines).replace("|", "\\|")


def _choice(title: str, description: str) -> str:
    return f"*{title}*" + (f": {description[0].lower()}{description[1:]}" if description else "")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    for one in sorted((DOCS / "manual").glob("*.md")):
        one.write_text(with_tables(one.read_text(encoding="utf-8")), encoding="utf-8")
