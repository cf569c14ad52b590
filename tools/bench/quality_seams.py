"""How standing feet, speeds and accelerations come through seams: connections, transitions of graphs, loops."""

from dataclasses import dataclass

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import world_pose
from action_loom.core.motion.clip import Clip
from action_loom.core.verbs import BuildGraph, Connect, Follow, Loop
from action_loom.core.verbs.connect import work as connect
from action_loom.core.verbs.follow.result import FollowResult
from oracles import paths, stances
from oracles.material import captured
from quality_tables import Column, Found, apart, is_aside, section

CONNECTED = """
    mb_07_01+mb_02_03 mb_02_01+mb_35_17 mb_05_01+mb_05_11 mb_16_15+mb_08_04 mb_35_03+mb_35_17 mb_35_01+mb_12_01
    asf_16_17+asf_16_19 asf_16_15+asf_16_08 asf_16_11+asf_16_03 mb_07_04+mb_07_12 mb_02_05+mb_02_06 mb_10_04+mb_26_01
    mb_02_01+mb_05_01 mb_05_01+mb_06_01 mb_06_01+mb_07_01 mb_07_01+mb_10_04 mb_16_15+mb_35_01 mb_26_01+mb_02_01
    mb_35_17+mb_02_03 mb_35_17+mb_35_01 mb_02_03+mb_02_01 asf_16_15+asf_17_03 asf_17_03+asf_16_15 asf_16_15+asf_16_41
    asf_16_41+asf_16_11 mb_02_04+mb_02_01 daz_02_01+daz_07_01 daz_07_01+daz_09_01 daz_13_11+daz_13_18
    mb_08_01+mb_12_01 mb_12_01+mb_32_01 mb_32_01+mb_35_03 mb_35_03+mb_35_22 mb_35_22+mb_08_01 mb_08_04+mb_49_04
    mb_07_12+mb_32_01 mb_05_03+mb_08_01 daz_10_03+daz_09_02
"""
WALKED = {
    "ten clips with few turns": "mb_02_01 mb_05_01 mb_06_01 mb_07_01 mb_10_04 mb_16_15 mb_26_01 mb_35_01 asf_16_15"
    " asf_16_11",
    "six clips of one man": "asf_16_11 asf_16_15 asf_16_17 asf_16_41 asf_16_08 asf_16_03",
    "seven clips kept aside": "mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12 asf_16_19",
}
LOOPED = """
    mb_02_01 mb_05_01 mb_07_01 mb_08_01 mb_16_15 mb_35_03 mb_12_01 mb_10_04 mb_06_01 mb_07_12 mb_08_07 mb_35_17
    mb_35_22 mb_02_03 asf_16_15 asf_16_11 mb_02_05 mb_02_06 asf_127_04 asf_16_17 asf_16_19 daz_02_01 daz_07_01
    daz_09_01 daz_09_02 daz_09_12 daz_13_26 mb_07_04 mb_08_04 mb_26_01 mb_32_01 mb_35_01
"""
RATES = (120, 30)
FAR = 100.0 * connect.FAR  # % of the height, over which Connect warns


@dataclass(frozen=True)
class Joint:
    """The figures of one connection: stances near it in cm (NaN where none is), accelerations over the sources'."""

    move: float
    slide: float
    acceleration: float
    apart: float
    method: str
    cost: float


def connected(pair: str, rate: int, method: str = "ease") -> Joint:
    one, other = (thinned(captured(f"cmu_{name}"), rate) for name in pair.split("+"))
    made = verbs.apply(Connect(method=method, plant_feet=False), [one, other])
    reported = made.report["connect"]
    before, entered, places = stances.near_seam(made, one, other)
    typical = max(np.percentile(world_pose.pose(clip).accelerations, 99.5) for clip in (before, entered))
    seam, reach = reported["seam_frame"], round(stances.NEAR * one.rate)
    near = slice(max(seam - 1 - reach, 0), seam + reach)
    sharpest = world_pose.pose(made.clip).accelerations[near].max()
    figures = next(figures for figures in reported["methods"] if figures["name"] == reported["method"])
    return Joint(
        max((move for move, _ in places), default=np.nan),
        float(np.mean([slide for _, slide in places])) if places else np.nan,
        float(sharpest / typical),
        100.0 * reported["distance"] / one.skeleton.height,
        reported["method"],
        figures["K"],
    )


def thinned(clip: Clip, rate: int) -> Clip:
    return clip if rate == round(clip.rate) else clip.thinned(round(clip.rate / rate))


