"""Actions of other armatures, retargeted to a character, and woven with its own as they are."""

import bpy
import material
import numpy as np
import pytest
from characters import (
    RUN,
    WALK,
    as_it_comes,
    captured,
    character,
    directions,
    file_of,
    inventory,
    roles_of,
    select,
    worst_limb,
)
from drawing import draw_all

pytestmark = pytest.mark.core_result

EXACT = 0.05  # degrees: Blender's poses are single floats
FRAMES = np.array([1, 60, 150, 250])


@pytest.fixture
def pair(once):
    """An active character and a captured body with a walk, both selected."""
    rig = once(_make_pair)
    return rig, bpy.data.objects["Actor"]


def _make_pair():
    rig = character("mannequiny")
    source = captured()
    source.name = "Actor"
    select(source, rig)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 120, 1.0


@pytest.fixture
def storage(loom):
    return loom("addon.model.storage")


def walk_of(source):
    return source.animation_data.action


def hashes():
    return {action.name: material.fingerprint(action) for action in bpy.data.actions}


def lines(rig):
    return next(one for one in bpy.context.scene.action_loom.rigs if one.owner.name == rig.name).sources


# --- Retarget Actions -----------------------------------------------------------------------------------------------


def test_actions_of_another_armature_become_the_characters(pair, loom):
    rig, source = pair
    before, data = hashes(), inventory()
    assert bpy.ops.action_loom.retarget(**as_it_comes(loom, "retarget")) == {"FINISHED"}
    made = bpy.data.actions[f"{WALK} on {rig.name}"]
    assert inventory() - data == {("Action", made.name)}
    assert {name: one for name, one in hashes().items() if name in before} == before
    assert rig.animation_data.action == made
    assert worst_limb(loom, (rig, made, FRAMES), (source, walk_of(source), FRAMES)) < EXACT
    assert [line.action for line in lines(rig)] == [made]


def test_an_action_begins_where_the_armature_stands_that_gets_it(pair, loom):
    """A character 1.5 m aside used to be put into the body whose action it got."""
    rig, source = pair
    rig.location.x += 1.5
    bpy.context.view_layer.update()
    hips, hips_of_source = (roles_of(loom, one)["hips"] for one in (rig, source))
    stands, began = material.pose_positions(rig, [hips], 1)[0], material.pose_positions(source, [hips_of_source], 1)[0]
    assert bpy.ops.action_loom.retarget(result_name="Here") == {"FINISHED"}
    there = material.pose_positions(rig, [hips], 1)[0]
    assert np.linalg.norm((there - stands)[:2]) < 0.01
    assert np.linalg.norm((there - began)[:2]) > 1.0  # outside the other body
    bpy.ops.action_loom.retarget(place="REFERENCE", result_name="As before")  # as stored recipes and jobs do
    assert np.linalg.norm((material.pose_positions(rig, [hips], 1)[0] - stands)[:2]) > 1.0


def test_many_at_once_are_called_as_is_asked(pair):
    rig, source = pair
    other = captured(RUN)
    other.name = "Other"
    copy = walk_of(source).copy()
    copy.name, copy.use_fake_user = "second", True
    select(source, other, rig)
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.retarget(which="EVERY", result_name="{armature}: {action}") == {"FINISHED"}
    made = {action.name for action in set(bpy.data.actions) - before}
    assert made == {f"Actor: {WALK}", "Actor: second", f"Other: {RUN}", *shared_with_other(before, other, source)}
    assert rig.animation_data.action.name in made


def shared_with_other(actions, other, source):
    """Both captured bodies have the same bones, so the actions of one can be played on the other."""
    theirs = {True: "Actor", False: "Other"}
    return {
        f"{theirs[one is source]}: {a.name}"
        for one in (source, other)
        for a in actions
        if a.name in (WALK, RUN, "second")
    }


def test_the_ticked_ones_of_the_others_own_list_are_taken_as_it_reads_them(pair, storage):
    rig, source = pair
    select(source)
    bpy.ops.action_loom.add_sources()
    line = lines(source)[0]
    line.use, line.use_range, line.first, line.last, line.rate = True, True, 20, 60, 60.0
    for rest in list(lines(source))[1:]:
        rest.use = False
    select(source, rig)
    bpy.ops.action_loom.retarget()
    made = rig.animation_data.action
    (asked,) = storage.of_result(made).request.sources
    assert (asked.armature, asked.span, asked.rate) == ("Actor", (20, 60), 60.0)
    assert made.frame_range[1] - made.frame_range[0] == 40
    assert made["action_loom_rate"] == 60.0


