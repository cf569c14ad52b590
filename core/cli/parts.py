"""Split a job file's jobs into parts for several machines."""

import re
from dataclasses import dataclass
from pathlib import Path

from .. import files
from ..errors import OptionError


@dataclass(frozen=True)
class Part:
    """One of several parts, counted from 1.

    Neighbouring jobs often have similar content and cost, so jobs are dealt in turn, which gives each part some of all
    kinds.
    """

    number: int
    of: int

    @property
    def tag(self) -> str:
        """The tag of file names, such as 03-of-16: sorted names are in the order of the parts."""
        return f"{self.number:0{len(str(self.of))}}-of-{self.of}"

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, place: int) -> bool:
        """Return whether the job at an index (from 0) belongs to this part."""
        return place % self.of == self.number - 1

    def part_path(self, path: Path) -> Path:
        """Return the path of this part's own file: r.03-of-16.json for r.json; a device or a pipe is unchanged."""
        return path if files.takes_bytes(path) else path.with_name(f"{path.stem}.{self.tag}{path.suffix}")


def read(text: str) -> Part:
    """Return the part named by a text such as 3/16; raises OptionError."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    part = Part(*map(int, found.groups())) if found else Part(0, 0)
    if not 1 <= part.number <= part.of:
        raise OptionError(f"--part is {text!r}, but must be K/N with K from 1 to N: 3/16 is the third of sixteen parts")
    return part
