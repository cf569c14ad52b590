"""Loops and connections in Blender: endless loops, and transitions from one action to another."""

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def long_walk(loom):
    """A biped with a single action: a walk of four cycles that do not close, like a capture."""
    rig = material.biped()
    material.key_walk(rig, "cycle", frames=30)
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(rig)
    cycle = clips.read(rig, bpy.data.actions["cycle"], body, 24.0).clip
    long = loom("core.motion.cycles").unroll_cycle(cycle, 0, 3).cut(7, 112)
    clips.write(rig, long, body, first_frame=1.0).name = "walk"
    bpy.data.actions.remove(bpy.data.actions["cycle"])
    return rig


def show(loom, armature, name):
    """Assign an action to an armature."""
    curves, action = loom("addon.bridge.curves"), bpy.data.actions[name]
    curves.assign(armature, action, curves.choose_slot(action, armature))


def steps(armature, action):
    """Return the largest step of some bones from each frame of the assigned action to the next."""
    first, last = action.frame_range
    names = ["hips", "foot.L", "foot.R", "hand.R"]
    places = np.array([material.pose_positions(armature, names, frame) for frame in np.arange(first, last + 1.0)])
    return np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)


def test_a_loop_plays_on_for_ever(long_walk):
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}])
    action = long_walk.animation_data.action
    assert action.name == "walk loop"
    first, last = action.frame_range
    assert last - first == pytest.approx(30.0, abs=1.0)
    names = ["hips", "foot.L", "foot.R", "hand.L", "head"]
    length = last - first
    frames = first + np.arange(-2.0, 5.0 * length + 3.0)
    places = np.array([material.pose_positions(long_walk, names, frame) for frame in frames])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    bends = np.linalg.norm(np.diff(places, n=2, axis=0), axis=2).max(axis=1)
    seams = [round(2 + k * length) for k in range(1, 5)]
    for values in (steps, bends):
        at = max(values[k - 2 : k + 1].max() for k in seams)
        assert at <= 1.05 * max(values[seam + 4 : seam + 20].max() for seam in seams)
    travelled = places[seams[1], 0] - places[seams[0], 0]
    again = places[seams[2], 0] - places[seams[1], 0]
    assert np.abs(travelled - again).max() < 1e-4
    assert np.linalg.norm(travelled) > 0.8


def test_a_loop_in_place_and_so_many_times(long_walk):
    bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], in_place=True, repeat=3, result_name="Spot")
    first, last = bpy.data.actions["Spot"].frame_range
    assert last - first == pytest.approx(90.0, abs=3.0)
    places = [material.pose_positions(long_walk, ["hips"], frame)[0] for frame in (first, last)]
    assert np.abs(places[1] - places[0])[:2].max() < 1e-3


def test_what_does_not_repeat_is_refused(long_walk):
    half = [{"name": "walk", "rate": 0.0, "slot": "", "first": 1, "last": 25}]
    with pytest.raises(RuntimeError, match=r"walk (does not repeat itself|is too short)"):
        bpy.ops.action_loom.loop(sources=[{"name": "walk", "weight": 1.0}], readings=half)


def test_actions_are_connected_with_a_marker_at_the_seam(long_walk, loom):
    material.key_walk(long_walk, "quick", frames=20, leads="R")
    sources = [{"name": "walk", "weight": 1.0}, {"name": "quick", "weight": 1.0}]
    bpy.ops.action_loom.connect(sources=sources, method="inertial")
    action = long_walk.animation_data.action
    assert action.name == "walk > quick"
    (marker,) = action.pose_markers
    assert marker.name == "Seam 1"
    connected, seam = steps(long_walk, action), round(marker.frame - action.frame_range[0])
    sources = []
    for name in ("walk", "quick"):
        show(loom, long_walk, name)
        sources.append(steps(long_walk, bpy.data.actions[name]).max())
    assert connected[seam - 6 : seam + 7].max() <= 1.05 * max(sources)