def test_the_played_action_is_taken_until_ticks_are_chosen_by_hand(pair, loom):
    """A list ticks two actions by itself; whoever then plays a third one means that."""
    rig, source = pair
    copy = walk_of(source).copy()
    copy.name, copy.use_fake_user = "second", True
    select(source)
    bpy.ops.action_loom.add_sources()
    by_name = {line.action.name: line for line in lines(source)}
    by_name["second"].use, by_name[WALK].use = True, False
    its = next(one for one in bpy.context.scene.action_loom.rigs if one.owner.name == source.name)
    its.ticked_at_first = "second"  # as if the list had chosen
    skin = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    skin.modifiers.new("Armature", "ARMATURE").object = source
    bpy.context.scene.collection.objects.link(skin)
    select(skin, rig)  # which stands for its armature
    bpy.ops.action_loom.retarget()
    assert WALK in rig.animation_data.action.name
    by_name[WALK].use, before = True, len(bpy.data.actions)
    bpy.ops.action_loom.retarget()
    assert len(bpy.data.actions) == before + 2


def test_weave_again_follows_the_source_and_says_when_its_armature_is_gone(pair, loom):
    rig, source = pair
    bpy.ops.action_loom.retarget(**as_it_comes(loom, "retarget"))
    made = rig.animation_data.action
    for curve in material.fcurves(walk_of(source)):
        if "LeftArm" in curve.data_path:
            for point in curve.keyframe_points:
                point.co.y += 0.1
            curve.update()
    source.name = "Renamed"
    select(rig)
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    assert [(line.action, line.armature) for line in lines(rig) if line.use] == [(walk_of(source), "Renamed")]
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert rig.animation_data.action == made
    assert worst_limb(loom, (rig, made, FRAMES), (source, walk_of(source), FRAMES)) < EXACT
    walk_of(source).use_fake_user = True
    select(rig)
    kept = material.fingerprint(made)
    bpy.data.objects.remove(source)
    with pytest.raises(RuntimeError, match=f"There is no armature (Actor|Renamed) any more, whose action {WALK} is"):
        bpy.ops.action_loom.rebuild(action=made.name)
    assert material.fingerprint(made) == kept


def test_options_of_the_recipe_are_those_that_are_declared(loom):
    declared = loom("core.options").declared_options
    every = {**declared(loom("core.verbs").Retarget), **declared(loom("core.recipes.result").ResultOptions)}
    own = bpy.ops.action_loom.retarget.get_rna_type().properties.keys()
    assert set(every) <= set(own)


def test_a_pose_to_measure_against_can_be_named(pair, loom):
    rig, _ = pair
    bpy.ops.action_loom.retarget(rest="12", trim=False)
    recipe = loom("addon.model.storage").recipe_of(rig.animation_data.action)
    assert (recipe.rest, recipe.trim) == ("12", False)
    with pytest.raises(RuntimeError, match="is no rest pose"):
        bpy.ops.action_loom.retarget(rest="the last one")


def test_what_can_not_be_carried_is_named_and_the_others_come(pair, capfd):
    rig, source = pair
    chain = material.armature(name="Chain")
    material.key_by_hand(chain, "wave", seed=1)
    select(chain, source, rig)
    capfd.readouterr()
    assert bpy.ops.action_loom.retarget() == {"FINISHED"}
    message = capfd.readouterr().out
    assert "Chain: no joint plays" in message or "Chain has no legs" in message
    assert "choose the bone that plays" in message
    assert f"1 of 2 actions copied to {rig.name}: {rig.animation_data.action.name!r}" in message
    select(chain, rig)
    with pytest.raises(RuntimeError, match="choose the bone that plays"):
        bpy.ops.action_loom.retarget()


def test_without_another_armature_it_is_said_what_to_select(pair):
    rig, _ = pair
    select(rig)
    with pytest.raises(RuntimeError, match="Select the other armature first"):
        bpy.ops.action_loom.retarget()


# --- sources of other armatures -------------------------------------------------------------------------------------


@pytest.fixture
def mixed(pair):
    """The character's list with its own idle and the other body's walk, both ticked."""
    rig, source = pair
    mine = bpy.context.scene.action_loom
    select(rig)
    bpy.ops.action_loom.add_sources()
    for line in lines(rig):
        line.use = line.action.name == "idle"
    select(source, rig)
    assert bpy.ops.action_loom.add_selected_sources() == {"FINISHED"}
    mine.mode = "blend"
    select(rig)
    return rig, source


def test_a_line_tells_whose_action_it_has_and_how_it_came(mixed):
    rig, source = mixed
    line = lines(rig)[-1]
    assert (line.action, line.armature, line.use) == (walk_of(source), "Actor", True)
    assert line.carried.startswith("Carried from Actor: ")
    assert "joints matched by role" in line.carried
    assert "at rest: 'thumb_02.l'" in line.carried
    source.name = "Renamed"
    assert line.armature == "Renamed"
    line.armature = ""
    assert line.armature == ""
    line.armature = "Renamed"
    assert line.armature == "Renamed"
    drawn = draw_all()
    assert "Carried from Actor" in str(drawn)


