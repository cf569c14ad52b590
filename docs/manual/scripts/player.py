"""Plays a motion file in a window; the mouse turns the view.

python player.py walk.bvh                 s pauses and resumes, p and n step back and forward, w changes the speed,
                                          l opens another file
python player.py walk.bvh -o player.png   the first frame as a picture
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, resample
from matplotlib import pyplot, rcParams
from matplotlib.animation import FuncAnimation

SPEEDS = (1.0, 2.0, 0.25, 0.5)


class Player:
    """The time of a motion that plays, and the lines that show its posture."""

    def __init__(self, path, figure):
        self.figure, self.going, self.speed = figure, True, SPEEDS[0]
        figure.canvas.mpl_connect("key_press_event", lambda event: self.pressed(event.key))
        self.load(path)

    def load(self, path):
        self.path, self.clip, self.time = path, motion_file.read(path).clip, 0.0
        body = self.clip.skeleton
        self.bones = [(joint, above) for joint, above in enumerate(body.bearers) if above >= 0]
        self.bones += [(len(body) + k, joint) for k, joint in enumerate(body.tipped)]
        places = kinematics.points(self.clip)
        middle, far = (places.max((0, 1)) + places.min((0, 1))) / 2, np.ptp(places, (0, 1)).max() / 2
        x, y = (middle[k] + np.array([-far, far]) for k in (0, 1))
        self.figure.clear()
        self.axis = self.figure.add_subplot(projection="3d", xlim=x, ylim=y, zlim=(0, 2 * far), box_aspect=(1, 1, 1))
        self.lines = [self.axis.plot([], [], [], color="tab:blue", lw=3)[0] for _ in self.bones]

    def pressed(self, key):
        if key == "l":
            from tkinter import filedialog  # here, since Pythons without a window lack it

            self.load(filedialog.askopenfilename() or self.path)
        self.going = self.going != (key == "s")
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + (key == "w")) % len(SPEEDS)]
        if not self.going:
            self.time = np.clip(self.time + (key == "n") - (key == "p"), 0, len(self.clip) - 1)

    def shown(self, seconds):
        self.time = (self.time + self.going * self.speed * seconds * self.clip.rate) % len(self.clip)
        places = kinematics.points(resample.sample(self.clip, np.array([min(self.time, len(self.clip) - 1)])))[0]
        for line, bone in zip(self.lines, self.bones, strict=True):
            line.set_data_3d(*places[[*bone]].T)
        self.axis.set_title(f"frame {self.time:.1f}, {self.speed:g} times its speed")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("-o", "--output", type=Path)
asked = parser.parse_args()
rcParams["keymap.save"] = rcParams["keymap.pan"] = rcParams["keymap.yscale"] = []  # s, p and l are the player's
player = Player(asked.file, pyplot.figure())
player.shown(0.0)
if asked.output:
    pyplot.savefig(asked.output)
    print(f"{asked.output}: {player.axis.get_title()}")
else:
    playing = FuncAnimation(player.figure, lambda _: player.shown(1 / 30), interval=1000 / 30, save_count=1)
    pyplot.show()
