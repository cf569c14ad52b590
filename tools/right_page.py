"""The page of the battery: counts by verb, and faults, grouped so that each can be tried again."""

import textwrap
from collections.abc import Sequence
from typing import Any

import page_sections

TITLE = "Is it right?"
WIDE = 118
RULE = "(rule)"  # before the sentence of a rule that does not apply
KINDS = ("right", "refused", "wrong")
INTRODUCTION = (
    "For whoever wants to know whether results are right, not only whether something is made: every verb on captured"
    " clips, on the generated figure and on game characters in Blender, each after a rule such as knees bent by 4°,"
    " another rest pose or a key missing. A cell is right, refused with a sentence that names the clip and says what to"
    " do, or wrong: an invariant does not hold, and no warning says so. The bar is none wrong."
)
HOW = (
    "`.venv/bin/python tools/right.py ZIP` writes this page and build/right/cells.json. One cell:"
    ' `.venv/bin/python tools/right.py --only "blend|walk|cycle gap"` (verb, part of the subject, part of the variation'
    "; with the zip before it, in Blender, too). Every choice is seeded by the cell's names. Captured clips are"
    " a seeded third of those in ../shared; kept aside are those that nothing is tuned on."
)


def line(one: dict[str, Any]) -> str:
    """Return a cell in a line or more."""
    head = (
        f"{one['outcome']:8}{one['verb']}|{one['subject']}|{one['variation']} ({one['group']}, {one['seconds']:.2f} s)"
    )
    lines = [f"{fault['invariant']}: {fault['text']}" for fault in one.get("wrong", ())]
    lines += [one["sentence"]] if one.get("sentence") else []
    lines += [f"warned: {sentence}" for sentence in one.get("warnings", ())]
    return "\n        ".join([head, *lines])


def write(cells: Sequence[dict[str, Any]], invariants: Sequence[Any], seconds: float) -> None:
    """Write the section."""
    lines = [*textwrap.wrap(INTRODUCTION, WIDE), "", *textwrap.wrap(HOW, WIDE), ""]
    lines += [f"{len(cells)} cells in {seconds / 60.0:.0f} minutes, one process.", ""]
    not_tried = sum(str(one.get("sentence", "")).startswith(RULE) for one in cells)
    rules = f"Of those refused {not_tried} were not tried, as the rule does not apply to the clip (such as no arms)."
    lines += ["### Cells by verb", "", *_counts(cells), "", rules, "", "### Wrong cells", "", *_faults(cells), ""]
    lines += ["### Invariants", "", *textwrap.wrap(OWN, WIDE), "", *_reasons(invariants), ""]
    page_sections.put(TITLE, lines)


OWN = (
    "Of every result, besides what each verb must do by itself (`tools/right_recipes.py`: undone, doubled, known"
    " answers) and, in Blender, that poses are shown as they were made (`tools/right_in_blender.py`). All is measured"
    " from where joints are, without the code that is tried (`tools/right_measures.py`). A warning or a note about it"
    " counts as right."
)


def _counts(cells: Sequence[dict[str, Any]]) -> list[str]:
    groups = (("figure", "tuned", "Blender"), ("aside", "Blender aside"))
    heads = ["verb", *(f"{kind}" for kind in KINDS), *(f"{kind}, kept aside" for kind in KINDS)]
    rows = []
    for verb in [*dict.fromkeys(one["verb"] for one in cells), "all"]:
        mine = [one for one in cells if verb in (one["verb"], "all")]
        numbers = [
            sum(o["outcome"] == kind and o["group"] in names for o in mine) for names in groups for kind in KINDS
        ]
        rows.append([verb, *map(str, numbers)])
    return page_sections.table(heads, rows)


def _faults(cells: Sequence[dict[str, Any]]) -> list[str]:
    found: dict[tuple[str, str], list[tuple[dict[str, Any], dict[str, Any]]]] = {}
    for one in cells:
        for fault in one.get("wrong", ()):
            found.setdefault((one["verb"], fault["invariant"]), []).append((one, fault))
    if not found:
        return ["Nothing."]
    rows = []
    for (verb, invariant), mine in sorted(found.items(), key=lambda item: -len(item[1])):
        one, worst = max(mine, key=lambda pair: pair[1]["times"])
        aside = sum("aside" in other["group"] for other, _ in mine)
        name = f"`{verb}\\|{one['subject']}\\|{one['variation']}`"
        rows.append([verb, invariant, str(len(mine)), str(aside), worst["text"].replace("|", "/"), name])
    return page_sections.table(["verb", "invariant", "cells", "of them kept aside", "worst", "that cell"], rows)


def _reasons(invariants: Sequence[Any]) -> list[str]:
    return page_sections.table(
        ["invariant", "what holds"], [[f"`{row.holds.__name__}`", row.reason] for row in invariants]
    )
