"""Situations × verbs: compare each reported result with the motion of the evaluated character.

Each cell makes a walker, puts it into a situation, and runs a verb with a known result: *Blend* of an action with a
copy of itself equals that action, *Mirror* equals its reflection. `judge` plays both and compares them. A cell must
show the expected motion, or a refusal or a warning must name the cause in a sentence.
"""

import inspect
import json
import os
import re
import sys
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import bpy
import judge
import material
import numpy as np
import pytest
import scene_situations as scenes
import situations as are

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import page_sections

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "build" / "situations"
TITLE = "Situations of a scene"
ABOUT = """
For whom figures must hold in any scene: the keys of an action alone do not decide its appearance. {count} cells of a
situation and a verb in Blender {versions}; `tests/addon/test_situations.py` has the expectations as separate code, and
writes this table (with `WRITE=1`, in one process of each Blender).

Figures are the largest distance in mm, over all frames and points and all of these Blenders, between the reported
result and the evaluated rig; at most 0.1 is right, or 1 for a sword in the hand (Plant, Restyle, Retarget, Mix).
Angles have to be right within 0.05°, shape keys and properties within 0.0001. For a blend of two actions (Mix) and
Connect the largest step of a bone counts: at most 3 times that of the sources, and 2° (5° in a seam). `r`: a sentence
reports the cause, so that the figure may be larger. Without a figure it is 0.001 mm at most. "refused": the sentence
says why. A second press at another frame shows the same motion within 0.1 mm, and *Rebuild* at a third frame gives the
same bytes. Silently wrong: {wrong}.
"""
MILLIMETRES, DEGREES, UNITS = 0.1, 0.05, 1e-4
PLAYHEADS = (1, 47, 33)  # at the press, at a second press, and at Rebuild


class Situation(NamedTuple):
    """A row of the table: the function that makes the situation, its text, a pattern of its cause, and exceptions.

    refused, told : verbs, or ("all",), that must refuse or warn; verbs : additional to those of all situations
    pairs : names of sides that the judge can't know
    """

    make: object
    text: str
    cause: str = ""
    refused: tuple = ()
    told: tuple = ()
    verbs: tuple = ()
    pairs: dict = {}
    mode: str = "XYZ"
    between: object = None  # runs before a result is judged, and before an action is exported
    aside: float = 0.0  # x of the body's middle
    options: dict = {}  # of every verb
    lost: bool = False  # whether playing a result undoes the situation, which must then be made again


