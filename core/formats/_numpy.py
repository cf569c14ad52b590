"""Parse numbers with numpy: the same numbers as `_numba`, to the last bit."""

import warnings

import numpy as np
from numpy.typing import NDArray

from ..motion.quat import Array

TOGETHER = 1 << 17  # bytes read per block, which fits a processor's cache
_DIGITS, _EXACT = 8, 15  # digits before or after the point parsed at once; number of digits of exact integers
_OTHER, _DIGIT, _POINT, _SIGN, _SPACE = range(5)
_LETTERS = {_DIGIT: b"0123456789", _POINT: b".", _SIGN: b"+-", _SPACE: b" \t\n\r\v\f"}
_KINDS = bytes(next((kind for kind, letters in _LETTERS.items() if k in letters), _OTHER) for k in range(256))
_TENS = 10.0 ** np.arange(_DIGITS + 1)
# Masks of the last k of eight bytes, by k; the first letter is the lowest byte.
_OWN = np.array([0x0F0F0F0F0F0F0F0F >> 8 * k << 8 * k for k in range(_DIGITS, -1, -1)], dtype=np.uint64)


def rows(text: NDArray[np.uint8], values: Array) -> int:
    """Write the rows of a text, which ends in a line feed, to `values`; return their number, or −1 if one is wrong."""
    width = values.shape[1]
    if not width:
        return -1
    numbers, at, filled = values.reshape(-1), 0, 0
    while at < len(text):
        part = text[at : at + TOGETHER]
        lines = np.flatnonzero(part == 10)
        if not len(lines):
            part = text[at:]
            lines = np.flatnonzero(part == 10)[:1]
        at += int(lines[-1]) + 1
        found = _numbers(part[: lines[-1] + 1], lines, width)
        if found is None or filled + len(found) > len(numbers):
            return -1
        numbers[filled : filled + len(found)] = found
        filled += len(found)
    return filled // width


def _numbers(text: NDArray[np.uint8], lines: NDArray[np.int64], width: int) -> Array | None:
    """Return the numbers of some lines, given with their line feeds; None if a line is wrong."""
    kinds = np.frombuffer(text.tobytes().translate(_KINDS), dtype=np.uint8)
    space = kinds == _SPACE
    edges = np.flatnonzero(space[1:] != space[:-1]) + 1
    if not space[0]:
        edges = np.concatenate([[0], edges])
    starts, ends = edges[::2].copy(), edges[1::2].copy()
    words = np.diff(np.searchsorted(starts, lines), prepend=0)
    if not np.isin(words, (0, width)).all():
        return None
    plain = _decimals(text, kinds, starts, ends)
    return _all_kinds(text, len(starts)) if plain is None else plain


def _decimals(
    text: NDArray[np.uint8], kinds: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> Array | None:
    """Return the numbers of words, given by their starts and ends, or None unless all are short decimals.

    Eight digits are one 64-bit word, whose pairs are added up three times. An exact integer over an exact power of ten
    is rounded once, which gives the correctly rounded decimal.
    """
    signed = kinds[starts] == _SIGN
    if (kinds == _OTHER).any() or np.count_nonzero(kinds == _SIGN) != np.count_nonzero(signed):
        return None
    point, points = ends.copy(), np.flatnonzero(kinds == _POINT)
    if len(points) == len(starts) and (starts <= points).all() and (points < ends).all():
        point = points
    else:
        owners = np.searchsorted(starts, points, "right") - 1
        if (owners[1:] == owners[:-1]).any():
            return None
        point[owners] = points
    before, after = point - starts - signed, np.maximum(ends - point - 1, 0)
    if max(before.max(initial=0), after.max(initial=0)) > _DIGITS:
        return None
    digits = before + after
    if digits.min(initial=1) < 1 or digits.max(initial=0) > _EXACT:
        return None
    padded = np.zeros(_DIGITS + len(text), dtype=np.uint8)
    padded[_DIGITS:] = text
    # the eight bytes before each letter
    eights = np.ndarray((len(text) + 1,), dtype="<u8", buffer=padded, strides=(1,))
    tens = _TENS[after]
    whole = _whole(eights[point] & _OWN[before])
    whole *= tens
    whole += _whole(eights[ends] & _OWN[after])
    whole /= tens
    return np.asarray(np.where(text[starts] == ord("-"), -whole, whole))


def _whole(digits: NDArray[np.uint64]) -> Array:
    """Return the numbers of eight digits each, the first one in the lowest byte."""
    for factor, shift, kept in ((10, 8, 0x00FF00FF00FF00FF), (100, 16, 0x0000FFFF0000FFFF), (10_000, 32, 0xFFFFFFFF)):
        digits = (digits * np.uint64(factor) + (digits >> np.uint64(shift))) & np.uint64(kept)
    return digits.astype(np.float64)


def _all_kinds(text: NDArray[np.uint8], count: int) -> Array | None:
    """Return `count` numbers of a text as numpy parses them, or None if it does not contain exactly these."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # with which numpy reports an invalid number
        try:
            numbers = np.fromstring(text.tobytes().decode("latin-1"), sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return numbers if numbers.size == count and np.isfinite(numbers).all() else None
