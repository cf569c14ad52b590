"""The rigs of `fresh_rigs` match their tables when Blender evaluates them."""

import fresh_rigs
import pytest
from fresh_rigs import posing
from fresh_rigs.truth import parts_of
from mathutils import Vector

# Tolerances for controls and solvers on a body of 1.7 m, in metres and degrees.
MM, DEGREES = 0.5e-3, 0.2
pytestmark = pytest.mark.core_result  # these rigs are material of tests, the same in every Blender
LIMBS = [(name, limb) for name in fresh_rigs.TRUTH for limb in fresh_rigs.TRUTH[name].limbs]


class Made:
    """A rig in the scene, its table, and its deform bones as evaluated at rest with all limbs on IK."""

    def __init__(self, name):
        self.rig, self.truth = fresh_rigs.build(name), fresh_rigs.TRUTH[name]
        self.small = self.truth.height / 1.7
        posing.turn_switches(self.rig, self.truth, "ik")
        self.at_rest = self.now()

    def now(self):
        return posing.evaluated(self.rig)

    def bone(self, part):
        """The first deform bone of a part."""
        return self.truth.deform[part][0]

    def moved(self, part, pose=None):
        """Return the distance of a part's joint from its rest place, in metres."""
        return posing.distance(self.at_rest[self.bone(part)], (pose or self.now())[self.bone(part)])

    def turned(self, part, pose=None):
        return posing.angle(self.at_rest[self.bone(part)], (pose or self.now())[self.bone(part)])

    def reach(self, limb):
        """Return a vector along which the end of a limb can move: towards its root, with a small offset."""
        first, _, end = (self.at_rest[self.bone(p)].translation for p in parts_of(limb)[:3])
        return (first - end) * 0.15 + Vector((0.0, -0.05, 0.02)) * self.small


@pytest.fixture
def made(request):
    return Made(request.param)


every_rig = pytest.mark.parametrize("made", fresh_rigs.TRUTH, indirect=True)
every_limb = pytest.mark.parametrize(("made", "limb"), LIMBS, indirect=["made"])


@every_rig
def test_the_table_names_what_is_there(made):
    bones, truth = made.rig.data.bones, made.truth
    deform = [name for names in truth.deform.values() for name in names]
    assert not [name for name in deform if not bones[name].use_deform]
    for limb in truth.limbs.values():
        assert {limb.ik, limb.pole or limb.ik, *limb.fk.values(), *limb.roll, *limb.tips.values()} <= set(bones.keys())
    assert {truth.root, truth.torso, *truth.controls.values()} <= set(bones.keys())
    drivers = made.rig.animation_data.drivers if made.rig.animation_data else []
    assert all(d.is_valid and d.driver.is_valid for d in drivers)
    assert all(c.is_valid for bone in made.rig.pose.bones for c in bone.constraints)
    top = max(place.translation.z for place in made.at_rest.values())
    assert top == pytest.approx(truth.height, rel=0.15)


@every_rig
@pytest.mark.parametrize("to", ["ik", "fk"])
def test_a_rig_rests_at_its_rest(made, to):
    posing.turn_switches(made.rig, made.truth, to)
    pose, world = made.now(), made.rig.matrix_world
    for bone in (b for b in made.rig.data.bones if b.use_deform):
        assert posing.distance(world @ bone.matrix_local, pose[bone.name]) < MM * made.small, bone.name
        assert posing.angle(world @ bone.matrix_local, pose[bone.name]) < DEGREES, bone.name


@every_limb
def test_the_ik_control_moves_the_end_of_its_limb_alone(made, limb):
    way = made.reach(limb)
    posing.move(made.rig, made.truth.limbs[limb].ik, way)
    pose, end = made.now(), made.bone(parts_of(limb)[2])
    assert (pose[end].translation - made.at_rest[end].translation - way).length < MM * made.small
    assert made.moved(parts_of(limb)[0], pose) < MM * made.small
    for other in set(made.truth.limbs) - {limb}:
        assert all(made.moved(part, pose) < MM * made.small for part in parts_of(other)[:3])


@every_limb
def test_the_ik_control_turns_the_end_of_its_limb(made, limb):
    end = parts_of(limb)[2]
    posing.turn(made.rig, made.truth.limbs[limb].ik, 0.3)
    assert made.turned(end) == pytest.approx(17.19, abs=1.0)


@every_limb
def test_the_pole_moves_the_middle_alone(made, limb):
    upper, middle, end = parts_of(limb)[:3]
    controls = made.truth.limbs[limb]
    if not controls.pole:
        assert not [c for b in made.rig.pose.bones for c in b.constraints if c.type == "IK" and c.pole_subtarget]
        return
    posing.move(made.rig, controls.ik, made.reach(limb))
    before = made.now()
    first, bent, last = (before[made.bone(part)].translation for part in (upper, middle, end))
    aside = (last - first).cross(before[controls.pole].translation - bent).normalized()
    posing.move(made.rig, controls.pole, aside * 0.2 * made.small)
    pose = made.now()
    assert posing.distance(before[made.bone(middle)], pose[made.bone(middle)]) > 0.01 * made.small
    assert posing.distance(before[made.bone(end)], pose[made.bone(end)]) < MM * made.small
    assert made.moved(upper, pose) < MM * made.small