S = Situation
SITUATIONS = [
    S(are.arm_posed, "an arm is posed and has no keys", verbs=("Splice", "Root", "Place", "GLB", "FBX", "BVH")),
    S(
        are.thighs_scaled,
        "thighs are scaled and their scale has no keys",
        "when it is read back",
        told=("FBX",),
        verbs=("GLB", "FBX"),
    ),
    S(are.arm_moved, "an arm is moved and its location has no keys", verbs=("GLB",), lost=True),
    S(
        are.axis_without_keys,
        "one axis of the hips has no keys",
        verbs=("Splice", "Root", "Place", "GLB", "BVH"),
        lost=True,
    ),
    S(are.root_posed, "the root is posed and has no keys", verbs=("Root", "Place", "GLB", "BVH"), aside=-0.4),
    S(
        are.leftover,
        "the pose of another action is left on an arm",
        verbs=("Splice", "Root", "Place", "GLB", "FBX", "BVH"),
        between=are.left_over,
    ),
    S(
        are.property_left,
        "another action has left a property and an influence",
        "Biped has 'smile', 'Limit Scale' as another action left it: set it back, or key it in one",
        told=("all",),
        verbs=("Splice", "Root", "Place"),
    ),
    S(are.moving_parent, "a parent moves the armature", "follows Cart", told=("all",), verbs=("Root", "Place")),
    S(are.following_a_path, "a constraint moves the armature", "follows", told=("all",), verbs=("Root", "Place")),
    S(are.uneven_scale, "the object is scaled unevenly", "scale", refused=("all",)),
    S(are.negative_scale, "the object has a negative scale", "scale", refused=("all",)),
    S(are.time_stretched, "the scene stretches time", verbs=("Splice", "GLB", "FBX", "BVH")),
    S(are.circling_arm, "an arm circles", verbs=("Splice", "Mix", "Connect", "Bake")),
    S(are.head_turned, "a head turns by 200°", verbs=("Mix", "Connect", "Bake")),
    S(are.pirouette, "the body turns twice", verbs=("Mix", "Connect", "Bake")),
    S(
        are.wheel,
        "a wheel turns six times",
        verbs=("Splice", "Root", "Place", "Mix", "Connect", "Bake"),
    ),
    S(are.scaled_in_time, "keys are scaled in time after an import", verbs=("BVH",)),
    S(are.modifiers, "curves have modifiers", verbs=("Splice", "GLB")),
    S(are.muted_and_locked, "curves are muted or locked", verbs=("GLB",)),
    S(are.single_frames, "actions have a single frame", "frame|short", refused=("Blend", "Loop"), verbs=("Splice",)),
    S(are.sign_flips, "quaternions change their sign", mode="QUATERNION", verbs=("Splice", "Mix", "GLB")),
    S(are.mixed_orders, "bones have different rotation orders", verbs=("Splice", "Mix", "GLB")),
    S(are.axis_angle, "a bone turns by axis and angle", verbs=("Mix",)),
    S(are.inherit_flags, "bones do not inherit rotation or scale"),
    S(are.squash, "a bone is squashed", verbs=("Splice", "GLB")),
    S(are.negative_bone, "a bone has a negative scale", verbs=("Splice",)),
    S(are.bendy, "bendy bones bend", lost=True),
    S(are.properties, "custom properties have sides", pairs={"links": "rechts", "rechts": "links"}),
    S(
        are.ears,
        "names have sides in other languages",
        pairs={"links": "rechts", "rechts": "links", "左": "右", "右": "左"},
    ),
    S(
        are.sword_on_root,
        "a sword is keyed to stay in a hand",
        verbs=("Splice", "Root", "Place", "Plant", "Restyle", "Retarget", "Mix"),
    ),
    S(
        are.sword_alone,
        "the same without a parent",
        verbs=("Splice", "Root", "Place", "Plant", "Restyle", "Retarget", "Mix"),
    ),
    S(
        are.sword_child_of,
        "the same by a Child Of constraint",
        "constraint Child Of': switch that off, or turn on Visual",
        told=("all",),
        verbs=("Splice", "Root", "Place", "Plant", "Restyle", "Retarget", "Mix"),
    ),
    S(
        are.sword_child_of,
        "the same, read with Visual",
        "constraint Child Of': switch that off$",
        told=("Retarget",),
        verbs=("Splice", "Root", "Place", "Plant", "Restyle", "Retarget", "Mix"),
        options={"visual": True},
    ),
    S(are.second_body, "two skeletons in one armature", verbs=("Splice", "Root", "Place")),
    S(scenes.event_markers, "actions have markers", verbs=("Splice",)),
    S(
        scenes.arm_action,
        "the other action keys one arm",
        "keys 1 of the",
        told=("Mix", "Connect"),
        verbs=("Mix", "Connect"),
    ),
    S(scenes.shared_action, "two characters play the action"),
    S(scenes.pushed_down, "an earlier result plays in the NLA"),
    S(scenes.tweak_mode, "a strip is in tweak mode", "tweak", refused=("all",)),
    S(scenes.additive_layer, "the action is an additive layer", "NLA|blending", refused=("all",), verbs=("Splice",)),
    S(scenes.solo_track, "a track is solo", "solo|NLA", refused=("all",)),
    S(scenes.linked, "the armature is linked", "link", refused=("all",), verbs=("Splice",)),
    S(scenes.overridden, "the armature is a library override", verbs=("Splice", "Root", "Place")),
    S(scenes.ten_jobs, "after ten other jobs"),
    S(scenes.undone, "after Undo"),
    S(scenes.many_actions, "a file of 300 actions"),
]
if are.HAS_SLOTS:
    SITUATIONS += [
        S(
            scenes.face_slot,
            "shape keys in another slot",
            verbs=("Splice", "GLB", "FBX"),
            between=scenes.other_smiled,
        ),
        S(scenes.long_face, "the same, longer than the body", verbs=("Splice",)),
        S(
            scenes.two_bone_slots,
            "two armatures in slots of one action",
            "slots",
            refused=("Blend", "Splice"),
            verbs=("Splice",),
        ),
    ]


# --- verbs ---------------------------------------------------------------------------------------------------------


def press(verb, *names, **options):
    """Return the action that a verb makes of the named actions, or the first of these if nothing had to change."""
    before = set(bpy.data.actions)
    sources = [{"name": name, "weight": 1.0} for name in names]
    assert getattr(bpy.ops.action_loom, verb)(sources=sources, **options, **ALWAYS) == {"FINISHED"}
    made = set(bpy.data.actions) - before
    return made.pop() if made else bpy.data.actions[names[0]]


