"""Eight applications in one window: m shows the next, s pauses, the mouse turns the view.

python applications.py walk.bvh run.bvh
python applications.py walk.bvh run.bvh -o applications.png   all of them after half a second, as a picture
"""

import argparse

import numpy as np
from action_loom.core import verbs
from action_loom.core.edit import key_poses
from action_loom.core.formats import motion_file
from action_loom.core.motion import kinematics, quat, resample
from action_loom.core.motion.clip import join_clips
from matplotlib import pyplot, rcParams
from matplotlib.animation import FuncAnimation


class Window:
    """The interface of all applications: each is a clip, made of two; its posture is drawn, and events change it."""

    def __init__(self, one, other, axis):
        k, arm, hand = round(0.5 * one.rate), one.skeleton.roles["upper_arm.R"], one.skeleton.roles["hand.R"]
        at, goal = np.array([0, k, 2 * k, len(one) - 1]), kinematics.world(one)[1][k, hand] + [0.0, 0.0, 0.6]
        turn = verbs.Warp(bones=one.skeleton.names[arm], corrections=((k, 1, 0, 0, 80, 0, 0, 0),))
        between = [key_poses.between(one.cut(0, 1), one.cut(k, k + 1), share) for share in np.linspace(0.0, 1.0, 30)]
        self.clips = {
            "Playback": one,
            "Key frames": key_poses.interpolate_poses(one.take_frames(at), at, at, "ease"),
            "Forward kinematics": one,
            "Postures": join_clips(between),
            "Two motions": verbs.apply(verbs.Blend(), [one, other]).clip,
            "Transition": verbs.apply(verbs.Connect(), [one, other]).clip,
            "Deformation": verbs.apply(turn, [one]).clip,
            "Inverse kinematics": verbs.apply(verbs.Reach(target=(tuple(goal),), from_frame=k), [one]).clip,
        }
        self.names, self.seconds, self.going, self.axis = list(self.clips), 0.0, True, axis
        axis.figure.canvas.mpl_connect("key_press_event", lambda event: self.pressed(event.key))

    def pressed(self, key):
        self.going = self.going != (key == "s")
        self.names = self.names[1:] + self.names[:1] if key == "m" else self.names

    def draw(self, seconds):
        self.seconds += self.going * seconds
        clip = self.clips[self.names[0]]
        posture = resample.sample(clip, np.array([self.seconds * clip.rate % (len(clip) - 1)]))
        body, (places,), (turned,) = clip.skeleton, kinematics.points(posture), kinematics.world(posture)[0]
        self.axis.clear()
        for joint, above in [*enumerate(body.bearers), *enumerate(body.tipped, len(body))]:
            self.axis.plot(*places[[joint, max(above, 0)]].T, color="tab:blue")
        for k, colour in enumerate("rgb" if self.names[0] == "Forward kinematics" else ""):  # axes of the joints
            self.axis.quiver(*places[: len(body)].T, *quat.to_matrix(turned)[:, :, k].T, color=colour, length=0.15)
        (x, y), half = places[0, :2], 0.6 * body.height
        self.axis.set(xlim=(x - half, x + half), ylim=(y - half, y + half), zlim=(0, 2 * half), title=self.names[0])
        self.axis.set_box_aspect((1, 1, 1), zoom=1.6)
        self.axis.set_axis_off()


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("files", nargs=2)
parser.add_argument("-o", "--output")
asked = parser.parse_args()
one, other = (motion_file.read(path).clip for path in asked.files)
figure = pyplot.figure(figsize=(9.0, 5.0))
rcParams["keymap.save"] = []  # the letter s is the window's
window = Window(one, other, figure.add_subplot(projection="3d"))
if asked.output:
    window.axis.remove()
    for place in range(1, 9):
        window.axis = figure.add_subplot(2, 4, place, projection="3d")
        window.draw(0.5 if place == 1 else 0.0)
        window.pressed("m")
    pyplot.savefig(asked.output)
    print(f"{asked.output}: {', '.join(window.names)}")
else:
    playing = FuncAnimation(figure, lambda _: window.draw(1 / 30), interval=1000 / 30, save_count=1)
    pyplot.show()
