"""What readers of text files have in common: the content of a file, its letters, and what counts as a number."""

import os
import re
from pathlib import Path

from ..errors import MotionFileError

LARGEST = 1e9  # of numbers: nothing that moves is as long, and what is computed of them overflows
# What any reader takes for a number; Python itself would also take 1_000, nan and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def content(path: str | os.PathLike[str], kind: str) -> bytes:
    """Return the bytes of a text file of some kind ("BVH"), without a byte order mark; raises MotionFileError."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise MotionFileError(path, None, f"can't be read ({error.strerror})") from None
    except ValueError as error:  # a name that no file system takes
        raise MotionFileError(path, None, f"can't be read ({error})") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise MotionFileError(path, None, "the file is empty")
    if b"\0" in data[:4096]:
        raise MotionFileError(path, None, f"this is a binary file, not {kind} text")
    return data


def decoded(data: bytes) -> str:
    """Names come in any encoding; Japanese files' second bytes can look like braces in others."""
    for encoding in ("utf-8", "cp932"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def is_number(word: str) -> bool:
    """Say whether a word is what any reader takes for a number."""
    return _NUMBER.fullmatch(word) is not None
