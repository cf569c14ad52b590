"""The strip at the timeline: rows of the parts that play over time, and the changes made by dragging."""

import itertools
import time

import bpy
import material
import pytest

TWO = [{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 1.0}]


@pytest.fixture
def walks():
    """An armature with a slow and a quick walk, both listed."""
    rig = material.biped()
    material.key_walk(rig, "slow", frames=36)
    material.key_walk(rig, "quick", frames=24)
    bpy.ops.action_loom.add_sources()
    return rig


@pytest.fixture
def strips(loom):
    return loom("addon.services.preview.strips")


@pytest.fixture
def spans(loom):
    return loom("addon.model.spans")


def shown(strips):
    return strips.of(bpy.context)


def action():
    return bpy.context.object.animation_data.action


def connected(**options):
    bpy.ops.action_loom.connect(sources=TWO, **options)
    return action()


def test_of_connected_actions_each_plays_from_seam_to_seam(walks, strips, loom):
    made = connected()
    strip = shown(strips).strip
    first, last = made.frame_range
    bars = [one for one in strip.rows[0].spans if one.name]
    assert [one.name for one in bars] == ["slow", "quick"]
    assert (bars[0].start, bars[-1].end) == (first, last)
    assert bars[0].end == bars[1].start == made.pose_markers["Seam 1"].frame
    colors = {line.action.name: tuple(line.color) for line in bpy.context.scene.action_loom.rigs[0].sources}
    assert [one.color for one in bars] == [colors["slow"], colors["quick"]]


def test_the_areas_of_a_blend_are_its_weights_on_top_of_each_other(walks, strips):
    bpy.ops.action_loom.blend(sources=TWO, weight_keys="0 1 0; 1 0 1", ends="open")
    strip, made = shown(strips).strip, action()
    slow, quick = strip.rows[0].areas
    assert (slow.name, quick.name) == ("slow", "quick")
    assert [place[0] for place in (slow.places[0], slow.places[-1])] == pytest.approx(list(made.frame_range))
    assert slow.places[0][1:] == pytest.approx((0.0, 1.0))
    assert slow.places[-1][1:] == pytest.approx((0.0, 0.0), abs=1e-4)
    for one, other in zip(slow.places, quick.places, strict=True):
        assert one[2] == pytest.approx(other[1])
        assert other[2] == pytest.approx(1.0, abs=1e-4)
    # Each key has a handle, at the frame that plays its place.
    assert [one.frame for one in strip.handles if one.kind == "weight"] == pytest.approx(list(made.frame_range))


def test_contacts_of_an_action_that_is_no_result_are_shown(walks, strips):
    walks.animation_data.action = bpy.data.actions["slow"]
    assert shown(strips) is None
    bpy.ops.action_loom.find_contacts()
    found = shown(strips)
    held = bpy.context.scene.action_loom.contacts[0]
    assert found.parts is None
    bars = [(one.start, one.end) for row in found.strip.rows for one in row.spans]
    assert bars == [(row.first, row.last) for row in held.rows]
    assert len(found.strip.handles) == 2 * len(held.rows)
    held.rows[0].last -= 1
    assert next(one.end for row in shown(strips).strip.rows for one in row.spans) == held.rows[0].last


def test_what_has_not_changed_is_not_found_again(walks, strips):
    made = connected()
    before = shown(strips)
    assert shown(strips) is before
    bpy.context.scene.action_loom.rigs[0].sources[0].color = (1.0, 0.0, 0.0)
    assert shown(strips) is not before
    assert shown(strips).action == made.session_uid


def test_parts_survive_saving_and_copying(walks, strips, tmp_path):
    connected()
    before = shown(strips).strip.rows
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "strip.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "strip.blend"))
    assert [row.marks for row in shown(strips).strip.rows] == [row.marks for row in before]
    assert [one.name for one in shown(strips).strip.rows[0].spans] == [one.name for one in before[0].spans]


def test_a_result_that_is_longer_now_shows_no_parts(walks, strips):
    made = connected()
    for curve in material.fcurves(made):
        curve.keyframe_points.insert(made.frame_range[1] + 10.0, 0.0)
        break
    found = shown(strips)
    assert found is None or found.parts is None


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"last":1,"rate":0,"tracks":[[[[9],0,1,false]]],"shares":[],"seams":[]}', "x"]
)
def test_parts_that_something_else_has_written_are_not_shown(walks, strips, text):
    made = connected()
    made["action_loom"]["parts"] = text
    assert shown(strips) is None or shown(strips).parts is None


