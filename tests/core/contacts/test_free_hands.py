"""Contacts of hands that a clip has as free are found in no form of it, and results do not keep them."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.contacts import find
from action_loom.core.demo_character import actions
from action_loom.core.motion import mirror, resample
from action_loom.core.motion.clip import FreeHand
from action_loom.core.verbs import Retarget
from numpy.testing import assert_array_equal
from oracles import hands
from oracles.hands import hands_together


@pytest.fixture(scope="module")
def together():
    """A walk in which the hands meet, and the same walk with this contact free."""
    clip = hands_together(actions.walk(cycles=3))
    (found,) = find.find_contacts(clip)
    row = FreeHand(*found.key, found.first / clip.rate, found.end / clip.rate)
    return clip, replace(clip, free_hands=(row,))


FORMS = {
    "whole": lambda clip: clip,
    "cut": lambda clip: clip.cut(30, 90),
    "mirrored": mirror.mirror_clip,
    "slow": lambda clip: resample.to_rate(clip, 20.0),
    "decimated": lambda clip: clip.decimate(2),
    "slow, cut and mirrored": lambda clip: mirror.mirror_clip(resample.to_rate(clip, 20.0).cut(20, 60)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_free_contact_is_found_in_no_form_of_a_clip(together, form):
    kept, free = (find.find_contacts(FORMS[form](clip)) for clip in together)
    assert [one.kind for one in kept] == [find.TOUCH]
    assert free == ()


def test_only_the_same_contact_is_free():
    contact = find.Contact(find.ON, "L", "thigh.R", 30, 60)
    row = FreeHand(find.ON, "L", "thigh.R", 1.0, 2.0)
    assert row.covers(contact.key, 1.0, 2.0)
    assert row.covers(contact.key, 1.5, 2.5)
    assert not row.covers(contact.key, 1.6, 2.6)
    assert not row.covers((find.ON, "L", "trunk"), 1.0, 2.0)
    assert not row.covers((find.ON, "R", "thigh.R"), 1.0, 2.0)


def test_a_mirrored_contact_changes_sides():
    row = FreeHand(find.ON, "L", "thigh.R", 1.0, 2.0)
    image = mirror.mirror_clip(replace(actions.walk(), free_hands=(row,)))
    assert image.free_hands == (FreeHand(find.ON, "R", "thigh.L", 1.0, 2.0),)
    assert mirror.mirror_clip(image).free_hands == (row,)


def test_a_result_does_not_keep_a_free_contact(together):
    body = actions.walk().skeleton
    offsets = body.offsets.copy()
    for side in "LR":
        offsets[[body.roles[f"{role}.{side}"] for role in ("forearm", "hand")]] *= 1.3
    on = replace(actions.walk(cycles=1), skeleton=replace(body, offsets=offsets))
    clip, free = together
    off = verbs.apply(Retarget(keep_hands="off"), [on, clip]).clip
    kept = verbs.apply(Retarget(), [on, clip])
    made = verbs.apply(Retarget(), [on, free])
    assert kept.report["hands"]["kept"] == 1
    assert np.abs(kept.clip.rotations - off.rotations).max() > 0.01
    assert_array_equal(made.clip.rotations, off.rotations)
    assert "hands" not in made.report
    assert made.report["warnings"] == [one for one in made.report["warnings"] if "hands" not in one]


def test_an_added_contact_is_one_in_all_forms_and_found_ones_give_way(together):
    clip, _ = together
    (found,) = find.find_contacts(clip)
    later = FreeHand(find.RIGID, "LR", "", found.first / clip.rate + 0.2, found.end / clip.rate + 0.5, True)
    clip = replace(clip, free_hands=(later,))
    first = round(later.begin * clip.rate)
    for form, turned in FORMS.items():
        (one,) = find.find_contacts(turned(clip))
        assert one.kind == find.RIGID
        if form in ("whole", "mirrored"):
            assert (one.first, one.end) == (first, round(later.end * clip.rate))


@pytest.mark.parametrize(
    "key",
    [("on", "L", "forearm.L"), ("on", "L", "tail"), ("rigid", "L", ""), ("prop", "L", "hand.R"), ("meet", "LR", "")],
    ids=str,
)
def test_what_a_body_can_not_touch_is_left_out(key):
    clip = replace(actions.walk(), free_hands=(FreeHand(*key, 0.2, 1.0, True),))
    assert find.find_contacts(clip) == ()


@pytest.mark.shared
def test_a_result_keeps_an_added_contact(tmp_path):
    """Hands that the finder leaves free keep their distance in the added stretch, by the judge's own kinematics."""
    dance, on = hands.at_30("cmu_daz_salsa_10", 4.0), hands.standing(hands.other_body(arm=1.25))
    stretch = slice(95, 115)
    assert not [one for one in find.find_contacts(dance) if one.sides == "LR" and one.end > 94 and one.first < 116]
    added = replace(dance, free_hands=(FreeHand(find.RIGID, "LR", "", 95 / 30.0, 115 / 30.0, True),))
    plain, made = (hands.written(verbs.apply(Retarget(), [on, one]).clip, tmp_path) for one in (dance, added))
    goal = hands.legs(made) / hands.legs(dance) * hands.apart(dance)[stretch]
    off = [np.quantile(np.abs(hands.apart(one)[stretch] - goal), 0.95) for one in (plain, made)]
    assert off[1] < 0.01 < 0.02 < off[0]
