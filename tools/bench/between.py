"""Fill against interpolation on held-out clips; writes docs/measured/between.md.

Every clip of a body is filled from all its other clips: keys at even distances, nothing known between them. On the
bodies of `ASIDE` neither the constants nor the method were chosen.

Needs scikit-learn, for a learnt baseline.

    python tools/bench/between.py            # half an hour
    python tools/bench/between.py TIMING     # a section alone, or POSTURE, a minute
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core.between import completing, fill, filling, timing, trust
from action_loom.core.between.rows import Rows, replace_clip
from action_loom.core.cli import reading
from action_loom.core.edit.feet import spans
from action_loom.core.errors import LoomError
from action_loom.core.motion import feet, kinematics, quat, resample, trim
from action_loom.core.motion.clip import joined
from gaussian import Learnt

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
RATE = 30.0
WRONG, SPAN = (0.55, 1.8), (0.3, 1.2)  # how many times as long as it is a gap is asked to be; s that it lasts
SECONDS, FRAMES, PAST = (0.5, 1.0, 2.0, 4.0), (5, 15, 30, 45), 10
# Body: its files, and whether they are walks and runs, of which others hold what one lacks.
TUNED = {
    "35": ("strides/cmu_mb_35_*.bvh cmu/cmu_mb_35_*.bvh", True),
    "07": ("strides/cmu_mb_07_*.bvh cmu/cmu_mb_07_*.bvh", True),
    "16": ("amc/16_*.amc", True),
    "02": ("cmu/cmu_mb_02_*.bvh", False),
    "05": ("cmu/cmu_mb_05_*.bvh", False),
    "daz": ("cmu/cmu_daz_*.bvh", False),
}
ASIDE = {
    "08": ("strides/cmu_mb_08_*.bvh cmu/cmu_mb_08_*.bvh", True),
    "09": ("amc/09_*.amc", True),
    "127": ("amc/127_*.amc", True),
    "06": ("cmu/cmu_mb_06_*.bvh", False),
    "49": ("cmu/cmu_mb_49_*.bvh", False),
    "takes": ("takes/cmu_13_*.amc takes/cmu_14_*.amc", False),
}


def read(pattern):
    settings = {about.name: about.default for about in reading.OPTIONS.values()}
    clips = []
    for path in sorted(file for some in pattern.split() for file in SHARED.glob(some)):
        own = settings | ({"skeleton": str(SHARED / "amc" / "16.asf")} if path.parent.name == "takes" else {})
        clip = trim.ends(reading.read(str(path), own["units"], own["up"], own).clip).clip
        clips.append(replace(resample.to_rate(clip, RATE), name=path.stem, channels={}))
    return clips


class Truth:
    """A clip that was hidden, and how far others are from it between two frames."""

    def __init__(self, clip):
        self.clip = clip
        self.turns, self.places = kinematics.world(clip)

    def errors(self, made, a, b):
        turns, places = kinematics.world(made)
        frames = slice(a + 1, b)
        own = slice(1, -1)
        away = places[own] - self.places[frames]
        q = quat.same_side(turns[own], self.turns[frames]) - self.turns[frames]
        return {
            "cm": 100.0 * float(np.linalg.norm(away, axis=2).mean()),
            "L2P": float(np.linalg.norm(away.reshape(len(away), -1), axis=1).mean()),
            "L2Q": float(np.linalg.norm(q.reshape(len(q), -1), axis=1).mean()),
            "NPSS": npss(turns[own], self.turns[frames]),
        }


def npss(made, truth):
    """Normalized power spectrum similarity of world rotations (F, J, 4): Gopalakrishnan and others 2019."""
    truth = quat.continuous(truth)
    made = quat.same_side(made, truth)
    power = [np.abs(np.fft.fft(some.reshape(len(some), -1), axis=0)) ** 2 for some in (made, truth)]
    total = [some.sum(axis=0) for some in power]
    apart = [np.cumsum(some / np.maximum(sums, 1e-12), axis=0) for some, sums in zip(power, total, strict=True)]
    return float((np.abs(apart[0] - apart[1]).sum(axis=0) * total[1]).sum() / np.maximum(total[1].sum(), 1e-12))


def bezier(clip, keys):
    """What Blender's automatic handles give nearly: cubic curves through all keys, flat at the ends."""
    at = np.arange(keys[0], keys[-1] + 1)
    k = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, len(keys) - 2)
    gap = (keys[k + 1] - keys[k]).astype(float)
    u = (at - keys[k]) / gap

    def curve(values):
        wide = (..., *[None] * (values.ndim - 1))
        slopes = np.zeros_like(values)
        slopes[1:-1] = (values[2:] - values[:-2]) / (keys[2:] - keys[:-2])[wide]
        v, g = u[wide], gap[wide]
        ends = (2 * v**3 - 3 * v**2 + 1) * values[k] + (3 * v**2 - 2 * v**3) * values[k + 1]
        return ends + g * ((v**3 - 2 * v**2 + v) * slopes[k] + (v**3 - v**2) * slopes[k + 1])

    turns = quat.normalize(curve(quat.continuous(clip.rotations[keys])))
    return replace(clip.taken(at), rotations=turns, translations=curve(clip.translations[keys]))


