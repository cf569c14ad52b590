"""Weights over time as keys of the scene, the weight pad, and values picked instead of typed."""

import bpy
import material
import numpy
import pytest

BOTH = [{"name": "one", "weight": 1.0}, {"name": "two", "weight": 1.0}]


@pytest.fixture
def listed():
    """A list of two ticked actions, of frames 1 to 33 and -7 to 41; the first is the reference."""
    rig = material.two_actions()
    material.list_all()
    lines = bpy.context.scene.action_loom.rigs[0]
    assert [line.action.name for line in lines.sources if line.use] == ["one", "two"]
    lines.reference = 0
    assert rig == bpy.context.object
    return lines


def key(listed, frame, *weights):
    bpy.context.scene.frame_set(frame)
    for line, weight in zip(listed.sources, weights, strict=True):
        line.weight = weight
    assert bpy.ops.action_loom.key_weights() == {"FINISHED"}


def rows(loom):
    scene = bpy.context.scene
    return loom("addon.services.weights.weights_over_time").rows(scene, scene.action_loom.rigs[0])


def stored(name):
    return bpy.data.actions[name]["action_loom"].to_dict()["recipe"]


def test_keyed_weights_become_rows_of_the_recipe(listed, loom):
    assert rows(loom) == ()
    key(listed, 1, 1.0, 0.0)
    key(listed, 33, 0.0, 1.0)
    found = rows(loom)
    assert found[0] == (0.0, 1.0, 0.0)
    assert found[-1] == (1.0, 0.0, 1.0)
    scene = bpy.context.scene
    weights = loom("core.verbs.blend.weights").of_recipe(loom("core.verbs").Blend(weight_keys=found), 2)
    for frame in range(1, 34):  # the sliders show the woven weights
        scene.frame_set(frame)
        now = numpy.array([line.weight for line in scene.action_loom.rigs[0].sources])
        assert abs(now / now.sum() - weights.at(numpy.array([(frame - 1) / 32]))[:, 0]).max() < 0.015
    bpy.ops.action_loom.blend("INVOKE_DEFAULT", ends="pinned", result_name="Keyed")
    assert '"weight_keys": [[0.0, 1.0, 0.0]' in stored("Keyed")


def test_keys_follow_their_line_when_it_is_moved_and_go_with_it(listed, loom):
    key(listed, 1, 1.0, 0.0)
    key(listed, 33, 0.25, 1.0)
    listed.active = 0
    bpy.ops.action_loom.move_source(down=True)
    assert [line.action.name for line in listed.sources] == ["two", "one"]
    assert rows(loom)[-1] != (1.0, 0.25, 1.0)
    bpy.context.scene.frame_set(33)
    assert [round(line.weight, 5) for line in listed.sources] == [1.0, 0.25]


def test_a_slider_that_blender_keyed_itself_counts_as_well(listed, loom):
    """Keys that Blender inserts by a line's index count like keys by its name."""
    scene = bpy.context.scene
    for frame, weight in ((1, 0.0), (33, 1.0)):
        listed.sources[1].weight = weight
        assert scene.keyframe_insert("action_loom.rigs[0].sources[1].weight", frame=frame)
        assert rows(loom)  # the key now uses the line's name
    assert [row[2] for row in (rows(loom)[0], rows(loom)[-1])] == [0.0, 1.0]
    assert loom("addon.services.weights.weights_over_time").keyed_frames(scene, listed) == [1.0, 33.0]


def test_keys_are_cleared(listed, loom):
    key(listed, 1, 1.0, 0.0)
    bpy.ops.action_loom.clear_weight_keys()
    assert rows(loom) == ()
    with pytest.raises(RuntimeError, match="No weight of the ticked sources is keyed"):
        bpy.ops.action_loom.clear_weight_keys()


def test_a_recipe_is_keyed_again_when_it_is_edited(listed, loom):
    bpy.ops.action_loom.blend(sources=BOTH, weight_keys="0 1 0; 0.25 1 3; 1 0 1", ends="pinned")
    bpy.ops.action_loom.edit_recipe()
    assert rows(loom) == ((0.0, 1.0, 0.0), (0.25, 0.25, 0.75), (1.0, 0.0, 1.0))
    bpy.ops.action_loom.blend(sources=BOTH, ends="pinned")
    bpy.ops.action_loom.edit_recipe()
    assert rows(loom) == ()  # a recipe without keys removes all keys


