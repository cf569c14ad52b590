"""Messages of the tab: short forms, ranks, and one message about several sources."""

from types import SimpleNamespace

import bpy
import drawing
import material
import pytest

pytestmark = pytest.mark.core_result


@pytest.mark.parametrize(
    ("text", "of", "short"),
    [
        (
            "Run + Walk 50:50: a knee jerks 4.0 times as hard as in the sources at frame 3: look there",
            "Run + Walk 50:50",
            "A knee jerks 4.0 times as hard as in the sources at frame 3",
        ),
        (
            "Jog: a foot near the ground moves more than in the sources at frame 4: try it with Plant Feet",
            "Jog",
            "A foot near the ground moves more than in the sources at frame 4",
        ),
        (
            "Jog: a foot that is not seen to stand moves near the ground at frame 4: look there, and add a contact",
            "Jog",
            "A foot that is not seen to stand moves near the ground at frame 4",
        ),
        (
            "Death and Dance are hardly alike (likeness -0.17, where 0 is chance): choose stretches that correspond",
            "",
            "Death and Dance are hardly alike",
        ),
        (
            "Poses are 20 cm apart at the seam, so feet may slide: Roll (frame 31) and Walk (frame 12); Roll (frame 32)"
            " and Walk (frame 21) are 16 cm apart (Anywhere finds them)",
            "",
            "Poses are 20 cm apart at the seam, so feet may slide",
        ),
        (
            "cmu_mb_02_01 endless 1: it closes, but Blender can't repeat its turn of 28.1° a cycle",
            "cmu_mb_02_01 endless 1",
            "It closes, but Blender can't repeat its turn of 28.1° a cycle",
        ),
        (
            "Jog: not planted: right foot, ball, 8 to 12, it goes 5 cm while it stands",
            "Jog",
            "Not planted: right foot, ball, 8 to 12, it goes 5 cm while it",
        ),
        ("Leave Edit Mode first: changes to bones count only afterwards", "", "Leave Edit Mode first"),
        ("walk walks on the spot, by its feet at 1.30 m/s (0.8 H/s)", "walk", "walk walks on the spot, by its feet"),
        ("one two three four five six seven eight nine ten 11 12 13 14 15 16", "", None),
    ],
)
def test_a_short_form_is_the_first_clause(loom, text, of, short):
    messages = loom("addon.services.results.messages")
    found = messages.shortened(text, of)
    assert len(found.split()) <= messages.WORDS
    assert found.endswith("…") if short is None else found.startswith(short)


def test_the_name_of_the_result_above_the_line_is_left_out(loom):
    message = loom("addon.services.results.messages").Message
    text = "Jog was given 1.3 m/s by its feet, as it walks on the spot (its label)"
    assert message(text, "Jog").shown == "Was given 1.3 m/s by its feet"
    assert message(text, "Jog", "Jog").shown == "Jog was given 1.3 m/s by its feet"  # one of several sources
    assert message("Jog and Run are hardly alike", "Jog").shown == "Jog and Run are hardly alike"


def test_no_known_message_is_cut_off(loom):
    messages, kinds = loom("addon.services.results.messages"), loom("addon.services.results.message_kinds")
    short = [messages.shortened(one, "{name}") for kind in kinds._KINDS for one in kind]
    assert len(short) > 20
    assert not [one for one in short if one.endswith("…")]


def test_a_message_about_several_sources_is_one(loom):
    messages = loom("addon.services.results.messages")
    texts = {"Walk": "Walk: keys of 3 bones are lost", "Run": "Run: keys of 14 bones are lost"}
    (one,) = messages.ranked(messages.Message(text, name) for name, text in texts.items())
    assert one.subjects == 2
    assert one.text.splitlines() == list(texts.values())
    assert one.shown == "Keys of 3 bones are lost (×2)"


