"""The registry of verbs: names and options of version 0.1, prepared inputs, and the result of each verb."""

import json
from dataclasses import replace
from functools import cache

import pytest
from action_loom.core import verbs
from action_loom.core.demo_character import actions
from action_loom.core.errors import Cancelled, ClipError, GraphError, OptionError, SkeletonError
from action_loom.core.graph.motion_graph import MotionGraph
from action_loom.core.options import declared_options
from action_loom.core.progress import Progress
from action_loom.core.recipes.style import StyleOptions
from action_loom.core.style.style import Style
from action_loom.core.verbs import Blend, BuildGraph, Connect, Follow, Loop, Shortest, Splice, Synchronise, Travel, Walk
from action_loom.core.weave import planting
from action_loom.core.weave.results import Result
from numpy.testing import assert_array_equal
from oracles import console, trials

pytestmark = pytest.mark.both_engines

# As version 0.1 wrote them, word for word.
OF_0_1 = {
    '{"align_height": false, "band": 0.0, "ends": "auto", "joints": "all", "keep": 4.0, "metric": "points", "power": 2,'
    ' "radius": 0.042, "reference": "1", "slope": 0, "smoothing": "spline", "timing": "blended", "trim": true,'
    ' "verb": "blend", "weight_keys": [], "weights": [1.0, 2.0], "window": 0.042}': Blend(
        weights=(1, 2), open_end_penalty=4.0, metric="points"
    ),
    '{"align_height": false, "band": 0.0, "ends": "auto", "joints": "all", "keep": 1.5, "metric": "auto", "power": 2,'
    ' "radius": 0.042, "reference": "1", "slope": 0, "smoothing": "spline", "trim": true, "verb": "sync",'
    ' "window": 0.042}': Synchronise(open_end_penalty=1.5),
    '{"method": "gaussian", "posture": 0.0, "short": "hold", "smoothing": 0.0417, "start": 3, "strength": 1.0,'
    ' "timing": "auto", "trim": true, "upper": "", "verb": "splice"}': Splice(if_shorter="hold", start=3),
    '{"among": "go", "bend": 10.0, "closed": false, "fidelity": 0.3, "horizon": 0.0, "labels": "", "mirror": true,'
    ' "path": [[0.0, 0.0], [0.0, 5.0]], "relative": false, "speed": 0.0, "spread": 1.0,'
    ' "stretches": [[0.1, 0.5, 2.0]], "threshold": 0.05, "transition": 0.3333333333333333, "verb": "follow"}': Follow(
        path=((0, 0), (0, 5)), label_filter="go", stretches=((0.1, 0.5, 2),)
    ),
    '{"among": "go", "hold": 1.5, "labels": "", "mirror": true, "relative": false, "seconds": 30.0, "seed": 4,'
    ' "threshold": 0.05, "transition": 0.3333333333333333, "verb": "walk"}': Walk(
        label_filter="go", seed=4, mirror=True, threshold=0.05, hold=1.5
    ),
    '{"labels": "", "leave": "walk:1", "mirror": true, "reach": "run:4", "relative": false, "threshold": 0.05,'
    ' "transition": 0.3333333333333333, "verb": "path"}': Shortest(leave="walk:1", reach="run:4"),
    '{"finder": "cycle", "in_place": false, "length": 0, "method": "ease", "phase": 0.0, "repeat": 3, "start": 0,'
    ' "straighten": "auto", "trim": true, "verb": "loop"}': Loop(repeat=3),
    '{"anywhere": true, "by_correlation": false, "candidate": 0, "from_frame": -1, "length": 0.0, "method": "ease",'
    ' "to_frame": -1, "trim": true, "verb": "connect"}': Connect(anywhere=True),
}
RENAMED = {
    **{"keep": "open_end_penalty", "among": "label_filter", "short": "if_shorter", "give_travel": "add_root_motion"},
    "end": "way",
}
every_verb = pytest.mark.parametrize("row", verbs.VERBS.values(), ids=verbs.VERBS)


