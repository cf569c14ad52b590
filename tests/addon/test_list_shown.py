"""The list as it is shown: readable names, filtered and sorted, weights where they count."""

from types import SimpleNamespace

import bpy
import material
import pytest
from drawing import draw_all


def named(armature, *names):
    for seed, name in enumerate(names):
        material.key_by_hand(armature, name, seed=seed)
    return material.list_sources(armature, *names)


def texts(drawn, what="label"):
    return [options["text"] for name, _, options in drawn["lines"] if name == what and "text" in options]


def props(drawn, panel, attribute):
    return [given[0] for name, given, _ in drawn[panel] if name == "prop" and given[1] == attribute]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (
            ["cmu_mb_16_walk_slow_and_long", "cmu_mb_35_run_fast_and_long"],
            ["…16_walk_slow_and_long", "…35_run_fast_and_long"],
        ),
        (["Armature|mixamo.com|Layer0", "Armature|mixamo.com|Layer0.001"], ["…Layer0", "…Layer0.001"]),
        (["Hero Walk Forward", "Hero Walk Forward Fast"], ["…Forward", "…Forward Fast"]),
        (["Carry", "hero_walk_take_001", "hero_walk_take_002"], ["Carry", "…001", "…002"]),
        (["Walk", "Wave"], ["Walk", "Wave"]),
        (["a_rather_long_name_alone"], ["a_rather_long_name_alone"]),
        (["one_of_a_long_kind_a", "another_of_a_long_kind"], ["one_of_a_long_kind_a", "another_of_a_long_kind"]),
        ([], []),
    ],
)
def test_what_names_begin_with_like_others_is_left_out(loom, names, shown):
    hidden = loom("addon.services.sources.source_list").shared_beginnings(names, 16)
    assert ["…" * (name in hidden) + name[len(hidden.get(name, "")) :] for name in names] == shown


def test_names_show_what_differs_and_the_whole_one_stands_below():
    rig = material.armature()
    named(rig, "cmu_mb_16_walk_slow_and_long", "cmu_mb_35_run_fast_and_long")
    drawn = draw_all()
    assert texts(drawn) == ["…16_walk_slow_and_long", "…35_run_fast_and_long"]
    assert [action.name for action in props(drawn, "sources", "name")] == ["cmu_mb_16_walk_slow_and_long"]


def test_beside_weights_less_of_a_name_is_shown():
    rig = material.armature()
    named(rig, "cmu_02_walk", "cmu_35_run", "cmu_07_walk")
    lines = bpy.context.scene.action_loom.rigs[0].sources
    assert all(line.use for line in lines)
    assert [text for text in texts(draw_all()) if text.startswith("…")] == ["…02_walk", "…35_run", "…07_walk"]
    lines[0].use = False
    assert not [text for text in texts(draw_all()) if text.startswith("…")]


def test_short_names_can_be_changed_in_their_line():
    named(material.armature(), "walk", "wave")
    drawn = draw_all()
    assert [action.name for action in props(drawn, "lines", "name")] == ["walk", "wave"]
    assert not props(drawn, "sources", "name")


def test_weights_are_shown_where_they_count():
    rig = material.armature()
    named(rig, "a", "b", "c")
    settings = bpy.context.scene.action_loom
    lines = settings.rigs[0].sources
    for line in lines:
        line.use = True
    assert len(props(draw_all(), "lines", "weight")) == 3
    assert not props(draw_all(), "weave", "balance")
    settings.mode = "connect"
    assert not props(draw_all(), "lines", "weight")
    settings.mode, lines[1].use = "blend", False
    assert not props(draw_all(), "lines", "weight")
    assert len(props(draw_all(), "weave", "balance")) == 1


def test_the_balance_sets_both_weights_and_is_told_of_once(loom):
    rig = material.armature()
    named(rig, "a", "b", "c")
    mine = bpy.context.scene.action_loom.rigs[0]
    mine.sources[1].use = False
    mine.sources[0].use = mine.sources[2].use = True
    mine.sources[0].weight = 3.0
    assert mine.balance == pytest.approx(0.25)
    reported = []
    listeners = loom("addon.model.lists").when_weight_changed
    listeners.append(listener := lambda _scene, _context: reported.append([line.weight for line in mine.sources]))
    try:
        mine.balance = 0.7
    finally:
        listeners.remove(listener)
    assert reported == [[pytest.approx(0.3), 1.0, pytest.approx(0.7)]]
    assert mine.balance == pytest.approx(0.7)
    mine.sources[0].weight = mine.sources[2].weight = 0.0
    assert mine.balance == 0.5


def filtered(**settings):
    kept = {"bitflag_filter_item": 1, "filter_name": "", "order": "LIST", "only_loops": False} | settings
    rig = bpy.context.scene.action_loom.rigs[0]
    shown, places = bpy.types.ACTION_LOOM_UL_sources.filter_items(SimpleNamespace(**kept), bpy.context, rig, "sources")
    order = sorted(range(len(shown)), key=lambda k: places[k]) if places else range(len(shown))
    return [rig.sources[k].action.name for k in order if shown[k]]


def test_the_list_is_filtered_and_sorted():
    rig = material.armature()
    named(rig, "walk", "Run", "sneak")
    bpy.data.actions["walk"].use_frame_range = True
    bpy.data.actions["walk"].frame_start, bpy.data.actions["walk"].frame_end = 1.0, 500.0
    bpy.data.actions["sneak"].use_cyclic = True
    assert filtered() == ["walk", "Run", "sneak"]
    assert filtered(filter_name="N") == ["Run", "sneak"]
    assert filtered(order="NAME") == ["Run", "sneak", "walk"]
    assert filtered(order="LENGTH")[-1] == "walk"
    assert filtered(only_loops=True) == ["sneak"]
    curve = material.fcurves(bpy.data.actions["Run"])[0]
    curve.modifiers.new("CYCLES")
    assert filtered(only_loops=True) == ["Run", "sneak"]
