"""Planting feet as actions: rows of contacts, their markers, paths in the view, and refusals with reasons."""

import bpy
import material
import pytest
from drawing import draw_all
from planted_feet import longest, planted, recipe_of, way, why_not

# --- planting -------------------------------------------------------------------------------------------------------


def test_feet_stand_in_a_new_action_and_the_source_is_as_it_was(sliding, rows_of, held_of):
    source = sliding.animation_data.action
    was = material.fingerprint(source)
    made = planted(sliding)
    assert material.fingerprint(source) == was
    assert made.name == "walk planted"
    assert recipe_of(made)["spans"] == []
    listed = rows_of(made)
    assert {one.foot for one in listed} == {"L", "R"}
    row = longest(held_of(made))
    quarter = (row.last - row.first) // 4
    foot, first, last = row.foot, row.first + quarter, row.last - quarter
    after = way(sliding, foot, first, last)
    material.show(sliding, source)
    before = way(sliding, foot, first, last)
    assert after < 0.005 < 0.02 < before
    assert not held_of(made).edited
    assert held_of(made).said.startswith("slide ")
    assert "pelvis" in held_of(made).said
    last = bpy.context.scene.action_loom.rigs[0].last
    assert held_of(made).said in last


def test_it_is_the_armatures_own_action_and_else_the_ticked_one(sliding):
    other = material.key_walk(sliding, "other", frames=24, stride=1.8)
    bpy.ops.action_loom.add_sources()
    material.show(sliding, other)
    assert planted(sliding).name == "other planted"
    sliding.animation_data.action = None
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action is not None and line.action.name == "walk"
    assert planted(sliding).name == "walk planted"


# --- rows -----------------------------------------------------------------------------------------------------------


def test_contacts_are_found_and_nothing_is_changed(sliding, rows_of, held_of):
    source, actions = sliding.animation_data.action, set(bpy.data.actions)
    was = material.fingerprint(source)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    found = rows_of(source)
    assert len(found) >= 2
    assert all(1 <= one.first <= one.last <= 37 for one in found)
    assert material.fingerprint(source) == was
    assert set(bpy.data.actions) == actions
    assert not held_of(source).edited
    assert recipe_of(planted(sliding))["spans"] == []  # nothing was edited: they are found again


def test_edited_rows_are_planted_and_read_back_the_same(sliding, rows_of, held_of):
    source = sliding.animation_data.action
    bpy.ops.action_loom.find_contacts()
    longest(held_of(source)).last -= 3
    assert held_of(source).edited
    wanted = rows_of(source)
    made = planted(sliding)
    assert held_of(made).edited
    assert [(one.foot, one.part, one.first, one.last) for one in rows_of(made)] == [
        (one.foot, one.part, one.first, one.last) for one in wanted
    ]
    feet, parts = ["L", "R", "front L", "front R"], ["ball", "heel"]
    assert recipe_of(made)["spans"] == [
        [feet.index(one.foot), parts.index(one.part), one.first - 1, one.last] for one in wanted
    ]


def test_weave_again_plants_by_edited_rows_and_find_again_drops_them(sliding, rows_of, held_of):
    made = planted(sliding)
    found, was = rows_of(made), material.fingerprint(made)
    longest(held_of(made)).last -= 6
    wanted = rows_of(made)
    assert wanted != found
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert sliding.animation_data.action == made
    assert rows_of(made) == wanted
    assert len(recipe_of(made)["spans"]) == len(found)
    edited = material.fingerprint(made)
    assert edited != was
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == edited
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert material.fingerprint(made) == edited
    assert not held_of(made).edited
    assert {(one.foot, one.first, one.last) for one in found} <= {
        (one.foot, one.first, one.last) for one in rows_of(made)
    }
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == was
    assert recipe_of(made)["spans"] == []
    assert rows_of(made) == found


def test_a_script_rebuilds_by_the_recipe_whatever_the_panel_says(sliding, held_of):
    made = planted(sliding)
    was = material.fingerprint(made)
    longest(held_of(made)).last -= 4
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert material.fingerprint(made) == was