def test_a_walk_shows_its_clips_in_turn(walks, strips):
    bpy.ops.action_loom.new_curve()
    bpy.context.view_layer.objects.active = walks
    bpy.context.scene.action_loom.mode = "follow"
    bpy.ops.action_loom.follow(sources=TWO, curve=bpy.context.scene.action_loom.curve.name)
    bars = [one for one in shown(strips).strip.rows[0].spans if one.name]
    assert {one.name.removesuffix(" mirrored") for one in bars} <= {"slow", "quick"}
    assert all(one.end <= other.start + 1.0 for one, other in itertools.pairwise(bars))
    assert bars[-1].end == action().frame_range[1]


# --- dragging --------------------------------------------------------------------------------------------------------


def drag(**given):
    return bpy.ops.action_loom.drag_strip(**given)


def handles(strips, kind):
    return [one for one in shown(strips).strip.handles if one.kind == kind]


def test_a_dragged_seam_is_where_the_first_action_is_left(walks, strips, loom):
    made = connected()
    (seam,) = handles(strips, "seam")
    drag(kind="seam", number=0, frame=seam.frame - 3.0)
    (now,) = handles(strips, "seam")
    assert now.frame == seam.frame - 3.0
    assert action() == made
    assert shown(strips).recipe.from_frame == shown(strips).parts.seams[0].left


def test_how_long_both_play_on_is_dragged_where_they_do(walks, strips):
    for name in ("slow", "quick"):
        material.key_walk(walks, f"{name} long", frames=120)
    long = [{"name": f"{name} long", "weight": 1.0} for name in ("slow", "quick")]
    bpy.ops.action_loom.connect(sources=long, method="ease", from_frame=100, to_frame=20)
    made = action()
    (seam,) = handles(strips, "seam")
    first, last = handles(strips, "fade")
    assert seam.frame - first.frame == pytest.approx(last.frame - seam.frame, abs=2.0)
    drag(kind="fade", number=0, frame=seam.frame + 10.0)
    assert action() == made
    assert shown(strips).recipe.length == pytest.approx(20.0 / shown(strips).parts.rate, abs=0.01)
    assert handles(strips, "fade")[1].frame == pytest.approx(seam.frame + 10.0, abs=1.5)
    bpy.ops.action_loom.connect(sources=long, method="inertial")
    assert handles(strips, "seam")
    assert not handles(strips, "fade")


def test_seams_of_three_actions_are_dragged_one_by_one(walks, strips):
    material.key_walk(walks, "long", frames=120)
    bpy.ops.action_loom.connect(sources=[TWO[0], {"name": "long", "weight": 1.0}, TWO[1]])
    made, before = action(), handles(strips, "seam")
    assert len(before) == 2
    left = shown(strips).parts.seams[1].left
    drag(kind="seam", number=1, frame=before[1].frame - 6.0)
    assert action() == made
    assert shown(strips).recipe.seams == ((-1.0, -1.0), (left - 6.0, -1.0))
    after = handles(strips, "seam")
    assert [one.frame for one in after] == [before[0].frame, before[1].frame - 6.0]


def test_a_dragged_weight_key_changes_the_recipe_in_time_and_share(walks, strips):
    bpy.ops.action_loom.blend(sources=TWO, weight_keys="0 1 0; 0.5 0.5 0.5; 1 0 1", ends="open")
    before = shown(strips)
    drag(kind="weight", number=1, part=1, frame=before.start + before.parts.frame_at(0.3), level=0.8)
    keys = shown(strips).recipe.weight_keys
    assert [row[0] for row in keys] == pytest.approx([0.0, 0.3, 1.0], abs=0.01)
    assert keys[1][1:] == pytest.approx((0.8, 0.2))
    assert (keys[0][1:], keys[2][1:]) == ((1.0, 0.0), (0.0, 1.0))
    drag(kind="weight", number=1, part=1, frame=9999.0, level=0.8)  # the next key limits the drag
    assert shown(strips).recipe.weight_keys[1][0] == pytest.approx(0.99)


def test_constant_weights_are_dragged_as_well(walks, strips):
    bpy.ops.action_loom.blend(sources=TWO)
    drag(kind="weight", number=0, part=1, frame=5.0, level=0.25)
    assert shown(strips).recipe.weights == pytest.approx((0.5, 1.5))


