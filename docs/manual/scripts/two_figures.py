"""Lets two figures' hands meet again as they did, after the second one was restyled or put on another body.

python two_figures.py wave.bvh partner.bvh larger.bvh                   how both met, and the second as it is now
python two_figures.py wave.bvh partner.bvh larger.bvh --adapts partner  only the second one's arms move
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.contacts import couple, wanted
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from matplotlib.figure import Figure


def drawn(pairs: list[tuple[Clip, Clip]], titles: list[str], frame: int) -> Figure:
    """Draw each pair in one frame, from the side."""
    figure = Figure(figsize=(7.0, 2.6), layout="constrained")
    for place, (pair, title) in enumerate(zip(pairs, titles, strict=True)):
        axis = figure.add_subplot(1, len(pairs), place + 1, xticks=[], yticks=[], title=title)
        one, other = (clip.take_frames(np.array([frame])) for clip in pair)
        for clip, colour in ((one, "tab:blue"), (other, "tab:orange")):
            stick_figures.solid(axis, clip, np.zeros(1), colour, beside=one)
        tall = pairs[0][0].skeleton.height
        axis.set(xlim=(-tall, tall), ylim=(-0.2 * tall, 1.4 * tall))
    return figure


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs=3, metavar="FILE", help="the first figure, the second, and the second changed")
parser.add_argument("--adapts", choices=couple.ADAPTS, default="both", help="whose arms move (default: %(default)s)")
parser.add_argument("-o", "--output", type=Path, default=Path("two_figures.png"))
asked = parser.parse_args()
one, other, changed = (motion_file.read(path).clip for path in asked.files)
played = wanted.Played(one, 0, np.arange(float(len(one))), np.ones(len(one)))
kept, outcome = couple.keep_contacts(
    (one, changed), [played], couple.find_sources([played], {one: other}), asked.adapts
)
if not outcome.holds:
    raise SystemExit("No hands are in contact")
for row in outcome.as_report()["contacts"]:
    before, after = row["off_cm"]
    print(f"{row['contact']}, frames {row['first']} to {row['last']}: {before:.1f} → {after:.1f} cm off")
for clip, source in zip(kept, (asked.files[0], asked.files[2]), strict=True):
    path = asked.output.with_name(f"{Path(source).stem}_met.bvh")
    path.write_bytes(motion_file.compose(clip, path))
contact = outcome.holds[0].wanted.contact
pairs = [(one, other), (one, changed), kept]
titles = ["as they met", "one is changed", "they meet again"]
asked.output.write_bytes(as_png(drawn(pairs, titles, (contact.first + contact.end) // 2)))
