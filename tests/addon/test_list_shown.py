"""The displayed list: readable names, filter and order, and weights where they count."""

from types import SimpleNamespace

import bpy
import material
import pytest
from drawing import draw_all


def named(armature, *names):
    for seed, name in enumerate(names):
        material.key_by_hand(armature, name, seed=seed)
    return material.list_sources(armature, *names)


def texts(drawn):
    """The names in the lines: other labels are icons, or durations."""
    found = [options["text"] for name, _, options in drawn["lines"] if name == "label" and options.get("text")]
    return [text for text in found if not text.endswith(" s")]


def props(drawn, panel, attribute):
    return [given[0] for name, given, _ in drawn[panel] if name == "prop" and given[1] == attribute]


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (
            ["cmu_mb_16_walk_slow_and_long", "cmu_mb_35_run_fast_and_long"],
            ["…16_walk…nd_long", "…35_run_…nd_long"],
        ),
        (["Armature|mixamo.com|Layer0", "Armature|mixamo.com|Layer0.001"], ["…Layer0", "…Layer0.001"]),
        (["Hero Walk Forward", "Hero Walk Forward Fast"], ["…Walk Forward", "…Forward Fast"]),
        (["Unhurriedvariation 1", "Unhurriedvariation 2"], ["…iedvariation 1", "…iedvariation 2"]),
        (["Carry", "hero_walk_take_001", "hero_walk_take_002"], ["Carry", "…walk_take_001", "…walk_take_002"]),
        (["Walk", "Wave"], ["Walk", "Wave"]),
        (
            ["air_jump_root.001", "dash_root.001", "idle_to_fight_root.001"],
            ["air_jump…", "dash_root.001", "idle_to_fight…"],
        ),
        (
            ["hero_run_fast_a.001", "hero_run_slow_a.001", "hero_run_back_a.001"],
            ["hero_run_fast…", "hero_run_slow…", "hero_run_back…"],
        ),
        (
            ["Soldier|Run_Left", "Soldier|Kick_Left", "Soldier|Kick_Right", "Soldier|Turn_Left", "Go", "R"],
            ["Soldier|Run_Left", "…Kick_Left", "…Kick_Right", "…Turn_Left", "Go", "R"],
        ),
        (["CharacterArmature|Run", "CharacterArmature|Idle_Neutral"], ["…Run", "…Idle_Neutral"]),
        (
            ["Robot|Run", "Robot|Walk", "Robot|Idle_Neutral", "Robot|Run + Robot|Walk 50:50"],
            ["Robot|Run", "Robot|Walk", "…Idle_Neutral", "…Run + …k 50:50"],
        ),
        (
            ["Run_Armature", "Walk_Armature", "Idle_Armature", "Run_Armature + Walk_Armature 50:50"],
            ["Run_Armature", "Walk_Armature", "Idle_Armature", "Run… + W… 50:50"],
        ),
        (
            ["jump_up_root.1", "jump_on_root.1", "dash_far_root.1", "jump_up_root.1 + jump_on_root.1 50:50"],
            ["jump_up_root.1", "jump_on_root.1", "dash_far_root.1", "jump_up… 50:50"],
        ),
        (
            ["Death_RobotArmature", "Walk_RobotArmature", "Sit_RobotArmature", "Idle_RobotArmature loop"],
            ["Death…", "Walk…", "Sit…", "Idle… loop"],
        ),
        (
            ["CharacterArmature|Gun_Shoot", "CharacterArmature|Idle_Gun_Shoot", "CharacterArmature|Idle_Gun_Go"],
            ["…Gun_Shoot", "…Idle_Gun_Shoot", "…Idle_Gun_Go"],
        ),
        (
            ["CharacterArmature|Gun_Shooting", "CharacterArmature|Idle_Gun_Shooting", "CharacterArmature|Idle_Gun_Go"],
            ["Ch…|Gun_Shooting", "Ch…_Gun_Shooting", "…Idle_Gun_Go"],
        ),
        (
            ["cmu_mb_02_01", "cmu_mb_02_01 loop", "cmu_mb_08_07 > cmu_mb_02_01", "idle", "run", "jump_up", "jump_down"],
            ["cmu_mb_02_01", "…02_01 loop", "…08_07 > …02_01", "idle", "run", "jump_up", "jump_down"],
        ),
        (["Walk_01_fast_and_long", "Walk_02_fast_and_long"], ["Walk_01_…nd_long", "Walk_02_…nd_long"]),
        (["a_rather_long_name_alone"], ["a_rather…e_alone"]),
        (["one_of_a_long_kind_a", "another_of_a_long_kind"], ["one_of_a…_kind_a", "another_…ng_kind"]),
        (
            ["close_door_sitting_left", "close_door_standing_left", "driving", "run", "run + sprint 50:50.001"],
            ["close_…ting_left", "close_…ding_left", "driving", "run", "run + sp…:50.001"],
        ),
        ([], []),
    ],
)
def test_what_names_share_with_others_is_left_out(loom, names, shown):
    assert loom("addon.services.sources.source_list").short_names(names, 16) == shown


@pytest.mark.parametrize("room", [11, 14, 17, 20, 40])
def test_names_fit_their_room_and_none_looks_like_another(loom, room):
    jumps = ["air_jump_anticipation_root.001", "air_jump_root.001", "air_land_root.001", "dash_root.001"]
    made = [f"{jumps[0]} + {jumps[1]} 50:50", "idle + falling", "falling > idle > jump", "falling loop", "idle loop"]
    names = [*jumps, *made, "falling", "idle", "jump", "shooting_standing"]
    shown = loom("addon.services.sources.source_list").short_names(names, room)
    assert len(set(shown)) == len(names)
    assert max(map(len, shown)) <= room