def slide(clip):
    """Speeds (cm/s) of balls in the middle half of the times when they stand."""
    try:
        found = spans.find(clip)
    except LoomError:
        return []
    points, known, speeds = kinematics.points(clip), feet.balls_and_ankles(clip.skeleton), []
    for span in (one for one in found if one.part == spans.BALL):
        ball = points[:, known[span.foot][0], :2]
        fast = 100.0 * np.linalg.norm(np.gradient(ball, axis=0), axis=1) * clip.rate
        speeds += fast[span.middle.first : span.middle.end].tolist()
    return speeds


def without(parts, number):
    """The library of all clips but one, from libraries of one clip each: rows as they are first, then mirrored ones."""
    others = [part for k, part in enumerate(parts) if k != number]
    rows = [replace_clip(part.rows, k) for k, part in enumerate(others)]
    halves = [(one, one.mirrored == mirrored) for mirrored in (False, True) for one in rows]
    names = Rows.__dataclass_fields__
    return fill.Library(
        [part.clips[0] for part in others],
        Rows(*(np.concatenate([getattr(one, name)[own] for one, own in halves]) for name in names)),
    )


def gaps_of(clips, step, past=0):
    """Fill every clip from the others, a key every `step` frames after `past` known ones; yields a row for each gap."""
    parts, learnt = [fill.library([clip], step / RATE) for clip in clips], Learnt(clips, step)
    for number, clip in enumerate(clips):
        if len(clip) <= step + past or len(clips) < 2:
            continue
        keys = np.concatenate([np.arange(max(past - 1, 0)), np.arange(max(past - 1, 0), len(clip), step)])
        library = without(parts, number)
        truth, hidden = Truth(clip), replace(clip, name="hidden")
        began = time.process_time()
        done = fill.fill(hidden, keys, library, plant=False)
        spent = time.process_time() - began
        planted = fill.fill(hidden, keys, library)
        plain = fill.fill(hidden, keys, library, {k: fill.Wish(gain=0.0) for k in range(len(done.gaps))}, plant=False)
        curves = bezier(clip, keys)
        slides = {"truth": slide(clip), "slerp": slide(plain.clip), "fill": slide(planted.clip)}
        can = learnt.without(number)
        told = [
            learnt.filled(clip, a) if can else filling.interpolated(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1)
            for a, b in ((gap.first, gap.last) for gap in done.gaps)
        ]
        parts_told = [one.cut(1, len(one)) for one in told]
        slides["learnt"] = slide(joined([clip.cut(0, done.gaps[0].first + 1), *parts_told])) if told else []
        for gap, one in zip(done.gaps, told, strict=True):
            a, b = gap.first, gap.last
            slerp = filling.interpolated(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1)
            row = {"ratio": gap.ratio, "gain": gap.gain, "seconds": spent / len(done.gaps)}
            row["slide"] = slides if gap is done.gaps[0] else {}
            row["slerp"] = truth.errors(slerp, a, b)
            row["learnt"] = truth.errors(one, a, b)
            row["bezier"] = truth.errors(curves.cut(a - keys[0], b - keys[0] + 1), a, b)
            row["own"] = row["slerp"] if gap.filled is None else truth.errors(gap.filled.own, a, b)
            row["fill"] = truth.errors(done.clip.cut(a, b + 1), a, b)
            row["planted"] = truth.errors(planted.clip.cut(a, b + 1), a, b)
            yield row


