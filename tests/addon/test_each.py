"""Verbs for one action with several ticked: each gives a result, one Undo removes all, and messages name failures."""

import json

import bpy
import material
import pytest
from drawing import context_now, draw


def tick(rig, *names):
    bpy.context.scene.action_loom.edit_which = "TICKED"
    bpy.context.scene.action_loom.result.place = "REFERENCE"  # independent of the figure's current action
    return material.list_sources(rig, *names, mode="loop")


@pytest.fixture
def walks(loom):
    """A biped with two ticked walks of four cycles that do not close, and an unticked action of a single step."""
    rig = material.biped()
    rigs, clips, cycles = loom("addon.bridge.rig"), loom("addon.bridge.clip"), loom("core.motion.cycles")
    body = rigs.read(rig)
    for name, frames in (("slow", 30), ("quick", 20)):
        material.key_walk(rig, "cycle", frames=frames)
        cycle = clips.read(rig, bpy.data.actions["cycle"], body, 24.0).clip
        long = cycles.unroll_cycle(cycle, 0, 3).cut(7, 4 * frames - 8)
        clips.write(rig, long, body, first_frame=1.0).name = name
        if name == "quick":
            clips.write(rig, long.cut(0, 12), body, first_frame=1.0).name = "step"
        bpy.data.actions.remove(bpy.data.actions["cycle"])
    tick(rig, "slow", "quick")
    return rig


def frames(action):
    first, last = action.frame_range
    return last - first


def recipe(action):
    return json.loads(action["action_loom"].to_dict()["recipe"])


@pytest.mark.parametrize(("operator", "ending"), [("loop", "loop"), ("in_place", "in place"), ("travel", "travelling")])
def test_each_ticked_action_gives_a_result_of_its_own(walks, operator, ending):
    names = ["slow", "quick"]
    if operator == "travel":  # Travel changes only walks on the spot
        names = sorted(material.pressed(walks, "in_place"), reverse=True)
        tick(walks, *names)
    was = {name: material.fingerprint(bpy.data.actions[name]) for name in names}
    made = material.pressed(walks, operator)
    assert set(made) == {f"{name} {ending}" for name in names}
    assert walks.animation_data.action.name == f"{names[0]} {ending}"
    assert {name: material.fingerprint(bpy.data.actions[name]) for name in was} == was
    message = bpy.context.scene.action_loom.rigs[0].last
    assert message.endswith(": 2 of 2 actions")


def test_each_result_is_that_of_its_action_alone_and_is_rebuilt_by_itself(walks):
    alone = {}
    for name in ("slow", "quick"):
        tick(walks, name)
        ((_, action),) = material.pressed(walks, "loop").items()
        alone[name] = material.fingerprint(action)
        bpy.data.actions.remove(action)
    tick(walks, "slow", "quick")
    made = material.pressed(walks, "loop")
    assert {name.removesuffix(" loop"): material.fingerprint(action) for name, action in made.items()} == alone
    kept = json.loads(made["quick loop"]["action_loom"].to_dict()["request"])
    assert [source["name"] for source in kept["sources"]] == ["quick"]
    assert bpy.ops.action_loom.rebuild(action="quick loop") == {"FINISHED"}
    assert material.fingerprint(bpy.data.actions["quick loop"]) == alone["quick"]
    walks.animation_data.action = bpy.data.actions["quick loop"]
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    lines = bpy.context.scene.action_loom.rigs[0].sources
    assert [line.action.name for line in lines if line.use] == ["quick"]


def test_one_undo_takes_all_of_them_back(walks):
    bpy.ops.ed.undo_push(message="before")
    before = {action.name for action in bpy.data.actions}
    bpy.ops.action_loom.loop("EXEC_DEFAULT", True)
    assert {"slow loop", "quick loop"} <= {action.name for action in bpy.data.actions}
    bpy.ops.ed.undo()
    assert {action.name for action in bpy.data.actions} == before


def test_what_can_not_be_done_with_one_is_said_by_name_and_the_others_are_done(walks, capfd):
    tick(walks, "step", "slow", "quick")
    made = material.pressed(walks, "loop")
    assert set(made) == {"slow loop", "quick loop"}
    assert walks.animation_data.action.name == "slow loop"
    assert bpy.context.scene.action_loom.rigs[0].last == "Loop: 2 of 3 actions"
    assert "Warning: step " in capfd.readouterr().out


def test_nothing_is_written_where_none_can_be_done(walks):
    bpy.data.actions["step"].copy().name = "stepped"
    tick(walks, "step", "stepped")
    before = set(bpy.data.actions)
    with pytest.raises(RuntimeError, match=r"step .*; stepped "):
        bpy.ops.action_loom.loop()
    assert set(bpy.data.actions) == before


