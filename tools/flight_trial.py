"""Judge the repair of flights on motion files, with another reader, other masses and another flight rule.

python tools/flight_trial.py FOLDER...    judges all BVH files of folders, and writes a section of measured.md

The page names the folders: constants of Weight were chosen with the files of one of them, but with none of the others.
"""

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import page_sections
from action_loom.core.errors import LoomError
from action_loom.core.formats import motion_file
from action_loom.core.formats.bvh import compose, writable
from action_loom.core.motion import trim
from action_loom.core.quality import contacts
from action_loom.core.weight import repair

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from oracles import falling, jumps

LONG, NEAR = 0.3, 2.0  # s, m/s²; a capture's flight that long which falls that near to −9.81 is retimed
LOW, AS_CAPTURED = 50.0, "as captured"
HEADS = ("edit", "left, with a reason", "within 0.5 m/s² of −9.81", "within 1.5", "feet in mid-stance", "knees ×")
ABOUT = """jumps of BVH files from outside are retimed and
resized, repaired, written to files, and judged by another reader, de Leva's masses and another flight rule than ours.
Jumps are the judge's flights of 0.3 s and more that fall within 2 m/s² of −9.81. Feet: the farthest move in the middle
half of a stance; knees: their largest acceleration, as a multiple of the capture's or the edit's."""
EDITS = {
    "flies × 1.3": lambda clip, flight: jumps.retimed(clip, flight, 1.3),
    "flies × 0.75": lambda clip, flight: jumps.retimed(clip, flight, 0.75),
    "body × 0.6": lambda clip, _: jumps.resized(clip, 0.6),
    "body × 1.4": lambda clip, _: jumps.resized(clip, 1.4),
}


@dataclass(eq=False)
class Seen:
    """A BVH file as the judge reads it: Y up, centimetres; its joints are in the order of the file."""

    text: str
    roles: dict

    def __len__(self):
        return len(self.places)

    @property
    def skeleton(self):
        return self

    @cached_property
    def places(self):
        """The positions (F, J, 3) of joints in metres, Z up; also sets rate and height."""
        top, rows = self.text.split("MOTION")
        names, parents, offsets, channels, open_, ending = [], [], [], [], [], False
        for words in map(str.split, top.splitlines()):
            if words[:1] in (["ROOT"], ["JOINT"]):
                names.append(words[1].split(":")[-1])
                parents.append(open_[-1] if open_ else -1)
            elif words[:1] == ["End"]:
                ending = True
            elif words[:1] == ["{"]:
                open_.append(-2 if ending else len(names) - 1)
            elif words[:1] == ["}"]:
                ending = ending and open_[-1] != -2
                open_.pop()
            elif words[:1] == ["OFFSET"] and not ending:
                offsets.append([float(word) for word in words[1:]])
            elif words[:1] == ["CHANNELS"]:
                channels.append(words[2:])
        lines = rows.strip().splitlines()
        self.rate = 1.0 / float(lines[1].split(":")[1])
        values = np.array([line.split() for line in lines[2:] if line.strip()], dtype=float)
        turned, placed, at = [], [], 0
        for parent, offset, own in zip(parents, offsets, channels, strict=True):
            local, turn = np.tile(offset, (len(values), 1)), np.tile(np.eye(3), (len(values), 1, 1))
            if any("position" in name for name in own):
                local = local * 0.0 if parent < 0 or len(own) == 6 else local
            for name in own:
                axis, column = "XYZ".index(name[0]), values[:, at]
                at += 1
                if "position" in name:
                    local[:, axis] = column
                else:
                    turn = turn @ _turn(axis, np.radians(column))
            if parent >= 0:
                local = placed[parent] + np.einsum("fij,fj->fi", turned[parent], local)
                turn = turned[parent] @ turn
            turned.append(turn)
            placed.append(local)
        found = 0.01 * np.stack(placed, axis=1)[..., [0, 2, 1]] * [1.0, -1.0, 1.0]
        self.height = float(np.median(found[:, self.roles["head"], 2] - found[..., 2].min(axis=1))) / 0.92
        return found


def _turn(axis, angle):
    out = np.tile(np.eye(3), (len(angle), 1, 1))
    one, two = (axis + 1) % 3, (axis + 2) % 3
    out[:, one, one] = out[:, two, two] = np.cos(angle)
    out[:, two, one] = np.sin(angle)
    out[:, one, two] = -out[:, two, one]
    return out


