"""Lists of many actions: counting, comparing or showing only some gives the same as a pass over all of them."""

import bpy
import material
import numpy as np
import pytest
from drawing import context_now, draw, draw_all
from numpy.testing import assert_array_equal

MANY = 30


@pytest.fixture
def many():
    """The list of an armature with many actions, all ticked, and the panel as it is at first but for pinned ends."""
    rig = material.armature()
    for k in range(MANY):
        material.key_by_hand(rig, f"take {k:02}", seed=k)
    bpy.ops.action_loom.add_sources()
    listed = bpy.context.scene.action_loom.rigs[0]
    for line in listed.sources:
        line.use = True
    bpy.context.scene.action_loom.matching.ends = "pinned"
    return listed


@pytest.fixture
def source_list(loom):
    return loom("addon.services.sources.source_list")


@pytest.fixture
def lists(loom):
    return loom("addon.model.lists")


def given(drawn, what):
    return [given for name, given, _ in drawn if name == what]


def test_every_line_has_its_own_name_and_as_long_as_there_are_some_a_color_of_its_own(lists, many):
    assert [line.name for line in many.sources] == [f"take {k:02}" for k in range(MANY)]
    colors = [tuple(round(side, 2) for side in line.color) for line in many.sources]
    assert colors[: len(lists.COLORS)] == list(lists.COLORS)
    assert set(colors[len(lists.COLORS) :]) == {lists.COLORS[0]}
    many.sources[3].color = (0.1, 0.1, 0.1)
    bpy.data.actions.new("take 07").name = "take 99"
    assert lists.free_name(many.sources, "take 99") == "take 99"
    assert lists.free_name(many.sources, "take 07") == "take 07.001"
    assert lists.free_name(many.sources, "") == ".001"


def test_a_color_that_was_given_up_is_given_again(loom, lists, source_list, many):
    many.sources[3].color = (0.1, 0.1, 0.1)
    material.key_by_hand(loom("addon.model.properties").armature_of(many), "later", seed=99)
    line = source_list.add(many, bpy.data.actions["later"], use=False)
    assert tuple(round(side, 2) for side in line.color) == lists.COLORS[3]


def test_the_first_ticked_lines_are_those_of_all(lists, many):
    for k in (0, 4, 5):
        many.sources[k].use = False
    bpy.data.actions.remove(bpy.data.actions["take 07"])
    every = [line.name for line in lists.ticked_lines(many)]
    assert every == [f"take {k:02}" for k in range(MANY) if k not in (0, 4, 5, 7)]
    assert [line.name for line in lists.each_ticked(many)] == every
    for most in (0, 1, 7, 1000):
        assert [line.name for line in lists.first_ticked(many, most)] == every[:most]
    assert lists.first_ticked(None, 3) == []


def changes():
    other = bpy.data.objects.new("Other", bpy.data.armatures.new("Other"))
    bpy.context.scene.collection.objects.link(other)
    return {
        "action": bpy.data.actions["take 01"],
        "rate": 24.0,
        "slot": "OBSomething",
        "armature": "Other",
        "use_range": True,
    }


@pytest.mark.parametrize("what", ["action", "rate", "slot", "armature", "use_range"])
def test_a_line_is_read_as_the_source_that_it_makes_and_as_no_other(source_list, many, what):
    line, before = many.sources[0], source_list.source_of(many.sources[0])
    assert source_list.is_read_as(line, before)
    setattr(line, what, changes()[what])
    after = source_list.source_of(line)
    assert after != before
    assert source_list.is_read_as(line, after)
    assert not source_list.is_read_as(line, before)
    assert source_list.is_read_as(many.sources[2], source_list.source_of(many.sources[2]))


def test_a_range_of_no_frames_and_an_impossible_rate_count_as_none(source_list, many):
    line = many.sources[0]
    whole = source_list.source_of(line)
    line.use_range, line.first, line.last = True, 7, 7
    assert source_list.source_of(line).span is None
    assert source_list.is_read_as(line, source_list.source_of(line))
    line.use_range = False
    line["rate"] = -3.0
    assert source_list.is_read_as(line, whole)


@pytest.mark.parametrize("verb", ["blend", "connect", "loop", "retime"])
def test_buttons_count_to_say_why_they_are_grey(many, verb):
    kind = getattr(bpy.types, f"ACTION_LOOM_OT_{verb}")
    context = context_now()
    context.action_loom_armature = context.object
    for count in (0, 1, 2, 3, MANY):
        for k, line in enumerate(many.sources):
            line.use = k < count
        can = {"blend": count >= 2, "connect": count >= 2, "loop": count >= 1, "retime": count == 2}[verb]
        assert kind.poll(context) == can, count


def test_pictures_are_painted_when_they_are_seen(loom, analysis, many):
    settings, names = bpy.context.scene.action_loom, loom("addon.bitmaps.images")
    for line in list(many.sources)[4:]:
        line.use = False
    with loom("addon.model.target_armature").as_from_panel(bpy.context, bpy.context.object):
        assert bpy.ops.action_loom.analyse("INVOKE_DEFAULT") == {"FINISHED"}
    rig = bpy.context.object
    known = analysis.analysis_of(rig)

    def painted():
        return {k for k in range(MANY) if analysis.preview_name(rig.session_uid, k) in (names._previews or ())}

    assert [pair.which for pair in known.pairs] == [1, 2, 3]
    assert painted() == set(known.icons) == {1}
    settings.picture = 2
    assert len(given(draw_all()["synchronise"], "template_icon")) == 1
    assert painted() == set(known.icons) == {1, 3}
    many.sources[2].color = many.sources[3].color = (0.2, 0.9, 0.4)
    assert painted() == {1, 3}
    assert known.colors[2] == known.colors[3] == pytest.approx((0.2, 0.9, 0.4))


