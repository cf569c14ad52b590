"""Ten strips of fills to look at: what was hidden, interpolation, and Fill; from clips of tools/bench/between.py.

python tools/bench/fill_strips.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from action_loom.core.between import fill
from action_loom.core.plots import png, stick_figures
from between import ASIDE, RATE, TUNED, read
from matplotlib.figure import Figure

# Body, number of the clip, seconds between keys.
SHOWN = (("08", 2, 0.5), ("08", 5, 1.0), ("09", 3, 0.5), ("127", 4, 0.5), ("127", 12, 1.0), ("06", 0, 1.0))
SHOWN += (("49", 1, 0.5), ("16", 7, 1.0), ("35", 0, 2.0), ("02", 3, 0.5))
POSES, KEY, OWN = 13, "#1f4e79", "#4f9d69"


def strip(name, number, seconds):
    """A figure of the first gaps of a clip."""
    clips, step = read({**ASIDE, **TUNED}[name][0]), round(seconds * RATE)
    clip = clips[number]
    keys = np.arange(0, len(clip), step)[: 4 if step < 40 else 3]
    library = fill.library([one for one in clips if one is not clip], seconds)
    made = fill.fill(clip, keys, library)
    plain = fill.fill(clip, keys, library, {k: fill.Wish(gain=0.0) for k in range(len(made.gaps))}, plant=False)
    frames = np.unique(np.concatenate([keys, np.linspace(keys[0], keys[-1], POSES).round().astype(int)]))
    figure = Figure(figsize=(14.0, 7.0), layout="constrained")
    shares = ", ".join(f"{gap.first} to {gap.last}: {100.0 * gap.own_gain:.0f} %" for gap in made.gaps)
    figure.suptitle(f"{clip.name}, keys each {seconds:g} s; share {shares}", parse_math=False)
    at = np.arange(len(frames)) * 0.75 * clip.skeleton.height
    for axis, title, one in zip(
        figure.subplots(3, 1), ("hidden", "interpolated", "filled"), (clip, plain.clip, made.clip), strict=True
    ):
        for colour, own in ((OWN, ~np.isin(frames, keys)), (KEY, np.isin(frames, keys))):
            stick_figures.draw(axis, one.taken(frames[own]), at[own], colour, aside=stick_figures.ASLANT)
        axis.set_xticks(at, [str(frame) for frame in frames], fontsize=7)
        axis.set_ylabel(title)
    return figure


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for k, row in enumerate(SHOWN):
        (folder / f"{k}_{row[0]}.png").write_bytes(png.as_png(strip(*row)))
