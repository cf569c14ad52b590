"""Blends of travel carried by the hips or by a root bone, with foot targets beside; stored like the reference's."""

from dataclasses import replace

import numpy as np
import pytest
from action_loom.core import verbs
from action_loom.core.bodies import carry
from action_loom.core.demo_character import actions
from action_loom.core.motion import kinematics, quat, retarget, root_motion
from action_loom.core.motion.clip import Channel, Clip
from action_loom.core.motion.skeleton import Skeleton
from action_loom.core.quality import contacts, world_pose
from action_loom.core.verbs import Blend
from action_loom.core.verbs.blend import work as blend
from numpy.testing import assert_allclose
from oracles import material

pytestmark = pytest.mark.both_engines


def rooted(body):
    """The body under a root bone, with a target for the left foot beside it."""
    return Skeleton(
        ("root", *body.names, "target.L"),
        np.concatenate([[-1], body.parents + 1, [0]]),
        np.concatenate([np.zeros((1, 3)), body.offsets, np.zeros((1, 3))]),
        np.concatenate([quat.IDENTITY[None], body.orients, quat.IDENTITY[None]]),
        np.concatenate([np.zeros((1, 3)), body.tips, np.zeros((1, 3))]),
    )


def carried(clip, *, by_root, turning=True):
    """The same motion on the rooted body: travel on the root bone (turning or not), or all on the hips."""
    body = rooted(clip.skeleton)
    frames = len(clip)
    rotations, positions = kinematics.world(clip)
    root_turn, root_place = np.tile(quat.IDENTITY, (frames, 1)), np.zeros((frames, 3))
    if by_root:
        facing = root_motion.heading(clip)
        root_place[:, :2] = root_motion.smooth(positions[:, 0, :2], 6.0)
        root_turn = quat.about_axis("Z", facing - facing[0]) if turning else root_turn
    back = quat.inv(root_turn)

    def under_root(place):
        return quat.rotate(back, place - root_place)

    turns = np.concatenate([root_turn[:, None], clip.rotations, quat.mul(back, rotations[:, 0])[:, None]], axis=1)
    turns[:, 1] = quat.mul(back, rotations[:, 0])
    places = np.concatenate([root_place[:, None], clip.translations, np.zeros((frames, 1, 3))], axis=1)
    places[:, 1] = under_root(positions[:, 0]) - clip.skeleton.offsets[0]
    places[:, -1] = under_root(positions[:, clip.skeleton.roles["foot.L"]])
    return Clip(clip.name, body, clip.rate, turns, places)


def body_points(clip):
    """The figure without root bone and target."""
    return kinematics.points(clip)[:, 1 : 1 + len(actions.skeleton())]


TURNS = [actions.walk(turn=0.5), actions.walk(turn=-0.5, speed=1.1)]


@pytest.mark.parametrize("by_root", [(True, True), (False, True), (True, False), (False, False)])
@pytest.mark.parametrize("turning", [True, False])
def test_the_body_goes_the_same_way_whatever_carries_it(by_root, turning):
    wanted = verbs.apply(Blend(ends="pinned"), TURNS).clip
    sources = [carried(c, by_root=b, turning=turning) for c, b in zip(TURNS, by_root, strict=True)]
    woven = verbs.apply(Blend(ends="pinned"), sources).clip
    plain = kinematics.points(wanted)[:, : len(actions.skeleton())]
    # Between its frames a root that turns is some micrometres elsewhere than hips that do.
    assert_allclose(body_points(woven), plain, atol=1e-5)


@pytest.mark.parametrize("turning", [True, False])
def test_travel_is_written_where_the_reference_has_it(turning):
    root, hips = carried(TURNS[0], by_root=True, turning=turning), carried(TURNS[1], by_root=False)
    on_root = verbs.apply(Blend(weights=(3, 1), ends="pinned"), [root, hips]).clip
    assert np.ptp(on_root.translations[:, 0, :2], axis=0).max() > 2.0
    assert np.ptp(on_root.translations[:, 1, :2], axis=0).max() < 1.5
    turned = np.ptp(np.unwrap(quat.yaw(on_root.rotations[:, 0])))
    assert (turned > 0.05) == turning
    on_hips = verbs.apply(Blend(ends="pinned", reference="2"), [root, hips]).clip
    assert np.ptp(on_hips.translations[:, 0], axis=0).max() == 0.0
    assert np.ptp(on_hips.translations[:, 1, :2], axis=0).max() > 2.0


@pytest.mark.parametrize("turning", [True, False])
def test_all_weight_on_the_reference_returns_it_with_root_and_target(turning):
    sources = [carried(c, by_root=True, turning=turning) for c in TURNS]
    woven = verbs.apply(Blend(weights=(1, 0), ends="pinned"), sources).clip
    assert_allclose(kinematics.points(woven), kinematics.points(sources[0]), atol=1e-9)
    assert_allclose(woven.translations, sources[0].translations, atol=1e-9)


def test_a_foots_target_stays_with_its_foot():
    sources = [carried(c, by_root=True) for c in TURNS]
    woven = verbs.apply(Blend(ends="pinned"), sources).clip
    places = kinematics.points(woven)
    foot = woven.skeleton.roles["foot.L"]
    target = woven.skeleton.index("target.L")
    # Blended joints bend a leg differently from blended targets, but the foot stays within 3 cm of its target.
    assert np.linalg.norm(places[:, foot] - places[:, target], axis=1).max() < 0.03


