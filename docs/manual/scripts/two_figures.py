"""Lets two figures' hands meet again as they did, after the second one was restyled or put on another body.

python two_figures.py wave.bvh partner.bvh larger.bvh             how both met, and the second as it is now
python two_figures.py wave.bvh partner.bvh larger.bvh --near 0.3  wrists up to 30 cm apart count as meeting
python two_figures.py push.bvh pushed.bvh larger.bvh --trunk      hands of the first on the second's trunk, too
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion.clip import Clip
from action_loom.core.plots import stick_figures
from action_loom.core.plots.png import as_png
from action_loom.core.weave import meeting
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
parser.add_argument(
    "--near", type=float, default=meeting.NEAR, help="metres from wrist to wrist (default: %(default)s)"
)
parser.add_argument("--trunk", action="store_true", help="hands of the first on the second's trunk, too")
parser.add_argument("-o", "--output", type=Path, default=Path("two_figures.png"))
asked = parser.parse_args()
one, other, changed = (motion_file.read(path).clip for path in asked.files)
found = meeting.meetings(one, other, asked.near, trunk=asked.trunk)
if not found:
    raise SystemExit(f"No hands are within {asked.near:g} m of each other for {meeting.LEAST:g} s")
before, now = (one, other), (one, changed)
placed = meeting.place_partner(before, now, found)
kept = meeting.restore_contacts(before, placed, found)
for each in found:
    print(f"{each.arm.replace('_', ' ')}, {each.other.replace('_', ' ')}: frames {each.first} to {each.last}")
steps = zip(("changed", "placed", "reached"), (now, placed, kept), strict=True)
print("off: " + ", ".join(f"{name} {100 * meeting.off(before, pair, found).max():.1f} cm" for name, pair in steps))
for clip, source in zip(kept, (asked.files[0], asked.files[2]), strict=True):
    path = asked.output.with_name(f"{Path(source).stem}_met.bvh")
    path.write_bytes(motion_file.compose(clip, path))
middle = (found[0].first + found[0].last) // 2
asked.output.write_bytes(
    as_png(drawn([before, now, kept], ["as they met", "one is changed", "they meet again"], middle))
)
