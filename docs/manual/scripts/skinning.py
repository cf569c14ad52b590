"""Skinning: a mesh at rest and in a posture, each vertex moved by the joints that it has weights of.

python skinning.py walk.bvh body.obj weights.txt --frame 12

Files as `action-loom skin` reads them; mesh and motion have the same unit and axes, y up.
"""

import argparse
from pathlib import Path

import numpy as np
from action_loom.core.formats import motion_file, obj, weights
from action_loom.core.plots.png import as_png
from action_loom.core.skin import normals, playing
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure


def skinned(vertices: np.ndarray, shares: np.ndarray, rest: np.ndarray, posed: np.ndarray) -> np.ndarray:
    """Vertices (V, 3): the sum of w M M0^-1 p0; shares w (V, J), matrices of joints M0 and M (J, 4, 4)."""
    moves = posed @ np.linalg.inv(rest)
    at_rest = np.concatenate([vertices, np.ones((len(vertices), 1))], axis=1)
    return np.einsum("vj,jik,vk->vi", shares, moves, at_rest)[:, :3]


def draw(figure: Figure, place: int, mesh: obj.ObjMesh, vertices: np.ndarray) -> None:
    """Draw the faces, far ones first, brighter if they face the viewer."""
    view = np.array([[0.8, 0.0, 0.6], [0.0, 1.0, 0.0], [-0.6, 0.0, 0.8]])  # from the front and slightly from the side
    seen = vertices @ view.T
    bright = normals.of_faces(vertices.astype("f4"), mesh.corners.astype("i4"), mesh.begins.astype("i4")) @ view[2]
    order = sorted(np.split(mesh.corners, mesh.begins[1:-1]), key=lambda face: float(seen[face, 2].mean()))
    colours = [str(np.clip(0.4 + 0.5 * bright[face].mean(), 0.0, 1.0)) for face in order]
    axis = figure.add_subplot(1, 2, place, aspect="equal", xticks=[], yticks=[])
    axis.add_collection(PolyCollection([seen[face, :2] for face in order], facecolors=colours, edgecolors="face"))
    axis.autoscale_view()


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("mesh")
parser.add_argument("weights")
parser.add_argument("--frame", type=int, default=0)
parser.add_argument("-o", "--output", type=Path, default=Path("skinning.png"))
asked = parser.parse_args()
clip = motion_file.read(asked.file, unit="m", up="z").clip  # as written, in whatever unit and axes that is
mesh = obj.read(asked.mesh)
given = weights.read(asked.weights, clip.skeleton.names, len(mesh.vertices))
if not given.totals.all():
    parser.error("a vertex has no weight")
shares, joints = np.zeros((len(mesh.vertices), len(clip.skeleton))), range(len(clip.skeleton))
np.add.at(shares, (np.repeat(np.arange(len(shares)), np.diff(given.first)), given.joints), given.weights)
shares /= given.totals[:, None]
rest, posed = playing.at_rest(clip.skeleton, joints), playing.in_frame(clip, asked.frame, joints)
vertices = skinned(mesh.vertices, shares, rest, posed)
figure = Figure(figsize=(5.0, 3.6), layout="constrained")
for place, shown in ((1, mesh.vertices), (2, vertices)):
    draw(figure, place, mesh, shown)
asked.output.write_bytes(as_png(figure))
print(f"{asked.output}: {len(vertices)} vertices of frame {asked.frame}")
