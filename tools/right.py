"""Is it right? Every verb on captured clips, the figure and game characters, varied by rules; writes a page.

    .venv/bin/python tools/right.py [ZIP]            all cells; docs/measured.md, build/right/cells.json
    .venv/bin/python tools/right.py --only "blend|walk|cycle gap"     the cells whose names have these parts, printed

Without a zip the cells in Blender are left out. One process: less than 20 minutes.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import right_calls
import right_page
import right_recipes
import right_subjects as subjects
from action_loom.core import verbs
from action_loom.core.errors import LoomError
from action_loom.core.motion import kinematics
from action_loom.core.motion.clip import Clip
from right_calls import Call
from right_invariants import EVERY, Trial, Wrong, refusal
from right_measures import Seen, apart
from right_rules import OF_CYCLES, RULES, Varied
from right_subjects import Subject

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "right"
VARIATIONS = {"figure": 5, "tuned": 1, "aside": 1}  # of each subject and verb
BETWEEN = "24 fps"  # Blender's own rate, at which most gaits end between two frames: tried with every verb
# Verbs that use places in the world, bone axes or other bodies: the effect of these rules on their results is unknown.
UNLIKE = {
    "moved": {"follow", "walk", "shortest", "reach", "place", "ask", "retarget"},
    # An uneven rest pose has another mirror image, which these verbs use, too.
    "rest": {"warp", "retarget", "mirror", "walk", "shortest", "follow", "restyle", "ask"},
    "names": {"retarget"},
}
SEEN_IN = 1e-4  # of the height: steps of matching amplify rounding
ARMS = 2e-3  # of the height: 3 mm of an arm, the error of smoothing about other axes
MATCHING = {"blend", "sync", "connect", "loop", "splice", "restyle", "ask", "walk", "shortest", "follow", "travel"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zip", nargs="?", default="", help="the extension, for the cells in Blender")
    parser.add_argument("--only", default="", help="verb|subject|variation; parts may be empty")
    parser.add_argument("--again", default="", help="a cells.json: its wrong cells are tried again, and printed")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    began, cells = time.perf_counter(), []
    for verb, subject, rule in chosen(asked.only, asked.again):
        cells.append(cell(verb, subject, rule))
        if asked.only or asked.again:
            print(right_page.line(cells[-1]), flush=True)
    if not asked.again and asked.zip:
        cells += in_blender(asked.zip, asked.only)
    if asked.only or asked.again:
        return
    (OUT / "cells.json").write_text(json.dumps(cells, indent=0, ensure_ascii=False), encoding="utf-8")
    right_page.write(cells, EVERY, time.perf_counter() - began)
    counts = {kind: sum(one["outcome"] == kind for one in cells) for kind in ("right", "refused", "wrong")}
    print(f"{len(cells)} cells in {time.perf_counter() - began:.0f} s: {counts}")


# --- which cells -----------------------------------------------------------------------------------------------------


def chosen(only: str, again: str) -> Iterator[tuple[str, Subject, str]]:
    """Yield verb, subject and rule of each cell."""
    wanted = [part.strip() for part in only.split("|")]
    wrong = None
    if again:
        listed = json.loads(Path(again).read_text(encoding="utf-8"))
        wrong = {(one["verb"], one["subject"], one["variation"]) for one in listed if one["outcome"] == "wrong"}
    for subject in subjects.subjects():
        if len(wanted) == 3 and wanted[1] not in subject.name:
            continue
        for verb in right_recipes.CALLS:
            if wrong is not None:
                rules = [rule for rule in RULES if (verb, subject.name, rule) in wrong]
            elif len(wanted) == 3:
                rules = [rule for rule in RULES if wanted[2] in rule] if wanted[0] in ("", verb) else []
            else:
                rules = drawn(verb, subject)
            yield from ((verb, subject, rule) for rule in rules)


def drawn(verb: str, subject: Subject) -> list[str]:
    """Return the rules to try for a verb on a subject."""
    known = [rule for rule in RULES if rule not in OF_CYCLES or subject.name in subjects.GAITS]
    order = subjects.rng_of("rules", verb, subject.name).permutation(len(known))
    rules = [known[k] for k in order[: VARIATIONS[subject.group]]]
    if subject.name in subjects.GAITS:
        more = [BETWEEN, *(OF_CYCLES if verb == "blend" else ())]
        rules += [rule for rule in more if rule not in rules]
    return rules


# --- one cell --------------------------------------------------------------------------------------------------------


def cell(verb: str, subject: Subject, rule: str) -> dict[str, Any]:
    """Try a verb on a subject after a rule; return the outcome as plain values."""
    found = {"verb": verb, "subject": subject.name, "variation": rule, "group": subject.group, "outcome": "right"}
    began = time.perf_counter()
    try:
        found |= _tried(verb, subject, rule)
    except Exception as error:  # any other error is a fault: its text is not for users
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
        found |= _wrong(Wrong("raised", 0.0, 1.0, text[:300]))
    return found | {"seconds": round(time.perf_counter() - began, 3)}


def _wrong(*faults: Wrong) -> dict[str, Any]:
    rows = [{"invariant": one.invariant, "figure": one.figure, "times": one.times, "text": one.text} for one in faults]
    return {"outcome": "wrong", "wrong": rows}


def _varied(subject: Subject, rule: str, verb: str) -> tuple[Varied, list[Varied]]:
    rng = subjects.rng_of("rule", subject.name, rule)
    varied = RULES[rule](subject.clip, rng)
    others = subjects.partners(subject, subjects.rng_of("partners", verb, subject.name))
    change = varied.both
    if varied.meets:
        others = [one for one in others if one.name in subjects.GAITS]
    made = [
        replace(varied, clip=change(one.clip), clean=change(one.clip)) if change else RULES["plain"](one.clip, rng)
        for one in others
    ]
    return varied, [
        replace(one, roles=dict(other.clip.skeleton.roles)) for one, other in zip(made, others, strict=True)
    ]


def _tried(verb: str, subject: Subject, rule: str) -> dict[str, Any]:
    try:
        varied, others = _varied(subject, rule, verb)
    except LoomError as error:
        return {"outcome": "refused", "sentence": f"{right_page.RULE} {error}"}
    clips = [one.clip for one in others]
    call = right_recipes.CALLS[verb](varied.clip, clips, subjects.rng_of("call", verb, subject.name))
    before = [_hash(clip) for clip in call.clips]
    try:
        result = right_calls.made(verb, call.clips, **call.options)
    except LoomError as error:
        return _refused(verb, subject, rule, call, str(error))
    faults = [found for row in EVERY if (found := row.holds(_trial(verb, varied, others, call, result))) is not None]
    if before != [_hash(clip) for clip in call.clips]:
        faults.append(Wrong("sources unchanged", 1.0, 1.0, "a source was changed"))
    try:
        faults += [fault for fault in (call.check(result), _as_expected(verb, subject, rule, varied, result)) if fault]
    except LoomError as error:
        fault = refusal(str(error), _names(call))
        faults += [Wrong("own check refused", 1.0, 1.0, f"{fault}: {error}")] if fault else []
    told = {"warnings": result.report["warnings"], "notes": result.report["notes"], "frames": len(result.clip)}
    return (_wrong(*faults) if faults else {}) | told


def _refused(verb: str, subject: Subject, rule: str, call: Call, sentence: str) -> dict[str, Any]:
    """Judge a refusal: its sentence, and whether the clip is made without the rule, which should change nothing."""
    fault = refusal(sentence, _names(call))
    if fault:
        return _wrong(Wrong("sentence of refusal", float(len(sentence)), 1.0, f"{fault}: {sentence[:120]}"))
    found = {"outcome": "refused", "sentence": sentence}
    if not _known(verb, rule) or rule == "plain":
        return found
    plain = cell(verb, subject, "plain")
    if plain["outcome"] == "right":
        return _wrong(Wrong("refused for what changes nothing", 1.0, 1.0, sentence))
    return found


def _names(call: Call) -> list[str]:
    return [*(clip.name for clip in call.clips), *call.options]


def _known(verb: str, rule: str) -> bool:
    """Whether a rule changes nothing that a verb's result depends on."""
    return rule.startswith(("moved", "rest", "names japanese")) and verb not in UNLIKE[rule.partition(" ")[0]]


