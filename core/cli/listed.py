"""Contacts that a user lists for motion files, as text: an option of reading them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import OptionError
from ..formats.motion_file import MotionFile
from ..motion.clip import FreeHand
from ..options import Option

_ROW = re.compile(r"\s*(\d+)\s+(\w+)\s+([\w.,]+)(?:\s+(\S+))?\s+(\d+)-(\d+)\s*")
KINDS = ("on", "rigid", "world", "prop", "hold", "on_partner", "by_partner")


@dataclass(frozen=True)
class Contacts(Option):
    """Rows of contacts, such as "1 hold LR 12-40; 1 on_partner L trunk 50-70"."""

    def checked(self, value: Any) -> Any:
        for row in _split(value):
            _read(row)
        return value


def _split(text: str) -> list[str]:
    return [row for row in text.split(";") if row.strip()]


def _read(row: str) -> tuple[int, FreeHand]:
    """Return the number of the clip and the contact, in frames of the clip."""
    found = _ROW.fullmatch(row)
    if found is None or found[2] not in KINDS or int(found[1]) < 1 or int(found[6]) < int(found[5]):
        raise OptionError(
            f"contacts: {row.strip()!r} is not a clip's number, a kind ({', '.join(KINDS)}), its sides, its part if it"
            " has one, and its frames, as in '1 on_partner L trunk 12-40'"
        )
    return int(found[1]), FreeHand(found[2], found[3], found[4] or "", int(found[5]), int(found[6]) + 1, True)


def add(files: Sequence[MotionFile], text: str) -> list[MotionFile]:
    """Return files whose clips have the listed contacts; raises OptionError for numbers of other clips."""
    made = list(files)
    for number, row in map(_read, _split(text)):
        if number > len(made):
            raise OptionError(f"contacts: there is no clip {number}")
        clip = made[number - 1].clip
        own = row._replace(begin=row.begin / clip.rate, end=row.end / clip.rate)
        made[number - 1] = replace(made[number - 1], clip=replace(clip, free_hands=(*clip.free_hands, own)))
    return made