def test_a_script_names_several(walks):
    sources = [{"name": name, "weight": 1.0} for name in ("slow", "quick")]
    assert bpy.ops.action_loom.in_place(sources=sources) == {"FINISHED"}
    assert {"slow in place", "quick in place"} <= {action.name for action in bpy.data.actions}


def test_a_cycle_that_was_chosen_belongs_to_its_own_action(walks):
    settings = tick(walks, "quick")
    bpy.ops.action_loom.find_cycles()
    bpy.ops.action_loom.choose_candidate(index=0)
    chosen = settings.loop.start, settings.loop.length
    assert chosen[1] > 0
    tick(walks, "slow", "quick")
    made = material.pressed(walks, "loop")
    assert (recipe(made["slow loop"])["start"], recipe(made["slow loop"])["length"]) == (0, 0)
    assert (recipe(made["quick loop"])["start"], recipe(made["quick loop"])["length"]) == chosen
    assert frames(made["slow loop"]) == pytest.approx(30, abs=1)
    assert frames(made["quick loop"]) == chosen[1]


def test_a_cycle_typed_in_for_one_action_is_not_that_of_several(walks):
    settings = tick(walks, "slow", "quick")
    settings.loop.start, settings.loop.length = 3, 25
    made = material.pressed(walks, "loop")
    assert [recipe(action)["length"] for action in made.values()] == [0, 0]
    sources = [{"name": name, "weight": 1.0} for name in ("slow", "quick")]
    reported = material.pressed(walks, "in_place")
    assert len(reported) == 2
    bpy.ops.action_loom.loop(sources=sources, length=20, start=2, result_name="Told")
    assert [recipe(bpy.data.actions[name])["length"] for name in ("Told", "Told.001")] == [20, 20]


def test_the_preview_is_of_the_active_line(walks, loom):
    previews = loom("addon.services.preview.previews")
    settings = tick(walks, "slow", "quick")
    for active, name in ((0, "slow"), (1, "quick")):
        settings.rigs[0].active = active
        assert material.pressed(walks, "loop", preview=True) == {}
        ghost = previews.of(walks.session_uid)
        assert [source.name for source in ghost.request.sources] == [name]
    settings.rigs[0].sources[1].use = False
    settings.rigs[0].sources.add()
    settings.rigs[0].active = 2
    material.pressed(walks, "loop", preview=True)
    assert [source.name for source in previews.of(walks.session_uid).request.sources] == ["slow"]


def test_a_cancelled_one_leaves_nothing(walks, loom):
    weaving, reading = loom("addon.services.weaving.reading"), loom("core.recipes.reading")
    computing, errors = loom("addon.services.weaving.computing"), loom("core.errors")
    requests = [reading.Request(sources=(reading.Source(name=name),)) for name in ("slow", "quick")]
    recipe = loom("core.verbs").Loop()
    inputs = [weaving.Inputs(one, weaving.read(bpy.context, walks, one), recipe) for one in requests]
    before = set(bpy.data.actions)
    seen = []

    def until_the_second(fraction, _doing):
        seen.append(fraction)
        return fraction < 0.6

    progress = loom("core.progress").Progress(until_the_second)
    with pytest.raises(errors.Cancelled):
        computing.compute_each(inputs, progress)
    assert seen == sorted(seen)
    assert set(bpy.data.actions) == before


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("loop", "Loop 2 Actions"),
        ("travel", "Add Root Motion to 2 Actions"),
        ("in_place", "Remove Root Motion of 2 Actions"),
    ],
)
def test_the_button_says_how_many(walks, mode, message):
    settings = bpy.context.scene.action_loom
    settings.tool_open = mode != "loop"
    panel = "ACTION_LOOM_PT_repair" if settings.tool_open else "ACTION_LOOM_PT_weave"
    setattr(settings, "edit" if settings.tool_open else "mode", mode)
    assert message in button_texts(panel, mode)
    settings.rigs[0].sources[1].use = False
    assert message not in button_texts(panel, mode)
    assert len(button_texts(panel, mode)) == (2 if settings.tool_open else 1)


def button_texts(panel, operator):
    drawn = draw(getattr(bpy.types, panel), context_now())
    return [options.get("text") for name, given, options in drawn if given == (f"action_loom.{operator}",)]


def test_the_panel_says_whose_the_chosen_cycle_is(walks):
    tick(walks, "quick")
    bpy.ops.action_loom.find_cycles()
    bpy.ops.action_loom.choose_candidate(index=0)
    tick(walks, "slow", "quick")
    drawn = draw(bpy.types.ACTION_LOOM_PT_weave, context_now())
    message = " ".join(options.get("text", "") for name, _, options in drawn if name == "label")
    assert "A cycle is looked for in each action; quick has the one that is chosen" in message
