"""Feet planted as actions: rows of contacts there and back, markers, paths in the view, what is refused and why."""

import json

import bpy
import material
import numpy as np
import pytest
from drawing import Drawing, Layout, context_now, draw_all


@pytest.fixture
def walker():
    """A biped with a listed walk whose feet slide, which it has."""
    rig = material.biped()
    action = material.key_walk(rig, "walk", frames=36, stride=1.8)
    bpy.context.scene.render.fps = 24
    bpy.ops.action_loom.add_sources()
    bpy.context.view_layer.update()
    assert rig.animation_data.action == action
    return rig


@pytest.fixture
def rows(loom):
    """The contacts that are listed of an action, `rows(action)`."""
    service = loom("addon.model.contact_rows")

    def give(action):
        held = service.of(bpy.context.scene, action)
        return [] if held is None else service.contacts_of(held)

    return give


@pytest.fixture
def held(loom):
    """What the panel holds of an action."""
    return lambda action: loom("addon.model.contact_rows").of(bpy.context.scene, action)


def longest(held):
    """The row of the longest contact on a ball."""
    return max((row for row in held.rows if row.part == "ball"), key=lambda row: row.last - row.first)


def recipe_of(action):
    return json.loads(action["action_loom"]["recipe"])


def planted(rig, **options):
    """The action that Plant Feet makes when its button is pressed."""
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.plant("INVOKE_DEFAULT", **options) == {"FINISHED"}
    (made,) = set(bpy.data.actions) - before
    assert rig.animation_data.action == made
    return made


