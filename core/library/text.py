"""Words that choose clips: by their names, their folders and what a table of labels says of them.

Method: Libraries of clips.
"""

import re
from collections.abc import Callable
from pathlib import Path

from ..errors import LibraryError
from .storage import Entry

_WORD = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')


def chosen(words: str) -> Callable[[Entry], bool]:
    """Return whether an entry has all of some words, and none of those with a minus before them.

    A word is found where one begins with it: `walk` finds walks and walking, not sidewalk; "slow walk" in quotation
    marks is found as it stands. Capitals do not matter. Raises LibraryError where no word is left.
    """
    wanted: list[re.Pattern[str]] = []
    unwanted: list[re.Pattern[str]] = []
    for minus, quoted, plain in _WORD.findall(words):
        text = (quoted or plain).strip().lower()
        if re.search(r"\w", text):
            (unwanted if minus else wanted).append(re.compile(r"(?<![^\W_])" + re.escape(text)))
    if not wanted and not unwanted:
        raise LibraryError(f"There is no word in {words!r}: name some, such as walk -sneak")

    def fits(entry: Entry) -> bool:
        text = text_of(entry)
        return all(word.search(text) for word in wanted) and not any(word.search(text) for word in unwanted)

    return fits


def text_of(entry: Entry) -> str:
    """Return what words are looked for in: a clip's file, the folders it is in, and its label, in small letters."""
    path = Path(entry.path)
    return " ".join([*path.parts[-4:-1], path.name, entry.label]).lower()