def test_scales_and_channels_blend_and_steps_are_the_heaviest_clips():
    walk, sneak = actions.walk(), actions.sneak()
    scales = np.ones_like(walk.translations)
    scales[:, 3] = 2.0
    open_mouth = {"mouth": Channel(np.linspace(0.0, 1.0, len(walk))), "boots": Channel(np.ones(len(walk)), True)}
    shut_mouth = {"mouth": Channel(np.zeros(len(sneak))), "boots": Channel(np.zeros(len(sneak)), True)}
    one = replace(walk, scales=scales, channels=open_mouth)
    other = replace(sneak, channels=shut_mouth | {"tail": Channel(np.full(len(sneak), 0.3))})
    woven = verbs.apply(Blend(weights=(3, 1), ends="pinned"), [one, other]).clip
    assert_allclose(woven.scales[:, 3], 1.75)
    assert_allclose(woven.channels["mouth"].values[[0, -1]], [0.0, 0.75], atol=1e-9)
    assert set(woven.channels["boots"].values) == {1.0}
    assert woven.channels["boots"].discrete
    assert_allclose(woven.channels["tail"].values, 0.3)
    assert set(verbs.apply(Blend(weights=(1, 3), ends="pinned"), [one, other]).clip.channels["boots"].values) == {0.0}


@pytest.mark.both_engines
@pytest.mark.parametrize("reference", ["1", "2"])
def test_clips_made_in_place_keep_where_they_stand_and_face(reference):
    """A stance askew counts by its weight, whichever clip is the reference; captures that stand elsewhere do not."""
    straight = actions.wave(30.0)
    askew = root_motion.place_clip(straight, np.radians(20.0), np.array([0.1, 0.0]))
    for weights, turn in (((1, 0), 0.0), ((1, 1), 10.0), ((1, 3), 15.0), ((0, 1), 20.0)):
        woven = verbs.apply(Blend(weights=weights, ends="pinned", reference=reference), [straight, askew]).clip
        faced = root_motion.heading(woven) - root_motion.heading(straight)
        assert_allclose(np.exp(1j * faced), np.exp(1j * np.radians(turn)), atol=1e-8)
    assert_allclose(kinematics.points(woven), kinematics.points(askew), atol=1e-9)
    elsewhere = root_motion.place_clip(straight, np.radians(20.0), np.array([3.0, 0.0]))
    woven = verbs.apply(Blend(weights=(1, 1), ends="pinned", reference=reference), [straight, elsewhere]).clip
    expected = (straight, elsewhere)[int(reference) - 1]
    apart = root_motion.heading(woven) - root_motion.heading(expected)
    assert_allclose(np.exp(1j * apart), 1.0, atol=1e-8)


def tread(clip):
    """Height of the balls of standing feet, median."""
    feet = contacts.standing_feet(world_pose.pose(clip)).values()
    return float(np.median(np.concatenate([foot.ball[foot.ball_stands, 2] for foot in feet])))


@pytest.mark.both_engines
@pytest.mark.shared
@pytest.mark.parametrize(
    ("names", "sinks"), [(("asf_16_15", "asf_17_03"), 0.012), (("asf_16_15", "asf_16_41"), 0.02)], ids=["sneak", "run"]
)
def test_standing_feet_of_unlike_postures_do_not_sink(names, sinks):
    """Mean rotations alone let them sink by 4.4 and 4.2 cm."""
    sources = [material.captured(f"cmu_{name}") for name in names]
    made = verbs.apply(Blend(), sources)
    like = retarget.onto(sources[1], sources[0].skeleton)
    floor = 0.5 * (tread(sources[0]) + tread(like))
    feet = contacts.standing_feet(world_pose.pose(made.clip)).values()
    heights = np.concatenate([foot.ball[foot.ball_stands, 2] for foot in feet])
    assert np.percentile(np.maximum(floor - heights, 0.0), 95.0) <= sinks
    slides = [one["slide_cm_s"] for one in made.report["quality"]["before"]]
    assert made.report["quality"]["after"]["slide_cm_s"] <= max(slides) + 0.5


def test_how_far_standing_feet_were_led_is_told(monkeypatch):
    made = verbs.apply(Blend(), [actions.walk(), actions.sneak()])
    assert 1.0 < made.report["led_cm"] < 5.0
    assert not any("moved by" in line for line in made.report["warnings"])
    monkeypatch.setattr(blend, "LED_FAR", 1.0)
    reported = verbs.apply(Blend(), [actions.walk(), actions.sneak()]).report["warnings"]
    assert any(f"standing feet were moved by {made.report['led_cm']:.0f} cm" in line for line in reported)
    alone = verbs.apply(Blend(weights=(1, 0), ends="pinned"), [actions.walk(), actions.carry()])
    assert alone.report["led_cm"] < 1e-9


@pytest.mark.both_engines
@pytest.mark.shared
def test_feet_that_hang_on_a_root_are_blended_as_parts_of_the_body():
    """One clip walks, one stands: the blended feet stay at the ends of their shins, not where the standing feet are."""
    body = material.character("RobotExpressive")
    walk = carry.onto_body(material.captured("cmu_mb_02_01"), body)[0]
    standing = replace(walk.take_frames(np.full(len(walk), 60)), name="standing")
    made = verbs.apply(Blend(weights=(1.0, 1.0), plant_feet=False, add_root_motion="no"), [standing, walk]).clip
    places = kinematics.world(made)[1]
    for side in "LR":
        shin, foot = (places[:, body.roles[f"{part}.{side}"]] for part in ("shin", "foot"))
        length = np.linalg.norm(foot - shin, axis=1)
        assert np.ptp(length) < 0.05 * body.height
        assert_allclose(length.mean(), 0.928, atol=0.03 * body.height)
