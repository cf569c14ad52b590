"""A note names each given option that a verb never reads: tested over all verbs, options and choices.

The test records the options that a verb reads while it is applied, so it needs no list of dependent options.
"""

import sys
from collections.abc import Iterator
from functools import cache

import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.options import Option, declared_options

RATE = 15.0
# Functions that read all options in any case: copies, comparisons, and serialisation.
OF_ALL = {"replace", "_replace", "_values", "to_json", "__repr__", "with_names"}
# The least input of each verb: its clips and its required options.
CLIPS = {"splice": ("walk", "wave"), "cut_out": ("long",), "travel": ("on the spot",), "style": ("long", "sneak")}
ASKED = {
    "follow": {"path": ((0, 0), (0, -2)), "threshold": 0.15},
    "drive": {"wishes": ((0, 0, 1), (1, 0, 1))},
    "walk": {"threshold": 0.15, "seconds": 1.0},
    "shortest": {"threshold": 0.15, "leave": "walk:0", "reach": "walk:8"},
    "style": {"mirror": True},
    "restyle": {"stride": 1.0},
    "ask": {"speed": 1.2},
    "fill": {"key_frames": ((0, 16, 32),)},
    "key_poses": {"poses": ((1, 0, 0, 0), (2, 8, 1, 0))},
    "root": {"onto": "hips"},
    "reach": {"target": ((-0.3, -0.5, 1.2),), "from_frame": 6},
    "warp": {"corrections": ((5, 3, 0, 20, 0, 0, 0, 0),)},
    "move_events": {"events": ((4, 6),)},
}
# Blender decides which bones of an armature get keys; jobs and Blender make several results.
OF_BLENDER = {"bake": {"onto", "bones"}, "walk": {"count"}}


@cache
def clip(name):
    if name == "on the spot":
        return verbs.apply(verbs.InPlace(), [clip("walk")]).clip
    made = {"walk": lambda: actions.walk(RATE, 2), "long": lambda: actions.walk(RATE, 6)}
    return made.get(name, lambda: getattr(actions, name)(RATE))()


def recorded(recipe, values, clips) -> tuple[dict, set[str]]:
    """Return a verb's report, and the options that it read."""
    read, options = set(), set(declared_options(recipe))

    class Recorded(recipe):
        def __getattribute__(self, name):
            if name in options and sys._getframe(1).f_code.co_name not in OF_ALL:
                read.add(name)
            return object.__getattribute__(self, name)

        def without_effect(self, report):  # noqa: ARG002  (it reads all)
            return []

    return getattr(verbs.apply(Recorded(**values), clips), "report", {}), read


def ways(recipe) -> Iterator[dict]:
    """Yield all defaults, then each other choice and switch by itself."""
    yield {}
    for name, about in declared_options(recipe).items():
        if about.choices:
            yield from ({name: choice} for choice in about.names if choice != about.default)
        elif about.kind is bool:
            yield {name: not about.default}


def another(about: Option):
    """Return a value of an option other than its default."""
    if about.choices:
        return next(name for name in about.names if name != about.default)
    if about.kind is bool:
        return not about.default
    if about.kind in (int, float):
        bounds = (about.minimum, about.maximum, 3.0)
        return about.kind(next(bound for bound in bounds if bound is not None and bound != about.default))
    return ((0.0, 1.0),) if about.table else (0.5,) if about.kind is tuple else "anything"


@pytest.mark.parametrize("verb", verbs.VERBS)
def test_an_option_that_is_not_read_is_named(verb):
    recipe = verbs.VERBS[verb].recipe
    clips = [clip(name) for name in CLIPS.get(verb, ("walk", "sneak"))[: recipe.most or 2]]
    silent, walked = set(), 0
    for way in ways(recipe):
        values = {**ASKED.get(verb, {}), **way}
        try:
            report, read = recorded(recipe, values, clips)
        except LoomError:  # an error for these clips is not silent
            continue
        walked += 1
        for name in declared_options(recipe).keys() - read - values.keys() - OF_BLENDER.get(verb, set()):
            given = recipe(**values, **{name: another(declared_options(recipe)[name])})
            if not any(note.startswith(f"{name} had no effect: ") for note in given.without_effect(report)):
                silent.add((name, *way.items()))
    assert walked
    assert not silent