ALWAYS = {}  # options of the situation under test


def copied():
    """Copy the first action once, and return the name of the copy."""
    if "copy" not in bpy.data.actions:
        bpy.data.actions["one"].copy().name = "copy"
    return "copy"


def travel():
    return press("travel", press("in_place", "one").name)


def retarget():
    """Retarget the first action to a twin of the walker at the same place; return the new action."""
    rig = bpy.data.objects["Biped"]
    twin = bpy.data.objects.get("Twin") or rig.copy()
    if twin.name != "Twin":
        twin.name, twin.data = "Twin", rig.data.copy()
        bpy.context.scene.collection.objects.link(twin)
        for constraint in (one for bone in twin.pose.bones for one in bone.constraints):
            constraint.target = twin
    bpy.ops.object.select_all(action="DESELECT")
    for one in (rig, twin):
        one.select_set(True)
    bpy.context.view_layer.objects.active = twin
    return press("retarget", "one", players=[{"name": "one", "armature": "Biped"}], plant_feet=False)


VERBS = {
    "Blend": lambda: press("blend", "one", copied(), plant_feet=False),
    "Loop": lambda: press("loop", "one", whole="yes", straighten="no", plant_feet=False),
    "Mirror": lambda: press("mirror", "one", keep_start=False),
    "Splice": lambda: press("splice", "one", copied(), plant_feet=False),
    "Travel": travel,
    "Root": lambda: press("root", "one", onto="object"),
    "Place": lambda: press("place", "one", where="at", x=2.0, y=1.0, face="way", facing=60.0),
    "Connect": lambda: press("connect", "one", "two", plant_feet=False),
    "Bake": lambda: press("bake", "one"),
    "Mix": lambda: press("blend", "one", "two", plant_feet=False),
    "Plant": lambda: press("plant", "one"),
    "Restyle": lambda: press("restyle", "one", "two", stride=0.5, plant_feet=False),
    "Retarget": retarget,
}
OF_ALL = ("Blend", "Loop", "Mirror", "Travel")
FILES = {"GLB": ".glb", "FBX": ".fbx", "BVH": ".bvh"}


# --- cells ---------------------------------------------------------------------------------------------------------


def situated(situation, tmp_path):
    """Make a situation; return the walker, and the motion of "one" if it can't be recorded afterwards."""
    ALWAYS.clear()
    ALWAYS.update(situation.options)
    rig = are.walker(situation.mode)
    wanted = situation.make(tmp_path if "tmp_path" in inspect.signature(situation.make).parameters else rig)
    return bpy.data.objects["Biped"], wanted


def source_motion(rig, wanted, **options):
    if wanted is not None or rig.library is not None or rig.animation_data.use_tweak_mode:
        return wanted
    return judge.record(rig, bpy.data.actions["one"], **options)


def pressed_at(rig, frame, verb):
    """Run a verb at a frame, while the walker plays the first action."""
    if rig.library is None and not rig.animation_data.use_tweak_mode:
        judge.play(rig, bpy.data.actions["one"])
    bpy.context.scene.frame_set(frame)
    return VERBS[verb]()


class Cell(NamedTuple):
    """The measured result of a cell.

    off : millimetres, or None where refused; turned : degrees; value : of shape keys and properties
    again : millimetres to the result of the same verb at another frame; words : the message
    """

    off: float | None
    turned: float = 0.0
    value: float = 0.0
    again: float = 0.0
    words: str = ""
    at: str = ""
    reported: bool = False