def test_a_loop_that_turns_is_written_several_times_in_a_row(long_walk, loom):
    rigs, clips = loom("addon.bridge.rig"), loom("addon.bridge.clip")
    body = rigs.read(long_walk)
    straight = clips.read(long_walk, bpy.data.actions["walk"], body, 24.0).clip
    degrees, cycle, ways = 30.0, 30, loom("core.weave.ground_arc")
    way, frames = ways.between(straight, 0, cycle), np.arange(len(straight), dtype=float)
    turning = ways.GroundArc(way.place, way.facing, way.step, np.radians(degrees), cycle)
    on_a_circle = ways.add_arc(ways.remove_arc(straight, way, frames), turning, frames)
    clips.write(long_walk, on_a_circle, body, first_frame=1.0).name = "round"

    settings = material.list_sources(long_walk, "round", mode="loop")
    bpy.ops.action_loom.loop(preview=True)
    notes = loom("addon.services.results.messages").of_tab(bpy.context.scene, long_walk, settings.rigs[0], "loop")
    assert [one.shown for one in notes if "can't repeat its turn of" in one.text]  # told before weaving
    bpy.ops.action_loom.loop()
    action = long_walk.animation_data.action
    assert settings.rigs[0].last.startswith(f"round loop: {action.frame_range[1] - action.frame_range[0] + 1:.0f} ")
    length = (action.frame_range[1] - action.frame_range[0]) / 8
    assert length == pytest.approx(cycle, abs=1.0)
    assert not any(curve.modifiers for curve in material.fcurves(action))
    first = action.frame_range[0]
    hips = np.array([material.pose_positions(long_walk, ["hips"], first + k * length)[0, :2] for k in range(9)])
    steps = np.diff(hips, axis=0) @ np.array([1.0, 1j])
    assert np.degrees(np.angle(steps[1:] / steps[:-1])) == pytest.approx(np.full(7, degrees), abs=1.5)
    assert np.abs(steps) == pytest.approx(np.full(8, np.abs(steps[0])), rel=1e-3)

    bpy.ops.action_loom.loop(sources=[{"name": "round", "weight": 1.0}], repeat=2, result_name="Twice")
    first, last = bpy.data.actions["Twice"].frame_range
    assert last - first == pytest.approx(2 * length)


def test_a_cycle_is_chosen_from_those_that_were_found(long_walk, loom):
    candidates = loom("addon.services.matching.candidates")
    settings = material.list_sources(long_walk, "walk", mode="loop")
    assert candidates.candidates_of(bpy.context.scene, long_walk) is None
    with pytest.raises(RuntimeError, match="Find some first"):
        bpy.ops.action_loom.choose_candidate(index=0)
    bpy.ops.action_loom.find_cycles()
    found = candidates.candidates_of(bpy.context.scene, long_walk)
    settings.result.visual = True
    assert candidates.candidates_of(bpy.context.scene, long_walk) is None
    settings.result.visual = False
    best = dict(found.candidates[0].options)
    assert best["length"] == pytest.approx(30, abs=1)
    bpy.ops.action_loom.choose_candidate(index=0)
    assert (settings.loop.start, settings.loop.length) == (best["start"], best["length"])
    assert bpy.context.scene.frame_current == 1  # the armature shows another action
    bpy.ops.action_loom.choose_candidate(index=0)
    show(loom, long_walk, "walk")
    bpy.ops.action_loom.choose_candidate(index=0)
    assert bpy.context.scene.frame_current == 1 + best["start"]
    bpy.ops.action_loom.loop()
    reported = bpy.data.actions["walk loop"].frame_range
    assert reported[1] - reported[0] == best["length"]
    bpy.ops.action_loom.choose_candidate(index=0)
    assert (settings.loop.start, settings.loop.length) == (0, 0)
    with pytest.raises(RuntimeError, match="There is no row 9"):
        bpy.ops.action_loom.choose_candidate(index=9)
    material.list_sources(long_walk, "walk loop", mode="loop")
    assert candidates.candidates_of(bpy.context.scene, long_walk) is None