def _as_expected(verb: str, subject: Subject, rule: str, varied: Varied, result: Any) -> Wrong | None:
    """Compare the result of a varied subject with the same variation of the plain subject's result."""
    if varied.expected is None or not _known(verb, rule):
        return None
    plain, others = _varied(subject, "plain", verb)
    call = right_recipes.CALLS[verb](
        plain.clip, [one.clip for one in others], subjects.rng_of("call", verb, subject.name)
    )
    wanted = varied.expected(kinematics.world(right_calls.made(verb, call.clips, **call.options).clip)[1])
    near = SEEN_IN if verb in MATCHING else varied.near
    near = ARMS if rule.startswith("rest") and verb in (*MATCHING, "filter") else near
    if verb == "fewer_keys":
        near = 2e-3 * call.options["within"] / subject.clip.skeleton.height
    shown = kinematics.world(result.clip)[1]
    if rule.startswith("names") and verb == "restyle":  # it brings fingers of other walks, known by their names alone
        known = sorted(set(result.clip.skeleton.roles.values()))
        shown, wanted = shown[:, known], wanted[:, known]
    off = apart(shown, wanted) / subject.clip.skeleton.height
    if off <= near:
        return None
    what = f"{off:.2g} of the height from the plain one's" if np.isfinite(off) else "another number of frames"
    return Wrong("invariance", off, off / near, f"{what} ({rule})")