def see(clip):
    """Return a clip as the judge reads it, from the file that the product writes."""
    text, names = compose(clip).decode(), clip.skeleton.names
    order = [words[1] for words in map(str.split, text.splitlines()) if words[:1] in (["ROOT"], ["JOINT"])]
    return Seen(text, {role: order.index(writable(names[joint])) for role, joint in clip.skeleton.roles.items()})


def nearest(found, start, end):
    """Return the fall of the judge's flight that overlaps a time most, None for none."""
    both = [(min(end, one[1]) - max(start, one[0]), one[2]) for one in found]
    best = max(both, default=(0.0, 0.0))
    return best[1] if best[0] > 0.0 else None


def stance_moves(before, after, stands):
    """Return how far (m) feet move in the middle half of their stances, at most."""
    far = [0.0]
    for side, flags in stands.items():
        joint = before.roles.get(f"toe.{side}", before.roles[f"foot.{side}"])
        for first, end in contacts.runs(flags):
            share = (np.arange(end - first) + 0.5) / (end - first)
            part = first + np.flatnonzero(np.abs(share - 0.5) <= 0.25)
            far += list(np.linalg.norm(after.places[part, joint] - before.places[part, joint], axis=1))
    return max(far)


def judge(path):
    """Return rows of a file: edit, rate, name, fall before and after, feet (m), knees (ratio), reasons for none."""
    clip = trim.ends(motion_file.read(path).clip).clip
    seen = see(clip)
    same = repair.repair_flights(clip)[0] is clip
    rows = [(AS_CAPTURED, clip.rate, path.stem, same, None, 0.0, 1.0, "")]
    for start, end, fall in falling.falls(seen):
        if end - start < LONG or abs(fall + falling.GRAVITY) > NEAR:
            continue
        flight = jumps.Flight(start, end, fall, "fine")
        for name, edit in EDITS.items():
            wrong = edit(clip, flight)
            right, report = repair.repair_flights(wrong)
            first, second = (see(one) for one in (wrong, right))
            half, middle = 0.25 * (end - start), 0.5 * (start + end + wrong.seconds - clip.seconds)
            falls = [nearest(falling.falls(one), middle - half, middle + half) for one in (first, second)]
            knees = falling.knee_acceleration(second) / max(falling.knee_acceleration(one) for one in (seen, first))
            left = report.before.doubt or "; ".join(filter(None, (one.left for one in report.repairs)))
            moved = stance_moves(first, second, contacts.detect(wrong))
            rows.append((name, clip.rate, path.stem, *falls, moved, knees, left))
    return rows


def summarize(rows, kind):
    """Return the cells of a table's row: how the judge sees the repairs."""
    own = [row for row in rows if row[0] == kind]
    judged = [row for row in own if row[4] is not None and not row[7]]
    off = np.array([abs(row[4] + falling.GRAVITY) for row in judged])
    feet, knees = (max([row[k] for row in judged], default=0.0) for k in (5, 6))
    near = (f"{(off <= limit).sum()} of {len(judged)}" for limit in (0.5, 1.5))
    return [kind, f"{len(own) - len(judged)} of {len(own)}", *near, f"{1000 * feet:.1f} mm", f"{knees:.2f}"]


def judge_folder(folder):
    """Return the lines of the page on a folder of BVH files."""
    rows = []
    for path in sorted(folder.glob("*.bvh")):
        try:
            rows += judge(path)
        except (LoomError, KeyError, ValueError) as error:
            print(f"{path.stem}: {type(error).__name__} {error}", file=sys.stderr)
    lines = []
    for kind, some in (("50 Hz and more", [row for row in rows if row[1] >= LOW]),
                       ("24 to 30 Hz", [row for row in rows if row[1] < LOW])):  # fmt: skip
        same = [row[3] for row in some if row[0] == AS_CAPTURED]
        if same:
            lines += [f"**{folder.name}, {kind}.** {sum(same)} of {len(same)} clips are left to the bit.", ""]
        if len(some) > len(same):
            lines += [*page_sections.table(HEADS, (summarize(some, one) for one in EDITS)), ""]
    for row in rows:
        print(*row)
    return lines


def main(folders):
    lines = ["`python tools/flight_trial.py FOLDER...`: " + ABOUT, ""]
    page_sections.put("Flights", lines + [line for folder in folders for line in judge_folder(Path(folder))])


if __name__ == "__main__":
    main(sys.argv[1:])