def test_how_well_an_action_repeats_itself_is_shown(long_walk):
    material.list_sources(long_walk, "walk", mode="loop")
    bpy.ops.action_loom.find_cycles()
    bpy.ops.action_loom.show_scores()
    (image,) = bpy.data.images
    pixels = np.empty(4 * image.size[0] * image.size[1], dtype=np.float32)
    image.pixels.foreach_get(pixels)
    pixels = pixels.reshape(image.size[1], image.size[0], 4)[..., :3]
    color = np.array(bpy.context.scene.action_loom.rigs[0].sources[0].color)
    of_the_curve = (np.abs(pixels - color) < 0.02).all(axis=2)
    # Both plots have a curve over their whole width.
    for half in (of_the_curve[: len(pixels) // 2], of_the_curve[len(pixels) // 2 :]):
        assert half.any(axis=0).sum() > 900
    bpy.ops.action_loom.show_scores()
    assert len(bpy.data.images) == 1


def test_a_transition_is_chosen_from_those_that_were_found(long_walk, loom):
    material.key_walk(long_walk, "quick", frames=20, leads="R")
    settings = material.list_sources(long_walk, "walk", "quick", mode="connect")
    bpy.ops.action_loom.find_transitions()
    found = loom("addon.services.matching.candidates").candidates_of(bpy.context.scene, long_walk)
    assert len(found.candidates) > 1
    show(loom, long_walk, "walk")
    bpy.ops.action_loom.choose_candidate(index=1)
    chosen = dict(found.candidates[1].options)
    assert (settings.connect.from_frame, settings.connect.to_frame) == (chosen["from_frame"], chosen["to_frame"])
    assert bpy.context.scene.frame_current == 1 + chosen["from_frame"]
    bpy.ops.action_loom.connect()
    action = long_walk.animation_data.action
    assert action.pose_markers["Seam 1"].frame == 1 + chosen["from_frame"] + 1
    # A new search does not depend on the chosen candidate.
    bpy.ops.action_loom.find_transitions()
    assert len(
        loom("addon.services.matching.candidates").candidates_of(bpy.context.scene, long_walk).candidates
    ) == len(found.candidates)
    material.list_sources(long_walk, "quick", "walk", mode="connect")
    assert loom("addon.services.matching.candidates").candidates_of(bpy.context.scene, long_walk) is None


@pytest.mark.parametrize(("finder", "last"), [("cycle", 38), ("autocorrelation", 40), ("autocorrelation", 42)])
def test_a_cycle_that_can_begin_on_one_frame_only_is_shown_too(long_walk, finder, last):
    settings = material.list_sources(long_walk, "walk", mode="loop")
    settings.loop.finder = finder
    line = settings.rigs[0].sources[0]
    line.use_range, line.first, line.last = True, 1, last
    assert bpy.ops.action_loom.find_cycles() == {"FINISHED"}
    assert bpy.ops.action_loom.show_scores() == {"FINISHED"}


def test_two_stretches_of_one_action_are_connected(long_walk):
    settings = material.list_sources(long_walk, "walk", "walk", mode="connect")
    settings.result.place = "REFERENCE"
    for line, (first, last) in zip(settings.rigs[0].sources, ((1, 50), (60, 100)), strict=True):
        line.use_range, line.first, line.last = True, first, last
    settings.connect.method = "inertial"
    bpy.ops.action_loom.connect()
    made = long_walk.animation_data.action
    assert made.frame_range[0] == 1
    before = material.fingerprint(made)
    for line in settings.rigs[0].sources:
        line.first, line.last, line.use = 1, 20, False
    bpy.ops.action_loom.edit_recipe()
    lines = [line for line in settings.rigs[0].sources if line.action != made]
    assert [(line.use, line.first, line.last) for line in lines] == [(True, 1, 50), (True, 60, 100)]
    bpy.ops.action_loom.connect(result_name="again")
    assert material.fingerprint(bpy.data.actions["again"]) == before


def test_the_order_comes_back_with_its_recipe(long_walk):
    material.key_walk(long_walk, "quick", frames=20, leads="R")
    settings = material.list_sources(long_walk, "walk", "quick", mode="connect")
    bpy.ops.action_loom.connect(sources=[{"name": "quick", "weight": 1.0}, {"name": "walk", "weight": 1.0}])
    bpy.ops.action_loom.edit_recipe()
    rig = settings.rigs[0]
    assert [line.action.name for line in rig.sources if line.use] == ["quick", "walk"]
    assert rig.sources[rig.reference].action.name == "quick"


def test_frames_of_clips_are_told_once_whatever_their_names_end_with(loom):
    told = loom("addon.model.frame_conversion").frames_of_clips
    said = "walk (frame 3) and old walk (frame 4) meet: walk (frame 9) and old walk (frame 8) are 2 cm apart"
    assert told([said, "walk: frame 3"], [("walk", 10.0), ("old walk", 100.0)]) == [
        "walk (frame 13) and old walk (frame 104) meet: walk (frame 19) and old walk (frame 108) are 2 cm apart",
        "walk: frame 3",
    ]


def test_a_warning_of_far_apart_actions_counts_frames_as_the_scene_does(long_walk, loom):
    """Warnings count frames like the scene, from 1, although clips count from 0."""
    material.key_walk(long_walk, "other", frames=40)
    show(loom, long_walk, "walk")
    sources = [{"name": name, "weight": 1.0} for name in ("walk", "other")]
    bpy.ops.action_loom.add_sources()
    bpy.ops.action_loom.connect(sources=sources, from_frame=15, to_frame=22, trim=False)
    rigs = bpy.context.scene.action_loom.rigs
    said = next(rig.last_warnings for rig in rigs if rig.last_warnings)
    assert said.startswith("Poses are ")
    assert ": walk (frame 16) and other (frame 23)" in said
