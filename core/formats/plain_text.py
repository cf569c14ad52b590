"""Shared functions of text file readers: content, encoding, and the syntax of numbers."""

import os
import re

import numpy as np
from numpy.typing import NDArray

from .. import files
from ..errors import MotionFileError

LARGEST = 1e9  # limit of numbers: no motion needs larger ones, and computations with them overflow
BODY_LETTERS = "左右首頭头胸腰肩腕肘手足脚腿膝臀臂颈脊趾"  # letters of Japanese and Chinese words for body parts
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
# The syntax of numbers for every reader; Python would also accept 1_000, nan and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def content(path: str | os.PathLike[str], kind: str) -> bytes:
    """Return the bytes of a text file of a kind ("BVH"), without a byte order mark; raises MotionFileError.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from action_loom.core.formats import plain_text
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "one.csv").write_bytes(b"x,y")
        ...     plain_text.content(Path(folder, "one.csv"), "CSV")
        b'x,y'
    """

    def check_head(head: bytes) -> None:
        if b"\0" in head:
            raise MotionFileError(path, None, f"this is a binary file, not {kind} text")

    try:
        data = files.read(path, check_head=check_head).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise MotionFileError(path, None, f"can't be read ({error.strerror})") from None
    if not data or data.isspace():
        raise MotionFileError(path, None, "the file is empty")
    return data


def with_line_feeds(data: bytes) -> bytes:
    """Return text with line feeds as line ends; some old files only have carriage returns.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> plain_text.with_line_feeds(b"HIERARCHY\\rROOT")
        b'HIERARCHY\\nROOT'
    """
    return data.replace(b"\r", b"\n") if b"\r" in data and b"\n" not in data else data


def decode_text(data: bytes) -> str:
    """Return the text of bytes in UTF-8, Shift JIS, GB 18030 or, if invalid in all of these, Latin-1.

    Names have any encoding. The second bytes of Japanese and Chinese letters can look like braces in others. Text valid
    in both is decoded as the language with more of its words for body parts.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> plain_text.decode_text(b"hip")
        'hip'
    """
    texts = []
    for encoding in ("utf-8", "cp932", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-8":
            return text
        texts.append((sum(map(text.count, BODY_LETTERS)), encoding == "cp932", text))
    words, japanese, text = max(texts, default=(0, False, ""))
    # Western European names are valid GB 18030, too, but contain none of its words.
    return text if words or japanese else data.decode("latin-1")


def is_number(word: str) -> bool:
    """Return whether a word is a number, by the common syntax.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> plain_text.is_number("-1.5e3"), plain_text.is_number("1_000")
        (True, False)
    """
    return _NUMBER.fullmatch(word) is not None


def refuse_control(path: str | os.PathLike[str], text: str) -> None:
    """Raise MotionFileError for control characters, which no name needs and which readers treat differently."""
    found = _CONTROL.search(text)
    if found:
        raise MotionFileError(path, text.count("\n", 0, found.start()) + 1, f"{found.group()!r} is no text")


def describe_mismatch(found: str, *wanted: str) -> str:
    """Return the problem of words found in place of others, given in the file's own syntax; found : "" at the end.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> print(plain_text.describe_mismatch("ROOT a", "HIERARCHY"))
        expected HIERARCHY, found 'ROOT a'
    """
    syntax = " ".join(wanted)
    return f"expected {syntax}, found {found[:80]!r}" if found else f"expected {syntax}; the file ends"


def second(name: str) -> str:
    """Return the problem of something that a file may contain only once."""
    return f"there is a second {name!r}"


def not_a_number(column: int, word: str) -> str:
    """Return the problem of a non-numeric value, or of a number too large for computations.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> print(plain_text.not_a_number(3, "high"))
        value 3 is 'high', but must be a number up to 1e+09
    """
    return f"value {column} is {word[:40]!r}, but must be a number up to {LARGEST:g}"


def values_needed(given: int, wanted: int) -> str:
    """Return the problem of a row with too few or too many values.

    Example:
        >>> from action_loom.core.formats import plain_text
        >>> print(plain_text.values_needed(2, 3))
        there are 2 values, but 3 are needed
    """
    return f"there are {given} values, but {wanted} are needed"


def words_per_line(text: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of words of each nonempty line; the text must end in a line feed."""
    space = (text == 32) | ((text >= 9) & (text <= 13))
    starts = np.flatnonzero(~space & np.concatenate([[True], space[:-1]]))
    per_line = np.diff(np.searchsorted(starts, np.flatnonzero(text == 10)), prepend=0)
    return per_line[per_line > 0]
