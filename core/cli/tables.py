"""Tables of numbers from files: the rows of an option that a command line or a job file names a file for."""

import re
from pathlib import Path

import numpy as np

from ..errors import LoomError

_DECIMAL_COMMA = re.compile(r"[0-9],[0-9]")


def read_rows(file: str) -> list[list[float]]:
    """Return the rows of a file of numbers separated by commas, semicolons or spaces.

    A first row of words and what follows a # are left out; all rows have as many numbers. Raises LoomError with file
    and line.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise LoomError(f"{file}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise LoomError(f"{file}: this is not UTF-8 text") from None
    rows: list[list[float]] = []
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0]
        if ";" in text and _DECIMAL_COMMA.search(text):
            raise LoomError(f"{file}, line {number}: write numbers with a point, 0.5; found {line.strip()[:40]!r}")
        words = text.replace(",", " ").replace(";", " ").split()
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


def is_table(text: str) -> bool:
    """Say whether a text is rows of numbers itself, and not the name of a file that has some."""
    return all(_is_number(word) for word in text.replace(";", " ").split())


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