def test_rows_are_added_and_removed(sliding, rows_of, held_of):
    source = sliding.animation_data.action
    bpy.context.scene.frame_set(30)
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    (one,) = rows_of(source)
    assert (one.foot, one.part, one.first, one.last) == ("L", "ball", 30, 37)
    assert held_of(source).edited
    assert bpy.ops.action_loom.remove_contact() == {"FINISHED"}
    assert rows_of(source) == []
    assert "No contact is listed" in why_not(sliding, "remove_contact")
    assert "No contact is listed" in why_not(sliding, "contacts_to_markers")


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (20, 10, "Row 1 (left foot, ball, 20 to 10) ends before it begins"),
        (30, 50, "Row 1 (left foot, ball, 30 to 50) is not within the frames 1 to 37"),
        (-3, 5, "Row 1 (left foot, ball, -3 to 5) is not within the frames 1 to 37"),
        (5, 12, "Row 1 (left foot, ball, 5 to 12) and Row 2 (left foot, heel, 10 to 15) overlap at frame 10"),
    ],
)
def test_rows_that_can_not_be_are_said_and_nothing_is_made(sliding, loom, first, last, message):
    service, source = loom("addon.model.contact_rows"), sliding.animation_data.action
    contacts = [service.Contact("L", "ball", first, last), service.Contact("L", "heel", 10, 15)]
    service.put(bpy.context.scene, source, contacts[: 2 if first == 5 else 1], edited=True)
    actions = set(bpy.data.actions)
    with pytest.raises(RuntimeError) as reported:
        bpy.ops.action_loom.plant("INVOKE_DEFAULT")
    assert message in str(reported.value)
    assert "Traceback" not in str(reported.value)
    assert set(bpy.data.actions) == actions


def test_a_contact_that_planting_would_not_change_is_told_in_its_row_only(sliding, loom, rows_of):
    service, no_gain = loom("addon.model.contact_rows"), loom("core.edit.feet.worth").NO_GAIN
    scene, action = bpy.context.scene, sliding.animation_data.action
    contacts = [service.Contact("L", "ball", 1, 37, no_gain), service.Contact("R", "ball", 26, 33)]
    service.put(scene, action, contacts, edited=False)
    assert [one.why for one in rows_of(action)] == [no_gain, ""]
    assert service.warnings_of(scene, action, []) == []
    service.put(scene, action, [contacts[0], contacts[1]._replace(why="it goes 9 cm while it stands")], edited=False)
    (said,) = service.warnings_of(scene, action, [])
    assert said == f"{action.name}: not planted: right foot, ball, 26 to 33, it goes 9 cm while it stands"


def test_a_contact_that_is_refused_is_shown_with_why_until_it_is_edited(sliding, loom, rows_of, held_of, capfd):
    service, source = loom("addon.model.contact_rows"), sliding.animation_data.action
    whole = [service.Contact("L", "ball", 1, 37), service.Contact("R", "ball", 26, 33)]
    service.put(bpy.context.scene, source, whole, edited=True)
    made = planted(sliding)
    assert [bool(one.why) for one in rows_of(made)] == [True, False]
    assert "while it stands" in rows_of(made)[0].why
    reported = capfd.readouterr().out
    assert "walk planted: not planted: left foot, ball, 1 to 37, it goes" in reported  # in frames of the scene
    assert "from frame 0" not in reported
    labels = [options.get("text", "") for name, _, options in draw_all()["feet"] if name == "label"]
    assert "Not planted: it goes" in " ".join(labels)
    held_of(made).active = 1
    labels = [options.get("text", "") for name, _, options in draw_all()["feet"] if name == "label"]
    assert "1 not planted" in " ".join(labels)
    held_of(made).rows[0].last = 9
    assert rows_of(made)[0].why == ""