def tried(situation, verb, tmp_path, capfd):
    """Run a verb in a situation at two frames, rebuild the result at a third one, and return the judged cell."""
    rig, wanted = situated(situation, tmp_path)
    local = verb == "Mirror"
    wanted = source_motion(rig, wanted, local=local)
    capfd.readouterr()
    try:
        made = pressed_at(rig, PLAYHEADS[0], verb)
    except RuntimeError as error:
        return Cell(None, words=str(error))
    words = " ".join(line for line in capfd.readouterr().out.splitlines() if line.startswith("Warning"))
    rig = bpy.context.view_layer.objects.active
    judge.play(rig, made)
    if situation.between:
        situation.between(rig)
    seen = judge.record(rig, made, local=local)
    if verb in OF_ALL:
        assert seen.markers == (judge.mirrored(rig, wanted, situation.pairs) if verb == "Mirror" else wanted).markers
    off, at, turned = JUDGED.get(verb, as_source)(rig, seen, wanted, situation)
    value = judge.units(seen, judge.mirrored(rig, wanted, situation.pairs) if verb == "Mirror" else wanted)
    if made.name != "one":
        was = material.fingerprint(made)
        bpy.context.scene.frame_set(PLAYHEADS[2])
        assert bpy.ops.action_loom.rebuild(action=made.name) == {"FINISHED"}
        assert material.fingerprint(made) == was, "Rebuild has changed it"
        if verb != "Blend":  # a second press is tried with one verb: Rebuild already reads at another frame
            return Cell(off, turned, value, 0.0, words, at)
    if situation.lost:
        judge.play(rig, bpy.data.actions["one"])
        situation.make(rig)
    later = pressed_at(bpy.data.objects["Biped"], PLAYHEADS[1], verb)
    again, _ = judge.millimetres(judge.record(rig, later, local=local), seen)
    return Cell(off, turned, value, again, words, at)


# --- judging -------------------------------------------------------------------------------------------------------


def as_source(rig, seen, wanted, situation):
    return *judge.millimetres(seen, wanted), judge.degrees(seen, wanted)


def without_root(rig, seen, wanted, situation):
    """Compare with the source, except for the bone that carries the travel."""
    for kept in (wanted.points, wanted.turns):
        for name in ("root", "root tail"):
            kept.pop(name, None)
    return as_source(rig, seen, wanted, situation)


def in_mirror(rig, seen, wanted, situation):
    wanted = judge.mirrored(rig, wanted, situation.pairs, situation.aside)
    if are.SWORD in wanted.turns:  # the sword lacks a partner on the other side, so it stays in this hand
        for kept in (wanted.points, wanted.turns):
            for name in (are.SWORD, f"{are.SWORD} tail"):
                kept.pop(name, None)
        return in_hand(rig, seen, wanted, situation)
    return as_source(rig, seen, wanted, situation)


def placed(rig, seen, wanted, situation):
    """Expect the hips at the place, the whole motion turned about the vertical, and then carried as the source is."""
    away = judge.carried(rig)
    seen, wanted = (judge.carried_back(motion, away) for motion in (seen, wanted))
    start = seen.points["hips"][0]
    one, other = ((m.points["foot.L"] - m.points["upper_arm.R"])[0, :2] @ [1.0, 1j] for m in (seen, wanted))
    turn = float(np.angle(one / other))
    offset = start - judge.moved(wanted, turn, 0.0).points["hips"][0]
    off, at, turned = as_source(rig, seen, judge.moved(wanted, turn, offset), situation)
    return max(off, 1000.0 * float(np.linalg.norm(start[:2] - (2.0, 1.0)))), at, turned


def steady(rig, seen, wanted, situation, verb="Mix"):
    """Expect that no bone turns much faster than in the sources."""
    sources = [judge.largest_step(judge.record(rig, bpy.data.actions[name])) for name in ("one", "two")]
    fade = 5.0 if verb == "Connect" else 2.0  # its seam turns one action into the direction of the other
    more = max(step - 3.0 * max(s[bone] for s in sources) - fade for bone, step in judge.largest_step(seen).items())
    off, at, _ = in_hand(rig, seen, wanted, situation) if are.SWORD in seen.turns else (0.0, "", 0.0)
    return off, at, max(0.0, more)


def in_hand(rig, seen, wanted, situation):
    return judge.out_of_hand(seen, are.HAND, are.SWORD), are.SWORD, 0.0


JUDGED = {
    "Mirror": in_mirror,
    "Travel": without_root,
    "Root": without_root,
    "Place": placed,
    "Mix": steady,
    "Connect": partial(steady, verb="Connect"),
    "Plant": in_hand,
    "Restyle": in_hand,
    "Retarget": in_hand,
}
LIMITS = dict.fromkeys(("Mix", "Plant", "Restyle", "Retarget"), 1.0)  # mm; these judge a sword in a hand