@pytest.mark.parametrize("count", [3, 4, 5, 8])
def test_a_place_on_the_pad_and_its_weights_are_the_same(loom, count):
    pad = loom("addon.services.weights.weight_pad")
    for corner, place in enumerate(pad.corners(count)):
        assert pad.weights_at(place, count) == [float(k == corner) for k in range(count)]
    rng = numpy.random.default_rng(7)
    for shares in rng.dirichlet([0.4] * count, 200):
        place = pad.place_of(shares.tolist())
        found = pad.weights_at(place, count)
        assert min(found) >= 0.0
        assert abs(sum(found) - 1.0) < 1e-9
        assert numpy.allclose(pad.place_of(found), place, atol=1e-6)
        if count == 3:
            assert numpy.allclose(found, shares, atol=1e-6)


def test_beside_the_pad_the_nearest_place_on_it_counts(loom):
    pad = loom("addon.services.weights.weight_pad")
    assert pad.weights_at((0.0, 9.0), 4) == [1.0, 0.0, 0.0, 0.0]
    assert pad.weights_at((3.0, 3.0), 4) == pytest.approx([0.5, 0.5, 0.0, 0.0])


def test_weights_that_are_set_at_once_are_told_of_once(listed, loom):
    lists, reported = loom("addon.model.lists"), []
    lists.when_weight_changed.append(lambda _scene, _: reported.append([s.weight for s in listed.sources]))
    try:
        lists.set_weights(list(listed.sources), (0.25, 0.75))
    finally:
        lists.when_weight_changed.pop()
    assert reported == [[0.25, 0.75]]


# --- picked instead of typed ----------------------------------------------------------------------------------------


def test_a_frame_is_taken_from_the_scene_and_told_as_the_scene_counts(listed, loom):
    scene, rig = bpy.context.scene, bpy.context.object
    settings = scene.action_loom
    rig.animation_data.action = bpy.data.actions["two"]
    scene.frame_set(5)
    bpy.ops.action_loom.pick_frame(group="connect", option="to_frame")
    assert settings.connect.to_frame == 12  # the action begins at -7
    assert loom("addon.model.frame_conversion").in_scene(listed, "connect", "to_frame", 12) == "frame 5 of two"
    bpy.ops.action_loom.pick_frame(group="shortest", option="leave")
    assert settings.shortest.leave == "two:12"
    assert loom("addon.model.frame_conversion").place_in_scene(listed, "two:12") == "two, frame 5"
    with pytest.raises(RuntimeError, match="Play one on Rig, go to the frame"):
        bpy.ops.action_loom.pick_frame(group="connect", option="from_frame")
    scene.frame_set(60)
    with pytest.raises(RuntimeError, match="two has no frame 60: its frames are -7 to 41"):
        bpy.ops.action_loom.pick_frame(group="shortest", option="reach")
    with pytest.raises(RuntimeError, match="There is no option connect.length to be picked so"):
        bpy.ops.action_loom.pick_frame(group="connect", option="length")


def test_joints_are_taken_from_the_selected_bones():
    rig = material.biped()
    settings = bpy.context.scene.action_loom
    bpy.ops.action_loom.pick_joints(group="matching", option="joints", what="lower")
    assert settings.matching.joints == "lower"
    with pytest.raises(RuntimeError, match="Select bones of Biped in Pose Mode first"):
        bpy.ops.action_loom.pick_joints(group="splice", option="upper", what="SELECTED")
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    holder = rig.pose.bones if hasattr(rig.pose.bones["chest"], "select") else rig.data.bones
    for name in ("chest", "neck"):
        holder[name].select = True
    bpy.ops.action_loom.pick_joints(group="splice", option="upper", what="SELECTED")
    assert set(settings.splice.upper.split(", ")) == {"chest", "neck"}
    bpy.ops.object.mode_set(mode="OBJECT")


