"""Read tables of numbers from files: option values that a command line or a job file gives as a file name."""

import re
from itertools import pairwise
from typing import Any

import numpy as np

from .. import files
from ..errors import LoomError
from ..formats import obj
from ..formats.conventions import settling
from ..motion import quat

_DECIMAL_COMMA = re.compile(r"[0-9],[0-9]")


def read_rows(file: str, name: str = "") -> list[list[float]]:
    """Return the rows of a text file of numbers separated by commas, semicolons or spaces, or of a named report.

    A header of words is skipped, # starts a comment, and all rows must have the same length. An OBJ file gives its
    triangles. Raises LoomError with file and line.
    """
    if file.lower().endswith(".obj"):
        return triangles(file)
    text = read_text(file)
    if file.lower().endswith(".json"):
        return _of_report(file, text, name)
    rows: list[list[float]] = []
    for number, line in enumerate(text.splitlines(), 1):
        row_text = line.partition("#")[0]
        if ";" in row_text and _DECIMAL_COMMA.search(row_text):
            raise LoomError(f"{file}, line {number}: write numbers with a point, 0.5; found {line.strip()[:40]!r}")
        words = row_text.replace(",", " ").replace(";", " ").split()
        try:
            row = [float(word) for word in words]
        except ValueError:
            if not rows and not any(_is_number(word) for word in words):
                continue
            raise LoomError(f"{file}, line {number}: expected numbers, found {line.strip()[:40]!r}") from None
        if len(row) == 1 or not np.isfinite(row).all():
            raise LoomError(f"{file}, line {number}: expected x and y, found {line.strip()[:40]!r}")
        if row and rows and len(row) != len(rows[0]):
            raise LoomError(f"{file}, line {number}: {len(row)} numbers, where the rows before have {len(rows[0])}")
        if row:
            rows.append(row)
    if not rows:
        raise LoomError(f"{file}: there are no numbers in it")
    return rows


def triangles(file: str) -> list[list[float]]:
    """Return the triangles of an OBJ file, which has Y up, as rows of three corners, Z up; raises MotionFileError."""
    mesh = obj.read(file)
    corners = quat.rotate(settling.TURNS["y"], mesh.vertices)[mesh.corners]
    rows = []
    for first, end in pairwise(mesh.begins.tolist()):
        rows += [corners[[first, k, k + 1]].reshape(-1).tolist() for k in range(first + 1, end - 1)]
    return rows


def read_text(file: str) -> str:
    """Return the text of a file; raises LoomError with its name."""
    try:
        return files.read(file, files.MOST_TEXT).decode("utf-8-sig")
    except OSError as error:
        raise LoomError(f"{file}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise LoomError(f"{file}: this is not UTF-8 text") from None


def _of_report(file: str, text: str, name: str) -> Any:
    """Return the rows of a report by their key; the option validates them later."""
    try:
        return files.read_json(text.encode())[name]
    except (ValueError, KeyError, TypeError):
        raise LoomError(f"{file}: this is no report that has {name!r}") from None


def is_table(text: str) -> bool:
    """Return whether a text contains rows of numbers itself, rather than a file name."""
    return all(_is_number(word) for word in text.replace(";", " ").split())


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
