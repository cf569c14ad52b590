"""What is searched for: a stretch of a clip as rows, on its own body and on one like captured people's.

Method: Libraries of clips.
"""

from ..bodies import carried, carry
from ..figure import body
from ..motion.clip import Clip
from . import feature
from .basis import Rows


def rows(clip: Clip, first: float, last: float) -> tuple[Rows, ...]:
    """Return the rows (M, WIDTH) of frames first … last of a clip: as it is and, of a person, on the figure's body.

    Characters have heads, shoulders and trunks like nobody captured: their poses as they are would be like no other's.
    Raises LibraryError as `feature.rows` does.
    """
    thin = feature.at_rate(clip)
    ways = [feature.rows(thin)]
    if carried.is_a_persons(clip.skeleton):
        ways.append(feature.rows(carry.onto_body(thin, body.skeleton())[0]))
    step = feature.RATE / clip.rate
    begin, end = round(first * step), round(last * step) + 1
    return tuple(way[begin:end] for way in ways)
