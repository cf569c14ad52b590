"""Read and write asset catalogs, which Blender stores in a text file beside .blend files without an API."""

import uuid
from collections.abc import Iterable
from pathlib import Path

from ....core import files
from ....core.errors import LoomError

FILE = "blender_assets.cats.txt"
VERSION = "VERSION 1"
HEAD = f"""# This is an Asset Catalog Definition file for Blender.
#
# Empty lines and lines starting with `#` will be ignored.
# The first non-ignored line should be the version indicator.
# Other lines are of the format "UUID:catalog/path/for/assets:simple catalog name"

{VERSION}

"""
LONGEST = 63  # bytes of a catalog's simple name
_OURS = uuid.UUID("5d0a9a5c-6c2b-4f0e-9f5e-0c9b6f7f6a11")  # the namespace from which catalog ids are derived by path


def clean_path(path: str) -> str:
    """Return a catalog path in Blender's form, such as "Walks/Slow"; "" for none."""
    parts = (part.replace(":", "-").replace("\\", "-").strip() for part in path.split("/"))
    return "/".join(" ".join(part.split()) for part in parts if part)


def id_of(path: str) -> str:
    """Return the id for a path's catalog in files that do not have one yet."""
    return str(uuid.uuid5(_OURS, path))


def folder_of(blend: Path, libraries: Iterable[Path]) -> Path:
    """Return the folder with the catalogs of a .blend file, by Blender's own rules.

    This is the asset library that contains the file; otherwise the nearest parent folder with catalogs, or the file's
    own folder.
    """
    above = blend.resolve().parents
    inside = [root for root in (library.resolve() for library in libraries) if root in above]
    if inside:
        return max(inside, key=lambda root: len(root.parts))
    return next((folder for folder in above if (folder / FILE).is_file()), blend.resolve().parent)


def ensure(folder: Path, path: str) -> str:
    """Return the id of a path's catalog in a folder's file, adding a line if it is missing.

    Existing lines stay untouched. Raises LoomError for a file that can't be read or written.
    """
    file = folder / FILE
    try:
        text = file.read_bytes().decode("utf-8", errors="surrogateescape") if file.is_file() else ""
    except OSError as error:
        raise LoomError(f"{file}: can't be read ({error.strerror})") from None
    there = _catalogs(file, text)
    for known, its_path in there:
        if its_path == path:
            return known
    new = id_of(path)
    if new in (known for known, _ in there):  # the catalog has been moved or renamed
        new = str(uuid.uuid4())
    end = "\r\n" if "\r\n" in text else "\n"
    text = text or HEAD
    text += ("" if text.endswith("\n") else end) + f"{new}:{path}:{_simple(path)}{end}"
    files.write(file, text.encode("utf-8", errors="surrogateescape"))
    return new


def _catalogs(file: Path, text: str) -> list[tuple[str, str]]:
    """Return ids and paths of the catalogs in a file; raises LoomError for an unknown version."""
    lines = (line.strip("\ufeff\r ") for line in text.split("\n"))
    entries = [line for line in lines if line and not line.startswith("#")]
    if text.strip() and entries[:1] != [VERSION]:
        raise LoomError(f"{file} is not of version 1, so no catalog was added: add it in the Asset Browser")
    found = []
    for line in entries[1:]:
        parts = line.split(":")
        try:
            found.append((str(uuid.UUID(parts[0].strip())), clean_path(parts[1])))
        except (ValueError, IndexError):
            continue  # Blender skips it, too
    return found


def _simple(path: str) -> str:
    """Return the simple name, the only readable hint at the path once the catalog file is lost."""
    return path.replace("/", "-").encode("utf-8")[:LONGEST].decode("utf-8", errors="ignore")