def test_dragged_contacts_stop_at_each_other_and_count_as_edited(walks, strips):
    walks.animation_data.action = bpy.data.actions["slow"]
    bpy.ops.action_loom.find_contacts()
    held = bpy.context.scene.action_loom.contacts[0]
    first, last = (round(frame) for frame in action().frame_range)
    by_foot = {foot: [k for k, row in enumerate(held.rows) if row.foot == foot] for foot in "LR"}
    number = by_foot["L"][0]
    before = held.rows[number].first
    drag(kind="contact", number=number, part=0, frame=before + 2.0)
    assert held.rows[number].first == before + 2
    assert held.edited
    drag(kind="contact", number=number, part=0, frame=-99.0)
    assert held.rows[number].first >= first
    drag(kind="contact", number=by_foot["R"][-1], part=1, frame=999.0)
    assert held.rows[by_foot["R"][-1]].last <= last
    for rows in by_foot.values():
        for one, other in itertools.pairwise(rows):
            drag(kind="contact", number=one, part=1, frame=999.0)
            assert held.rows[one].last == held.rows[other].first - 1


def test_a_drag_that_is_given_up_changes_nothing(walks, strips, loom):
    edits = loom("addon.services.preview.strip_edits")
    walks.animation_data.action = bpy.data.actions["slow"]
    bpy.ops.action_loom.find_contacts()
    held = bpy.context.scene.action_loom.contacts[0]
    before = [(row.first, row.last) for row in held.rows], held.edited
    edit = edits.begin(bpy.context.scene, walks, shown(strips), handles(strips, "contact")[0])
    edit.to(held.rows[0].last - 1.0, 0.0)
    assert held.edited
    edit.back()
    assert ([(row.first, row.last) for row in held.rows], held.edited) == before


def test_of_a_ghost_the_lists_own_weights_are_dragged(walks, strips, loom):
    scene = bpy.context.scene
    bpy.ops.action_loom.blend(preview=True)
    assert shown(strips).action == 0
    drag(kind="weight", number=0, part=1, frame=5.0, level=0.75)
    one, other = (line.weight for line in scene.action_loom.rigs[0].sources)
    assert one / (one + other) == pytest.approx(0.75)
    assert shown(strips).parts.shares[0][2] == pytest.approx(0.75)
    bpy.ops.action_loom.clear_preview()
    scene.frame_set(1)
    bpy.ops.action_loom.key_weights()
    scene.frame_set(25)
    bpy.ops.action_loom.key_weights()
    bpy.ops.action_loom.blend(preview=True)
    second = handles(strips, "weight")[1]
    drag(kind="weight", number=1, part=1, frame=second.frame - 5.0, level=0.1)
    assert loom("addon.services.preview.ghost_follow").follow(bpy.context)  # the blend no longer closes
    assert len(handles(strips, "weight")) == 2
    now = handles(strips, "weight")[1]
    assert now.level == pytest.approx(0.1, abs=0.02)
    # The sources' own times count for a blend, so the key itself has moved by about the same amount.
    keyed = loom("addon.services.weights.weights_over_time").keyed_frames(scene, scene.action_loom.rigs[0])
    assert keyed[0] == 1.0
    assert 17.0 < keyed[1] < 23.0


def test_a_ghost_has_the_contacts_of_its_result(walks, strips):
    made = []
    for preview in (True, False):
        assert bpy.ops.action_loom.blend(sources=TWO, preview=preview) == {"FINISHED"}
        made.append([(row.label, row.spans) for row in shown(strips).strip.rows if row.label])
    assert made[0] == made[1] != []


def test_of_a_ghost_the_panels_frame_is_dragged(walks, strips):
    scene = bpy.context.scene
    scene.action_loom.mode = "connect"
    bpy.ops.action_loom.connect(preview=True)
    (seam,) = handles(strips, "seam")
    left = shown(strips).parts.seams[0].left
    drag(kind="seam", number=0, frame=seam.frame - 2.0)
    assert scene.action_loom.connect.from_frame == left - 2


def test_what_the_strip_does_not_show_is_not_dragged(walks):
    walks.animation_data.action = bpy.data.actions["slow"]
    with pytest.raises(RuntimeError, match="The strip shows no such handle"):
        drag(kind="seam", number=0, frame=3.0)


def test_a_result_is_rebuilt_with_changed_options(walks, strips):
    connected()
    for options, message in (("[]", "must be some of"), ('{"nothing": 1}', "must be some of"), ("{", "must be JSON")):
        with pytest.raises(RuntimeError, match=message):
            bpy.ops.action_loom.rebuild(options=options)
    bpy.ops.action_loom.rebuild(options='{"method": "inertial"}')
    assert shown(strips).recipe.method == "inertial"


# --- laying out ------------------------------------------------------------------------------------------------------


@pytest.fixture
def drawn(loom):
    return loom("addon.interface.pictures.spans")


def laid(drawn, rows, room, handles=(), each=4.0):
    strip = drawn.Strip(tuple(rows), tuple(handles))
    look = drawn.Look(16.0, (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0))
    return strip, drawn.lay(strip, drawn.Axis(each, 0.0), room, look)


