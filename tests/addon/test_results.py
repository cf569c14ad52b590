"""Rebuilding results: from changed sources, with an edited recipe, with undo and redo."""

import bpy
import material
import pytest


@pytest.fixture
def rig():
    return material.two_walks()


@pytest.fixture
def result(rig):
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS, result_name="Mixed")
    return bpy.data.actions["Mixed"]


def swing(action_name):
    """Return the range of the left thigh's turn in an action, in radians."""
    path = 'pose.bones["thigh.L"].rotation_euler'
    curve = next(c for c in material.fcurves(bpy.data.actions[action_name]) if c.data_path == path)
    values = [point.co.y for point in curve.keyframe_points]
    return max(values) - min(values)


def flatten(name):
    """Edit an action like an artist: scale the curves of both thighs to a tenth."""
    for curve in material.fcurves(bpy.data.actions[name]):
        if '"thigh.' in curve.data_path:
            for point in curve.keyframe_points:
                point.co.y *= 0.1
            curve.update()


def test_an_artists_own_markers_survive_rebuilding_and_ours_are_put_anew(rig):
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS, result_name="Marked", mark_contacts=True)
    result = bpy.data.actions["Marked"]
    ours = sorted((marker.name, marker.frame) for marker in result.pose_markers)
    assert ours
    result.pose_markers.new("hit the drum").frame = 11
    result.pose_markers.new(ours[0][0]).frame = 500  # named like our markers: a leftover
    bpy.ops.action_loom.rebuild()
    markers = sorted((marker.name, marker.frame) for marker in result.pose_markers)
    assert markers == sorted([*ours, ("hit the drum", 11)])


def test_an_edited_source_shows_after_rebuilding_in_the_same_action(result, rig):
    flatten("slow")
    flatten("quick")
    before = swing("Mixed")
    bpy.ops.action_loom.rebuild()
    assert rig.animation_data.action == result
    assert swing("Mixed") < 0.3 * before


def test_the_sources_that_changed_since_are_known_until_it_is_rebuilt(result, loom):
    changed = loom("addon.services.results.changed_sources")
    assert changed.names(result) == changed.look(result) == ()
    flatten("slow")
    bpy.data.actions["slow"].name = "slower"
    assert changed.look(result) == changed.names(result) == ("slower",)
    bpy.ops.action_loom.rebuild()
    assert changed.look(result) == ()
    bpy.data.actions.remove(bpy.data.actions["quick"])
    assert changed.look(result) == ()  # Rebuild names the deleted source


def test_the_recipe_of_a_result_without_a_source_is_loaded_to_tick_another(result, rig, loom):
    """The first of the two is gone, so its weight must go with it, and not to the second."""
    material.key_walk(rig, "other", frames=30)
    rig.animation_data.action = result
    bpy.ops.action_loom.add_sources()
    bpy.data.actions.remove(bpy.data.actions["slow"])
    assert bpy.ops.action_loom.edit_recipe() == {"FINISHED"}
    lines = bpy.context.scene.action_loom.rigs[0].sources
    assert [line.action.name for line in lines if line.use] == ["quick"]
    next(line for line in lines if line.action.name == "other").use = True
    with loom("addon.model.target_armature").as_from_panel(bpy.context, rig):
        assert bpy.ops.action_loom.blend("INVOKE_DEFAULT") == {"FINISHED"}


def test_the_recipe_of_a_path_without_a_source_names_it(rig):
    path = bpy.ops.action_loom.follow(sources=material.TWO_WALKS, path="0 0; 0 3", result_name="Way")
    assert path == {"FINISHED"}
    bpy.data.actions.remove(bpy.data.actions["quick"])
    with pytest.raises(RuntimeError, match="quick was deleted, or is in another file: choose another"):
        bpy.ops.action_loom.edit_recipe(action="Way")


def test_a_result_that_was_edited_is_known_to_be(result, loom):
    changed = loom("addon.services.results.changed_sources")
    changed.look(result)
    assert not changed.is_edited(result)
    flatten("Mixed")
    changed.look(result)
    assert changed.is_edited(result)
    bpy.ops.action_loom.rebuild(overwrite_edits=True)
    changed.look(result)
    assert not changed.is_edited(result)


def test_edits_by_hand_are_not_lost_unasked(result):
    flatten("Mixed")
    edited = material.fingerprint(result)
    with pytest.raises(RuntimeError, match="Mixed was edited by hand"):
        bpy.ops.action_loom.rebuild()
    assert material.fingerprint(result) == edited
    bpy.ops.action_loom.rebuild(overwrite_edits=True)
    assert material.fingerprint(result) != edited


def test_a_result_is_rebuilt_by_name_wherever_it_is_used(result, rig):
    track = rig.animation_data.nla_tracks.new()
    strip = track.strips.new("strip", 1, result)
    rig.animation_data.action = bpy.data.actions["slow"]
    flatten("slow")
    before = material.fingerprint(result)
    bpy.ops.action_loom.rebuild(action="Mixed")
    assert strip.action == result
    assert material.fingerprint(result) != before
    assert rig.animation_data.action.name == "slow"


def test_how_sources_were_read_is_kept(rig):
    readings = [{"name": "slow", "rate": 0.0, "slot": "", "first": 5, "last": 30}]
    bpy.ops.action_loom.blend(
        sources=material.TWO_WALKS,
        readings=readings,
        ends="pinned",
        result_name="Part",
        interpolation="BEZIER",
        mark_contacts=True,
    )
    part = bpy.data.actions["Part"]
    before, markers = material.fingerprint(part), sorted(m.name for m in part.pose_markers)
    assert markers
    bpy.ops.action_loom.rebuild()
    assert material.fingerprint(part) == before
    assert sorted(m.name for m in part.pose_markers) == markers