def _trial(verb: str, varied: Varied, others: Sequence[Varied], call: Call, result: Any) -> Trial:
    trims = any(field.name == "trim" for field in fields(verbs.VERBS[verb].recipe))
    known = {id(one.clip): one for one in (varied, *others)}
    sources, bodies = [], []
    for clip in call.sources or call.clips:
        one = known.get(id(clip))
        bodies.append(_body(clip, clip.skeleton.roles if one is None else one.roles))
        sources.append(
            _seen(clip if one is None or not trims else one.clean, varied.roles if one is None else one.roles)
        )
    body = result.clip.skeleton
    roles = varied.roles if body.names == varied.clip.skeleton.names else dict(body.roles)
    joints = _body(result.clip, roles)
    more = {"free": call.free, "nameless": bool(set(varied.roles) - set(result.clip.skeleton.roles)), "bodies": bodies}
    return Trial(
        verb, _seen(result.clip, roles), sources, joints, bool(result.clip.cyclic), result.report, varied.meets,
        roles.get("hips", 0), more,
    )  # fmt: skip


def _seen(clip: Clip, roles: dict[str, int]) -> Seen:
    height = clip.skeleton.height
    if set(roles) - set(clip.skeleton.roles):  # unknown names hide the legs; `roles` still measures them
        places = clip.skeleton.rest[1]
        leg = [places[roles[f"{part}.L"]] for part in ("thigh", "shin", "foot") if f"{part}.L" in roles]
        height = float(np.linalg.norm(np.diff(leg, axis=0), axis=1).sum()) / 0.49 if len(leg) == 3 else height
    return Seen(kinematics.world(clip)[1], clip.rate, roles, height)


def _body(clip: Clip, roles: dict[str, int]) -> list[int]:
    """Return the hips and all joints below them; all joints if the hips are unknown."""
    chosen: list[int] = []
    for joint, parent in enumerate(clip.skeleton.parents.tolist()):
        if "hips" not in roles or joint == roles["hips"] or parent in chosen:
            chosen.append(joint)
    return chosen


def _hash(clip: Clip) -> str:
    digest = hashlib.sha256(clip.rotations.tobytes() + clip.translations.tobytes())
    for name, channel in clip.channels.items():
        digest.update(name.encode() + channel.values.tobytes())
    return digest.hexdigest()


# --- in Blender ------------------------------------------------------------------------------------------------------


def in_blender(zip_path: str, only: str) -> list[dict[str, Any]]:
    """Return the cells of characters and rigs, tried in the newest Blender."""
    python, out, log = ROOT / ".venv-blender" / "5.2" / "bin" / "python", OUT / "blender.json", OUT / "blender.log"
    out.unlink(missing_ok=True)
    command = [str(part) for part in (python, ROOT / "tools" / "right_in_blender.py", zip_path, out, only)]
    with log.open("w") as words:
        done = subprocess.run(command, stdout=words, stderr=subprocess.STDOUT, check=False)
    if not out.is_file():
        sys.exit(f"{log.read_text()[-3000:]}\nBlender failed with status {done.returncode}")
    cells: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    for one in cells if only else ():
        print(right_page.line(one))
    return cells


if __name__ == "__main__":
    main()