def of(rows, what, measure="cm"):
    return float(np.mean([row[what][measure] for row in rows]))


def slid(rows, what):
    speeds = [speed for row in rows if row["slide"] for speed in row["slide"][what]]
    return f"{np.mean(speeds):.1f}" if speeds else "–"


def line(name, gap, rows):
    """A row of the page's tables."""
    relative = np.array([row["fill"]["cm"] / row["slerp"]["cm"] for row in rows])
    cells = [name, gap, len(rows), f"{of(rows, 'slerp'):.1f}", f"{of(rows, 'bezier'):.1f}"]
    cells += [f"{of(rows, 'learnt'):.1f}", f"{of(rows, 'own'):.1f}"]
    cells += [
        f"**{of(rows, 'fill'):.1f}**",
        f"{of(rows, 'planted'):.1f}",
        f"{of(rows, 'fill') / of(rows, 'slerp'):.2f}",
    ]
    cells += [f"{of(rows, 'fill', each) / of(rows, 'slerp', each):.2f}" for each in ("L2P", "L2Q", "NPSS")]
    cells += [f"{100.0 * (relative < 1.0).mean():.0f} %", f"{100.0 * (relative > 1.1).mean():.0f} %"]
    cells.append(f"{of(rows, 'learnt', 'NPSS') / of(rows, 'slerp', 'NPSS'):.2f}")
    cells.append(" / ".join(slid(rows, what) for what in ("slerp", "learnt", "fill", "truth")))
    return "| " + " | ".join(map(str, cells)) + " |"


COLUMNS = (
    "body",
    "gap",
    "gaps",
    "slerp",
    "Bézier",
    "learnt",
    "stretch",
    "**fill**",
    "planted",
    "÷ slerp",
    "L2P",
    "L2Q",
    "NPSS",
)
COLUMNS += ("better", "worse by > 10 %", "learnt: NPSS", "slide: slerp / learnt / planted / truth")
HEAD = f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|"


def table(bodies, steps, past=0):
    """Lines of a table over bodies and gaps, and all rows by body."""
    lines, every = [HEAD], {}
    for name, (pattern, _) in bodies.items():
        clips = read(pattern)
        for label, step in steps.items():
            rows = list(gaps_of(clips, step, past))
            every[name, label] = rows
            if rows:
                lines.append(line(name, label, rows))
                print(lines[-1], flush=True)
    return lines, every


def right(every):
    """How often the words are right: lines of a table."""
    rows = [row for some in every.values() for row in some]
    lines = ["| said | gaps | stretch ÷ slerp | worse than slerp | not better by > 10 % |", "|---|---|---|---|---|"]
    bounds = (trust.NOTHING_LIKE, trust.LITTLE, trust.ROUGHLY, 1.01)
    words = ("nothing like it", "little like it", "roughly as alike", "as alike")
    for low, high, said in reversed([*zip((-0.01, *bounds[:-1]), bounds, words, strict=True)]):
        own = np.array([r["own"]["cm"] / r["slerp"]["cm"] for r in rows if low <= r["gain"] < high])
        if len(own):
            shares = " | ".join(f"{100.0 * (own > bound).mean():.0f} %" for bound in (1.0, 0.9))
            lines.append(f"| {said} | {len(own)} | {np.median(own):.2f} | {shares} |")
    return lines


