"""Writes the files that the other scripts' examples name: motions of the demo's figure, its mesh and its weights.

python files.py   walk.bvh, run.bvh, sneak.bvh, wave.bvh, partner.bvh, larger.bvh, body.obj and weights.txt
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions, skin
from action_loom.core.edit import reaching
from action_loom.core.formats import motion_file
from action_loom.core.motion import root_motion
from action_loom.core.motion.clip import Clip


def pair() -> dict[str, Clip]:
    """A wave, the same turned by half about its hand, so that both meet there, and that on a larger body."""
    wave = actions.wave()
    hand = reaching.ends(wave, reaching.limb_of(wave, "right_arm"), np.zeros(3))[50]
    partner = root_motion.place_clip(wave, np.pi, 2.0 * hand[:2])
    body = wave.skeleton
    grown = replace(body, offsets=1.15 * body.offsets, tips=1.15 * body.tips)
    larger = verbs.apply(verbs.Retarget(), [replace(partner, skeleton=grown), partner]).clip
    return {"wave": wave, "partner": partner, "larger": larger}


def mesh() -> str:
    """The figure's mesh at rest as OBJ: centimetres, y up."""
    body = skin.skin()
    lines = [f"v {x:.6f} {z:.6f} {-y:.6f}" for x, y, z in 100.0 * body.vertices]
    lines += ["f " + " ".join(str(corner + 1) for corner in quad) for quad in body.quads]
    return "\n".join(lines) + "\n"


def weights() -> str:
    """The mesh's weights: vertex, joint and weight."""
    given, names = skin.skin().weights, actions.walk().skeleton.names
    pairs = zip(*np.nonzero(given), strict=True)
    return "".join(f"{vertex + 1} {names[joint]} {given[vertex, joint]:.8f}\n" for vertex, joint in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    clips = {"walk": actions.walk(), "run": actions.run(), "sneak": actions.sneak(), **pair()}
    contents = {f"{name}.bvh": motion_file.compose(clip, Path(f"{name}.bvh")) for name, clip in clips.items()}
    contents |= {"body.obj": mesh().encode(), "weights.txt": weights().encode()}
    for name, content in contents.items():
        path = Path(name)
        if not path.exists():  # it may be the reader's own
            path.write_bytes(content)
        print(path)


if __name__ == "__main__":
    main()
