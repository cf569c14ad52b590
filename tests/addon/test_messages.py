"""Messages of the tab: short forms, ranks, and one message about several sources."""

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
            "Jog: feet on the ground slide by 276 cm/s, most at frame 4 (34 in the sources): try it with Plant Feet",
            "Jog",
            "Feet on the ground slide",
        ),
        (
            "Death and Dance are hardly alike (likeness -0.17, where 0 is chance): choose stretches that correspond",
            "",
            "Death and Dance are hardly alike",
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


def test_a_message_about_several_sources_is_one(loom):
    messages = loom("addon.services.results.messages")
    texts = {"Walk": "Walk: keys of 3 bones are lost", "Run": "Run: keys of 14 bones are lost"}
    (one,) = messages.ranked(messages.Message(text, name) for name, text in texts.items())
    assert one.subjects == 2
    assert one.text.splitlines() == list(texts.values())
    assert one.shown == "Keys of 3 bones are lost (×2)"


def test_what_is_seen_on_the_character_comes_first(loom):
    messages = loom("addon.services.results.messages")
    texts = ["it has 3 markers", "Walk and Run are hardly alike", "Walk: a foot comes 3.0 cm lower than in the sources"]
    found = messages.ranked([messages.Message(text) for text in texts])
    assert [one.text for one in found] == texts[::-1]


def test_the_figure_that_counts_is_how_far_feet_slide_now(loom):
    figure_of = loom("addon.services.results.messages").figure_of
    assert figure_of("59 frames made in 0.36 s, standing feet slide 81.2 → 2.3 cm/s, pelvis 98.0 cm") == (
        "Standing feet slide 2.3 cm/s"
    )
    assert figure_of("59 frames made in 0.36 s") == "59 frames made in 0.36 s"