def test_rows_stay_with_their_action_saved_renamed_and_deleted(sliding, rows_of, held_of, tmp_path):
    made = planted(sliding)
    longest(held_of(made)).last -= 2
    wanted = rows_of(made)
    made.name = "Stroll"
    material.show(sliding, bpy.data.actions["walk"])
    assert held_of(sliding.animation_data.action) is None
    path = str(tmp_path / "rows.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert rows_of(bpy.data.actions["Stroll"]) == wanted
    assert held_of(bpy.data.actions["Stroll"]).edited
    bpy.data.actions.remove(bpy.data.actions["Stroll"])
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert len(bpy.context.scene.action_loom.contacts) == 0


def test_edit_leaves_the_rows_with_their_result(sliding, held_of):
    made = planted(sliding)
    longest(held_of(made)).last -= 2
    bpy.ops.action_loom.rebuild()
    assert recipe_of(made)["spans"]
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    material.show(sliding, bpy.data.actions["walk"])
    assert recipe_of(planted(sliding))["spans"] == []


def test_of_a_range_rows_are_counted_from_its_first_frame(sliding, loom, rows_of):
    service, source = loom("addon.model.contact_rows"), sliding.animation_data.action
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    line.use_range, line.first, line.last = True, 5, 30
    service.put(bpy.context.scene, source, [service.Contact("L", "ball", 8, 12)], edited=True)
    made = planted(sliding)
    assert recipe_of(made)["spans"] == [[0, 0, 3, 8]]
    assert [(one.first, one.last) for one in rows_of(made)] == [(8, 12)]


def test_where_every_contact_is_refused_the_source_says_why_and_no_action_is_made(sliding, loom, rows_of, capfd):
    service, source = loom("addon.model.contact_rows"), sliding.animation_data.action
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    line.use_range, line.first, line.last = True, 5, 30
    service.put(bpy.context.scene, source, [service.Contact("R", "ball", 8, 12)], edited=True)
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.plant("INVOKE_DEFAULT") == {"FINISHED"}
    assert set(bpy.data.actions) == before
    (row,) = rows_of(source)
    assert (row.first, row.last) == (8, 12)
    assert row.why.startswith("it goes")
    printed = capfd.readouterr().out
    assert "not planted: right foot, ball, 8 to 12, it goes" in printed
    assert "its feet slide too little to plant" not in printed
    assert "Plant Feet: nothing was changed, so no action was made" in printed


def test_where_no_foot_slides_the_found_contacts_stay_and_the_reason_is_read_last(sliding, rows_of, held_of, capfd):
    made = planted(sliding)
    bpy.context.scene.action_loom.rigs[0].sources.clear()
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    before, known = set(bpy.data.actions), rows_of(made)
    assert known
    capfd.readouterr()
    assert bpy.ops.action_loom.plant() == {"FINISHED"}
    assert set(bpy.data.actions) == before
    assert rows_of(made) == known
    assert held_of(made).said == "its feet slide too little to plant"
    assert "its feet slide too little to plant" in capfd.readouterr().out.strip().splitlines()[-1]


def test_feet_that_are_lifted_out_of_the_ground_are_told(sliding, held_of):
    curves = material.fcurves(sliding.animation_data.action)
    height = next(one for one in curves if one.data_path.endswith("location") and one.array_index == 1)
    for key in height.keyframe_points:
        key.co.y -= 0.002 * key.co.x
    height.update()
    made = planted(sliding, lift_feet=True)
    assert ", lifted 2." in held_of(made).said


# --- markers --------------------------------------------------------------------------------------------------------


def test_markers_say_the_same_there_and_back(sliding, rows_of, held_of):
    made = planted(sliding)
    made.pose_markers.new("hit the drum").frame = 7
    was, wanted = material.fingerprint(made), rows_of(made)
    assert bpy.ops.action_loom.contacts_to_markers() == {"FINISHED"}
    names = {marker.name for marker in made.pose_markers}
    assert len(names) == 2 * len(wanted) + 1
    assert {"left ball 1 down", "left ball 1 up", "hit the drum"} <= names
    assert bpy.ops.action_loom.contacts_from_markers() == {"FINISHED"}
    assert rows_of(made) == wanted
    assert not held_of(made).edited
    assert bpy.ops.action_loom.contacts_to_markers() == {"FINISHED"}
    assert {marker.name for marker in made.pose_markers} == names
    assert len(made.pose_markers) == len(names)
    assert material.fingerprint(made) == was


def test_a_moved_marker_moves_where_the_foot_stands(sliding, rows_of, held_of):
    made = planted(sliding)
    (one,) = [one for one in rows_of(made) if (one.foot, one.part) == ("L", "ball")]
    before = way(sliding, "L", one.first + 3, one.last - 3)
    bpy.ops.action_loom.contacts_to_markers()
    half = one.first + (one.last - one.first) // 2
    marker = made.pose_markers["left ball 1 up"]
    assert marker.frame == one.last
    marker.frame = half
    assert bpy.ops.action_loom.contacts_from_markers() == {"FINISHED"}
    assert held_of(made).edited
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert ("L", one.first, half) in [(now.foot, now.first, now.last) for now in rows_of(made)]
    assert way(sliding, "L", one.first + 3, one.last - 3) > before + 0.01
    assert made.pose_markers["left ball 1 up"].frame == half  # they stay to be moved on


def spoil(action, what):
    marker = action.pose_markers["left ball 1 up"]
    if what == "alone":
        action.pose_markers.remove(marker)
    elif what == "before":
        marker.frame = action.pose_markers["left ball 1 down"].frame - 1
    elif what == "twice":
        action.pose_markers.new("left ball 1 up").frame = 20
    else:
        action.pose_markers.new("left heel 9 down").frame = marker.frame
        action.pose_markers.new("left heel 9 up").frame = marker.frame + 2


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("alone", "The marker 'left ball 1 down' has no 'left ball 1 up'"),
        ("before", "The marker 'left ball 1 up' (frame 4) is before 'left ball 1 down' (5)"),
        ("twice", "has two markers 'left ball 1 up'"),
        ("overlap", "'left ball 1' and 'left heel 9' overlap at frame 12"),
    ],
)
def test_markers_that_can_not_be_read_are_named(sliding, loom, rows_of, what, message):
    service, source = loom("addon.model.contact_rows"), sliding.animation_data.action
    service.put(bpy.context.scene, source, [service.Contact("L", "ball", 5, 12)], edited=True)
    with pytest.raises(RuntimeError, match="walk has no markers of contacts"):
        bpy.ops.action_loom.contacts_from_markers()
    bpy.ops.action_loom.contacts_to_markers()
    spoil(source, what)
    wanted = rows_of(source)
    with pytest.raises(RuntimeError) as reported:
        bpy.ops.action_loom.contacts_from_markers()
    assert message in str(reported.value)
    assert rows_of(source) == wanted