@pytest.fixture(scope="module")
def clips():
    return [actions.walk(30.0, 4), actions.turn_left(30.0), actions.wave(30.0)]


def some_of(recipe, clips):
    """Return clips up to a recipe's maximum, or two; a style needs at least eight strides."""
    if issubclass(recipe, StyleOptions):
        return [actions.walk(30.0, 5), actions.sneak(30.0, 5)]
    return clips[: recipe.most or 2]


def example(recipe):
    """Return a recipe of a kind that some clips allow, with its options of the table of trials, if it needs any."""
    return recipe(**trials.examples().get(recipe.verb, {}))


@pytest.mark.parametrize(("text", "recipe"), OF_0_1.items(), ids=[recipe.verb for recipe in OF_0_1.values()])
def test_recipes_of_version_0_1_are_read_as_todays(text, recipe):
    found = verbs.from_json(text)
    assert type(found) is type(recipe)
    assert found == (replace(recipe, keep_hands="off") if hasattr(recipe, "keep_hands") else recipe)


@pytest.mark.parametrize("recipe", OF_0_1.values(), ids=lambda recipe: recipe.verb)
def test_old_names_are_never_written(recipe):
    values = json.loads(recipe.to_json())
    assert values["verb"] in verbs.VERBS
    assert not set(RENAMED) & set(values)
    assert set(values) == {"verb", *declared_options(type(recipe))}


def test_options_say_what_they_were_called():
    known = {
        (alias, about.name)
        for row in verbs.VERBS.values()
        for about in declared_options(row.recipe).values()
        for alias in about.aliases
    }
    assert known == set(RENAMED.items())
    for row in verbs.VERBS.values():
        assert not set(RENAMED) & set(declared_options(row.recipe))


def test_values_under_old_names_are_checked_as_under_todays():
    with pytest.raises(OptionError, match="open_end_penalty is 99, but must lie between 1 and 10"):
        verbs.from_json('{"verb": "blend", "keep": 99}')
    with pytest.raises(OptionError, match="The recipe 'loop' has no option keep$"):
        verbs.from_json('{"verb": "loop", "keep": 2}')


def test_a_rigs_name_before_the_names_of_actions_is_left_out_of_the_results_name():
    walk, sneak = (replace(clip, name=f"Rig|{clip.name}") for clip in (actions.walk(30.0, 1), actions.sneak(30.0, 1)))
    made = verbs.apply(Blend(plant_feet=False), [walk, sneak])
    assert made.clip.name == "walk + sneak 50:50"
    assert not any("Rig|walk + " in warning for warning in made.report["warnings"])
    assert verbs.apply(Blend(plant_feet=False), [walk, replace(sneak, name="B|sneak")]).clip.name.startswith(
        "Rig|walk + B|"
    )


def test_a_verb_is_found_by_its_name_and_by_its_earlier_one():
    assert verbs.verb_of("shortest") is verbs.verb_of("path") is verbs.VERBS["shortest"]
    assert "path" not in verbs.VERBS
    names = ", ".join(verbs.VERBS)
    with pytest.raises(OptionError, match=f"'juggle' is no verb; the verbs are {names}"):
        verbs.verb_of("juggle")


@pytest.fixture(scope="module")
def made_by(clips):
    """The result of a verb by its row, made once for the tests of this file."""
    return cache(lambda row: verbs.apply(example(row.recipe), some_of(row.recipe, clips)))


@every_verb
def test_what_is_made_is_what_the_row_says(row, made_by):
    made = made_by(row)
    assert isinstance(made, {"graph": MotionGraph, "style": Style}.get(row.makes, Result))
    assert made.report["verb"] == row.recipe.verb
    json.dumps(made.report, allow_nan=False)


