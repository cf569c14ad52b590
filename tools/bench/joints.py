"""Processor time and peak memory for bodies of 10,000 joints: chains, stars, chains side by side; a table on stdout.

By itself: .venv/bin/python tools/bench/joints.py. Every command is a process of its own, its start included.
"""

import os
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
from action_loom.core.formats import bvh_text
from action_loom.core.formats.bvh_text import BvhMotion

JOINTS, FRAMES = 10_000, 60
ROOT = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")
SHAPES = {
    "one chain": np.arange(JOINTS) - 1,
    "a star": np.where(np.arange(JOINTS) > 0, 0, -1),
    "100 chains of 100": np.where(np.arange(JOINTS) % 100 == 1, 0, np.arange(JOINTS) - 1),
}


def main() -> None:
    print("| engine | body | names | info | sync | blend |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        clips, out = [Path(folder) / f"{k}.bvh" for k in range(2)], Path(folder) / "out.bvh"
        for engine, (shape, parents), names in product(("numba", "numpy"), SHAPES.items(), ("different", "equal")):
            for k, path in enumerate(clips):
                path.write_text(body(parents, names == "equal", k))
            verbs = (["info", clips[0]], *([verb, *clips, "-o", out, "--force"] for verb in ("sync", "blend")))
            cells = [taken([*verb, "--engine", engine]) for verb in verbs]
            print(f"| {engine} | {shape} | {names} | {' | '.join(cells)} |", flush=True)


def body(parents: np.ndarray, equal: bool, seed: int) -> str:
    """Return a BVH file of a body that sways."""
    rng = np.random.default_rng(seed)
    names = ("Hips", *("bone" if equal else f"bone{k}" for k in range(1, JOINTS)))
    channels = (ROOT, *[ROOT[3:]] * (JOINTS - 1))
    places = 5.0 * np.sin(0.2 * np.arange(FRAMES)[:, None] + rng.normal(size=sum(map(len, channels))))
    offsets = np.column_stack([np.zeros(JOINTS), np.ones(JOINTS), 0.001 * np.arange(JOINTS)])
    tips = np.full((JOINTS, 3), np.nan)
    return bvh_text.compose(
        BvhMotion("body", names, parents, offsets, tips, channels, "0.0333333", np.round(places, 4))
    )


def taken(arguments: list[object]) -> str:
    """Run a command; return its seconds of processor time and its peak memory."""
    command = [sys.executable, "-P", "-m", "action_loom.core.cli.process", *map(str, arguments), "--quiet"]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return "failed"
    return f"{used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss / 1024.0:.0f} MB"


if __name__ == "__main__":
    main()
