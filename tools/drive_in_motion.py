"""Draws the moving picture at the head of README.md: the demo figure is driven; docs/images/drive.webp.

Argument, if wanted: another path for the picture; its ending (.webp, .gif) says the format.
"""

import cmath
import sys
from pathlib import Path

import numpy as np
from action_loom.core import verbs
from action_loom.core.demo_character import actions, skin
from action_loom.core.motion import kinematics, quat
from action_loom.core.motion.clip import Clip
from action_loom.core.motion.quat import Array
from action_loom.core.verbs import Drive
from action_loom.core.verbs.drive import work
from PIL import Image, ImageDraw

OUT = Path(__file__).resolve().parents[1] / "docs" / "images" / "drive.webp"
SIZE, FINER = (760, 360), 2  # pixels; the supersampling factor that smooths edges
FPS, STAYS = 20, 8  # frames a second, frames that the last one stays
TURN, TILT = np.radians(62.0), np.radians(24.0)  # the view: about the vertical, and how far from above the ground
CLOTHES = {  # colours, and the bones (without their side) whose part of the body has them
    (205, 150, 120): ("head", "neck", "forearm", "hand"),
    (214, 212, 204): ("spine", "chest", "clavicle", "upper_arm"),
    (62, 84, 122): ("hips", "thigh", "shin"),
    (120, 52, 42): ("foot", "toe"),
}
GROUND, LINE, WISH, GONE, SHADOW = (246, 246, 244), (228, 228, 224), (240, 160, 48), (60, 154, 109), (205, 205, 200)
LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])


WISHES = (  # time, s; speed, m/s, and direction, degrees: keys that are held
    (0.0, 0.0, 180.0),
    (0.4, 1.3, 180.0),
    (1.8, 1.3, 260.0),
    (3.0, 3.0, 170.0),
    (4.0, 0.0, 170.0),
    (5.2, 0.0, 170.0),
)
AHEAD = 0.6  # s that the arrow of the wish is long


def driven() -> tuple[Clip, Array]:
    """Return the driven clip of the demo's actions and the requested velocity in each of its frames (F, 2)."""
    ways = [(time, speed * 1j * cmath.exp(1j * np.radians(angle))) for time, speed, angle in WISHES]
    recipe = Drive(wishes=tuple((time, way.real, way.imag) for time, way in ways), start=((0.0, 0.0, 180.0),))
    stand = actions.wave().take_frames(np.zeros(40, dtype=np.int64))
    clips = [actions.walk(), actions.run(), actions.turn_left(), actions.turn_right(), stand]
    clip: Clip = verbs.apply(recipe, clips).clip
    asked = work.read_wishes(recipe)
    steps = np.minimum(np.arange(len(clip)) * round(60 / clip.rate), len(asked) - 1)
    return clip, np.array([(asked[k].velocity.real, asked[k].velocity.imag) for k in steps])


def bodies(walk: Clip, frames: Array) -> Array:
    """Return the figure's vertices (F, V, 3) in some frames of a walk, in the world."""
    surface, (rest_turned, rest_at) = skin.skin(), walk.skeleton.rest
    turned, at = kinematics.world(walk.take_frames(frames))
    found = np.zeros((len(frames), *surface.vertices.shape))
    for joint in range(len(walk.skeleton)):
        moves = quat.mul(turned[:, joint], quat.inv(rest_turned[joint])[None])
        from_joint = surface.vertices - rest_at[joint]
        posed = quat.rotate(moves[:, None], from_joint[None]) + at[:, None, joint]
        found += surface.weights[None, :, joint, None] * posed
    return found


def colours(names: tuple[str, ...]) -> Array:
    """Return the colour (Q, 3) of each quad of the figure: of the bone with the most weight there."""
    surface = skin.skin()
    in_style = {bone: colour for colour, bones in CLOTHES.items() for bone in bones}
    of_joint = np.array([in_style[name.split(".")[0]] for name in names], dtype=float)
    return of_joint[surface.weights[surface.quads].sum(axis=1).argmax(axis=1)]


