"""Queries: a stretch of a clip as rows, on its own body and on the demo body (methods: Libraries of clips)."""

from ..bodies import carried, carry
from ..demo_character import body
from ..motion.clip import Clip
from . import feature
from .basis import Rows


def rows(clip: Clip, first: float, last: float) -> tuple[Rows, ...]:
    """Return the rows (M, WIDTH) of frames first … last of a clip, on its own body and, for a human, on the demo body.

    Heads, shoulders and trunks of characters differ from captured people, so unconverted poses would match nothing.
    Raises LibraryError as `feature.rows` does.

    Example:
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.library import asking
        >>> [query.shape for query in asking.rows(actions.wave(), 20, 79)]  # 2 s
        [(60, 108), (60, 108)]
    """
    thin = feature.at_rate(clip)
    forms = [feature.rows(thin)]
    if carried.is_a_persons(clip.skeleton):
        forms.append(feature.rows(carry.onto_body(thin, body.skeleton(), hands=False)[0]))
    step = feature.RATE / clip.rate
    begin, end = round(first * step), round(last * step) + 1
    return tuple(form[begin:end] for form in forms)