def test_names_stay_within_their_spans(drawn, spans):
    bars = [spans.Span(k * 25.0, (k + 1) * 25.0, f"a long name {k}", (1.0, 1.0, 1.0)) for k in range(8)]
    _, found = laid(drawn, [spans.Row(tuple(bars))], (0.0, 0.0, 800.0, 200.0))
    assert len(found.names) == 8
    ends = [(one.x, one.x + one.room) for one in found.names]
    assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_rows_become_lower_before_they_are_left_off(drawn, spans):
    rows = [spans.Row((spans.Span(0.0, 50.0, "one", (1.0, 1.0, 1.0)),)) for _ in range(3)]
    for room, count in ((200.0, 3), (30.0, 3), (12.0, 3), (8.0, 2), (2.0, 0)):
        _, found = laid(drawn, rows, (0.0, 0.0, 800.0, room))
        assert (0 if found is None else len(found.rows)) == count, room
        if found is not None:
            assert found.box[3] <= room + 1e-6
    assert not laid(drawn, rows, (0.0, 0.0, 800.0, 30.0))[1].names  # too low for names


def test_at_the_least_height_of_a_line_every_name_is_there(drawn, spans):
    """The timeline shows a strip from this height on, and the 3D view shows it below."""
    rows = [spans.Row((spans.Span(0.0, 50.0, "one", (1.0, 1.0, 1.0)),), high=high) for high in (2.6, 1.1, 1.4)]
    room = drawn.height(rows, drawn.least_line(rows))
    for share, count in ((1.0, 3), (0.9, 2)):  # the lowest row is the first without a name
        _, found = laid(drawn, rows, (0.0, 0.0, 800.0, share * room + 1e-6))
        assert len(found.rows) == 3
        assert len(found.names) == count


def test_the_ends_of_rows_are_the_ends_of_all_spans_and_areas(drawn, spans):
    """A strip in the 3D view extends from the first to the last frame."""
    area = spans.Area("one", (1.0, 1.0, 1.0), ((-3.0, 0.0, 1.0), (9.0, 0.0, 1.0)))
    bar = spans.Span(2.0, 12.0, "two", (1.0, 1.0, 1.0))
    assert drawn.ends([spans.Row((), (area,)), spans.Row((bar,))]) == (-3.0, 12.0)
    assert drawn.ends([]) == (0.0, 1.0)


def test_a_thousand_spans_are_laid_out_while_a_mouse_is_dragged(drawn, spans):
    bars = tuple(spans.Span(k, k + 0.9, f"take {k}", (1.0, 1.0, 1.0)) for k in range(1000))
    seconds = []
    for _ in range(3):  # the least of them, because collecting garbage or another process can take longer
        began = time.process_time()
        _, found = laid(drawn, [spans.Row(bars)], (0.0, 0.0, 1500.0, 200.0), each=1.5)
        seconds.append(time.process_time() - began)
    assert min(seconds) < 0.1  # the layout runs only after rows, frames or room have changed
    assert len(found.corners) >= 6 * 1000
    assert not found.names


def test_the_nearest_handle_is_grabbed_within_its_row(drawn, spans):
    row = spans.Row((spans.Span(0.0, 100.0, "one", (1.0, 1.0, 1.0)),))
    handles = [spans.Handle("seam", (k,), 0, frame) for k, frame in enumerate((50.0, 51.0))]
    strip, found = laid(drawn, [row], (0.0, 0.0, 800.0, 200.0), handles)
    _, bottom, _, top = found.rows[0]
    axis, middle = drawn.Axis(4.0, 0.0), 0.5 * (bottom + top)
    assert drawn.handle_at(found, strip, axis, (201.0, middle)) == handles[0]
    assert drawn.handle_at(found, strip, axis, (205.0, middle)) == handles[1]
    assert drawn.handle_at(found, strip, axis, (230.0, middle)) is None
    assert drawn.handle_at(found, strip, axis, (201.0, top + 5.0)) is None


def test_a_dragged_pin_changes_when_a_pose_is_played(walks, strips):
    bpy.ops.action_loom.walk(sources=TWO, seconds=4.0, poses="1 1 9; 3 2 5", verbatim="1.6 1 4 20")
    before = shown(strips)
    pins = [one for one in before.strip.handles if one.kind == "pin"]
    assert [one.which for one in pins] == [(0, 0), (1, 0), (0, 1)]
    rate = before.parts.rate
    assert pins[0].frame == before.start + rate
    drag(kind="pin", number=0, part=0, frame=pins[0].frame + 6.0)
    after = shown(strips)
    assert after.recipe.poses[0][0] == pytest.approx(1.0 + 6.0 / rate, abs=1e-4)
    assert after.recipe.verbatim == before.recipe.verbatim