def test_adding_again_lists_nothing_twice(mixed):
    rig, source = mixed
    count = len(lines(rig))
    select(source, rig)
    with pytest.raises(RuntimeError, match="not listed already"):
        bpy.ops.action_loom.add_selected_sources()
    assert len(lines(rig)) == count


def test_a_walk_of_another_body_is_blended_with_an_own_idle(mixed):
    before = hashes()
    assert bpy.ops.action_loom.blend(result_name="Mixed") == {"FINISHED"}
    assert {name: one for name, one in hashes().items() if name in before} == before
    made = bpy.data.actions["Mixed"]
    keyed = {curve.data_path.split('"')[1] for curve in material.fcurves(made)}
    assert {"pelvis", "thigh.l", "upperarm.r", "thumb_01.l"} <= keyed


def test_it_is_read_as_the_file_that_it_came_from_is_imported(mixed, loom):
    rig, source = mixed
    material.import_motion(file_of(WALK), onto="ACTIVE", select=False, plant_feet=False, trim=False)
    weaving, reading = loom("addon.services.weaving.reading"), loom("core.recipes.reading")
    (file,) = {line.action.name for line in lines(rig)} & {f"{WALK}.001"}
    request = reading.Request(
        sources=(reading.Source(name=walk_of(source).name, armature="Actor"), reading.Source(name=file))
    )
    theirs, own = weaving.read(bpy.context, rig, request).clips
    places = [loom("core.motion.kinematics").world(clip)[1] for clip in (theirs, own)]
    assert np.abs(places[0] - places[1]).max() < 1e-3  # metres


@pytest.mark.parametrize("verb", ["connect", "loop", "walk"])
def test_verbs_of_several_kinds_take_it(mixed, verb):
    rig, source = mixed
    walk = walk_of(source).name
    sources = [{"name": walk, "weight": 1.0}]
    if verb != "loop":
        material.import_motion(file_of(RUN), onto="ACTIVE", select=False)
        sources.insert(0, {"name": RUN, "weight": 1.0})
    players = [{"name": one["name"], "armature": "Actor" if one["name"] == walk else ""} for one in sources]
    more = {"threshold": 1.0, "seconds": 1.0} if verb == "walk" else {}
    operator = getattr(bpy.ops.action_loom, verb)
    assert operator(sources=sources, players=players, result_name="Made", **more) == {"FINISHED"}
    paths = [curve.data_path for curve in material.fcurves(bpy.data.actions["Made"])]
    assert {path.split('"')[1] for path in paths if path.startswith("pose")} <= set(rig.data.bones.keys())
    assert bpy.ops.action_loom.rebuild(action="Made") == {"FINISHED"}


def test_on_a_stretch_of_a_path_it_is_carried_too(loom, storage):
    """The arms of another body are carried to a stretch of a walk along a line."""
    rig, other = material.biped(), material.biped(name="Other", units=2.0)
    material.key_walk(rig, "walk", frames=24)
    for bone in other.data.bones:
        bone.name = f"their {bone.name}"
    other.animation_data_create()
    arm = other.pose.bones["their upper_arm.L"]
    for frame in (1, 60):
        arm.rotation_euler = (1.5, 0.0, 0.0)
        arm.keyframe_insert("rotation_euler", frame=frame)
        other.pose.bones["their hips"].keyframe_insert("location", frame=frame)
    wave = walk_of(other)
    way = material.draw_curve([(0.0, 0.0), (0.0, -6.0)], "Way")
    select(rig)
    bpy.ops.action_loom.add_active_source()
    select(other, rig)
    bpy.ops.action_loom.add_selected_sources()
    lines(rig)[1].use = False
    settings = bpy.context.scene.action_loom
    settings.mode, settings.curve = "follow", way
    bpy.ops.action_loom.add_stretch()
    settings.stretches[0].action = wave
    assert bpy.ops.action_loom.follow(threshold=0.3, result_name="Waving") == {"FINISHED"}
    made = bpy.data.actions["Waving"]
    assert storage.players_of(made) == [None, other]
    first, last = made.frame_range
    frames = [first + share * (last - first) for share in (0.1, 0.55, 0.95)]
    arm = directions(loom, rig, made, frames)["upper_arm.L"]
    held = directions(loom, other, wave, [1])["upper_arm.L"][0]
    assert [bool(np.degrees(np.linalg.norm(one - held)) < 25.0) for one in arm] == [False, True, False]
    rig_lines = lines(rig)
    rig_lines.remove(1)
    assert bpy.ops.action_loom.edit_recipe(action="Waving") == {"FINISHED"}
    assert (wave, "Other", False) in [(line.action, line.armature, line.use) for line in rig_lines]


