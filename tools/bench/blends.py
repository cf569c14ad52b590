"""Quality of blends on pairs of captured clips, beside simpler ways of blending; written to docs/measured/blends.md."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.check import quality
from action_loom.core.formats import bvh
from action_loom.core.motion import quat, retarget, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.sync import registration
from action_loom.core.sync.registration_curve import Registration
from action_loom.core.verbs import Blend
from action_loom.core.verbs.blend import weights as blend_weights
from action_loom.core.verbs.blend import work as blend

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT.parent / "shared" / "data" / "cmu"
PAIRS = [
    ("two walks", "mb_07_01", "mb_16_15"),
    ("two walks", "mb_02_01", "mb_05_01"),
    ("two walks", "mb_07_01", "mb_08_01"),
    ("two walks, legs 10 % longer", "mb_12_01", "mb_35_01"),
    ("walk and run", "mb_07_01", "mb_02_03"),
    ("left and right turn", "asf_16_17", "asf_16_19"),
    ("two walks", "mb_35_03", "mb_10_04"),
    ("two runs", "mb_35_17", "mb_35_22"),
]


def main() -> None:
    if not DATA.is_dir():
        sys.exit("blends: the captured clips of ../shared/data are needed")
    lines = [
        "# Blends at 50:50",
        "",
        "For anyone who asks what synchronising brings: standing feet in blends of captured clips, beside simpler",
        "blending. `python tools/bench/blends.py` writes this page.",
        "",
        "Slide of standing feet in cm/s and, in brackets, the share of time that feet stand, by our own contact",
        "detection over the blended stretch; feet are not planted. *Frame by frame*: equal frame numbers together,",
        "positions averaged in the world. *Even time*: whole clips stretched onto each other, with our blending of",
        "root motion.",
        "",
        "| pair | | sources | frame by frame | even time | Action Loom | net turn | path, against the sources' mean |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for what, *names in PAIRS:
        lines.append(row(what, names, [clip(name) for name in names]))
        print(lines[-1])
    (ROOT / "docs" / "measured" / "blends.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def clip(name: str) -> Clip:
    return trim.ends(bvh.to_clip(bvh.read(DATA / f"cmu_{name}.bvh"))[0]).clip


def row(what: str, names: list[str], clips: list[Clip]) -> str:
    figures = verbs.apply(Blend(plant_feet=False), clips).report["quality"]
    sources, after = figures["before"], figures["after"]
    path = after["path_m"] / np.mean([one["path_m"] for one in sources]) - 1.0
    cells = [
        f"{names[0]}, {names[1]}",
        what,
        ", ".join(feet(one) for one in sources),
        feet(quality.measure(frame_by_frame(*clips))),
        feet(quality.measure(in_even_time(*clips))),
        f"**{feet(after)}**",
        f"{after['turn_degrees']:.1f}°",
        f"{path:+.1%}",
    ]
    return f"| {' | '.join(cells)} |"


def feet(one: dict[str, float]) -> str:
    return f"{one['slide_cm_s']:.1f} ({one['contact_share']:.2f})"


def in_even_time(a: Clip, b: Clip) -> Clip:
    """Both clips from end to end, time stretched evenly, blended as we do."""
    b = retarget.onto(b, a.skeleton)
    curves = [registration.identity(a), replace(registration.identity(a), frames=np.linspace(0, len(b) - 1, len(a)))]
    registered = Registration(0, tuple(curves))
    half = blend_weights.of_recipe(Blend(weights=(1.0, 1.0)), 2)
    at = blend.output_frames(registered, half, "blended")
    return blend.weave([a, b], registered, at, half.at(registered.share_of_way(at)))[0]


def frame_by_frame(a: Clip, b: Clip) -> Clip:
    """The same frame numbers together, places averaged in the world: what blending is without synchronising."""
    b, count = retarget.onto(b, a.skeleton), min(len(a), len(b))
    half = np.array([0.5, 0.5])[:, None, None]
    rotations = quat.mean([a.rotations[:count], b.rotations[:count]], half)
    return Clip("naive", a.skeleton, a.rate, rotations, 0.5 * (a.translations[:count] + b.translations[:count]))


if __name__ == "__main__":
    main()
