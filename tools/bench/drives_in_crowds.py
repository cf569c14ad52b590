"""Others of a driven crowd, who move as other people do: a table of docs/measured/drive.md, for `drives.py`."""

import time
from collections.abc import Mapping
from itertools import pairwise

import drives_measured
import numpy as np
from action_loom.core.drive import crowd, database, variety
from action_loom.core.drive.controller import Manner
from action_loom.core.drive.database import RATE, Database
from action_loom.core.motion import feet, kinematics
from action_loom.core.motion.clip import Clip

NUMBER, SCRIPT, ASIDE = 3, 0, 2  # whose manner is measured, and scripts, the second one kept aside
SECONDS, APART = 15, 1.2  # of a crowd that is driven, and metres (of a body 1.7 m tall) between those beside each other


def table(sets: Mapping[str, list[Clip]]) -> str:
    """Return what each set's bodies of a crowd cost, how they differ, and how near they come."""
    rows = [_TITLES, "|" + 8 * "---|"]
    for name, clips in sets.items():
        rows.append(f"| {name} | {' | '.join(_cells(database.build(clips)))} |")
    return "\n".join([_ABOUT, *rows, ""])


def _cells(data: Database) -> tuple[str, ...]:
    began = time.process_time()
    first = variety.varied(data, 1, 1.0)
    once = time.process_time() - began
    began = time.process_time()
    other = variety.varied(data, NUMBER, 1.0)
    each = time.process_time() - began
    if first is None or other is None:
        return (f"{once:.2f}", "no walk", "", "", "", "", "")
    plain, own, second = (kinematics.points(one.poses(np.arange(len(one)))) for one in (data, other, first))
    weights = data.skeleton.point_weights / data.skeleton.point_weights.sum()
    apart = [100.0 * np.linalg.norm(b - a, axis=2) / data.unit for a, b in pairwise((plain, own, second))]
    soles = sorted({point for pair in feet.balls_and_ankles(data.skeleton).values() for point in pair})
    pops = [[drives_measured.tried(one, k).figures["kept pops"] for one in (data, other)] for k in (SCRIPT, ASIDE)]
    return (
        f"{once:.2f}, {each:.2f}",
        f"{(apart[0] @ weights).mean():.1f}, {(apart[1] @ weights).mean():.1f}",
        f"{apart[0].mean(axis=0).max():.0f}",
        f"{apart[0][:, soles].mean():.2f}, {apart[0][:, soles].max():.1f}",
        "; ".join(f"{one:.2f}, {its:.2f}" for one, its in pops),
        *(", ".join(f"{_least(data, amount, k):.2f}" for k in (SCRIPT, ASIDE)) for amount in (0.0, 1.0)),
    )


def _least(data: Database, amount: float, number: int) -> float:
    """Return how near four bodies come that are driven together, in metres of a body 1.7 m tall."""
    far = APART * data.unit
    wished = drives_measured.script(number, data.gaits)[: round(SECONDS * RATE)]
    bodies = [(data, place, 0.0) for place in (0j, far + 0j, -far + 0j, -1j * far)]
    late = [crowd.later(wished, variety.later(data, k, amount)) for k in range(len(bodies))]
    states, _ = crowd.driven(bodies, late, Manner(), leads=True)
    places = np.array([[state.place for state in one] for one in states])
    apart = np.abs(places[:, None] - places[None]) + 1e9 * np.eye(len(bodies))[..., None]
    return float(apart.min()) / data.unit


_ABOUT = f"""## Others of a crowd

Others with the same actions have the same steps and other poses (*Variety* 1). Beside the first one: body {NUMBER};
points by their weights, and the joint that is farthest off in the mean; balls and ankles, mean and most; pops in
what is kept, the first one's and its own, of scripts {SCRIPT} and {ASIDE} (kept aside). Four bodies, {APART} m apart,
driven {SECONDS} s by these scripts: the least between two roots, at *Variety* 0 and 1, where others answer up to
{variety.LATEST} s later. All lengths are of a body 1.7 m tall. A step costs no more.
"""
_TITLES = (
    "| set | once, and each body, CPU s | from the first, from another, cm | farthest joint, cm | feet, cm |"
    " kept pops, % | at once, m | later, m |"
)