def test_saved_and_opened_the_source_is_still_the_others(mixed, storage, tmp_path):
    rig, source = mixed
    name = rig.name
    bpy.ops.action_loom.blend(result_name="Mixed")
    kept = material.fingerprint(bpy.data.actions["Mixed"])
    source.name = "Stunt"  # the line knows the unsaved armature by its session
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mixed.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "mixed.blend"))
    rig, source = bpy.data.objects[name], bpy.data.objects["Stunt"]
    select(rig)
    assert [line.armature for line in lines(rig) if line.armature] == ["Stunt"]
    assert bpy.ops.action_loom.rebuild(action="Mixed") == {"FINISHED"}
    assert material.fingerprint(bpy.data.actions["Mixed"]) == kept
    assert storage.players_of(bpy.data.actions["Mixed"]) == [None, source]
    for one in lines(rig):
        one.use = False
    assert bpy.ops.action_loom.edit_recipe(action="Mixed") == {"FINISHED"}
    ticked = [(one.action.name, one.armature) for one in lines(rig) if one.use]
    assert ticked == [("idle", ""), (WALK, "Stunt")]
    source.name = "Double"  # and again after opening
    assert [line.armature for line in lines(rig) if line.armature] == ["Double"]


def test_a_source_whose_armature_is_gone_is_said(mixed):
    rig, source = mixed
    walk_of(source).use_fake_user = True
    bpy.data.objects.remove(source)
    assert lines(rig)[-1].armature == "Actor"
    draw_all()
    with pytest.raises(RuntimeError, match=f"{WALK} is an action of Actor, which is gone"):
        bpy.ops.action_loom.blend()


def test_a_missing_role_is_said_with_the_bone_to_choose(mixed, loom):
    _, source = mixed
    loom("addon.bridge.rig").set_roles(source, {"thigh.L": ""})
    with pytest.raises(RuntimeError, match=r"of Actor can't be carried onto .*choose the bone that plays thigh\.L"):
        bpy.ops.action_loom.blend()


def test_previews_follow_it(mixed, loom):
    rig, _ = mixed
    settings, previews = bpy.context.scene.action_loom, loom("addon.services.preview.previews")
    assert bpy.ops.action_loom.blend("INVOKE_DEFAULT", preview=True) == {"FINISHED"}
    ghost = previews.of(rig.session_uid)
    assert [one.armature for one in ghost.request.sources] == ["", "Actor"]
    state = loom("addon.services.preview.panel_state")
    asked = state.asked_state(bpy.context.scene, bpy.context.scene.action_loom.rigs[0], "blend")
    lines(rig)[-1].armature = ""
    assert state.asked_state(bpy.context.scene, bpy.context.scene.action_loom.rigs[0], "blend") != asked
    lines(rig)[-1].armature = "Actor"
    next(one for one in settings.rigs if one.owner.name == rig.name).active = len(lines(rig)) - 1
    settings.solo = True
    ghost = previews.of(rig.session_uid)
    assert ghost is None or ghost.request.sources[0].armature == "Actor"


def test_a_second_body_with_the_same_bones_keeps_joint_for_joint(loom):
    one, other = material.biped(name="One", root=True), material.biped(name="Two", root=True)
    material.key_walk(other, "theirs", frames=24)
    one.location.x = 2.0
    select(other, one)
    bpy.ops.action_loom.add_selected_sources()
    assert lines(one)[0].carried == "Carried from Two: the same joints"
    bpy.ops.action_loom.loop(**as_it_comes(loom, "loop", repeat=1), place="REFERENCE")
    made = one.animation_data.action
    frames = np.array([1, 7, 13])
    assert worst_limb(loom, (one, made, frames), (other, walk_of(other), frames)) < EXACT


def test_what_is_seen_of_it_is_read_on_its_own_armature(mixed, loom):
    rig, source = mixed
    limit = source.pose.bones["LeftArm"].constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    limit.use_limit_x = limit.use_limit_y = limit.use_limit_z = True
    walk = walk_of(source).name
    given = {"sources": [{"name": walk, "weight": 1.0}], "players": [{"name": walk, "armature": "Actor"}]}
    assert bpy.ops.action_loom.plant(visual=True, result_name="Seen", **given) == {"FINISHED"}
    frames = [60]
    arm = directions(loom, rig, bpy.data.actions["Seen"], frames)["upper_arm.L"]
    seen = directions(loom, source, walk_of(source), frames)["upper_arm.L"]
    assert np.degrees(np.linalg.norm(arm - seen)) < EXACT