class View:
    """Projection of world points to pixels, scaled to fit a path and the person who walks it."""

    def __init__(self, path: Array) -> None:
        c, s = np.cos(TURN), np.sin(TURN)
        self.across = np.array([c, s, 0.0])
        self.up = np.array([-s * np.sin(TILT), c * np.sin(TILT), np.cos(TILT)])
        self.depth = np.array([-s * np.cos(TILT), c * np.cos(TILT), -np.sin(TILT)])
        ends = np.concatenate([np.column_stack([path, np.full(len(path), height)]) for height in (0.0, 1.85)])
        flat = np.stack([ends @ self.across, ends @ self.up], axis=1)
        low, high = flat.min(axis=0) - 0.45, flat.max(axis=0) + 0.25
        room = FINER * np.array(SIZE)
        self.scale = float((room / (high - low)).min())
        self.shift = 0.5 * room - 0.5 * self.scale * (low + high) * (1.0, 1.0)

    def at(self, points: Array) -> Array:
        """Return pixels (…, 2) of points (…, 3)."""
        flat = np.stack([points @ self.across, points @ self.up], axis=-1) * self.scale + self.shift
        flat[..., 1] = FINER * SIZE[1] - flat[..., 1]
        return flat


def ground_of(view: View) -> Image.Image:
    """Return the ground."""
    image = Image.new("RGB", (FINER * SIZE[0], FINER * SIZE[1]), GROUND)
    pen = ImageDraw.Draw(image)
    for metre in range(-12, 13):
        for ends in (((metre, -20), (metre, 12)), ((-12, metre - 4), (12, metre - 4))):
            pen.line(_pixels(view, np.array(ends, dtype=float)), fill=LINE, width=FINER)
    return image


def picture(view: View, ground: Image.Image, way: Array, wish: Array, body: Array, in_style: Array) -> Image.Image:
    """Return one picture: the path up to now (K, 2), the requested velocity (2,) and the current body (V, 3)."""
    image, quads = ground.copy(), skin.skin().quads
    pen = ImageDraw.Draw(image)
    if len(way) > 1:
        pen.line(_pixels(view, way), fill=GONE, width=3 * FINER, joint="curve")
    flat_shadow = body * (1.0, 1.0, 0.0) + body[:, 2:] * (-0.35, 0.3, 0.0)
    for quad in view.at(flat_shadow)[quads]:
        pen.polygon([tuple(corner) for corner in quad], fill=SHADOW)
    if wish.any():
        pen.line(_pixels(view, _arrow(way[-1], AHEAD * wish)), fill=WISH, width=4 * FINER, joint="curve")
    corners = body[quads]
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    seen = normals @ view.depth < 0.0
    shade = 0.55 + 0.45 * np.clip(normals @ LIGHT, 0.0, 1.0)
    lit = np.clip(in_style * shade[:, None], 0, 255).astype(int)
    order = np.argsort(-(corners.mean(axis=1) @ view.depth))
    flat = view.at(corners)
    for quad in order[seen[order]]:
        pen.polygon([tuple(corner) for corner in flat[quad]], fill=tuple(lit[quad]))
    return image.resize(SIZE, Image.Resampling.LANCZOS)


def _arrow(start: Array, along: Array) -> Array:
    """Return the points (5, 2) of an arrow as one line."""
    end, aside = start + along, np.array([-along[1], along[0]])
    wings = [end - 0.25 * along + side * 0.15 * aside for side in (1.0, -1.0)]
    return np.array([start, end, wings[0], end, wings[1]])


def _pixels(view: View, ground: Array) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in view.at(np.column_stack([ground, np.zeros(len(ground))]))]


def main(out: Path) -> None:
    clip, wished = driven()
    frames = np.round(np.arange(0.0, len(clip) - 0.5, clip.rate / FPS)).astype(np.int64)
    hips = kinematics.world(clip)[1][:, clip.skeleton.roles["hips"], :2]
    view = View(hips)
    ground, in_style = ground_of(view), colours(clip.skeleton.names)
    shown = [
        picture(view, ground, hips[: frame + 1 : 3], wished[frame], body, in_style)
        for frame, body in zip(frames, bodies(clip, frames), strict=True)
    ]
    shown += [shown[-1]] * STAYS
    options = {"lossless": False, "quality": 70, "method": 4} if out.suffix == ".webp" else {"optimize": True}
    shown[0].save(out, save_all=True, append_images=shown[1:], duration=1000 // FPS, loop=0, **options)
    seconds = len(shown) / FPS
    print(f"{out.name}: {len(shown)} pictures, {seconds:.1f} s, {out.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
