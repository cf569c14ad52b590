"""The clips that lines of the benchmark work on, and the loading of rivals."""

from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

import numpy as np
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from action_loom.core.motion import resample
from action_loom.core.motion.clip import Clip
from table import ROOT

CAPTURED = [ROOT.parent / "shared" / "data" / "cmu" / f"cmu_mb_{take}.bvh" for take in ("02_05", "02_06")]
FRAMES = 1000
load = import_module


@dataclass(frozen=True)
class Material:
    """Two BVH files of 1000 frames at 120 frames per second, and the clips read from them."""

    folder: Path
    files: tuple[Path, ...]
    clips: tuple[Clip, ...]
    captured: bool

    @property
    def description(self) -> str:
        clip = self.clips[0]
        kind, size = "captured" if self.captured else "generated", self.files[0].stat().st_size
        return f"two {kind} clips of {len(clip)} frames and {len(clip.skeleton)} joints ({size / 1e6:.2f} MB as BVH)"


def make_material(folder: Path) -> Material:
    captured = all(path.exists() for path in CAPTURED)
    files = []
    for k, path in enumerate(CAPTURED):
        if captured:
            motion = bvh.read(path)
            short = replace(motion, values=motion.values[100 : 100 + FRAMES])
        else:
            clip = (actions.walk, actions.sneak)[k](rate=120.0)
            short = bvh.from_clip(resample.sample(clip, np.linspace(0.0, len(clip) - 1.0, FRAMES)))
        files.append(folder / f"clip{k}.bvh")
        bvh.write(short, files[-1])
    clips = tuple(bvh.to_clip(bvh.read(file))[0] for file in files)
    return Material(folder, tuple(files), clips, captured)