def tips(rig, foot, frames):
    """Where the ball of a foot is in the world."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append((rig.matrix_world @ rig.pose.bones[f"foot.{foot}"].tail)[:2])
    return np.array(found)


def way(rig, foot, first, last):
    places = tips(rig, foot, range(first, last + 1))
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max())


def why_not(rig, operator):
    with bpy.context.temp_override(action_loom_armature=rig):
        if getattr(bpy.ops.action_loom, operator).poll():
            return ""
        with pytest.raises(RuntimeError) as reported:
            getattr(bpy.ops.action_loom, operator)()
    return str(reported.value).split("poll() ")[-1].strip()


# --- planting -------------------------------------------------------------------------------------------------------


def test_feet_stand_in_a_new_action_and_the_source_is_as_it_was(walker, rows, held):
    source = walker.animation_data.action
    was = material.fingerprint(source)
    made = planted(walker)
    assert material.fingerprint(source) == was
    assert made.name == "walk planted"
    assert recipe_of(made)["spans"] == []
    listed = rows(made)
    assert {one.foot for one in listed} == {"L", "R"}
    row = longest(held(made))
    quarter = (row.last - row.first) // 4
    foot, first, last = row.foot, row.first + quarter, row.last - quarter
    after = way(walker, foot, first, last)
    material.show(walker, source)
    before = way(walker, foot, first, last)
    assert after < 0.005 < 0.02 < before
    assert not held(made).edited
    assert held(made).said.startswith("slide ")
    assert "pelvis" in held(made).said
    last = bpy.context.scene.action_loom.rigs[0].last
    assert held(made).said in last


def test_undo_takes_it_back_in_one_step(walker):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.plant("INVOKE_DEFAULT", True)
    assert "walk planted" in bpy.data.actions
    assert len(bpy.context.scene.action_loom.contacts) == 1
    bpy.ops.ed.undo()
    assert "walk planted" not in bpy.data.actions
    assert len(bpy.context.scene.action_loom.contacts) == 0


def test_it_is_the_armatures_own_action_and_else_the_ticked_one(walker):
    other = material.key_walk(walker, "other", frames=24, stride=1.8)
    bpy.ops.action_loom.add_sources()
    material.show(walker, other)
    assert planted(walker).name == "other planted"
    walker.animation_data.action = None
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action is not None and line.action.name == "walk"
    assert planted(walker).name == "walk planted"


# --- rows -----------------------------------------------------------------------------------------------------------


def test_contacts_are_found_and_nothing_is_changed(walker, rows, held):
    source, actions = walker.animation_data.action, set(bpy.data.actions)
    was = material.fingerprint(source)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    found = rows(source)
    assert len(found) >= 2
    assert all(1 <= one.first <= one.last <= 37 for one in found)
    assert material.fingerprint(source) == was
    assert set(bpy.data.actions) == actions
    assert not held(source).edited
    assert recipe_of(planted(walker))["spans"] == []  # nothing was edited: they are found again


def test_edited_rows_are_planted_and_read_back_the_same(walker, rows, held):
    source = walker.animation_data.action
    bpy.ops.action_loom.find_contacts()
    longest(held(source)).last -= 3
    assert held(source).edited
    wanted = rows(source)
    made = planted(walker)
    assert held(made).edited
    assert [(one.foot, one.part, one.first, one.last) for one in rows(made)] == [
        (one.foot, one.part, one.first, one.last) for one in wanted
    ]
    feet, parts = ["L", "R", "front L", "front R"], ["ball", "heel"]
    assert recipe_of(made)["spans"] == [
        [feet.index(one.foot), parts.index(one.part), one.first - 1, one.last] for one in wanted
    ]


def test_weave_again_plants_by_edited_rows_and_find_again_drops_them(walker, rows, held):
    made = planted(walker)
    found, was = rows(made), material.fingerprint(made)
    longest(held(made)).last -= 6
    wanted = rows(made)
    assert wanted != found
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert walker.animation_data.action == made
    assert rows(made) == wanted
    assert len(recipe_of(made)["spans"]) == len(found)
    edited = material.fingerprint(made)
    assert edited != was
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == edited
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert material.fingerprint(made) == edited
    assert not held(made).edited
    assert {(one.foot, one.first, one.last) for one in found} <= {(one.foot, one.first, one.last) for one in rows(made)}
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert material.fingerprint(made) == was
    assert recipe_of(made)["spans"] == []
    assert rows(made) == found


def test_a_script_rebuilds_by_the_recipe_whatever_the_panel_says(walker, held):
    made = planted(walker)
    was = material.fingerprint(made)
    longest(held(made)).last -= 4
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert material.fingerprint(made) == was


def test_rows_are_added_and_removed(walker, rows, held):
    source = walker.animation_data.action
    bpy.context.scene.frame_set(30)
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    (one,) = rows(source)
    assert (one.foot, one.part, one.first, one.last) == ("L", "ball", 30, 37)
    assert held(source).edited
    assert bpy.ops.action_loom.remove_contact() == {"FINISHED"}
    assert rows(source) == []
    assert "The list of contacts is empty" in why_not(walker, "remove_contact")
    assert "The list of contacts is empty" in why_not(walker, "contacts_to_markers")


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        (20, 10, "Row 1 (left foot, ball, 20 to 10) ends before it begins"),
        (30, 50, "Row 1 (left foot, ball, 30 to 50) is not within the frames 1 to 37"),
        (-3, 5, "Row 1 (left foot, ball, -3 to 5) is not within the frames 1 to 37"),
        (5, 12, "Row 1 (left foot, ball, 5 to 12) and Row 2 (left foot, heel, 10 to 15) overlap at frame 10"),
    ],
)
def test_rows_that_can_not_be_are_said_and_nothing_is_made(walker, loom, first, last, message):
    service, source = loom("addon.model.contact_rows"), walker.animation_data.action
    contacts = [service.Contact("L", "ball", first, last), service.Contact("L", "heel", 10, 15)]
    service.put(bpy.context.scene, source, contacts[: 2 if first == 5 else 1], edited=True)
    actions = set(bpy.data.actions)
    with pytest.raises(RuntimeError) as reported:
        bpy.ops.action_loom.plant("INVOKE_DEFAULT")
    assert message in str(reported.value)
    assert "Traceback" not in str(reported.value)
    assert set(bpy.data.actions) == actions


def test_a_contact_that_is_refused_is_shown_with_why_until_it_is_edited(walker, loom, rows, held, capfd):
    service, source = loom("addon.model.contact_rows"), walker.animation_data.action
    whole = [service.Contact("L", "ball", 1, 37), service.Contact("R", "ball", 26, 33)]
    service.put(bpy.context.scene, source, whole, edited=True)
    made = planted(walker)
    assert [bool(one.why) for one in rows(made)] == [True, False]
    assert "while it stands" in rows(made)[0].why
    reported = capfd.readouterr().out
    assert "walk planted: not planted: left foot, ball, 1 to 37 (it goes" in reported  # in frames of the scene
    assert "from frame 0" not in reported
    labels = [options.get("text", "") for name, _, options in draw_all()["feet"] if name == "label"]
    assert "Not planted: it goes" in " ".join(labels)
    held(made).active = 1
    labels = [options.get("text", "") for name, _, options in draw_all()["feet"] if name == "label"]
    assert "1 not planted" in " ".join(labels)
    held(made).rows[0].last = 9
    assert rows(made)[0].why == ""


def test_rows_stay_with_their_action_saved_renamed_and_deleted(walker, rows, held, tmp_path):
    made = planted(walker)
    longest(held(made)).last -= 2
    wanted = rows(made)
    made.name = "Stroll"
    material.show(walker, bpy.data.actions["walk"])
    assert held(walker.animation_data.action) is None
    path = str(tmp_path / "rows.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert rows(bpy.data.actions["Stroll"]) == wanted
    assert held(bpy.data.actions["Stroll"]).edited
    bpy.data.actions.remove(bpy.data.actions["Stroll"])
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert len(bpy.context.scene.action_loom.contacts) == 0


def test_edit_leaves_the_rows_with_their_result(walker, held):
    made = planted(walker)
    longest(held(made)).last -= 2
    bpy.ops.action_loom.rebuild()
    assert recipe_of(made)["spans"]
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    material.show(walker, bpy.data.actions["walk"])
    assert recipe_of(planted(walker))["spans"] == []


def test_of_a_range_rows_are_counted_from_its_first_frame(walker, loom, rows):
    service, source = loom("addon.model.contact_rows"), walker.animation_data.action
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    line.use_range, line.first, line.last = True, 5, 30
    service.put(bpy.context.scene, source, [service.Contact("L", "ball", 8, 12)], edited=True)
    made = planted(walker)
    assert recipe_of(made)["spans"] == [[0, 0, 3, 8]]
    assert [(one.first, one.last) for one in rows(made)] == [(8, 12)]


def test_where_every_contact_is_refused_the_source_says_why_and_no_action_is_made(walker, loom, rows, capfd):
    service, source = loom("addon.model.contact_rows"), walker.animation_data.action
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    line.use_range, line.first, line.last = True, 5, 30
    service.put(bpy.context.scene, source, [service.Contact("R", "ball", 8, 12)], edited=True)
    before = set(bpy.data.actions)
    assert bpy.ops.action_loom.plant("INVOKE_DEFAULT") == {"FINISHED"}
    assert set(bpy.data.actions) == before
    (row,) = rows(source)
    assert (row.first, row.last) == (8, 12)
    assert row.why.startswith("it goes")
    printed = capfd.readouterr().out
    assert "not planted: right foot, ball, 8 to 12 (it goes" in printed
    assert "no foot that stands slides" not in printed
    assert "Plant Feet: nothing was changed, so no action was made" in printed


# --- markers --------------------------------------------------------------------------------------------------------


def test_markers_say_the_same_there_and_back(walker, rows, held):
    made = planted(walker)
    made.pose_markers.new("hit the drum").frame = 7
    was, wanted = material.fingerprint(made), rows(made)
    assert bpy.ops.action_loom.contacts_to_markers() == {"FINISHED"}
    names = {marker.name for marker in made.pose_markers}
    assert len(names) == 2 * len(wanted) + 1
    assert {"left ball 1 down", "left ball 1 up", "hit the drum"} <= names
    assert bpy.ops.action_loom.contacts_from_markers() == {"FINISHED"}
    assert rows(made) == wanted
    assert not held(made).edited
    assert bpy.ops.action_loom.contacts_to_markers() == {"FINISHED"}
    assert {marker.name for marker in made.pose_markers} == names
    assert len(made.pose_markers) == len(names)
    assert material.fingerprint(made) == was


def test_a_moved_marker_moves_where_the_foot_stands(walker, rows, held):
    made = planted(walker)
    (one,) = [one for one in rows(made) if (one.foot, one.part) == ("L", "ball")]
    before = way(walker, "L", one.first + 3, one.last - 3)
    bpy.ops.action_loom.contacts_to_markers()
    half = one.first + (one.last - one.first) // 2
    marker = made.pose_markers["left ball 1 up"]
    assert marker.frame == one.last
    marker.frame = half
    assert bpy.ops.action_loom.contacts_from_markers() == {"FINISHED"}
    assert held(made).edited
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert ("L", one.first, half) in [(now.foot, now.first, now.last) for now in rows(made)]
    assert way(walker, "L", one.first + 3, one.last - 3) > before + 0.01
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
def test_markers_that_can_not_be_read_are_named(walker, loom, rows, what, message):
    service, source = loom("addon.model.contact_rows"), walker.animation_data.action
    service.put(bpy.context.scene, source, [service.Contact("L", "ball", 5, 12)], edited=True)
    with pytest.raises(RuntimeError, match="walk has no markers of contacts"):
        bpy.ops.action_loom.contacts_from_markers()
    bpy.ops.action_loom.contacts_to_markers()
    spoil(source, what)
    wanted = rows(source)
    with pytest.raises(RuntimeError) as reported:
        bpy.ops.action_loom.contacts_from_markers()
    assert message in str(reported.value)
    assert rows(source) == wanted


def test_feet_and_parts_are_called_as_core_does(loom):
    service, spans = loom("addon.model.contact_rows"), loom("core.edit.feet.spans")
    assert {foot: words for foot, (_, words) in service.FEET.items()} == loom("core.check.contacts").NAMES
    assert tuple(service.FEET) == spans.FEET
    assert tuple(service.PARTS) == spans.PARTS


# --- what is drawn --------------------------------------------------------------------------------------------------


def test_the_panel_draws_what_there_is(walker, held):
    def operators():
        return [given[0].removeprefix("action_loom.") for name, given, _ in draw_all()["feet"] if name == "operator"]

    assert {"plant", "find_contacts", "manual"} == set(operators())
    made = planted(walker)
    assert "rebuild" in operators()
    assert "plant" not in operators()
    assert {"contacts_to_markers", "contacts_from_markers", "add_contact", "remove_contact"} <= set(operators())
    drawn = []
    lines = Drawing(bpy.types.ACTION_LOOM_UL_contacts, Layout(drawn))
    lines.draw_item(context_now(), lines.layout, held(made), held(made).rows[0], 0, held(made), "active", 0)
    assert [given[1] for name, given, _ in drawn if name == "prop"] == ["first", "last"]
    assert "Left heel" in [options.get("text") for name, _, options in drawn if name == "label"]
    assert {"foot", "part"} <= {given[1] for name, given, _ in draw_all()["feet"] if name == "prop"}
    walker.animation_data.action = None
    assert "find_contacts" not in operators()


def test_paths_and_contacts_are_seen_where_the_feet_are(walker, loom, rows, held):
    overlay, paths = loom("addon.interface.pictures.feet_overlay"), loom("addon.services.preview.foot_paths")
    settings, context = bpy.context.scene.action_loom, bpy.context
    walker.location, walker.rotation_euler, walker.scale = (2.0, -1.0, 0.5), (0.0, 0.0, 0.6), (1.3, 1.3, 1.3)
    bpy.context.view_layer.update()
    assert overlay.lines(context) is None
    made = planted(walker)
    assert overlay.lines(context) is None
    settings.show_feet = True
    lines = overlay.lines(context)
    ways = [one for one in lines if one.color == paths.PATH]
    assert len(ways) == 2
    there = tips(walker, "L", range(1, 38))
    assert min(np.abs(one.points[:, :2] - there).max() for one in ways) < 2e-5
    green = [one for one in lines if one.color == paths.STANDS]
    assert len(green) == sum(1 + (one.last > one.first) for one in rows(made))
    assert not [one for one in lines if one.color == paths.REFUSED]
    assert overlay.lines(context) is lines  # nothing is made anew while nothing changes
    row = held(made).rows[0]
    length = len(green[1].points)
    row.last -= 1
    assert len([one for one in overlay.lines(context) if one.color == paths.STANDS][1].points) == length - 1
    row.why = "it goes 40 cm while it stands"
    assert len([one for one in overlay.lines(context) if one.color == paths.REFUSED]) == 2
    settings.show_feet = False
    assert overlay.lines(context) is None


def test_what_is_seen_follows_the_action_and_goes_when_it_is_undone(walker, loom):
    overlay, handlers = loom("addon.interface.pictures.feet_overlay"), bpy.app.handlers
    before = [len(one) for one in (handlers.depsgraph_update_post, handlers.undo_post, handlers.redo_post)]
    bpy.context.scene.action_loom.show_feet = True
    first = overlay.lines(bpy.context)
    assert first
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.action_loom.plant("INVOKE_DEFAULT", True)
    assert overlay.lines(bpy.context) is None  # until Blender has the time
    overlay.refresh(bpy.context)
    assert overlay.lines(bpy.context) is not first
    bpy.ops.ed.undo()
    assert overlay.lines(bpy.context) is None
    overlay.refresh(bpy.context)
    assert len(overlay.lines(bpy.context)) == 2
    curve = material.fcurves(bpy.context.object.animation_data.action)[0]
    curve.keyframe_points[1].co.y += 0.4
    curve.update()
    bpy.context.object.animation_data.action.update_tag()
    bpy.context.view_layer.update()
    assert overlay.lines(bpy.context) is None
    overlay.refresh(bpy.context)
    assert overlay.lines(bpy.context)
    bpy.context.scene.action_loom.show_feet = False
    assert [len(one) for one in (handlers.depsgraph_update_post, handlers.undo_post, handlers.redo_post)] == before


def test_another_file_and_the_end_leave_nothing(walker, loom, extension):
    import addon_utils

    overlay, paths = loom("addon.interface.pictures.feet_overlay"), loom("addon.services.preview.foot_paths")

    def listening():
        names = ("depsgraph_update_post", "undo_post", "redo_post")
        found = [handler for name in names for handler in getattr(bpy.app.handlers, name)]
        return [handler for handler in found if handler.__module__ == paths.__name__]

    bpy.context.scene.action_loom.show_feet = True
    assert len(paths._known) == 1
    assert listening()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert len(paths._known) == 0
    assert not listening()
    addon_utils.disable(extension)
    try:
        assert not hasattr(bpy.types, "ACTION_LOOM_PT_feet")
        assert not bpy.app.timers.is_registered(overlay._look)
        for name in ("depsgraph_update_post", "undo_post", "redo_post", "load_post", "save_pre"):
            modules = [handler.__module__ for handler in getattr(bpy.app.handlers, name)]
            assert not any(module.startswith(f"{extension}.") for module in modules)
    finally:
        addon_utils.enable(extension, default_set=True)


# --- what is grey, and why ------------------------------------------------------------------------------------------


def test_buttons_say_why_they_can_not_be_pressed(walker):
    assert why_not(walker, "plant") == ""
    assert why_not(walker, "find_contacts") == ""
    for role in bpy.context.scene.action_loom.rigs[0].roles:
        if role.name.startswith(("foot", "toe", "shin")):
            role.bone = ""
    assert why_not(walker, "plant") == "Plant Feet needs feet: name them in Body Roles"
    assert why_not(walker, "find_contacts") == "Plant Feet needs feet: name them in Body Roles"
    bpy.ops.action_loom.find_roles()
    walker.animation_data.action = None
    assert why_not(walker, "find_contacts") == "Biped has no action"
    bpy.context.scene.action_loom.rigs[0].sources[0].use = False
    assert why_not(walker, "plant") == "The armature has no action: choose one, or tick actions in the list"


def test_linked_actions_get_no_markers(walker, loom, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {walker.animation_data.action}, fake_user=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.actions = ["walk"]
    linked = next(action for action in bpy.data.actions if action.library is not None)
    material.show(walker, linked)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    with pytest.raises(RuntimeError, match="make it local first"):
        bpy.ops.action_loom.contacts_to_markers()
    assert not len(linked.pose_markers)


def test_menus_offer_it(extension):
    for menu in ("VIEW3D_MT_object_animation", "VIEW3D_MT_pose", "DOPESHEET_MT_key", "DOPESHEET_MT_marker"):
        entries = [entry for entry in getattr(bpy.types, menu).draw._draw_funcs if extension in entry.__module__]
        assert len(entries) == 1


# --- of other verbs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["blend", "connect"])
def test_what_a_verb_plants_is_listed_edited_and_woven_again(rows, held, verb):
    bpy.ops.action_loom.add_demo()
    both = [
        {"name": name, "weight": 1.0} for name in (("Turn Left", "Turn Right") if verb == "blend" else ("Run", "Walk"))
    ]
    assert getattr(bpy.ops.action_loom, verb)(sources=both) == {"FINISHED"}
    made = bpy.context.object.animation_data.action
    found, was = rows(made), material.fingerprint(made)
    assert found
    assert "slide " in held(made).said
    row = longest(held(made))
    row.last -= (row.last - row.first) // 2
    wanted = rows(made)
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert rows(made) == wanted
    assert len(recipe_of(made)["spans"]) == len(wanted)
    assert material.fingerprint(made) != was
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert rows(made) == found
    assert bpy.ops.action_loom.rebuild() == {"FINISHED"}
    assert (material.fingerprint(made), recipe_of(made)["spans"]) == (was, [])


def test_why_a_verb_planted_no_feet_is_said(held):
    bpy.ops.action_loom.add_demo()
    both = [{"name": name, "weight": 1.0} for name in ("Turn Left", "Turn Right")]
    bpy.ops.action_loom.blend(sources=both, plant_feet=False)
    assert held(bpy.context.object.animation_data.action).said == "Plant Feet is off"