@pytest.mark.one_engine
@every_verb
def test_everything_that_is_made_has_a_picture(row, made_by, tmp_path):
    (tmp_path / "p.png").write_bytes(verbs.picture(example(row.recipe), made_by(row)))
    width, height = console.picture_size(tmp_path / "p.png")
    assert width > 400
    assert height > 200


@pytest.mark.parametrize(
    "recipe",
    [row.recipe for row in verbs.VERBS.values() if "plant_feet" in declared_options(row.recipe)],
    ids=lambda recipe: recipe.verb,
)
def test_verbs_with_plant_feet_plant_where_it_is_on_and_report_why_not(recipe, clips):
    on, off = (
        verbs.apply(replace(example(recipe), plant_feet=chosen), some_of(recipe, clips)).report
        for chosen in (True, False)
    )
    assert on["not_planted"] != planting.OFF
    assert on["plant"] is not None or on["not_planted"]
    assert off["not_planted"] in (planting.OFF, planting.ONE_SOURCE)
    assert off["plant"] is None


@every_verb
def test_any_work_can_be_stopped(row, clips):
    with pytest.raises(Cancelled):
        verbs.apply(example(row.recipe), some_of(row.recipe, clips), Progress(lambda *_: False))


def without_time(report):
    return {name: value for name, value in report.items() if name != "seconds_taken"}


STRETCHED = Follow(path=((0, 0), (0, 5)), stretches=((0.3, 0.9, 2),))
PREPARED = [
    Blend(weights=(1, 3)),
    Blend(ends="pinned", timing="reference"),
    Blend(weight_keys=((0, 1, 0), (1, 0, 1))),
    Synchronise(reference="2"),
    Walk(seconds=4.0, seed=3),
    Shortest(leave="walk:5", reach="turn left:40"),
    Follow(path=((0, 0), (0, 4), (1, 6)), bend=20.0),
    STRETCHED,
]


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.verb)
def test_with_what_was_prepared_the_same_comes_out(recipe, clips):
    given = [clips[0], clips[2], clips[1]] if recipe is STRETCHED else clips[:2]
    plain = verbs.apply(recipe, given)
    again = verbs.apply(recipe, given, prepared=verbs.prepare(recipe, given))
    assert_array_equal(again.clip.rotations, plain.clip.rotations)
    assert_array_equal(again.clip.translations, plain.clip.translations)
    assert again.clip.name == plain.clip.name
    assert without_time(again.report) == without_time(plain.report)


def test_what_was_prepared_serves_any_options_that_it_does_not_depend_on(clips):
    prepared = verbs.prepare(Blend(), clips[:2])
    for weights in ((1, 0), (1, 4), (0, 1)):
        recipe = Blend(weights=weights)
        found, plain = verbs.apply(recipe, clips[:2], prepared=prepared), verbs.apply(recipe, clips[:2])
        assert_array_equal(found.clip.rotations, plain.clip.rotations)
    for recipe in (Walk(seed=2, seconds=3.0), Shortest(leave="walk:5", reach="walk:60")):
        known = verbs.prepare(type(recipe)(), clips[:2])
        found, plain = verbs.apply(recipe, clips[:2], prepared=known), verbs.apply(recipe, clips[:2])
        assert_array_equal(found.clip.rotations, plain.clip.rotations)


@pytest.mark.parametrize("closed_first", [True, False])
def test_cycles_that_were_registered_as_such_serve_weights_that_do_not_close_and_the_other_way_round(closed_first):
    cycles = [actions.walk(30.0, 1), actions.sneak(30.0, 1)]
    recipes = [Blend(), Blend(weight_keys=((0, 1, 0), (1, 0, 1)))]
    first, then = recipes if closed_first else recipes[::-1]
    found = verbs.apply(then, cycles, prepared=verbs.prepare(first, cycles))
    plain = verbs.apply(then, cycles)
    assert found.clip.cyclic == plain.clip.cyclic
    assert_array_equal(found.clip.rotations, plain.clip.rotations)


