"""A style as one file: its strides and their labels (methods: Style)."""

import io
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import files
from ..errors import LoomError
from ..motion.quat import Array
from ..motion.skeleton import Skeleton
from .form import PHASES, Form
from .material import LEAST, Material
from .style import Style

VERSION = 1
_SKELETON = ("parents", "offsets", "orients", "tips")


def save(style: Style, path: str | os.PathLike[str]) -> None:
    """Write a style atomically; raises LoomError if it can't be written."""
    files.write(path, compose(style))


def compose(style: Style, harmonics: int = 0) -> bytes:
    """Return the content of a style's file.

    harmonics : number of harmonics of a stride stored, in half precision, for a small file; 0 stores all phases

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit, storage
        >>> style = fit.fit([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> storage.read(storage.compose(style), "walks.style").name
        'walk + sneak'
    """
    of, skeleton = style.material, style.form.skeleton
    about = {
        "version": VERSION,
        "name": style.name,
        "report": dict(style.report),
        "names": list(skeleton.names),
        "roles": skeleton.roles,
        "leg_count": skeleton.leg_count,
        "clips": list(of.clips),
        "people": list(of.people),
        "columns": {column: list(values) for column, values in of.columns.items()},
        "left_out": list(of.left_out),
        "gait": of.gait,
        "shipped": style.shipped,
    }
    arrays: dict[str, Any] = {name: getattr(skeleton, name) for name in _SKELETON}
    arrays |= {"joints": style.form.joints, "means": style.form.means, **_pack_rows(of.rows, harmonics)}
    arrays |= {"seconds": of.seconds, "of": of.of, "frames": of.frames}
    arrays["text"] = np.frombuffer(json.dumps(about).encode("utf-8"), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _pack_rows(rows: Array, harmonics: int) -> dict[str, Any]:
    """Return rows (n, P, C) as an array of a file."""
    if not harmonics:
        return {"rows": rows.astype(np.float32)}
    spectra = np.fft.rfft(rows, axis=1)[:, : harmonics + 1] / PHASES
    return {"spectra": np.stack([spectra.real, spectra.imag]).astype(np.float16)}


def _rows(arrays: Mapping[str, Any]) -> Array:
    """Return the rows (n, P, C) of a file; raises KeyError if there are none."""
    if "spectra" not in arrays:
        return np.asarray(arrays["rows"], dtype=np.float64)
    real, imaginary = arrays["spectra"].astype(np.float64)
    return np.fft.irfft(PHASES * (real + 1j * imaginary), n=PHASES, axis=1)


def load(path: str | os.PathLike[str]) -> Style:
    """Return a style read from a file; raises LoomError with the file's name if it is unreadable or not a style.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.recipes.style import StyleOptions
        >>> from action_loom.core.style import fit, storage
        >>> style = fit.fit([actions.walk(cycles=5), actions.sneak(cycles=5)], StyleOptions(mirror=False))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     size = Path(folder, "walks.style").write_bytes(storage.compose(style))
        ...     len(storage.load(Path(folder, "walks.style")).material)
        10
    """
    try:
        content = files.read(path)
    except OSError as error:
        raise LoomError(f"{path}: can't be read ({error.strerror})") from None
    return read(content, str(path))


def read(content: bytes, path: str) -> Style:
    """Return the style of a file's content; raises LoomError with the file's name, `path`, if it is not a style.

    Example:
        >>> from action_loom.core.errors import LoomError
        >>> from action_loom.core.style import storage
        >>> try:
        ...     storage.read(b"no style", "walks.style")
        ... except LoomError as error:
        ...     print(error)
        walks.style: this is not a style that Action Loom has made
    """
    try:
        with np.load(files.open_archive(content), allow_pickle=False) as arrays:
            about = files.read_json(arrays["text"].tobytes())
            if about["version"] == VERSION:
                return _style(about, files.read_numbers(arrays))
    except Exception:  # a broken or foreign file can raise anything in its readers
        raise LoomError(f"{path}: this is not a style that Action Loom has made") from None
    raise LoomError(f"{path}: this style was made by another version of Action Loom; learn it again")


def _style(about: dict[str, Any], arrays: Mapping[str, Any]) -> Style:
    """Return the style of a file's description and arrays; raises ValueError for invalid values."""
    parents, offsets, orients, tips = (arrays[name] for name in _SKELETON)
    names, legs = tuple(about["names"]), about.get("leg_count", 0)
    skeleton = Skeleton(names, parents, offsets, orients, tips, about["roles"], leg_count=legs)
    joints, of = (_whole_numbers(arrays[name]) for name in ("joints", "of"))
    means, seconds, frames = (np.asarray(arrays[name], dtype=np.float64) for name in ("means", "seconds", "frames"))
    form = Form(skeleton, joints, means)
    rows, count = _rows(arrays), len(seconds)
    clips, people = tuple(map(str, about["clips"])), tuple(map(str, about["people"]))
    columns = {str(column): tuple(map(str, values)) for column, values in about["columns"].items()}
    whole = (
        rows.shape == (count, PHASES, form.channels)
        and form.means.shape == (len(form.joints) + 1, 4)
        and count >= LEAST
        and of.shape == seconds.shape == (count,)
        and frames.shape == (count, 2)
        and 0 <= of.min() <= of.max() < len(clips) == len(people)
        and all(len(values) == len(clips) for values in columns.values())
        and 0 <= form.joints.min() <= form.joints.max() < len(skeleton)
        and bool(np.isfinite(rows).all() and np.abs(rows).max() < 1e6 and np.isfinite(frames).all())
        and max(np.abs(skeleton.offsets).max(), np.abs(skeleton.tips).max()) < 1e6
        and 0.0 < seconds.min() <= seconds.max() < 1e6
        and bool(np.abs(np.linalg.norm(form.means, axis=1) - 1.0).max() < 1e-3)
        and (not about.get("shipped") or "manner" in columns)  # as `shipped` wants
        and all(isinstance(joint, int) and 0 <= joint < len(skeleton) for joint in skeleton.roles.values())
    )
    if not whole:
        raise ValueError
    material = Material(
        form,
        rows,
        seconds,
        of,
        clips,
        people,
        columns,
        frames,
        tuple(map(str, about["left_out"])),
        bool(about["gait"]),
    )
    return Style(material, str(about["name"]), _report(about["report"]), shipped=bool(about.get("shipped")))


def _whole_numbers(values: Any) -> Any:
    """Return an array (n,) of integers; raises ValueError for another."""
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError
    return values


def _report(report: Any) -> dict[str, Any]:
    """Return a report; raises ValueError if an entry required later is missing."""
    kinds = {"names": list, "warnings": list, "hashes": list, "style": dict, "seconds_taken": float}
    whole = all(isinstance(report.get(key), kind) for key, kind in kinds.items())
    if not whole or not all(isinstance(text, str) for text in (*report["names"], *report["warnings"])):
        raise ValueError
    return dict(report)