def test_labels_of_the_lines_connect_alike_only_and_come_back(loom):
    rig = material.biped()
    for name, leads in (("one", "L"), ("two", "R")):
        material.key_walk(rig, name, frames=24, leads=leads)
    bpy.ops.action_loom.add_sources()
    lines = bpy.context.scene.action_loom.rigs[0].sources
    for line in lines:
        line.use = True
    lines[0].label = "slow walk"
    bpy.ops.action_loom.walk("INVOKE_DEFAULT", threshold=0.3, seconds=3.0)
    made = rig.animation_data.action.name
    assert '"labels": "slow_walk -"' in stored(made)
    assert loom("addon.model.properties").labels_in_use(bpy.context) == ["slow walk"]
    lines[0].label = ""
    bpy.ops.action_loom.edit_recipe()
    assert [line.label for line in bpy.context.scene.action_loom.rigs[0].sources][:2] == ["slow_walk", ""]


# --- display of a result --------------------------------------------------------------------------------------------


def test_what_went_wrong_stands_in_the_panel_until_something_is_tried_again(listed, loom):
    troubles, rig = loom("addon.ground.troubles"), bpy.context.object
    with pytest.raises(RuntimeError, match="All weights are zero"):
        bpy.ops.action_loom.blend(sources=[{"name": n, "weight": 0.0} for n in ("one", "two")], ends="pinned")
    assert troubles.of(rig.session_uid, "blend").text.startswith("All weights are zero")
    bpy.ops.action_loom.blend(sources=BOTH, ends="pinned")
    assert troubles.of(rig.session_uid, "blend") is None


def test_a_path_that_cannot_be_followed_is_marked_where_it_ends(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    points = "0 0; 0 -2; 0.3 -2; 0.3 2; 0.6 2; 0.6 -4"
    with pytest.raises(RuntimeError, match="the walk gets no further than"):
        bpy.ops.action_loom.follow(sources=[{"name": "Run", "weight": 1.0}], path=points, bend=0.0)
    place = loom("addon.ground.troubles").of(rig.session_uid, "blend").place
    assert -5.0 < place[1] < 3.0


def test_the_summary_and_the_track_are_of_the_action_that_is_shown(loom):
    bpy.ops.action_loom.add_demo()
    rig = bpy.context.object
    overlay = loom("addon.services.preview.walk_tracks")
    walk = [{"name": name, "weight": 1.0} for name in ("Walk", "Turn Left", "Turn Right")]
    bpy.ops.action_loom.follow(sources=walk, path="0 0; 0 -3", result_name="Along")
    assert overlay.track_of(rig) is not None
    assert bpy.context.scene.action_loom.rigs[0].last_of == "Along"
    rig.animation_data.action = bpy.data.actions["Walk"]
    assert overlay.track_of(rig) is None


# --- the manual -----------------------------------------------------------------------------------------------------


def test_every_page_that_a_button_opens_lies_in_the_extension(loom):
    manual, properties = loom("addon.interface.manual"), loom("addon.model.properties")
    pages = {
        manual.page_of(name) for name in (*properties.GROUPS, *(r.verb for r in loom("addon.model.intents").RECIPES))
    }
    for page in (*pages, "index", "start", "install", "options"):
        assert manual.address(page).startswith("file://")
    prefix, rows = manual.pages()
    for pattern, page in rows:
        assert pattern == pattern.lower()
        assert (manual.FOLDER / page).is_file(), page
    assert prefix.endswith("/manual/")
    with pytest.raises(RuntimeError, match="There is no page 'nowhere' of the manual"):
        bpy.ops.action_loom.manual(page="nowhere")


def test_the_preferences_choose_the_engine(loom):
    prefs, jit = loom("addon.model.preferences").read_preferences(bpy.context), loom("core.jit")
    wanted = jit._wanted
    prefs.engine = "NUMPY"
    try:
        assert jit.kernels(loom("core.sync").__name__).__name__.endswith("_numpy")
    finally:
        prefs.engine = "AUTO"
        jit.use(wanted)
