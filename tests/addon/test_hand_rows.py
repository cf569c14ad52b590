"""Contacts of hands are rows of an action: results keep ticked rows, and leave hands free at unticked rows."""

import json

import bpy
import material
import pytest
from drawing import Drawing, Layout, context_now, draw_all
from mathutils import Vector
from test_props import HELD, armed, off  # noqa: F401  (armed is a fixture)

KEY = "action_loom_free_hands"


@pytest.fixture
def walker(armed):  # noqa: F811
    """The demo figure, whose right hand holds a sword in its walk, and that hand's row."""
    material.show(armed, bpy.data.actions["Walk"])
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    return armed


def hands():
    """Return the rows of the hands of the walk."""
    return held_of(bpy.data.actions["Walk"]).hands


def held_of(action):
    """Return the rows of an action."""
    return next(one for one in bpy.context.scene.action_loom.contacts if one.of.name == action.name)


def connected(**options):
    """Return the action that joins the walk to another one."""
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    return material.new_action(
        lambda: bpy.ops.action_loom.connect(sources=sources, from_frame=22, result_name="Made", **options)
    )


def test_found_contacts_are_ticked_rows(walker):
    (row,) = hands()
    assert (row.kind, row.sides, row.part, row.label, row.held) == ("prop", "R", "sword", "right hand on sword", True)
    assert abs(row.first - HELD.start) <= 1
    assert abs(row.last - (HELD.stop - 1)) <= 1
    assert bpy.data.actions["Walk"].get(KEY) is None


def test_an_unticked_contact_is_not_kept(walker):
    held = range(HELD.start + 1, HELD.stop - 1)
    kept, plain = connected(), connected(keep_hands="off")
    hands()[0].held = False
    free = connected()
    assert off(walker, kept, held) < 1e-3 < off(walker, plain, held)
    assert material.keys_of(free) == material.keys_of(plain) != material.keys_of(kept)
    material.show(walker, bpy.data.actions["Walk"])
    hands()[0].held = True
    assert bpy.data.actions["Walk"].get(KEY) is None
    assert material.keys_of(connected()) == material.keys_of(kept)


