"""The rows that standing bodies play (methods: Drive)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..variation.guide import GOLDEN

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Idling:
    """Rows (T,) that standing bodies play, in one loop or several; after (T,) : the place of the next one in `rows`.

    entry (R,) : the row of a loop with which each row of the database continues, itself in loops, −1 without one
    """

    rows: Rows
    after: Rows
    entry: Rows

    def find(self, row: int, step: int) -> int:
        """Return a place at which a row is played, another one at another step.

        Example:
            >>> import numpy as np
            >>> from action_loom.core.drive.idling import Idling
            >>> idling = Idling(np.array([5, 6, 5]), np.array([1, 2, 0]), np.arange(9))
            >>> [idling.find(5, step) for step in (0, 1, 2)]
            [0, 2, 0]
        """
        places = np.flatnonzero(self.rows == row)
        return int(places[step % len(places)])

    def begin(self, place: int, number: int) -> int:
        """Return the row at which a body of a number begins in the loop of a place; number 0 begins there.

        Example:
            >>> import numpy as np
            >>> from action_loom.core.drive.idling import Idling
            >>> idling = Idling(np.array([5, 6, 7]), np.array([1, 2, 0]), np.arange(9))
            >>> [idling.begin(1, number) for number in (0, 1, 2)]
            [6, 7, 6]
        """
        loop = [place]
        while (after := int(self.after[loop[-1]])) != place:
            loop.append(after)
        return int(self.rows[loop[int(number * GOLDEN % 1.0 * len(loop))]])


NONE = Idling(*np.empty((3, 0), dtype=np.int64))
