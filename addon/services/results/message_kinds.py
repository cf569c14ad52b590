"""Rank messages by their kind: the template of the English sentence, whatever the actions' names and the language."""

from functools import lru_cache

from ...ground.translations.phrasebook import Template

# Templates of sentences by importance; a test compares the texts with the code.
_KINDS = (
    # visible faults of the character
    (
        "{name}: a knee jerks {times} times as hard as in the sources {at}: {do}",
        "{name}: a knee bends {degrees}° further back than in the sources {at}: {do}",
        "{name}: a foot comes {deep} cm lower than in the sources {at}: {do}",
        "{name}: the shins come within {after} cm of each other {where}: {do}",
        "{name}: a foot that is not seen to stand moves near the ground {where}: look there, and add a contact",
        "{name}: a foot near the ground moves more than in the sources {where}: {do}",
        "{name}: planting its {foot} bends the leg by {degrees}° at frame {frame}: look there",
        "{name}: not planted: {why}",
        "{name}: feet stand only {after} as long as in the sources, whose steps do not correspond: take clips that are"
        " more alike",
        "{name} stops in mid-step: add a clip that stands, or keep walking",
        "{name}: a hand or foot misses its key by {short} cm {at}: it is out of the body's reach",
        "{name}: standing feet slide at {after} cm/s now, at {before} before: plant them, or type a speed",
        "{far}, and feet slide there at {slide} cm/s, {own} in the sources",
        "{action}: {bone} is shown {off} at frame {frame}, moved by {by}: switch that off",
        "{action}: {bone} is shown {off} at frame {frame}: the rig's controls can't put it nearer",
        "{action}: {known}; {bone} is shown {off} at frame {frame}",
        "{what}, real ones at -9.8: try Weight",
        "{what}, real ones at -9.8: look there",
        "{joint} jumps by {degrees}° at frame {frame}: mend it with Filter",
        "The controls can't put {list} quite in place: up to {far} mm and {turned}° off",
    ),
    # things that could not be done
    (
        "{name} is a library override, whose keys can't be changed: make it local first",
        "{name}{whose} can't be carried onto {onto}: {error}",
        "{name} can't be played in step with {name2}: {error}",
        "{name}: its ends, {gap} cm apart, can't be made to meet: {error}",
        "{name}: its feet are not known: name them in Body Roles",
    ),
    # sources that do not correspond
    (
        "{name} and {name2} are hardly alike (likeness {likeness}, where 0 is chance): choose stretches that"
        " correspond, or compare fewer joints",
        "The legs of {name} and {name2} are hardly alike (likeness {likeness}, where 0 is chance): what is played in"
        " step may be slowed and hurried without need",
        "{name} is {seconds} times as long as {name2}, and hardly alike (likeness {likeness}, where 0 is chance):"
        " {do}; make a cycle of it with Loop",
        "{name} and {reference} differ much in timing: {at_limit} of the way one waits for the other as long as the"
        " slope limit of {limit} allows",
    ),
    # speeds
    (
        "Made at {rate} frames per second, plays at {of_scene}",
        "{name} walks on the spot, by its feet at {speed}: use Add Root Motion to move it",
        "{name} was given {speed} m/s by its feet, as it walks on the spot ({label})",
        "{name}: its feet disagree ({slowest} to {fastest} m/s): type a speed if it slides",
        "{name}: a foot stands only {standing} of the time: check it, or type a speed",
    ),
)


@lru_cache(maxsize=256)  # panels ask whenever they are drawn
def rank(text: str) -> int:
    """Return the importance of an English message, 0 for the most important."""
    matches = (
        place for place, kind in enumerate(_KINDS) for one in kind if Template(one, "").pattern().fullmatch(text)
    )
    return next(matches, len(_KINDS))
