"""Parts of a job file's jobs, which several machines do side by side, each its own."""

import re
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import OptionError


@dataclass(frozen=True)
class Part:
    """One of so many parts; counts from 1.

    Neighbours in a file are often alike, and so are their costs: parts take turns, so that each gets some of all kinds.
    """

    number: int
    of: int

    @property
    def tag(self) -> str:
        """What names of files get, in the parts' order where they are sorted: 03-of-16."""
        return f"{self.number:0{len(str(self.of))}}-of-{self.of}"

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, place: int) -> bool:
        """Return whether the job at a place (from 0) of all is one of this part."""
        return place % self.of == self.number - 1

    def named(self, path: Path) -> Path:
        """Return the path of this part's own file, r.03-of-16.json for r.json; a device or a pipe stays as it is."""
        return path if files.takes_bytes(path) else path.with_name(f"{path.stem}.{self.tag}{path.suffix}")


def read(text: str) -> Part:
    """Return the part that a text such as 3/16 names; raises OptionError."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    part = Part(*map(int, found.groups())) if found else Part(0, 0)
    if not 1 <= part.number <= part.of:
        raise OptionError(f"--part is {text!r}, but must be K/N with K from 1 to N: 3/16 is the third of sixteen parts")
    return part
