"""Learns core/style/walks.npz, the walks that teach a style where a character has too few, from captures of ../shared.

python tools/style_basis.py

Only people and clips that nothing is measured on take part (tests/oracles/kept_aside.py). A walk gives its mean stride.
The captures are of the CMU Graphics Lab Motion Capture Database (mocap.cs.cmu.edu), free for any use, as B. Hahne
converted them (cgspeed); core/style/walks.md gives these credits beside the file.
"""

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from action_loom.core.formats import motion_file
from action_loom.core.recipes.style import StyleOptions, table_of
from action_loom.core.style import material, reporting, shipped, storage
from action_loom.core.style.style import Style
from oracles.kept_aside import is_kept_aside

DATA = ROOT.parent / "shared" / "data"
OUT = shipped.FILE
HARMONICS = 8  # of a stride; a foot that comes down is sharper than that by a millimetre
MOST_BYTES = 300_000
TURNS = 25.0  # degrees that a stride may turn
# Descriptions in the clips' own index, and the name of each manner.
MANNERS = {
    "slow walk": "slow",
    "brisk walk": "brisk",
    "walk, exaggerated stride": "striding",
    "walk stealthily": "sneaking",
}


def main():
    clips = [*_walks()]
    table = table_of(["clip", "person", shipped.MANNER], [[path.stem, *about] for path, about in clips])
    read = [replace(motion_file.read(path).clip, name=path.stem) for path, _ in clips]
    gathered = material.gather(read, StyleOptions(labels=table, turns=360.0))
    of = _means(gathered)
    style = Style(of, "walks", shipped=True)
    report = reporting.learnt(style, [], [], 0.0) | {"seconds_taken": 0.0}
    content = storage.compose(replace(style, report=report), HARMONICS)
    if len(content) > MOST_BYTES:
        raise SystemExit(f"{len(content)} bytes, where {MOST_BYTES} at most are wanted")
    OUT.write_bytes(content)
    print(f"{len(content)} bytes: {len(of)} strides of {len(set(of.people))} people; left out: {gathered.left_out}")
    print({value for value in of.columns[shipped.MANNER] if value})


def _walks():
    """Each walk's file, with its person and manner."""
    for folder in ("cmu", "strides"):
        with (DATA / folder / "INDEX.csv").open(encoding="utf-8") as index:
            for row in csv.DictReader(index):
                path, what = DATA / folder / row["file"], row["description"]
                walks = what in ("walk", "walk/stride") or what in MANNERS
                if walks and not path.stem.startswith("cmu_daz") and not is_kept_aside(path):
                    yield path, (row["subject"], MANNERS.get(what, ""))


def _means(of):
    """The mean stride of each clip, straight ahead, instead of all that turn little (of a manner all of them)."""
    turning = of.rows[:, :, of.form.steps][:, :, 2]
    little = np.abs(np.degrees(turning.sum(axis=1))) <= TURNS
    little |= np.array([bool(of.columns[shipped.MANNER][clip]) for clip in of.of])
    turning -= turning.mean(axis=1, keepdims=True)
    clips = [clip for clip in range(len(of.clips)) if (little & (of.of == clip)).any()]
    own = [little & (of.of == clip) for clip in clips]
    return replace(
        of,
        rows=np.stack([of.rows[one].mean(axis=0) for one in own]),
        seconds=np.array([np.exp(np.log(of.seconds[one]).mean()) for one in own]),
        of=np.arange(len(clips)),
        clips=tuple(of.clips[clip] for clip in clips),
        people=tuple(of.people[clip] for clip in clips),
        columns={column: tuple(values[clip] for clip in clips) for column, values in of.columns.items()},
        frames=np.stack([of.frames[one][0] for one in own]),
        left_out=(),
    )


if __name__ == "__main__":
    main()