def sparse_of(clips, step):
    """Fill every clip from hips, hands and feet of keys; yields errors (cm) of each gap, and by what keys miss (mm)."""
    parts = [fill.library([clip], step / RATE) for clip in clips]
    for number, clip in enumerate(clips):
        if len(clip) <= step or len(clips) < 2:
            continue
        keys = np.arange(0, len(clip), step)
        library, truth, hidden = without(parts, number), Truth(clip), replace(clip, name="hidden")
        made, _ = completing.completed(hidden, keys, library.clips)
        points = [clip.skeleton.roles[role] for role in completing.SPARSE]
        off = kinematics.points(made)[keys][:, points] - kinematics.points(clip)[keys][:, points]
        done = fill.fill(made, keys, library, plant=False)
        full = fill.fill(hidden, keys, library, plant=False)
        for gap in done.gaps:
            a, b = gap.first, gap.last
            slerp = filling.interpolated(clip.cut(a, a + 1), clip.cut(b, b + 1), b - a + 1)
            made_of = (slerp, full.clip.cut(a, b + 1), done.clip.cut(a, b + 1))
            yield *(truth.errors(one, a, b)["cm"] for one in made_of), 1000.0 * float(np.abs(off).max())


def sparse(bodies):
    """Lines of a table of fills from hips, hands and feet alone."""
    lines = [
        "| body | gap | gaps | slerp of whole poses | fill of them | **of five points** | ÷ slerp | keys missed by |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, (pattern, alike) in bodies.items():
        for seconds in SECONDS[:3] if alike else ():
            rows = np.array(list(sparse_of(read(pattern), round(seconds * RATE))))
            slerp, full, five = rows[:, :3].mean(axis=0)
            cells = f"{slerp:.1f} | {full:.1f} | **{five:.1f}** | {five / slerp:.2f} | {rows[:, 3].max():.3f} mm"
            lines.append(f"| {name} | {seconds:g} s | {len(rows)} | {cells} |")
    return lines


def timings_of(clips, rng):
    """Move keys of every clip in time, ask where they were; yields lengths of gaps: true, asked, suggested."""
    parts = [fill.library([clip], 3.0) for clip in clips]
    for number, clip in enumerate(clips):
        long = rng.integers(round(SPAN[0] * RATE), round(SPAN[1] * RATE) + 1, len(clip))
        keys = np.cumsum([0, *long])
        keys = keys[keys < len(clip)]
        if len(keys) < 2 or len(clips) < 2:
            continue
        asked = np.maximum(np.round(np.diff(keys) * np.exp(rng.uniform(*np.log(WRONG), len(keys) - 1))), 6)
        at = np.cumsum([0, *asked]).astype(int)
        block = clip.taken(keys[np.searchsorted(at, np.arange(at[-1] + 1), side="right") - 1])
        made = np.diff(timing.suggested(block, at, without(parts, number)))
        yield from zip(np.diff(keys), np.diff(at), made, strict=True)


def timings():
    """Lines of a table of Suggest Timing."""
    lines = [
        "| body | gaps | that would change | off by, as asked | off by, as suggested | nearer | farther by > 10 % |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (pattern, _) in {**ASIDE, **TUNED}.items():
        clips, rng = read(pattern), np.random.default_rng(3)
        rows = np.array([row for _ in range(3) for row in timings_of(clips, rng)])
        own = rows[rows[:, 1] != rows[:, 2]]
        if not len(own):
            lines.append(f"| {name} | {len(rows)} | 0 % | – | – | – | – |")
            continue
        asked, made = (np.abs(np.log(own[:, k] / own[:, 0])) for k in (1, 2))
        off = " | ".join(f"{100.0 * np.expm1(some.mean()):.0f} %" for some in (asked, made))
        shares = f"{100.0 * (made < asked).mean():.0f} % | {100.0 * (made > asked + 0.1).mean():.0f} %"
        lines.append(f"| {name} | {len(rows)} | {100.0 * len(own) / len(rows):.0f} % | {off} | {shares} |")
    return lines


BENT = ("spine", "chest", "neck", *(f"{part}.{side}" for part in ("clavicle", "upper_arm", "forearm") for side in "LR"))


def bent(clip, rng, degrees):
    """A clip in another posture: trunk and arms turned by so much all along, as poses by hand are."""
    turns = clip.rotations.copy()
    for joint in (clip.skeleton.roles[role] for role in BENT if role in clip.skeleton.roles):
        turns[:, joint] = quat.mul(turns[:, joint], quat.exp(np.radians(degrees) * rng.standard_normal(3)))
    return replace(clip, rotations=turns)


def posture_of(clips, step, degrees):
    """Fill every clip in another posture from the others as they are; yields errors (cm) and the share of each gap."""
    parts, rng = [fill.library([clip], step / RATE) for clip in clips], np.random.default_rng(1)
    for number, clip in enumerate(clips):
        if len(clip) <= step or len(clips) < 2:
            continue
        other = bent(clip, rng, degrees)
        truth, keys = Truth(other), np.arange(0, len(clip), step)
        done = fill.fill(other, keys, without(parts, number), plant=False)
        for gap in done.gaps:
            a, b = gap.first, gap.last
            slerp = filling.interpolated(other.cut(a, a + 1), other.cut(b, b + 1), b - a + 1)
            own = slerp if gap.filled is None else gap.filled.own
            yield *(truth.errors(one, a, b)["cm"] for one in (slerp, own, done.clip.cut(a, b + 1))), gap.gain


def posture():
    """Lines of a table of fills of another posture."""
    lines = [
        "| body | turned by | gap | slerp | stretch | **fill** | ÷ slerp | share | worse by > 10 % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in ("08", "127", "06", "07", "16", "02"):
        clips = read({**ASIDE, **TUNED}[name][0])
        for degrees in (8.0, 16.0):
            for seconds in SECONDS[:2]:
                rows = np.array(list(posture_of(clips, round(seconds * RATE), degrees)))
                slerp, own, made, share = rows.mean(axis=0)
                worse = 100.0 * (rows[:, 2] > 1.1 * rows[:, 0]).mean()
                errors = f"{slerp:.1f} | {own:.1f} | **{made:.1f}** | {made / slerp:.2f} | {share:.2f} | {worse:.0f} %"
                lines.append(f"| {name} | {degrees:g}° | {seconds:g} s | {errors} |")
    return lines


PAGE = ROOT / "docs" / "measured" / "between.md"
TEXT = ROOT / "tools" / "bench" / "between.txt"


def section(name, lines):
    """Write one section of the page anew."""
    own = next(part for part in TEXT.read_text(encoding="utf-8").split("\n## ") if f"{{{name}}}" in part)
    title = own.partition("\n")[0]
    text = own.replace(f"{{{name}}}", "\n".join(lines))
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    PAGE.write_text("\n## ".join(text if one.startswith(title) else one for one in parts), encoding="utf-8")


SECTIONS = {"TIMING": timings, "POSTURE": posture}


def page():
    """Write the page; each table as soon as it is there."""
    seconds = {f"{each:g} s": round(each * RATE) for each in SECONDS}
    frames = {f"{each} frames": each + 1 for each in FRAMES}
    people = {"08": ASIDE["08"], "09": ASIDE["09"], "07": TUNED["07"]}
    text = TEXT.read_text(encoding="utf-8")

    def write(**parts):
        nonlocal text
        for name, lines in parts.items():
            text = text.replace(f"{{{name}}}", "\n".join(lines))
        PAGE.write_text(text, encoding="utf-8")

    lines, known = table(ASIDE, seconds)
    write(ASIDE=lines, RIGHT=right(known))
    lines, known = table(TUNED, seconds)
    write(TUNED=lines, RIGHT_TUNED=right(known))
    for name, make in SECTIONS.items():
        write(**{name: make()})
    write(GIVEN=table({name: one for name, one in ASIDE.items() if one[1]}, frames, PAST)[0])
    write(SPARSE=sparse(people))


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        section(asked, SECTIONS[asked]())
    if not sys.argv[1:]:
        page()
