"""Test control detection and keying on unseen rigs against their true answers."""

import fresh_rigs
import numpy as np
import pytest
from fresh_rigs import chance, chosen, keyed, posing
from hand_rigs import state

# Tolerances for a body of 1.7 m: mm at hands, feet and pelvis; mm at knees and elbows in 95 % of frames; degrees; mm.
TARGETS = {"ends": 0.5, "middles": 2.0, "directions": 0.2, "said": 0.1}
# Rigs whose found roles suffice to key all limbs, and rigs to key with roles chosen by an artist.
BY_ITSELF = ("game_biped", "cartoon_cat", "cloudrig", "blenrig", "auto_rig_pro", "manny")
WITH_ROLES = ("cartoon_cat", "cloudrig", "blenrig", "auto_rig_pro")


@pytest.fixture
def controls(loom):
    return loom("addon.bridge.rig_controls")


@pytest.fixture
def find(loom, controls):
    """Return `find(name, roles)`: the found controls of a rig and its truth, with found or chosen roles."""

    def found(name, roles):
        rig, truth = fresh_rigs.build(name), fresh_rigs.TRUTH[name]
        if roles == "chosen":
            loom("addon.bridge.rig").set_roles(rig, chosen.roles(truth))
        before = state(rig)
        out = controls.find(rig)
        assert state(rig) == before
        return out, truth

    return found


# --- detection ----------------------------------------------------------------------------------------------------


def in_every_blender(name):
    """Let one rig represent all in the Blenders between the oldest and the newest."""
    return name if name == "game_biped" else pytest.param(name, marks=pytest.mark.core_result)


@pytest.mark.parametrize("roles", ["found", "chosen"])
@pytest.mark.parametrize("name", [in_every_blender(name) for name in fresh_rigs.TRUTH])
def test_bones_controls_and_switches_of_each_limb(find, name, roles):
    found, truth = find(name, roles)
    bones = {role: bone for part in found.parts for role, bone in part.bones}
    assert {role: bones.get(role, "") for role in chosen.roles(truth)} == chosen.roles(truth)
    for kind in ("root", "torso"):
        assert getattr(found, kind) in {getattr(truth, kind), *truth.also}, kind
    for kind in ("trunk", "arms", "legs"):
        assert chosen.as_found(truth, found, kind) == chosen.expected(truth, kind), kind
    parts = {part.name: part for part in found.parts}
    got = {part.name: [(s.path, s.fk, s.ik) for s in part.switches] for part in found.parts}
    assert {limb: got[chosen.part_name(limb)] for limb, _ in _switches(truth)} == dict(_switches(truth))
    for limb in truth.limbs:
        part = parts[chosen.part_name(limb)]
        if part.note:
            assert part.note.startswith(f"{part.name}: ")
            assert not part.controls
        else:
            assert part.ik or part.has_fk


def _switches(truth):
    """Yield each limb with a switch, and the switch in the add-on's form."""
    for limb, one in truth.limbs.items():
        if one.switch:
            owner = f'pose.bones["{one.switch.bone}"]' if one.switch.bone else ""
            yield limb, [(f'{owner}["{one.switch.name}"]', float(one.switch.fk), float(one.switch.ik))]


# --- keying -------------------------------------------------------------------------------------------------------

SOLVES = [(name, "found", posed, limbs) for name in BY_ITSELF for posed in ("ik", "fk") for limbs in ("ik", "fk")]
SOLVES += [(name, "chosen", "ik", "fk") for name in WITH_ROLES]


@pytest.mark.core_result
@pytest.mark.parametrize(("name", "roles", "posed", "limbs"), SOLVES)
def test_keys_show_what_was_wanted(loom, controls, name, roles, posed, limbs):
    """Pose controls at random, solve for the shown body, key a fresh rig, and compare its poses."""
    truth, rig = fresh_rigs.TRUTH[name], fresh_rigs.build(name)
    if roles == "chosen":
        loom("addon.bridge.rig").set_roles(rig, chosen.roles(truth))
    found = controls.find(rig)
    posing.turn_switches(rig, truth, posed)
    names = [bones[0] for bones in truth.deform.values()] + [found.root]
    wanted = chance.play(rig, chance.poses(rig, truth, posed), names)
    _assert_lengths_are_kept(truth, names, wanted * rig.matrix_world.to_scale()[0])
    solver, fresh = fresh_rigs.build(name), fresh_rigs.build(name)
    before = state(solver)
    solved = controls.solve(solver, found, names, wanted, limbs)
    assert state(solver) == before
    keyed.key(fresh, solved)
    shown = keyed.show(fresh, chance.FRAMES, names)
    missed = keyed.misses(truth, fresh.matrix_world.to_scale()[0], names, wanted, shown)
    # Smaller bodies have proportionally smaller tolerances.
    small = min(1.0, truth.height / 1.7)
    for what, (part, figure) in keyed.figures(truth, missed, solved.millimetres).items():
        assert figure <= TARGETS[what] * (small if what != "directions" else 1.0), f"{what} of {part}: {figure:.2f}"


def _assert_lengths_are_kept(truth, names, wanted):
    """The motion by chance, in metres, stretches no limb, so that keys can reach it."""
    for limb in (limb for limb, one in truth.limbs.items() if not one.stretches):
        places = wanted[:, :, :3, 3][:, [names.index(bone) for bone in chosen.bones_of(truth, limb)[:3]]]
        lengths = np.linalg.norm(np.diff(places, axis=1), axis=2)
        assert 1000.0 * np.ptp(lengths, axis=0).max() < 0.3, limb


def test_limbs_that_are_left_out_get_no_keys(loom, controls):
    rig, truth = fresh_rigs.build("cartoon_cat"), fresh_rigs.TRUTH["cartoon_cat"]
    unknown = {f"{role}.{side}": "" for role in ("hand", "foot") for side in "LR"}
    loom("addon.bridge.rig").set_roles(rig, unknown)
    found = controls.find(rig)
    assert {chosen.part_name(limb) for limb in truth.limbs} <= {note.partition(":")[0] for note in found.notes}
    names = [bones[0] for bones in truth.deform.values()] + [found.root]
    solver = fresh_rigs.build("cartoon_cat")
    wanted = chance.play(rig, chance.poses(rig, truth, "ik"), names)
    solved = controls.solve(solver, found, names, wanted, "ik")
    limbs = {bone for limb in truth.limbs.values() for bone in (limb.ik, limb.pole, *limb.fk.values())}
    assert not limbs & set(solved.basis)
    assert set(found.notes) <= set(solved.notes)