def test_of_many_pairs_a_number_chooses_the_one_that_is_shown(loom, analysis, many):
    settings = bpy.context.scene.action_loom
    most = loom("addon.interface.panels.synchronise").LISTED
    for count in (most + 1, MANY):
        for k, line in enumerate(many.sources):
            line.use = k < count
        with loom("addon.model.target_armature").as_from_panel(bpy.context, bpy.context.object):
            assert bpy.ops.action_loom.analyse("INVOKE_DEFAULT") == {"FINISHED"}
        settings.picture = 5
        settings.experts = True
        drawn = draw(bpy.types.ACTION_LOOM_PT_synchronise, context_now())
        pairs = [options["text"] for name, _, options in drawn if name == "label" and " to take 00" in options["text"]]
        if count > most + 1:
            assert pairs == ["take 06 to take 00"]
            assert [one[1] for one in given(drawn, "prop") if one[0] == settings] == ["picture"]
        else:
            assert pairs == [f"take {k:02} to take 00" for k in range(1, count)]
            assert not [one for one in given(drawn, "prop") if one[0] == settings]


def test_a_list_without_a_filter_shows_every_line(many):
    kind = bpy.types.ACTION_LOOM_UL_sources

    class Filter:
        bitflag_filter_item, filter_name, order, only_loops = 1 << 30, "", "LIST", False

    for k, line in enumerate(many.sources):
        line.use = k in (MANY - 1, 20)
    shown, order = kind.filter_items(Filter(), bpy.context, many, "sources")
    assert shown == [1 << 30] * MANY
    ticked = [k for k, line in enumerate(many.sources) if line.use]
    assert sorted(range(MANY), key=lambda k: order[k])[: len(ticked)] == ticked  # in sight, in their order
    many.last_made = f"take {MANY - 1}"  # ticked, too: ticked lines stay in the order of the list
    _, order = kind.filter_items(Filter(), bpy.context, many, "sources")
    assert sorted(range(MANY), key=lambda k: order[k])[: len(ticked)] == ticked
    many.last_made = "take 10"
    _, order = kind.filter_items(Filter(), bpy.context, many, "sources")
    assert sorted(range(MANY), key=lambda k: order[k])[: len(ticked) + 1] == [*ticked, 10]
    Filter.filter_name = "take 1"
    shown, _ = kind.filter_items(Filter(), bpy.context, many, "sources")
    assert [line.name for line, flag in zip(many.sources, shown, strict=True) if flag] == [
        f"take {k}" for k in range(10, 20)
    ]


def test_the_same_action_listed_twice_is_warned_of_in_both_lines(loom, many):
    warnings, reading = loom("addon.services.sources.source_warnings"), loom("addon.services.weaving.reading")
    recipes = loom("core.recipes.reading")
    twice = many.sources.add()
    twice.action, twice.use_range, twice.first, twice.last = bpy.data.actions["take 02"], True, -50, 90
    many.sources[2].warning = many.sources[5].warning = "earlier"
    request = recipes.Request(sources=(recipes.Source(name="take 02"),))
    warnings.note(bpy.context, bpy.context.object, request, reading.read(bpy.context, bpy.context.object, request))
    assert "frames -50–90 are asked for" in twice.warning
    assert many.sources[2].warning != "earlier"
    assert many.sources[5].warning == "earlier"


def test_curves_sampled_together_are_those_sampled_alone(bridge):
    """Baked on every frame, keyed here and there, with more keys than frames, repeating, and with none at all."""
    rig = material.armature()
    material.key_by_hand(rig, "baked", seed=1, frames=range(1, 14))
    material.key_by_hand(rig, "keyed", seed=2, frames=(1, 5, 13))
    material.key_by_hand(rig, "more", seed=3, frames=range(-3, 20))
    material.key_by_hand(rig, "cyclic", seed=4, frames=range(1, 14))
    for curve in material.fcurves(bpy.data.actions["cyclic"]):
        curve.modifiers.new("CYCLES")
    every = [curve for action in bpy.data.actions for curve in material.fcurves(action)]
    for frames in (np.arange(1.0, 14.0), np.arange(1.0, 13.5, 0.5), np.array([4.0]), np.arange(-20.0, 40.0)):
        together = bridge.curves.sample_all(every, frames)
        assert together.shape == (len(every), len(frames))
        assert_array_equal(together, [bridge.curves.sample(curve, frames) for curve in every])
    assert bridge.curves.sample_all([], np.arange(3.0)).shape == (0, 3)


def test_data_is_found_by_its_full_name_before_its_name(loom, tmp_path):
    by_full_name, file = loom("addon.ground.blender_types").by_full_name, str(tmp_path / "lib.blend")
    bpy.data.libraries.write(file, {bpy.data.actions.new("walk")}, fake_user=True)
    own = bpy.data.actions["walk"]
    with bpy.data.libraries.load(file, link=True) as (_, into):
        into.actions = ["walk"]
    (linked,) = into.actions
    assert own.name == linked.name
    assert by_full_name(bpy.data.actions, "walk") == own
    assert by_full_name(bpy.data.actions, linked.name_full) == linked
    bpy.data.actions.remove(own)
    assert by_full_name(bpy.data.actions, "walk") == linked
    assert by_full_name(bpy.data.actions, "run") is None
