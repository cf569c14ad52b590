"""The list fills itself with an armature's actions and its results; results begin where the figure stands."""

import itertools
import time

import bpy
import characters
import material
import numpy as np
import pytest
from drawing import draw_all


@pytest.fixture
def listing(loom):
    return loom("addon.services.sources.listing")


def listed(rig):
    return [line.action.name for line in lines(rig)]


def lines(rig):
    settings = bpy.context.scene.action_loom
    return next((one.sources for one in settings.rigs if one.owner.name == rig.name), ())


def ticked(rig):
    return [line.action.name for line in lines(rig) if line.use]


def complete(listing, rig):
    scene = bpy.context.scene
    assert not listing.is_complete(scene, rig)
    new = [line.action.name for line in listing.complete(scene, rig)]
    assert listing.is_complete(scene, rig)
    return new


def test_what_an_armature_has_is_listed_without_being_asked_for(listing):
    rig = material.two_actions()
    material.key_walk(material.biped(name="Other"), "not mine", frames=24)
    assert complete(listing, rig) == ["one", "two"]
    assert ticked(rig) == ["two"]  # the played one alone: they are not alike
    material.key_by_hand(rig, "three", seed=3)
    assert complete(listing, rig) == ["three"]
    assert ticked(rig) == ["two"]


def test_an_armature_without_actions_gets_no_list_until_it_has_one(listing):
    rig = material.armature()
    assert complete(listing, rig) == []
    assert not len(bpy.context.scene.action_loom.rigs)
    empty = bpy.data.actions.new("empty")
    assert complete(listing, rig) == []
    material.key_by_hand(rig, "keyed", seed=1)
    assert complete(listing, rig) == ["keyed"]
    bpy.data.actions.remove(empty)


def test_what_was_taken_off_stays_off_and_what_is_deleted_goes(listing):
    rig = material.two_actions()
    complete(listing, rig)
    settings = bpy.context.scene.action_loom.rigs[0]
    settings.active, settings.reference = 0, 1
    bpy.ops.action_loom.remove_source()
    assert complete(listing, rig) == []
    assert listed(rig) == ["two"]
    assert settings.reference == 0
    bpy.ops.action_loom.add_sources()
    assert sorted(listed(rig)) == ["one", "two"]
    settings.reference = listed(rig).index("two")
    bpy.data.actions.remove(bpy.data.actions["one"])
    assert complete(listing, rig) == []
    assert listed(rig) == ["two"]
    assert settings.reference == 0


def test_a_list_that_undo_took_away_comes_back(listing):
    rig = material.two_actions()
    name = rig.name
    bpy.ops.ed.undo_push(message="before")
    complete(listing, rig)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    rig = bpy.data.objects[name]
    assert not len(bpy.context.scene.action_loom.rigs)
    assert sorted(complete(listing, rig)) == ["one", "two"]


def test_drawing_the_tab_changes_nothing_by_itself(listing):
    rig = material.two_actions()
    draw_all()
    assert not len(bpy.context.scene.action_loom.rigs)
    assert bpy.app.timers.is_registered(listing._soon)
    listing._soon()
    assert listed(rig) == ["one", "two"]


def test_results_are_listed_and_not_ticked(listing):
    rig = material.two_actions()
    complete(listing, rig)
    for line in lines(rig):
        line.use = True
    bpy.ops.action_loom.blend(result_name="Mixed")
    assert listed(rig) == ["one", "two", "Mixed"]
    assert ticked(rig) == ["one", "two"]
    bpy.ops.action_loom.mirror(sources=[{"name": "one", "weight": 1.0}])
    assert len(listed(rig)) == 4
    assert listing.complete(bpy.context.scene, rig) == []


def test_an_action_that_is_played_is_given_and_fitted():
    rig = material.two_actions()
    bpy.ops.action_loom.add_sources()
    scene = bpy.context.scene
    before = scene.frame_start, scene.frame_end
    bpy.ops.action_loom.play_action(action="two")
    assert rig.animation_data.action.name == "two"
    assert scene.use_preview_range
    assert (scene.frame_preview_start, scene.frame_preview_end) == tuple(bpy.data.actions["two"].frame_range)
    assert (scene.frame_start, scene.frame_end) == before
    scene.action_loom.rigs[0].active = 0
    bpy.ops.action_loom.play_action()
    assert rig.animation_data.action.name == "one"
    with pytest.raises(RuntimeError, match="There is no action named 'three'"):
        bpy.ops.action_loom.play_action(action="three")