def test_the_tip_of_a_red_name_gives_the_reason():
    rig = material.armature()
    named(rig, "Walk")
    (line,) = bpy.context.scene.action_loom.rigs[0].sources
    assert line.called == "Walk"
    line.use, line.warning = True, "Walk: hips jumps by 20° at frame 3: mend it with Filter"
    assert line.called == f"Walk\n{line.warning}"
    line.use = False  # it is not red
    assert line.called == "Walk"


def test_a_red_name_has_an_icon_that_tells_why():
    named(material.armature(), "Walk", "Run")
    walk, run = bpy.context.scene.action_loom.rigs[0].sources
    walk.warning = run.warning = "Walk: hips jumps by 20° at frame 3: mend it with Filter"
    run.use = False  # it is not red

    def icons():
        return [options["icon"] for name, given, options in draw_all()["lines"] if "read_message" in str(given)]

    assert icons() == ["ERROR"]
    walk.warning = ""
    assert icons() == []


def test_names_show_what_differs_where_they_have_no_room():
    rig = material.armature()
    names = ["cmu_mb_16_walk_slow_and_long", "cmu_mb_35_run_fast_and_long"]
    named(rig, *names)
    drawn = draw_all()
    assert texts(drawn) == ["…16_…ong", "…35_…ong"]
    assert [action.name for action in props(drawn, "source", "name")] == names[:1]


def test_shares_are_bars_in_the_lines_where_they_count():
    rig = material.armature()
    named(rig, "a", "b", "c")
    settings = bpy.context.scene.action_loom
    lines = settings.rigs[0].sources
    for line in lines:
        line.use = True
    assert len(props(draw_all(), "lines", "share")) == 3
    settings.mode = "connect"
    assert not props(draw_all(), "lines", "share")
    settings.mode, lines[1].use = "blend", False
    assert len(props(draw_all(), "lines", "share")) == 2
    lines[0].use = False
    assert not props(draw_all(), "lines", "share")


def test_lines_are_numbered_as_chain_plays_them():
    rig = material.armature()
    named(rig, "a", "b", "c")
    settings = bpy.context.scene.action_loom
    settings.rigs[0].sources[0].use = False
    assert texts(draw_all()) == ["a", "b", "c"]
    settings.mode = "connect"
    assert texts(draw_all()) == ["a", "1. b", "2. c"]


def test_a_share_lets_the_others_make_room_and_is_told_of_once(loom):
    rig = material.armature()
    named(rig, "a", "b", "c", "d")
    mine = bpy.context.scene.action_loom.rigs[0].sources
    for line, use, weight in zip(mine, (True, False, True, True), (3.0, 5.0, 1.0, 0.0), strict=True):
        line.use, line.weight = use, weight
    assert [mine[k].share for k in (0, 2, 3)] == pytest.approx([75.0, 25.0, 0.0])
    reported = []
    listeners = loom("addon.model.lists").when_weight_changed
    listeners.append(listener := lambda _scene, _context: reported.append([round(line.weight, 5) for line in mine]))
    try:
        mine[3].share = 20.0
    finally:
        listeners.remove(listener)
    assert reported == [[0.6, 5.0, 0.2, 0.2]]
    mine[0].share = 100.0
    mine[0].share = 40.0  # the others had nothing: now they have the same
    assert [mine[k].weight for k in (0, 2, 3)] == pytest.approx([0.4, 0.3, 0.3])
    mine[1].share = 50.0  # unticked lines lack a share
    assert mine[1].weight == 5.0
    for line in mine:
        line.weight = 0.0
    assert mine[0].share == 0.0


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
    bpy.context.scene.action_loom.rigs[0].sources[0].use = False
    assert filtered() == ["Run", "sneak", "walk"]  # ticked lines come first
    bpy.context.scene.action_loom.rigs[0].sources[0].use = True
    assert filtered(filter_name="N") == ["Run", "sneak"]
    assert filtered(order="NAME") == ["Run", "sneak", "walk"]
    assert filtered(order="LENGTH")[-1] == "walk"
    assert filtered(only_loops=True) == ["sneak"]
    curve = material.fcurves(bpy.data.actions["Run"])[0]
    curve.modifiers.new("CYCLES")
    assert filtered(only_loops=True) == ["Run", "sneak"]


def test_results_made_last_are_in_sight_below_what_is_ticked_and_then_what_plays(loom, monkeypatch):
    rig = material.biped()
    for name, frames in (("slow", 36), ("quick", 24)):
        material.key_walk(rig, name, frames=frames)
    material.list_sources(rig, "slow", "quick", mode="restyle")
    assert bpy.ops.action_loom.variations(count=3) == {"FINISHED"}
    mine = bpy.context.scene.action_loom.rigs[0]
    made = [line.action.name for line in list(mine.sources)[2:]]
    assert len(made) == 3
    assert mine.sources[mine.active].action.name == mine.last_of == made[0]
    assert mine.last == "3 variations"
    for seed in range(4):
        material.key_by_hand(rig, f"other {seed}", seed=seed)
    bpy.ops.action_loom.add_sources()
    for line in mine.sources:
        line.use = line.action.name == "quick"
    assert filtered()[:4] == ["quick", *made]
    panel = loom("addon.interface.panels.sources")
    monkeypatch.setattr(panel, "_drawn", SimpleNamespace(playing=bpy.data.actions["other 3"]))
    assert filtered()[:5] == ["quick", *made, "other 3"]