def exported(situation, verb, tmp_path, capfd):
    """Write the first action to a file, and read it into an empty scene with Blender's own importer."""
    rig, wanted = situated(situation, tmp_path)
    wanted = source_motion(rig, wanted)
    if situation.between:
        situation.between(rig)
    bpy.context.scene.frame_set(12)
    path = str(tmp_path / f"one{FILES[verb]}")
    assert bpy.ops.action_loom.export_motion(actions=[{"name": "one"}], filepath=path, units="m") == {"FINISHED"}
    words = " ".join(line for line in capfd.readouterr().out.splitlines() if line.startswith("Warning"))
    fps = bpy.context.scene.render.fps
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = fps
    if verb == "GLB":
        bpy.ops.import_scene.gltf(filepath=path)
    elif verb == "FBX":
        bpy.ops.import_scene.fbx(filepath=path)
    else:
        bpy.ops.import_anim.bvh(filepath=path, update_scene_fps=True)
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    seen = judge.record(rig, first=judge.first_frame(rig.animation_data.action))
    wanted.points = {name: places for name, places in wanted.points.items() if name in rig.pose.bones}
    off, at = judge.millimetres(seen, wanted)
    return Cell(off, value=0.0 if verb == "BVH" else judge.units(seen, wanted), words=words, at=at)


# --- the table -----------------------------------------------------------------------------------------------------

CELLS = [(row, verb) for row in SITUATIONS for verb in (*OF_ALL, *row.verbs)]
# How a source is read and a file is written depends on the Blender; how a verb then moves it does not.
BY_CORE = {verb: () if verb == "Blend" or verb in FILES else pytest.mark.core_result for verb in (*VERBS, *FILES)}
MEASURED = {}


@pytest.fixture(scope="module", autouse=True)
def page():
    """Store the figures if WRITE is set and all cells were measured, and write the table of all Blenders."""
    yield
    if not os.environ.get("WRITE") or len(MEASURED) < len(CELLS):
        return
    STORED.mkdir(parents=True, exist_ok=True)
    rows = [[text, verb, one.off, one.reported] for (text, verb), one in MEASURED.items()]
    (STORED / f"{bpy.app.version[0]}.{bpy.app.version[1]}.json").write_text(json.dumps(rows), encoding="utf-8")
    known = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(STORED.glob("*.json"))}
    page_sections.put(TITLE, compose(known))


def compose(known):
    """Return the section's lines of the figures by Blender version, each a list of situation, verb, mm and report."""
    cells = {}
    for text, verb, off, reported in chain.from_iterable(known.values()):
        cells.setdefault((text, verb), []).append((off, reported))
    wrong = sum(
        off is not None and off > LIMITS.get(verb, MILLIMETRES) and not r
        for (_, verb), f in cells.items()
        for off, r in f
    )
    rows = []
    for text in dict.fromkeys(text for text, _ in cells):
        others = [verb for name, verb in cells if name == text and verb not in OF_ALL]
        each = [shown(cells[text, verb]) for verb in OF_ALL]
        others = [verb if is_tiny(found := cells[text, verb]) else f"{verb} {shown(found)}" for verb in others]
        rows.append((text, *each, ", ".join(others)))
    about = ABOUT.format(count=len(cells), versions=" and ".join(known), wrong=wrong)
    return [*about.strip().split("\n"), "", *page_sections.table(("situation", *OF_ALL, "others"), rows)]


def is_tiny(found):
    return all(off is not None and round(off, 4) <= 0.001 and not reported for off, reported in found)


def shown(found):
    """Return the text of a cell, given (mm or None, whether it is reported) of each Blender."""
    if any(off is None for off, _ in found):
        return "refused"
    return f"{max(off for off, _ in found):.4f}{' r' if found[0][1] else ''}"


@pytest.mark.parametrize(
    ("situation", "verb"),
    [pytest.param(*cell, marks=BY_CORE[cell[1]]) for cell in CELLS],
    ids=[f"{row.make.__name__}-{verb}" for row, verb in CELLS],
)
def test_nothing_is_wrong_in_silence(loom, situation, verb, tmp_path, capfd):
    cell = (exported if verb in FILES else tried)(situation, verb, tmp_path, capfd)
    refused, told = (verb in given or given == ("all",) for given in (situation.refused, situation.told))
    MEASURED[situation.text, verb] = cell._replace(reported=told)
    assert (cell.off is None) == refused, cell.words
    if refused or told:
        assert re.search(situation.cause, cell.words), cell.words
    if cell.off is None:
        return
    assert cell.again <= MILLIMETRES
    if not told:
        assert cell.off <= LIMITS.get(verb, MILLIMETRES), (cell.off, cell.at)
        assert cell.turned <= DEGREES
        assert cell.value <= UNITS


def test_the_page_has_all_situations(loom):
    rows = page_sections.PAGE.read_text(encoding="utf-8").partition(f"## {TITLE}\n")[2].split("\n")
    written = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert not [row.text for row in SITUATIONS if row.text not in written]