def test_undoing_what_follows_a_double_click_does_not_switch_what_plays(loom):
    rig = material.two_actions()
    bpy.ops.action_loom.add_sources()
    mine = bpy.context.scene.action_loom.rigs[0]
    names = [line.action.name for line in mine.sources]
    material.show(rig, bpy.data.actions[names[0]])
    bpy.ops.ed.undo_push(message="before")
    mine.active = 1
    loom("addon.interface.operators.sources")._play(rig.session_uid, 1)  # as the second click does, by a timer
    assert rig.animation_data.action.name == names[1]
    bpy.ops.ed.undo_push(message="Rebuild")
    bpy.ops.ed.undo()
    assert bpy.context.object.animation_data.action.name == names[1]


def test_a_tool_works_on_the_line_whose_menu_was_opened():
    rig = material.two_actions()
    bpy.ops.action_loom.add_sources()
    material.show(rig, bpy.data.actions["one"])
    bpy.ops.action_loom.open_tool(tool="mirror", action="two")
    settings = bpy.context.scene.action_loom
    assert (settings.tool_open, settings.edit, rig.animation_data.action.name) == (True, "mirror", "two")
    bpy.ops.action_loom.open_tool(tool="")
    assert (settings.tool_open, rig.animation_data.action.name) == (False, "two")


def test_what_is_another_armatures_is_not_given():
    other = material.biped(name="Other")
    material.key_walk(other, "theirs", frames=24)
    rig = material.biped()
    material.key_walk(rig, "mine", frames=24)
    characters.select(other, rig)
    bpy.ops.action_loom.add_active_source()
    bpy.ops.action_loom.add_selected_sources()
    bpy.context.scene.action_loom.rigs[0].active = 1
    for call in (
        bpy.ops.action_loom.play_action,
        lambda: bpy.ops.action_loom.open_tool(tool="mirror", action="theirs"),
    ):
        with pytest.raises(RuntimeError, match="theirs is an action of Other: use Retarget Actions"):
            call()
    assert rig.animation_data.action.name == "mine"
    bpy.data.actions.new("nothing")
    with pytest.raises(RuntimeError, match="nothing moves no bone of Biped"):
        bpy.ops.action_loom.play_action(action="nothing")


# --- where a result begins ------------------------------------------------------------------------------------------


@pytest.fixture
def far_away(loom):
    """A figure that plays a cycle far from its other actions, which walk from the origin."""
    rig = material.biped()
    for name, frames, leads in (("slow", 36, "L"), ("quick", 24, "R")):
        material.key_walk(rig, name, frames=frames, leads=leads)
    bpy.context.scene.cursor.location = (5.0, -3.0, 0.0)
    bpy.context.scene.cursor.rotation_euler[2] = 0.7
    bpy.ops.action_loom.loop(sources=[{"name": "slow", "weight": 1.0}], whole="yes", place="CURSOR", result_name="far")
    material.show(rig, bpy.data.actions["far"])
    return rig


def hips(rig, frame):
    bpy.context.scene.frame_set(round(frame))
    return np.array(rig.matrix_world @ rig.pose.bones["hips"].head)


def begins(rig):
    return hips(rig, rig.animation_data.action.frame_range[0])


BOTH = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


@pytest.mark.parametrize(("verb", "count"), [("blend", 2), ("loop", 1)])
def test_a_result_begins_where_the_figure_stands_and_is_rebuilt_there(far_away, verb, count):
    call = getattr(bpy.ops.action_loom, verb)
    there = begins(far_away)
    call(sources=BOTH[:count], place="FIGURE", result_name="placed")
    assert begins(far_away)[:2] == pytest.approx(there[:2], abs=0.01)
    made, before = far_away.animation_data.action, material.fingerprint(far_away.animation_data.action)
    material.show(far_away, bpy.data.actions["slow"])  # it stands elsewhere now
    bpy.ops.action_loom.rebuild(action=made.name)
    assert material.fingerprint(made) == before


def test_what_stands_there_already_is_not_moved(far_away):
    for place in ("REFERENCE", "FIGURE"):
        material.show(far_away, bpy.data.actions["slow"])
        bpy.ops.action_loom.blend(sources=BOTH, place=place, result_name=place)
    assert material.fingerprint(bpy.data.actions["REFERENCE"]) == material.fingerprint(bpy.data.actions["FIGURE"])