def test_rows_and_ticks_survive_saving_and_undo(walker, tmp_path):
    bpy.ops.ed.undo_push(message="before")
    hands()[0].held = False
    bpy.ops.ed.undo_push(message="unticked")
    assert bpy.ops.ed.undo() == {"FINISHED"}
    assert hands()[0].held
    assert bpy.ops.ed.redo() == {"FINISHED"}
    assert not hands()[0].held
    path = str(tmp_path / "free.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert [row.held for row in hands()] == [False]
    free, plain = connected(), connected(keep_hands="off")
    assert material.keys_of(free) == material.keys_of(plain)


def test_contacts_that_are_found_again_stay_unticked(walker):
    hands()[0].held = False
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert [row.held for row in hands()] == [False]


DAMAGED = {
    "number": 7,
    "half": "[",
    "object": "{}",
    "named": '{"a": 1}',
    "numbers": "[7]",
    "empty row": "[[]]",
    "no number": '[["prop", "R", "sword", 1, NaN]]',
    "far": '[["prop", "R", "sword", 1, 1e99]]',
    "no name": '[[1, "R", "sword", 1, 9]]',
    "deep": "[" * 5000,
    "long": "[" + "1," * 60000 + "1]",
    "group": {"a": 1},
    "array": [1.0, 2.0],
    "added by a number": '[["prop", "R", "sword", 1, 9, 1]]',
}


def test_a_damaged_property_is_told(walker, capfd):
    (row,) = hands()
    for kind, damaged in DAMAGED.items():
        bpy.data.actions["Walk"][KEY] = damaged
        assert row.held, kind
        capfd.readouterr()
        bpy.ops.action_loom.filter(sources=[{"name": "Walk", "weight": 1.0}], cutoff=2.0, result_name="Made")
        told = "'action_loom_free_hands' can't be read, so hands are kept everywhere"
        assert told in capfd.readouterr().out, kind
    row.held = False
    assert not row.held


def test_rebuild_follows_the_rows_and_says_so(walker, capfd):
    made = connected()
    kept = material.keys_of(made)
    material.show(walker, bpy.data.actions["Walk"])
    hands()[0].held = False
    capfd.readouterr()
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert "hands ('Walk') changed since Made was made" in capfd.readouterr().out
    assert material.keys_of(made) != kept
    capfd.readouterr()
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert "changed since" not in capfd.readouterr().out
    hands()[0].held = True
    assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
    assert material.keys_of(made) == kept


def test_an_edit_keeps_the_rows_of_its_action(walker):
    hands()[0].held = False
    sources = [{"name": "Walk", "weight": 1.0}]
    made = material.new_action(lambda: bpy.ops.action_loom.mirror(sources=sources, result_name="Image", replace=False))
    row = hands()[0]
    assert made[KEY] == f'[["prop", "L", "sword", {row.first}, {row.last + 1}]]'
    looped = material.new_action(lambda: bpy.ops.action_loom.loop(sources=sources, result_name="Cycle"))
    assert looped.get(KEY) is None


def test_the_ghost_and_other_armatures_follow_the_rows(walker, loom):
    state, reading = (loom(f"addon.services.{name}") for name in ("preview.panel_state", "weaving.reading"))
    rigs, recipes = bpy.context.scene.action_loom.rigs, loom("core.recipes.reading")
    for line in rigs[0].sources:
        line.use = line.action is not None and line.action.name in ("Walk", "Sneak")
    before = state.asked_state(bpy.context.scene, rigs[0], "connect")
    hands()[0].held = False
    assert state.asked_state(bpy.context.scene, rigs[0], "connect") != before
    bpy.ops.action_loom.add_demo()
    source = recipes.Source(name="Walk", armature=walker.name)
    read = reading.read(bpy.context, bpy.context.object, recipes.Request(sources=(source,)))
    assert [one[:3] for one in read.clips[0].free_hands] == [("prop", "R", "sword")]


def test_a_linked_action_stays_ticked(walker, loom, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {bpy.data.actions["Walk"]}, fake_user=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.actions = ["Walk"]
    linked = next(action for action in bpy.data.actions if action.library is not None)
    material.show(walker, linked)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    held = next(one for one in bpy.context.scene.action_loom.contacts if one.of.library)
    held.hands[0].held = False
    assert held.hands[0].held
    assert linked.get(KEY) is None


def test_the_panel_draws_the_rows(walker):
    drawn = []
    held = held_of(bpy.data.actions["Walk"])
    lines = Drawing(bpy.types.ACTION_LOOM_UL_hand_contacts, Layout(drawn))
    lines.draw_item(context_now(), lines.layout, held, held.hands[0], 0, held, "active_hand", 0)
    (tick,) = [(given[1], options["text"]) for name, given, options in drawn if name == "prop"]
    assert tick == ("held", "Right hand on sword")
    lists = [given[3] for name, given, _ in draw_all()["feet"] if name == "template_list"]
    assert lists == ["rows", "hands"]
    held.hands.clear()
    assert [given[3] for name, given, _ in draw_all()["feet"] if name == "template_list"] == ["rows"]


def test_dots_show_hands_in_contact_where_the_hands_are(walker, loom):
    """Green while the hand holds the sword, red in frames that the result misses; with Show Feet only."""
    overlay, rows = loom("addon.interface.pictures.points_overlay"), loom("addon.model.hand_rows")
    made = connected()
    (row,) = held_of(made).hands
    assert (row.label, row.missed) == ("right hand on sword", "")
    assert overlay.hands(bpy.context) == []
    bpy.context.scene.action_loom.show_feet = True
    row.missed = f"{row.first + 2} {row.first + 4}"
    assert not rows.is_missed(row)
    for frame in (row.first, row.first + 2, row.first + 3, row.first + 4):
        bpy.context.scene.frame_set(frame)
        ((place, missed),) = overlay.hands(bpy.context)
        bone = walker.pose.bones["hand.R"]
        assert (walker.matrix_world @ bone.head - place).length < 0.6 * bone.length
        assert missed == (frame in (row.first + 2, row.first + 3))
    row.missed = f"{row.first + 2} {row.last}"
    assert rows.is_missed(row)
    bpy.context.scene.frame_set(row.first - 1)
    assert overlay.hands(bpy.context) == []


def test_dots_are_on_the_palms_of_the_ghost(walker, loom):
    overlay, made = loom("addon.interface.pictures.points_overlay"), connected()
    (row,) = held_of(made).hands
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    material.show(walker, made)
    bpy.context.scene.action_loom.mode = "connect"
    bpy.ops.action_loom.connect(sources=sources, from_frame=22, preview=True)
    for frame in range(row.first - 1, row.last + 2):
        bpy.context.scene.frame_set(frame)
        bone = walker.pose.bones["hand.R"]
        found = overlay.hands(bpy.context)
        assert len(found) == (row.first <= frame <= row.last)
        for place, missed in found:
            assert not missed
            assert (walker.matrix_world @ bone.head - Vector(place)).length < bone.length


def test_the_strip_of_the_ghost_has_a_row_for_each_hand(walker, loom):
    (row,) = held_of(connected()).hands
    bpy.context.scene.action_loom.mode = "connect"
    sources = [{"name": name, "weight": 1.0} for name in ("Walk", "Sneak")]
    bpy.ops.action_loom.connect(sources=sources, from_frame=22, preview=True)
    found = loom("addon.services.preview.strips").of(bpy.context).strip.rows
    spans = {one.label: [span[:2] for span in one.spans] for one in found[-2:]}
    assert spans == {"left hand": [], "right hand": [(row.first, row.last)]}


def select(rig, *names):
    """Select pose bones of an armature, and no others."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    for name in names:
        bone = rig.pose.bones[name]
        (bone if hasattr(bone, "select") else bone.bone).select = True


def test_a_contact_is_added_from_bones_and_kept_in_results(walker):
    """It is stored on the action, moves with its frames, and is off when unticked; found ones move, too."""
    walk = bpy.data.actions["Walk"]
    before = material.keys_of(connected())
    material.show(walker, walk)
    select(walker, "hand.L", "thigh.L")
    bpy.context.scene.frame_set(5)
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    row = hands()[-1]
    assert (row.label, row.first, row.held) == ("left hand on thigh.L", 5, True)
    row.last = 14
    assert json.loads(walk[KEY]) == [["on", "L", "thigh.L", 5, 15, True]]
    held = hands()[0]
    first, last = held.first, held.last
    held.first += 2
    assert json.loads(walk[KEY])[1:] == [
        ["prop", "R", "sword", first, last + 1],
        ["prop", "R", "sword", first + 2, last + 1, True],
    ]
    made = connected()
    told = [(one.label, one.first, one.last) for one in held_of(made).hands]
    assert ("left hand on thigh.L", 5, 14) in told
    assert ("right hand on sword", first + 2) in [one[:2] for one in told]
    material.show(walker, walk)
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert [(one.label, one.first, one.added, one.held) for one in hands()] == [
        ("left hand on thigh.L", 5, True, True),
        ("right hand on sword", first + 2, True, True),
    ]
    hands()[1].first -= 2
    hands()[0].held = False
    assert material.keys_of(connected()) == before


def test_what_no_hand_touches_is_refused(walker):
    select(walker, "hand.L", "foot.L")
    with pytest.raises(RuntimeError, match="Select a hand, and one bone"):
        bpy.ops.action_loom.add_contact()
    select(walker, "foot.L")
    before = len(hands())
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    assert len(hands()) == before
    bpy.ops.object.mode_set(mode="OBJECT")


def pose_both(leader, partner, *names):
    """Select one bone of each of two armatures, the leader's first, both in Pose Mode."""
    bpy.ops.object.select_all(action="DESELECT")
    for rig in (leader, partner):
        rig.select_set(True)
    select(leader, names[0])
    bone = partner.pose.bones[names[1]]
    (bone if hasattr(bone, "select") else bone.bone).select = True


@pytest.fixture
def two(walker):
    """The figure and a copy of it that walks 0.8 m beside it with an action of its own."""
    partner = walker.copy()
    partner.data, partner.name = walker.data.copy(), "Partner"
    bpy.context.collection.objects.link(partner)
    partner.animation_data.action = bpy.data.actions["Walk"].copy()
    partner.animation_data.action.name = "Walk Partner"
    partner.location.x += 0.8
    return walker, partner


BETWEEN = {
    ("hand.L", "hand.R"): ["hold", "LR", "", "left hand on partner.hand.R"],
    ("hand.L", "spine"): ["on_partner", "L", "trunk", "left hand on partner.trunk"],
    ("head", "hand.R"): ["by_partner", "R", "head", "partner.hand.R on head"],
    ("foot.L", "hand.R"): ["hold", "foot.L,R", "", "left foot on partner.hand.R"],
    ("foot.R", "shin.L"): ["on_partner", "foot.R", "shin.L", "right foot on partner.shin.L"],
}


@pytest.mark.parametrize("names", BETWEEN, ids="-".join)
def test_a_contact_is_added_between_bones_of_two_armatures(two, names):
    pose_both(*two, *names)
    bpy.context.scene.frame_set(5)
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    row = hands()[-1]
    assert [row.kind, row.sides, row.part, row.label] == BETWEEN[names]
    assert json.loads(bpy.data.actions["Walk"][KEY])[-1][:4] == [*BETWEEN[names][:3], 5]
    assert bpy.ops.action_loom.find_contacts() == {"FINISHED"}
    assert BETWEEN[names][3] in [one.label for one in hands()]


def test_a_contact_with_the_partner_is_kept_shown_and_told_of_without_one(two, loom, capfd):
    """Moved aside, the partner's hand has its place again; the result's rows and dots show it."""
    pose_both(*two, "hand.L", "hand.R")
    bpy.context.scene.frame_set(5)
    assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    hands()[-1].last = 20
    sources = [{"name": "Walk", "weight": 1.0}]
    bpy.ops.action_loom.loop(sources=sources, whole="yes", result_name="Alone")
    assert "left hand on partner.hand.R is not kept, because no partner is chosen" in capfd.readouterr().out
    bpy.ops.action_loom.loop(sources=sources, whole="yes", partner="Partner", result_name="Both")
    assert "is not kept" not in capfd.readouterr().out
    (row,) = [one for one in held_of(bpy.data.actions["Both"]).hands if one.kind == "hold"]
    assert (row.label, row.first, row.last, row.missed) == ("left hand on partner.hand.R", 5, 20, "")
    bpy.context.scene.action_loom.show_feet = True
    overlay = loom("addon.interface.pictures.points_overlay")
    bpy.context.scene.frame_set(10)
    material.show(two[0], bpy.data.actions["Both"])
    bone = two[0].pose.bones["hand.L"]
    places = [place for place, _ in overlay.hands(bpy.context)]
    assert min((two[0].matrix_world @ bone.head - place).length for place in places) < 0.6 * bone.length


def test_a_knee_and_a_foot_are_ends_too(walker):
    """A knee stays on the ground, a foot on a prop; a foot alone is a row of feet."""
    for names, row in [
        (("shin.L",), ["world", "knee.L", "", "left knee on a fixed place"]),
        (("foot.L", "sword"), ["on", "foot.L", "sword", "left foot on sword"]),
    ]:
        select(walker, *names)
        assert bpy.ops.action_loom.add_contact() == {"FINISHED"}
        bpy.ops.object.mode_set(mode="OBJECT")
        last = hands()[-1]
        assert [last.kind, last.sides, last.part, last.label] == row


def test_what_no_partner_has_is_refused(two):
    for names in (("head", "head"), ("shin.L", "head")):
        pose_both(*two, *names)
        with pytest.raises(RuntimeError, match="a prop or a partner that it touches"):
            bpy.ops.action_loom.add_contact()
        bpy.ops.object.mode_set(mode="OBJECT")
