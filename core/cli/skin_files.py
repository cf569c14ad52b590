"""The output files of `action-loom skin`: an OBJ file for each frame, or all frames as arrays."""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import files
from ..errors import LoomError, OptionError, some
from ..formats.obj import ObjMesh, ObjText
from ..progress import Progress
from ..skin import normals
from ..skin.normals import Floats
from ..skin.skin import Skin, extend_surface
from . import outputs

MOVED, FACES = "moved", "faces"
MOST_PLACES = 50_000_000  # vertices times frames in one file: 1.2 GB, and twice that during writing


@dataclass(frozen=True, eq=False)
class Surface:
    """A moving mesh: its vertices, followed by an additional point for each corner normal of the file.

    corner_normals (C,) : index of the normal written at each corner, −1 for none; normals belong to the points from
        `first_normal` on
    made : whether normals are computed from the faces of each frame
    """

    mesh: ObjMesh
    points: Skin
    corner_normals: NDArray[np.int64]
    first_normal: int
    made: bool


@dataclass(frozen=True)
class Destination:
    """The destination of a mesh: `paths` of one .npz file, or of an OBJ file for each frame."""

    paths: Sequence[Path]
    folders: Sequence[Path]
    arrays: bool

    def notes(self, mesh: ObjMesh) -> list[str]:
        """Return a note on material files that are not next to the new files."""
        missing = [name for name in mesh.libraries if not os.path.exists(self.paths[0].parent / name)]
        if self.arrays or not missing:
            return []
        return [f"materials are looked for beside the new files: copy {some(missing)} to {self.paths[0].parent}"]


def destination(output: str, title: str, frames: NDArray[np.int64]) -> Destination:
    """Return the destination of frames; raises OptionError for an output that is neither a folder nor a known file."""
    folder = outputs.folder(output)
    if folder is not None:
        digits = max(4, len(str(frames[-1])))
        names = [files.file_name(title, f"_{frame:0{digits}d}.obj") for frame in frames.tolist()]
        return Destination([folder / name for name in names], [folder], False)
    ending = Path(output).suffix.lower()
    if ending == ".npz":
        return Destination([Path(output)], [], True)
    if ending == ".obj" and len(frames) == 1:
        return Destination([Path(output)], [], False)
    if ending == ".obj":
        raise OptionError(f"{output} is one file, but there are {len(frames)} frames; name a folder (FOLDER/)")
    raise OptionError(f"{output} must end in .npz, or be a folder for OBJ files (FOLDER/)")


def surface(mesh: ObjMesh, bound: Skin, kind: str) -> Surface:
    """Return a mesh with its normals for writing.

    MOVED : normals of the file at its corners, each moved with its vertex, so that hard edges stay hard; without
        normals in
        the file, vertex normals. FACES : vertex normals, recomputed in each frame.
    """
    written = mesh.corner_normals >= 0
    if kind == FACES or not written.any():
        return Surface(mesh, bound, mesh.corners, 0, kind == FACES)
    pairs = np.stack([mesh.corners[written], mesh.corner_normals[written]], axis=1)
    different, which = np.unique(pairs, axis=0, return_inverse=True)
    corner_normals = np.full(len(mesh.corners), -1)
    corner_normals[written] = which.ravel()
    given = mesh.normals[different[:, 1]]
    lengths = np.linalg.norm(given, axis=1, keepdims=True)
    points = extend_surface(bound, different[:, 0], given / np.where(lengths > 0.0, lengths, 1.0))
    return Surface(mesh, points, corner_normals, len(bound), False)


def write(
    place: Destination,
    moving: Surface,
    poses: Iterator[tuple[Floats, Floats]],
    facts: Mapping[str, Any],
    progress: Progress,
    force: bool,
) -> None:
    """Write the poses of a surface, one for each of the frames in `facts`; raises LoomError."""
    count = len(facts["frames"])
    if place.arrays:
        _check_size(place.paths[0], count, len(moving.mesh.vertices))
    shown = _move_mesh(moving, poses, count, progress)
    if place.arrays:
        content = _arrays(moving, shown, facts)
        progress.at(1.0, "Writing")
        outputs.write({place.paths[0]: content}, force)
        return
    text = ObjText(moving.mesh, moving.corner_normals, len(moving.points) - moving.first_normal)
    vertices = len(moving.mesh.vertices)
    for path, (places, turned) in zip(place.paths, shown, strict=True):
        outputs.write({path: text.filled(places[:vertices], turned[moving.first_normal :])}, force)


def _move_mesh(
    moving: Surface, poses: Iterator[tuple[Floats, Floats]], count: int, progress: Progress
) -> Iterator[tuple[Floats, Floats]]:
    for k, (places, turned) in enumerate(poses):
        progress.at(k / count, "Moving the mesh")
        if moving.made:
            turned = normals.of_faces(places, moving.points.corners, moving.points.faces)
        yield places, turned


def _check_size(path: Path, frames: int, vertices: int) -> None:
    if frames * vertices > MOST_PLACES:
        raise LoomError(
            f"{path} would have {frames:,} frames of {vertices:,} vertices, more than fit in memory; take every "
            f"{-(-frames * vertices // MOST_PLACES)}th (--frames FIRST:LAST:STEP), or OBJ files in a folder (FOLDER/)"
        )


def _arrays(moving: Surface, shown: Iterator[tuple[Floats, Floats]], facts: Mapping[str, Any]) -> bytes:
    vertices = len(moving.mesh.vertices)
    places, turned = (np.empty((len(facts["frames"]), vertices, 3), np.float32) for _ in range(2))
    for k, (one, other) in enumerate(shown):
        places[k], turned[k] = one[:vertices], other[:vertices]
    written = io.BytesIO()
    surface: dict[str, Any] = {"corners": moving.points.corners, "faces": moving.points.faces}
    np.savez(written, vertices=places, normals=turned, **surface, **facts)
    return written.getvalue()