def connections() -> list[str]:
    """What connections by default do to feet that stand near the seam."""
    found: Found = {"connections": []}
    for pair in CONNECTED.split():
        joint = connected(pair, 120)
        figures = (joint.move, joint.slide, joint.acceleration, joint.apart)
        found["connections"].append((is_aside(*pair.split("+")), figures))
    words = (
        "Move: shift of a ball in a stance (under 0.3 m/s in its clip) within 1/6 s of the seam. Warned of: clips over"
        " 0.041 H (7 cm) apart."
    )
    columns = (
        Column("move, cm, median", lambda v: float(np.nanmedian(v[:, 0])), 1),
        Column("worst", lambda v: _worst(v[v[:, 3] <= FAR, 0]), 1),
        Column("worst where warned of", lambda v: _worst(v[v[:, 3] > FAR, 0]), 1),
        Column("warned of", lambda v: float((v[:, 3] > FAR).sum()), 0),
        Column("slide cm/s, median", lambda v: float(np.nanmedian(v[:, 1])), 0),
        Column("acceleration over the sources' 99.5 %, median", lambda v: float(np.median(v[:, 2])), 2),
        Column("worst", lambda v: float(v[:, 2].max()), 2),
    )
    return section("Connections", words, "", columns, apart(found))


def _worst(values: np.ndarray) -> float:
    return float(np.nanmax(values)) if len(values) else float("nan")


def methods() -> list[str]:
    """Which method of connecting measures best, at two rates."""
    rows = []
    for rate in RATES:
        for method in (*connect.METHODS, "auto"):
            joints = [connected(pair, rate, method) for pair in CONNECTED.split()]
            values = np.array([(one.move, one.slide, one.acceleration, one.cost) for one in joints])
            chosen = sum(one.method == "ease" for one in joints)
            label = f"{method}, {rate} a second" + (f" ({chosen} times `ease`)" if method == "auto" else "")
            rows.append((label, values))
    words = "Default: `ease`. K ranks what is within 0.1 s of the seam; missed: feet that slide on after `inertial`."
    columns = (
        Column("move, cm, median", lambda v: float(np.nanmedian(v[:, 0])), 1),
        Column("90 %", lambda v: float(np.nanpercentile(v[:, 0], 90.0)), 1),
        Column("worst", lambda v: _worst(v[:, 0]), 1),
        Column("slide cm/s, median", lambda v: float(np.nanmedian(v[:, 1])), 0),
        Column("acceleration over the sources' 99.5 %, median", lambda v: float(np.median(v[:, 2])), 2),
        Column("worst", lambda v: float(v[:, 2].max()), 2),
        Column("K, median", lambda v: float(np.median(v[:, 3])), 2),
    )
    return section("Methods of connecting", words, "method", columns, rows)


def stances_along_paths() -> list[str]:
    """How far stances drift over the transitions of a graph that follows a path."""
    rows = []
    for label, names in WALKED.items():
        graph = verbs.apply(BuildGraph(), [captured(f"cmu_{name}") for name in names.split()])
        every: list[tuple[float, float]] = []
        for path in (*paths.SHAPES.values(), paths.wandering(0)):
            made = verbs.apply(Follow(path=path.tolist(), plant_feet=False), [], prepared=graph)
            assert isinstance(made, FollowResult)
            every += stances.along_walk(made)
        rows.append((label, np.array(every)))
    words = "Six paths of 13 to 20 m through three graphs: how far a ball moves in a stance."
    columns = (
        Column("over a transition: of", lambda v: float((v[:, 0] > 0.0).sum()), 0),
        Column("median, cm", lambda v: float(np.median(v[v[:, 0] > 0.0, 1])), 1),
        Column("90 %", lambda v: float(np.percentile(v[v[:, 0] > 0.0, 1], 90.0)), 1),
        Column("worst", lambda v: float(v[v[:, 0] > 0.0, 1].max()), 1),
        Column("over 6 cm, %", lambda v: 100.0 * float((v[v[:, 0] > 0.0, 1] > 6.0).mean()), 1),
        Column("others: median, cm", lambda v: float(np.median(v[v[:, 0] == 0.0, 1])), 1),
        Column("worst", lambda v: float(v[v[:, 0] == 0.0, 1].max()), 1),
    )
    return section("Stances along paths", words, "clips", columns, rows)


def loop_seams() -> list[str]:
    """How the seams of loops come out by every method, at two rates."""
    rows = []
    for rate in RATES:
        for method in ("ease", "offset", "lagrange", "spline", "auto"):
            values = []
            for name in LOOPED.split():
                reported = verbs.apply(Loop(method=method), [thinned(captured(f"cmu_{name}"), rate)]).report["loop"]
                figures = next(figures for figures in reported["methods"] if figures["name"] == reported["method"])
                values.append((figures["step"], figures["acceleration"], figures["K"]))
            rows.append((f"{method}, {rate} a second", np.array(values)))
    words = "The largest step and the acceleration at the seam over what is typical of the clip; default: `ease`."
    columns = (
        Column("step, median", lambda v: float(np.median(v[:, 0])), 2),
        Column("worst", lambda v: float(v[:, 0].max()), 2),
        Column("acceleration, median", lambda v: float(np.median(v[:, 1])), 2),
        Column("worst", lambda v: float(v[:, 1].max()), 2),
        Column("step over 1.3 or acceleration over 2", lambda v: float(((v[:, 0] > 1.3) | (v[:, 1] > 2.0)).sum()), 0),
        Column("K, median", lambda v: float(np.median(v[:, 2])), 2),
    )
    return section("Seams of loops", words, "method", columns, rows)