@every_verb
def test_what_does_not_change_what_is_prepared_is_told(row):
    free, every = verbs.options_of(row.recipe), declared_options(row.recipe)
    depends = declared_options(row.depends) if row.depends else {}
    assert list(free) == [name for name in every if name not in depends]
    if row.recipe is Blend:
        assert list(free) == [
            "add_root_motion",
            "spans",
            "plant_feet",
            "real_falls",
            "keep_hands",
            "weights",
            "weight_keys",
            "timing",
        ]


@pytest.mark.parametrize("recipe", [Connect, Loop, Splice], ids=lambda recipe: recipe.verb)
def test_where_there_is_nothing_to_prepare_there_is_none(recipe, clips):
    assert verbs.prepare(recipe(), some_of(recipe, clips)) is None


@pytest.mark.parametrize(
    ("recipe", "count"),
    [
        *((Synchronise, count) for count in (0, 1, 3)),
        *((recipe, 1) for recipe in (Splice, Connect, Blend, verbs.Retarget)),
        *((recipe, 2) for recipe in (Loop, Travel, verbs.Bake, verbs.Reach, verbs.MoveEvents, verbs.InPlace)),
        (verbs.Retarget, 3),
    ],
)
def test_too_few_or_too_many_clips_are_refused(recipe, count, clips):
    with pytest.raises(ClipError, match=f"{count}.* given"):
        verbs.apply(recipe(), clips[:count])


def test_a_graph_is_made_of_one_clip_or_more(clips):
    with pytest.raises(ClipError, match="takes 1 or more clips; 0 given"):
        verbs.apply(BuildGraph(), [])
    with pytest.raises(ClipError, match="takes 1 or more clips; 0 given"):
        verbs.apply(Walk(), [])


def nameless(clip):
    """The clip of a body whose names tell nothing."""
    body = clip.skeleton
    return replace(clip, skeleton=replace(body, names=tuple(f"bone{k}" for k in range(len(body))), roles={"hips": 0}))


@pytest.mark.one_engine
def test_what_works_without_body_roles_does(clips):
    works, _, needs = verbs.what_works(()).partition(" work without the roles that are missing; ")
    modes = [row for row in verbs.VERBS.values() if row.recipe.mode]
    free = [row.recipe for row in modes if not row.needs]
    assert works == f"{', '.join(recipe.mode for recipe in free[:-1])} and {free[-1].mode}"
    needing = [f"{row.recipe.mode} needs {' and '.join(row.needs)}" for row in modes if row.needs]
    assert needs == ", ".join([*needing, "contacts and slide need feet"])
    for recipe in free:
        made = verbs.apply(example(recipe), [nameless(clip) for clip in some_of(recipe, clips)])
        assert len(made.clip) > 10
        assert made.report["warnings"] == []


@pytest.mark.one_engine
def test_what_needs_body_roles_says_so_without_them():
    clips = [nameless(actions.walk(30.0)), nameless(actions.turn_left(30.0))]
    with pytest.raises(SkeletonError, match="the part of spine, upper_arm.L, upper_arm.R"):
        verbs.apply(Splice(), clips)
    assert "feet are not known" in verbs.apply(Travel(), clips[:1]).report["warnings"][0]
    with pytest.raises(GraphError, match="name the thighs"):
        verbs.apply(Follow(path=((0.0, 0.0), (0.0, -4.0), (0.0, -8.0))), clips)


@pytest.mark.one_engine
def test_nothing_is_said_where_nothing_is_missing():
    known = set(actions.walk().skeleton.roles)
    assert verbs.what_works(known) == ""
    assert verbs.what_works(known - {"toe.L", "foot.L", "foot.R", "hand.L", "clavicle.R", "head"}) == ""
    assert "Path needs thighs" in verbs.what_works(known - {"thigh.L"})
    assert "Splice needs spine" in verbs.what_works(known - {"spine"})
    assert "upper arms" not in verbs.what_works(known - {"spine"})