def test_a_figure_without_an_action_stands_where_it_is_posed(far_away):
    far_away.animation_data.action = None
    far_away.pose.bones["hips"].location = (0.0, 0.0, 0.0)
    far_away.location = (2.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    there = np.array(far_away.matrix_world @ far_away.pose.bones["hips"].head)
    bpy.ops.action_loom.blend(sources=BOTH, place="FIGURE")
    assert begins(far_away)[:2] == pytest.approx(there[:2], abs=0.01)


def test_what_changes_an_action_or_walks_along_a_curve_has_its_place(far_away, loom):
    storage = loom("addon.model.storage")
    bpy.ops.action_loom.mirror(sources=BOTH[:1], place="FIGURE")
    assert np.linalg.norm(begins(far_away)[:2]) < 1.0
    material.show(far_away, bpy.data.actions["far"])
    bpy.ops.action_loom.follow(sources=BOTH, path="0 0; 0 -3", threshold=0.3, place="FIGURE")
    assert np.linalg.norm(begins(far_away)[:2]) < 0.5
    assert storage.read_stored(far_away.animation_data.action).request.result.place == "reference"


def test_the_panel_lets_results_begin_where_the_figure_stands(far_away):
    settings = material.list_sources(far_away, "slow", "quick", mode="blend")
    assert settings.result.place == "FIGURE"
    there = begins(far_away)
    bpy.ops.action_loom.blend("INVOKE_DEFAULT")
    assert begins(far_away)[:2] == pytest.approx(there[:2], abs=0.01)


def ticked_names(rig):
    return [line.action.name for line in rig.sources if line.use]


@material.needs_shared
def test_what_is_imported_is_ticked_instead_of_two_that_no_one_chose(loom):
    armature = characters.character("mannequiny")
    listing, scene = loom("addon.services.sources.listing"), bpy.context.scene
    listing.complete(scene, armature)
    (rig,) = scene.action_loom.rigs
    assert ticked_names(rig)
    material.import_motion(characters.file_of(characters.WALK), onto="ACTIVE")
    assert ticked_names(rig) == [characters.WALK]
    rig.sources[0].use = True
    chosen = ticked_names(rig)
    material.import_motion(characters.file_of(characters.RUN), onto="ACTIVE")
    assert ticked_names(rig) == chosen


def test_what_a_tool_makes_is_ticked_instead_of_what_it_was_made_of(loom):
    bpy.ops.action_loom.add_demo()
    (rig,) = bpy.context.scene.action_loom.rigs
    armature, before = bpy.context.object, ticked_names(rig)
    assert "Walk" in before
    rig.reference = [line.action.name for line in rig.sources].index("Walk")
    rig.sources[rig.reference].weight = 0.25
    armature.animation_data.action = bpy.data.actions["Walk"]
    assert bpy.ops.action_loom.mirror() == {"FINISHED"}
    made = armature.animation_data.action.name
    assert sorted(ticked_names(rig)) == sorted([made if name == "Walk" else name for name in before])
    assert rig.sources[rig.reference].action.name == made
    assert rig.sources[rig.reference].weight == pytest.approx(0.25)
    armature.animation_data.action = bpy.data.actions["Wave"]  # not ticked, so its result is not ticked
    chosen = ticked_names(rig)
    assert bpy.ops.action_loom.mirror() == {"FINISHED"}
    assert ticked_names(rig) == chosen


@material.needs_shared
def test_a_capture_begins_where_the_character_stands(loom):
    rig = characters.character("mannequiny")
    hips = characters.roles_of(loom, rig)["hips"]
    rig.location = (4.0, -2.0, 0.0)
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(round(rig.animation_data.action.frame_range[0]))
    there = np.array(rig.matrix_world @ rig.pose.bones[hips].head)
    material.import_motion(characters.file_of(characters.WALK), onto="ACTIVE", here=True, play=True)
    bpy.context.scene.frame_set(round(rig.animation_data.action.frame_range[0]))
    begins = np.array(rig.matrix_world @ rig.pose.bones[hips].head)
    assert np.linalg.norm(begins[:2] - there[:2]) < 0.02


@material.needs_shared
@pytest.mark.parametrize("name", ["cmu_mb_02_01", "cmu_mb_16_15", "cmu_mb_35_01"])
def test_where_a_figure_stands_is_where_all_of_its_action_says(name, loom):
    """The place read from one frame equals the place of the whole action, whose heading is smoothed over all frames."""
    material.import_motion(material.SHARED / "cmu" / f"{name}.bvh", match_rate=True)
    rig, standing = bpy.context.object, loom("addon.services.weaving.standing")
    body, rate = loom("addon.bridge.rig").read(rig, moving_object=True), material.scene_rate()
    whole = loom("addon.bridge.clip").read(rig, rig.animation_data.action, body, rate).clip
    (x, y), facing = standing.place_of(whole)
    assert np.ptp(loom("core.motion.root_motion").heading(whole)) > np.radians(2.0)  # its body sways
    found = loom("addon.ground.steps").run_steps(standing.place_in_steps(bpy.context.scene, rig, body))
    assert found == pytest.approx((x, y, np.degrees(facing)), abs=0.006)


def test_places_are_found_for_command_lines_too(far_away, loom, tmp_path):
    """`writing.write` itself finds the figure's place, so results of command lines have it, too."""
    reading, writing = loom("addon.services.weaving.reading"), loom("addon.services.weaving.writing")
    recipes, verbs = loom("core.recipes.reading"), loom("core.verbs")
    options = loom("core.recipes.result").ResultOptions(place="figure", result_name="written")
    request = recipes.Request(sources=tuple(recipes.Source(name=one["name"]) for one in BOTH), result=options)
    recipe = verbs.Blend()
    there = begins(far_away)
    read = reading.read(bpy.context, far_away, request, recipe)
    woven = verbs.apply(recipe, read.clips)
    writing.write(bpy.context, reading.Inputs(request, read, recipe), woven)
    assert begins(far_away)[:2] == pytest.approx(there[:2], abs=0.01)


def test_one_action_alone_is_looped_and_one_tick_for_mix_has_a_button_to_loop(listing):
    rig, settings = material.armature(), bpy.context.scene.action_loom
    for name in ("one", "two"):
        material.key_by_hand(rig, name, seed=1)
        complete(listing, rig)
        assert settings.mode == "loop"  # the second is not the first look
    settings.mode = "blend"

    def buttons():
        return [given[2] for name, given, _ in draw_all()["weave"] if name == "prop_enum" and "intent" in given]

    assert len(ticked(rig)) == 1
    assert buttons() == ["Loop"]
    for line in settings.rigs[0].sources:
        line.use = True
    assert buttons() == []


@material.needs_shared
@pytest.mark.parametrize(
    ("name", "expected"),
    [("demo", ["Run", "Walk"]), ("RobotExpressive", ["Walking"]), ("boxman", ["run"]), ("godot_player", ["walk"])],
)
def test_first_ticks_are_gaits_that_are_alike_and_their_blend_never_warns(loom, monkeypatch, name, expected):
    """Or a gait alone: the run of the player of Godot bends a leg if it is blended with the walk.

    The clock of a very slow machine, on which 1000 s pass between two readings, changes nothing.
    """
    if name == "demo":
        bpy.ops.action_loom.add_demo()
    armature = bpy.context.object if name == "demo" else characters.character(name)
    monkeypatch.setattr(time, "perf_counter", itertools.count(0.0, 1000.0).__next__)
    loom("addon.services.sources.listing").complete(bpy.context.scene, armature)
    assert sorted(ticked(armature)) == expected
    if len(expected) == 2:
        with loom("addon.model.target_armature").as_from_panel(bpy.context, armature):
            assert bpy.ops.action_loom.blend("INVOKE_DEFAULT") == {"FINISHED"}
        (rig,) = bpy.context.scene.action_loom.rigs
        assert rig.last_warnings == ""
        assert not any(line.warning for line in lines(armature) if line.use)


@material.needs_shared
def test_first_ticks_try_nothing_that_takes_too_much_work(loom, monkeypatch):
    monkeypatch.setattr(loom("addon.services.sources.first_ticks"), "WORK", 2000)  # the pair takes 2558
    armature = characters.character("RobotExpressive")
    loom("addon.services.sources.listing").complete(bpy.context.scene, armature)
    assert ticked(armature) == ["Walking"]


def test_words_of_names_are_found_however_they_are_written(loom):
    words_of = loom("addon.services.sources.first_ticks").words_of
    assert words_of("CharacterArmature|Run_Left") == ["character", "armature", "run", "left"]
    assert words_of("runFast01") == ["run", "fast", "01"]
    assert words_of("WALK-CYCLE") == ["walk", "cycle"]


def test_a_ticked_action_moves_past_the_next_ticked_one(listing):
    rig = material.two_actions()
    for seed, name in enumerate(("three", "four")):
        material.key_by_hand(rig, name, seed=seed)
    complete(listing, rig)
    settings = bpy.context.scene.action_loom.rigs[0]
    before = listed(rig)
    for line, used in zip(settings.sources, (True, False, False, True), strict=True):
        line.use = used
    settings.active, settings.reference = 3, 0
    assert bpy.ops.action_loom.move_source() == {"FINISHED"}
    assert listed(rig) == [before[3], *before[:3]]
    assert (settings.active, settings.reference) == (0, 1)
    assert bpy.ops.action_loom.move_source() == {"CANCELLED"}
    assert bpy.ops.action_loom.move_source(down=True) == {"FINISHED"}
    assert [before[3], before[0]] == [name for name in listed(rig) if name in (before[0], before[3])][::-1]
