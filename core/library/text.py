"""Filter clips by words in their names, folders and labels (methods: Libraries of clips)."""

import re
from collections.abc import Callable
from pathlib import Path

from ..errors import LibraryError
from .storage import Entry

_WORD = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')


def matching_words(words: str) -> Callable[[Entry], bool]:
    """Return a predicate for entries that have all words, and none of the words with a minus before them.

    A word matches the beginning of a word: `walk` finds walks and walking, not sidewalk. Words in quotation marks,
    "slow walk", match as a phrase. Case does not matter. Raises LibraryError without any words.

    Example:
        >>> from action_loom.core.library import text
        >>> from action_loom.core.library.storage import Entry
        >>> fits = text.matching_words("walk -slow")
        >>> [fits(Entry(f"/captures/{name}.bvh")) for name in ("Walking_02", "slow walk", "sidewalk")]
        [True, False, False]
    """
    wanted: list[re.Pattern[str]] = []
    unwanted: list[re.Pattern[str]] = []
    for minus, quoted, plain in _WORD.findall(words):
        text = (quoted or plain).strip().lower()
        if re.search(r"\w", text):
            (unwanted if minus else wanted).append(re.compile(r"(?<![^\W_])" + re.escape(text)))
    if not wanted and not unwanted:
        raise LibraryError(f"There is no word in {words!r}: name some, such as slow walk turning left")

    def fits(entry: Entry) -> bool:
        text = text_of(entry)
        return all(word.search(text) for word in wanted) and not any(word.search(text) for word in unwanted)

    return fits


def text_of(entry: Entry) -> str:
    """Return the searched text of a clip: its last folders, file and label, in lower case.

    Example:
        >>> from action_loom.core.library import text
        >>> from action_loom.core.library.storage import Entry
        >>> text.text_of(Entry("/captures/Day 2/Walk_02.bvh", label="Slow"))
        '/ captures day 2 walk_02.bvh slow'
    """
    path = Path(entry.path)
    return " ".join([*path.parts[-4:-1], path.name, entry.label]).lower()