def test_what_we_did_not_make_is_refused(rig):
    rig.animation_data.action = bpy.data.actions["slow"]
    for operator in (bpy.ops.action_loom.rebuild, bpy.ops.action_loom.edit_recipe):
        with pytest.raises(RuntimeError, match="slow was not made by Action Loom"):
            operator()
        with pytest.raises(RuntimeError, match="There is no action named 'gone'"):
            operator(action="gone")


def test_an_armature_without_action_says_so(rig):
    for without_data in (False, True):
        rig.animation_data.action = None
        if without_data:
            rig.animation_data_clear()
        for operator in (bpy.ops.action_loom.rebuild, bpy.ops.action_loom.edit_recipe):
            with pytest.raises(RuntimeError, match=r"Biped has no action: play one, or tick actions in the list\n"):
                operator()


def test_the_armature_of_a_result_must_be_ready_too(result, rig):
    other = material.armature(name="Other")
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = other
    assert rig.mode == "EDIT"
    with pytest.raises(RuntimeError, match="Leave Edit Mode first"):
        bpy.ops.action_loom.rebuild(action="Mixed")


def test_the_displaced_action_survives_saving(rig, tmp_path):
    displaced = rig.animation_data.action
    displaced.use_fake_user = False
    name = displaced.name
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert name in bpy.data.actions


def test_a_recipe_comes_back_into_the_panel(rig, loom):
    readings = [{"name": "quick", "rate": 48.0, "slot": "", "first": 0, "last": 0}]
    bpy.ops.action_loom.blend(
        sources=[{"name": "slow", "weight": 1.0}, {"name": "quick", "weight": 3.0}],
        readings=readings,
        reference="2",
        metric="points",
        weight_keys="0 1 0; 0.5 1 1; 1 1 0",
        result_name="Mixed",
        mark_contacts=True,
    )
    bpy.ops.action_loom.edit_recipe()
    settings = bpy.context.scene.action_loom
    listed = settings.rigs[0]
    lines = {source.action.name: source for source in listed.sources if source.use}
    assert set(lines) == {"slow", "quick"}
    assert lines["quick"].rate == 48.0
    assert listed.sources[listed.reference].action.name == "quick"
    assert settings.matching.metric == "points"
    rows = loom("addon.services.weights.weights_over_time").rows(bpy.context.scene, listed)
    by_name = [row[1:] if listed.sources[0].action.name == "slow" else row[:0:-1] for row in rows]
    assert [row[0] for row in rows] == [0.0, 0.5, 1.0]
    assert by_name == [(1.0, 0.0), (0.5, 0.5), (1.0, 0.0)]
    assert settings.result.mark_contacts
    first = material.fingerprint(bpy.data.actions["Mixed"])
    settings.result.result_name = "Again"
    bpy.ops.action_loom.blend()
    assert material.fingerprint(bpy.data.actions["Again"]) == first


def test_redo_with_another_weight_registers_nothing_anew(rig, loom):
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    remembered = loom("addon.services.weaving.prepared")._REGISTERED
    known = list(remembered)
    other = [{"name": "slow", "weight": 3.0}, {"name": "quick", "weight": 1.0}]
    bpy.ops.action_loom.blend(sources=other)
    assert list(remembered) == known
    flatten("slow")
    bpy.ops.action_loom.blend(sources=other)
    assert len(remembered) == len(known) + 1


def test_sources_that_did_not_change_are_not_measured_again_and_the_result_is_that_of_a_first_time(rig, loom):
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    read = loom("addon.services.weaving.prepared")._READ
    (clips,) = read
    other = [{"name": "slow", "weight": 3.0}, {"name": "quick", "weight": 1.0}]
    bpy.ops.action_loom.blend(sources=other, result_name="Again")
    assert [one is clips for one in read] == [True]
    loom("addon.ground.memory").forget()
    bpy.ops.action_loom.blend(sources=other, result_name="First")
    again, first = (bpy.data.actions[name] for name in ("Again", "First"))
    assert material.fingerprint(again) == material.fingerprint(first)
    flatten("slow")
    bpy.ops.action_loom.blend(sources=other)
    assert len(read) == 2


def test_a_copied_result_is_a_result_of_its_own(result, rig):
    copy = result.copy()
    copy.name = "Copy"
    flatten("slow")
    bpy.ops.action_loom.rebuild(action="Copy")
    assert material.fingerprint(copy) != material.fingerprint(result)


def test_a_result_is_shown_in_the_preview_range_on_request(rig):
    scene = bpy.context.scene
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    assert not scene.use_preview_range
    scene.action_loom.play = True
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS)
    assert scene.use_preview_range
    first, last = rig.animation_data.action.frame_range
    assert (scene.frame_preview_start, scene.frame_preview_end) == (int(first), round(last))


def test_every_mode_is_in_a_menu_where_search_finds_it(loom):
    from drawing import Drawing, Layout

    drawn = []
    bpy.types.ACTION_LOOM_MT_weave.draw(Drawing(bpy.types.ACTION_LOOM_MT_weave, Layout(drawn)), bpy.context)
    offered = {given[0] for name, given, _ in drawn if name == "operator"}
    modes = bpy.context.scene.action_loom.bl_rna.properties["mode"].enum_items
    assert {f"action_loom.{item.identifier}" for item in modes} <= offered