@every_limb
def test_the_switch_chooses_who_poses_the_limb(made, limb):
    controls = made.truth.limbs[limb]
    if not controls.switch:
        return
    way, (upper, middle, end) = made.reach(limb), parts_of(limb)[:3]
    posing.turn_switch(made.rig, controls.switch, "fk")
    posing.move(made.rig, controls.ik, way)
    pose = made.now()
    assert all(made.moved(part, pose) < MM * made.small for part in (upper, middle, end))
    posing.rest(made.rig)
    posing.turn_switch(made.rig, controls.switch, "ik")
    for bone in controls.fk.values():
        posing.turn(made.rig, bone, 0.3)
    pose = made.now()
    assert all(made.turned(part, pose) < DEGREES for part in (upper, middle, end))


@every_limb
def test_fk_controls_turn_their_parts(made, limb):
    controls = made.truth.limbs[limb]
    if controls.switch:
        posing.turn_switch(made.rig, controls.switch, "fk")
    for part, bone in controls.fk.items():
        posing.turn(made.rig, bone, 0.3)
        pose = made.now()
        assert made.turned(part, pose) == pytest.approx(17.19, abs=0.5), part
        posing.rest(made.rig, [bone])
        assert made.turned(part) < DEGREES


@every_rig
def test_other_controls_turn_their_parts(made):
    for part, bone in made.truth.controls.items():
        posing.turn(made.rig, bone, 0.3)
        pose = made.now()
        assert made.turned(part, pose) > 10.0, part
        posing.rest(made.rig, [bone])
        assert made.turned(part) < DEGREES


@every_limb
def test_roll_controls_turn_foot_or_toes(made, limb):
    for bone in made.truth.limbs[limb].roll:
        most = 0.0
        for by in (0.4, -0.4):
            posing.turn(made.rig, bone, by)
            pose = made.now()
            most = max(most, *(made.turned(part, pose) for part in parts_of(limb)[2:] if part in made.truth.deform))
        posing.rest(made.rig, [bone])
        assert most > 10.0, bone


@every_limb
def test_tips_turn_toes_alone(made, limb):
    for part, bone in made.truth.limbs[limb].tips.items():
        posing.turn(made.rig, bone, 0.3)
        pose = made.now()
        assert made.turned(part, pose) == pytest.approx(17.19, abs=0.5)
        assert all(made.turned(other, pose) < DEGREES for other in parts_of(limb)[:3])
        posing.rest(made.rig, [bone])


@every_rig
def test_root_carries_all_and_torso_all_but_planted_limbs(made):
    way = Vector((0.05, 0.02, -0.06)) * made.small
    deform = [names[0] for names in made.truth.deform.values()]
    posing.move(made.rig, made.truth.root, way)
    pose = made.now()
    off = {n: (pose[n].translation - made.at_rest[n].translation - way).length for n in deform}
    assert {n: d for n, d in off.items() if d > MM * made.small} == {}
    posing.rest(made.rig)
    # Arms are nearly straight at rest, but the hands can still stay when the torso sinks by 2 cm.
    way = Vector((0.0, 0.0, -0.02)) * made.small
    posing.move(made.rig, made.truth.torso, way)
    pose = made.now()
    for part in made.truth.deform:
        limb = next((name for name in made.truth.limbs if part in parts_of(name)), None)
        bone = made.bone(part)
        carried = (pose[bone].translation - made.at_rest[bone].translation - way).length
        if limb and part in parts_of(limb)[2:]:
            assert made.moved(part, pose) < 0.005 * made.small, part
        elif limb is None or part == parts_of(limb)[0]:
            assert carried < MM * made.small, part


# --- special features of rigs -------------------------------------------------------------------------------------


def test_a_head_may_keep_its_direction():
    made = Made("game_biped")
    posing.turn(made.rig, "ctrl_neck", 0.3)
    assert made.turned("head") == pytest.approx(17.19, abs=0.5)
    made.rig.pose.bones["settings"]["head_follow"] = 0.0
    assert made.turned("head") < DEGREES
    assert made.turned("neck") == pytest.approx(17.19, abs=0.5)
    assert made.moved("head") > 0.01


@pytest.mark.parametrize(
    ("name", "pole"),
    [
        ("game_biped", "ctrl_knee_l"),
        ("cartoon_cat", "ひざ向き.L"),
        ("auto_rig_pro", "c_leg_pole.l"),
        ("blenrig", "knee_pole_L"),
    ],
)
def test_these_poles_go_with_the_foot(name, pole):
    made, way = Made(name), Vector((0.05, 0.1, 0.0))
    posing.move(made.rig, made.truth.limbs["leg_l"].ik, way)
    assert (made.now()[pole].translation - made.at_rest[pole].translation - way).length < MM


def test_legs_of_the_cat_stretch_and_its_tail_follows_three_controls():
    made = Made("cartoon_cat")
    posing.move(made.rig, "足IK.L", (0.0, 0.0, -0.03))
    pose = made.now()
    lengths = [posing.distance(p["変形_もも.L"], p["変形_足.L"]) for p in (made.at_rest, pose)]
    assert made.moved("foot_l", pose) == pytest.approx(0.03, abs=1e-3)
    assert lengths[1] - lengths[0] > 0.02
    posing.rest(made.rig)
    for control, part in (("しっぽ中", "tail_4"), ("しっぽ先", "tail_5")):
        posing.move(made.rig, control, (0.1, 0.0, 0.05))
        assert max(made.moved(part), made.turned(part) / 1000.0) > 0.01
        posing.rest(made.rig)