def test_a_message_about_several_pairs_is_one(loom):
    messages = loom("addon.services.results.messages")
    text = (
        "{} and Walk differ much in timing: {}% of the way one waits for the other as long as the slope limit of 3"
        " allows"
    )
    texts = [text.format(name, share) for name, share in (("Run", 71), ("Sneak", 39), ("Run fast", 12))]
    given = [messages.Message(one) for one in (*texts, text.format("Run", 70))]  # one of them twice
    (one,) = messages.ranked(given, ["Walk", "Run", "Sneak", "Run fast"])
    assert one.subjects == 3
    assert one.text.splitlines() == texts
    assert one.shown == "Run and Walk differ much in timing (×3)"
    assert len(messages.ranked(given)) == 3  # other names are other messages, if they are not known as names


# Messages by importance, with the texts in which they are shown in Japanese.
RANKED = {
    "Run: a foot comes 3.0 cm lower than in the sources at frame 7: look there": (
        "フレーム 7 で足がソースより 3.0 cm 低くなります"
    ),
    "Run and Foot are hardly alike (likeness -0.17, where 0 is chance): choose stretches that correspond, or compare"
    " fewer joints": "Run と Foot はほとんど似ていません",
    "Run walks on the spot, by its feet at 1.3 m/s: use Add Root Motion to move it": "その場で歩いています",
    "Knees and feet slide": "Knees and feet slide",  # of no known kind
}


def test_what_is_seen_on_the_character_comes_first_whatever_the_actions_are_called(loom):
    messages = loom("addon.services.results.messages")
    found = messages.ranked([messages.Message(text, "Run") for text in reversed(RANKED)])
    assert [one.text for one in found] == list(RANKED)


def test_messages_are_ranked_and_shortened_alike_in_japanese(loom, monkeypatch):
    messages, runtime = loom("addon.services.results.messages"), loom("addon.ground.translations.runtime")
    monkeypatch.setattr(runtime, "language", lambda: "ja_JP")
    monkeypatch.setattr(bpy.context.preferences.view, "use_translate_interface", True)
    found = messages.ranked([messages.Message(text, "Run") for text in reversed(RANKED)])
    assert [one.shown for one in found] == list(RANKED.values())


def test_the_figure_that_counts_is_how_far_feet_slide_now(loom):
    figure_of = loom("addon.services.results.messages").figure_of
    assert figure_of("59 frames made in 0.36 s, standing feet slide 81.2 → 2.3 cm/s, pelvis 98.0 cm") == (
        "Standing feet slide 2.3 cm/s"
    )
    assert figure_of("59 frames made in 0.36 s") == "59 frames made in 0.36 s"


@pytest.mark.parametrize(
    ("language", "shown"), [("ja_JP", "接地中の足：滑り 2.3 cm/s"), ("zh_HANS", "站立的脚：滑动 2.3 厘米/秒")]
)
def test_the_figure_that_counts_is_the_same_in_other_languages(loom, monkeypatch, language, shown):
    messages, runtime = loom("addon.services.results.messages"), loom("addon.ground.translations.runtime")
    monkeypatch.setattr(runtime, "language", lambda: language)
    monkeypatch.setattr(bpy.context.preferences.view, "use_translate_interface", True)
    assert messages.figure_of("59 frames made in 0.36 s, standing feet slide 81.2 → 2.3 cm/s, pelvis 98.0 cm") == shown


class Layout:
    """A layout that stores each operator's name and the properties of its button."""

    def __init__(self):
        self.drawn = []

    def operator(self, name, **_look):
        self.drawn.append((name, SimpleNamespace()))
        return self.drawn[-1][1]


@pytest.mark.parametrize(
    ("text", "operator", "given"),
    [
        (
            "Jog: a knee bends 20° further back than in the sources at frame 31 (2 in the sources): look there",
            "action_loom.go_to_frame",
            {"frame": 31},
        ),
        (
            "Jog: a foot near the ground moves more than in the sources at frame 4: try it with Plant Feet",
            "wm.context_set_boolean",
            {"data_path": "scene.action_loom.blend.plant_feet", "value": True},
        ),
        (
            "Jog: standing feet slide at 9 cm/s now, at 7 before: plant them, or type a speed",
            "action_loom.open_tool",
            {"tool": "plant", "action": "Jog"},
        ),
        (
            "Hand jumps by 60° at frame 7: mend it with Filter",
            "action_loom.open_tool",
            {"tool": "filter", "action": "Jog"},
        ),
        (
            "Jog: a foot stands only 4% of the time: check it, or type a speed",
            "action_loom.open_tool",
            {"tool": "travel", "action": "Jog"},
        ),
    ],
)
def test_a_note_has_the_button_that_mends_or_shows_it(loom, text, operator, given):
    layout, remedies = Layout(), loom("addon.interface.remedies")
    remedies.draw(layout, text, "Jog")
    ((name, button),) = layout.drawn
    assert (name, vars(button)) == (operator, given)