def test_feet_and_parts_are_called_as_core_does(loom):
    service, spans = loom("addon.model.contact_rows"), loom("core.edit.feet.spans")
    assert {foot: words for foot, (_, words) in service.FEET.items()} == loom("core.quality.contacts").NAMES
    assert tuple(service.FEET) == spans.FEET
    assert tuple(service.PARTS) == spans.PARTS


# --- of other verbs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["blend", "connect"])
def test_what_a_verb_plants_is_listed_edited_and_woven_again(rows_of, held_of, verb):
    bpy.ops.action_loom.add_demo()
    both = [
        {"name": name, "weight": 1.0} for name in (("Turn Left", "Turn Right") if verb == "blend" else ("Run", "Walk"))
    ]
    assert getattr(bpy.ops.action_loom, verb)(sources=both) == {"FINISHED"}
    made = bpy.context.object.animation_data.action
    found, was = rows_of(made), material.fingerprint(made)
    assert found
    assert "slide " in held_of(made).said
    row = longest(held_of(made))
    row.last -= (row.last - row.first) // 2
    wanted = [(one.foot, one.part, one.first, one.last) for one in rows_of(made)]
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    # Contacts left out by planting are planted where the user gives the rows.
    assert [(one.foot, one.part, one.first, one.last) for one in rows_of(made)] == wanted
    assert len(recipe_of(made)["spans"]) == len(wanted)
    assert material.fingerprint(made) != was
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert rows_of(made) == found
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert (material.fingerprint(made), recipe_of(made)["spans"]) == (was, [])


def test_why_a_verb_planted_no_feet_is_said(held_of):
    bpy.ops.action_loom.add_demo()
    both = [{"name": name, "weight": 1.0} for name in ("Turn Left", "Turn Right")]
    bpy.ops.action_loom.blend(sources=both, plant_feet=False)
    assert held_of(bpy.context.object.animation_data.action).said == "Plant Feet is off"
