"""Files of strangers that do no damage as text: schemas that compute, archives that inflate, pipes, and links."""

import io
import os
import random
import shutil
import sqlite3
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path

from action_loom.core.cli import jobfile, outputs
from action_loom.core.cli.motion_files import MotionFiles
from action_loom.core.demo_character import actions
from action_loom.core.errors import LoomError
from action_loom.core.formats import bvh, motion_file, obj
from action_loom.core.graph import storage as graphs
from action_loom.core.library import index
from action_loom.core.library import storage as libraries
from action_loom.core.style import storage as styles

ENDLESS = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n)"
READERS = {
    ".bvh": motion_file.read,
    ".amc": motion_file.read,
    ".obj": obj.read,
    ".npz": graphs.load,
    ".style": styles.load,
    ".csv": index.read_labels,
    ".toml": lambda path: jobfile.read(MotionFiles(), str(path), {}),
    ".loomlib": libraries.read,
}


@cache
def _library(folder: Path) -> Path:
    (folder / "clips").mkdir(exist_ok=True)
    bvh.write(bvh.from_clip(actions.wave(30.0)), folder / "clips" / "wave.bvh")
    index.update(str(folder / "plain.loomlib"), [str(folder / "clips")])
    return folder / "plain.loomlib"


def schemas(rng: random.Random, folder: Path) -> None:
    """A library with further objects in its table must be refused, by readers and by writers."""
    place = folder / "schema.loomlib"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(_library(folder), place)
    name, table = rng.choice(("clips", "about", "more", "x y", "é")), rng.choice(("clips", "about"))
    event = rng.choice(("INSERT", "UPDATE", "DELETE"))
    body = rng.choice((f"INSERT INTO about {ENDLESS} SELECT k, k, k, k FROM n", "DELETE FROM clips", "SELECT 1"))
    script = rng.choice(
        (
            f'DROP TABLE {table}; CREATE VIEW "{name if name != "about" else table}" AS {ENDLESS} SELECT k FROM n',
            f'CREATE TRIGGER "{name}" {rng.choice(("BEFORE", "AFTER"))} {event} ON {table} BEGIN {body}; END',
            f"CREATE INDEX i ON {table} ({'path' if table == 'clips' else 'file'} || 'x')",
            f"CREATE TABLE more (a {rng.choice(('TEXT', 'INTEGER PRIMARY KEY AUTOINCREMENT', 'AS (1)  , b'))})",
            f"ALTER TABLE {table} ADD COLUMN more AS (hex(zeroblob({rng.choice((9, 400_000_000))})))",
            f"ALTER TABLE {table} ADD COLUMN more DEFAULT 1",
            "ANALYZE",
        )
    )
    with closing(sqlite3.connect(place / libraries.TABLE)) as connection:
        try:
            connection.executescript(script)
        except sqlite3.Error:  # SQLite itself refuses this combination
            return
    for use in (libraries.read, lambda path: index.update(str(path), [str(folder / "clips")])):
        _expect_refusal(use, place)


def bombs(rng: random.Random, folder: Path) -> None:
    """An archive that inflates to more than it declares, or declares more than is allowed, must be refused."""
    path, written = folder / "case.npz", io.BytesIO()
    how = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(written, "w", how) as archive:
        for name in ("about", "text", "rotations", "rows"):
            shape = rng.choice(("(3,)", "(1000000000000,)", "(99999999, 0)", "(" * 400, "(-1,)", "(10**30,)"))
            kind = rng.choice(("|u1", "<f8", "|V0", "<U0", "|O", "<f16", "<U999999999"))
            head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
            size = rng.choice((0, 3, 1000, 3_000_000))
            body = rng.choice((bytes(size), b"[" * size, b"{}", b'{"version": 1}'))
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body)
        for member in archive.infolist():
            if rng.random() < 0.3:
                member.file_size = rng.choice((0, 1, 2**31, 2**40, 2**62))
    path.write_bytes(written.getvalue())
    for use in (graphs.load, styles.load):
        _expect_refusal(use, path)


def pipes(rng: random.Random, folder: Path) -> None:
    """A pipe, a device, a folder and a link to them must be refused by every reader, at once."""
    ending = rng.choice(sorted(READERS))
    path = folder / f"pipe{ending}"
    made = path
    if ending == ".loomlib":
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(_library(folder), path)
        made = path / rng.choice((libraries.TABLE, f"{libraries.TABLE}-journal", "rows-1.f16"))
    made.unlink(missing_ok=True)
    kind = rng.choice((0, 1, 3) if made.suffix == ".f16" else (0, 1, 2, 3))  # surplus rows are not an error
    if kind == 0:
        os.mkfifo(made)
    elif kind == 1:
        made.symlink_to(rng.choice(("/dev/zero", "/dev/tty", "/dev/full", "/", "nowhere", made.name)))
    elif kind == 2:
        with open(made, "wb") as sparse:
            sparse.truncate(rng.choice((2**31, 2**40)))
    else:
        (folder / "far").unlink(missing_ok=True)
        os.mkfifo(folder / "far")
        made.symlink_to(folder / "far")
    try:
        _expect_refusal(READERS[ending], path)
    finally:
        made.unlink()


def links(rng: random.Random, folder: Path) -> None:
    """An output that is an input, by a link, another case or another form of letters, must be refused."""
    there = folder / "Café.bvh"
    there.write_text("precious")
    spellings = ["Café.bvh", "CAFÉ.BVH", "cafe\u0301.bvh", "./Café.bvh", "link.bvh", "link/Café.bvh", "ｃafé.bvh"]
    if (folder / "far").is_fifo():
        (folder / "far").unlink()
    (folder / "far").mkdir(exist_ok=True)
    for name, target in (("link.bvh", there), ("link", folder)):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)
    name = rng.choice(spellings)
    try:
        outputs.check([folder / name], True, inputs=[there])
    except LoomError:
        if name == "ｃafé.bvh":
            raise AssertionError("another name was refused") from None
        raise
    assert name == "ｃafé.bvh", name


def _expect_refusal(use: object, path: Path) -> None:
    try:
        use(path)  # type: ignore[operator]
    except LoomError:
        return
    raise AssertionError(f"{path.name} was accepted")


KINDS = {"schemas": schemas, "bombs": bombs, "pipes": pipes, "links": links}