def test_a_walk_that_stops_in_mid_step_offers_the_action_that_stands(loom):
    rig = material.armature()
    for seed, name in enumerate(("Walk", "Rig|Idle_Fight_Long", "Rig|Idle_Long")):
        material.key_by_hand(rig, name, seed=seed)
    _, fight, idle = (
        material.list_sources(rig, "Walk", "Rig|Idle_Fight_Long", "Rig|Idle_Long", mode="follow").rigs[0].sources
    )
    fight.use = idle.use = False
    drawn = []
    loom("addon.interface.remedies").draw(drawing.Layout(drawn), "Walk stops in mid-step: add a clip that stands")
    assert ("prop", (idle, "use"), {"text": "Rig|Idle_Long", "translate": False}) in drawn
    fight.use = idle.use = True
    drawn.clear()
    loom("addon.interface.remedies").draw(drawing.Layout(drawn), "Walk stops in mid-step: add a clip that stands")
    assert [name for name, _, _ in drawn] == ["operator"]


@pytest.mark.parametrize(
    ("mode", "of", "value"),
    [("loop", "loop.straighten", "yes"), ("walk", "walk.way", "0 0 0")],
)
def test_a_loop_that_turns_is_mended_by_one_button(loom, mode, of, value):
    bpy.context.scene.action_loom.mode = mode
    layout = Layout()
    loom("addon.interface.remedies").draw(layout, "Round: it closes, but Blender can't repeat its turn of 142° a cycle")
    ((name, button),) = layout.drawn
    assert name == f"wm.context_set_{'enum' if mode == 'loop' else 'string'}"
    assert (button.data_path, button.value) == (f"scene.action_loom.{of}", value)
    setattr(bpy.context.scene.action_loom.path_resolve(mode), of.partition(".")[2], value)  # it can be set so


def test_an_error_that_fits_its_line_has_no_empty_box(loom):
    troubles, errors = loom("addon.ground.troubles"), loom("core.errors")
    rig = material.armature()
    for seed, name in enumerate("ab"):
        material.key_by_hand(rig, name, seed=seed)
    material.list_sources(rig, "a", "b", mode="follow")
    troubles.keep(rig.session_uid, "follow", errors.LoomError("Choose motion files first"), 1.0)
    drawn = drawing.draw_all()["weave"]
    assert any(given.get("text") == "Choose motion files first" for _, _, given in drawn)
    assert not [name for name, _, _ in drawn if name == "box"]


def test_an_error_begins_in_the_line_is_whole_in_its_box_and_goes_with_its_cause(loom):
    troubles, errors = loom("addon.ground.troubles"), loom("core.errors")
    follow = loom("addon.services.preview.ghost_follow").follow
    rig = material.armature()
    for seed, name in enumerate("ab"):
        material.key_by_hand(rig, name, seed=seed)
    lines = material.list_sources(rig, "a", "b", mode="follow").rigs[0].sources
    text = "a + b: the walk gets no further than 6.2 of 18.8 m: the path is too tight, or bend the walk by 21° a metre"
    troubles.keep(rig.session_uid, "follow", errors.LoomError(text), 1.0)
    follow(bpy.context)
    drawn = drawing.draw_all()["weave"]
    begun = next(given["text"] for name, _, given in drawn if name == "operator" and given.get("icon") == "ERROR")
    rows = [given["text"] for name, _, given in drawn if name == "label" and given.get("text")]
    assert text.startswith(begun)
    assert " ".join(rows).startswith(text)
    assert any(given.get("text") == "Bend: 21 °/m" for name, _, given in drawn if name == "operator")
    follow(bpy.context)
    assert troubles.of(rig.session_uid, "follow") is not None
    lines[0].use = False
    follow(bpy.context)
    assert troubles.of(rig.session_uid, "follow") is None
