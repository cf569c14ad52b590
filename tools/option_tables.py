"""Writes docs/options.md: what every verb, result and source can be asked for, from the declarations themselves."""

from pathlib import Path

from action_loom.core.options import HIDDEN, Option, declared
from action_loom.core.recipes.graph import GraphOptions
from action_loom.core.recipes.matching import Matching
from action_loom.core.recipes.reading import ReadingOptions, SourceOptions
from action_loom.core.recipes.result import ResultOptions
from action_loom.core.verbs import VERBS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "options.md"
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


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
