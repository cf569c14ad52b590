"""Parse numbers with numba; `_numpy` has the same function with numpy."""

import numpy as np

from ..jit import kernel

# Powers of ten that are exact in double precision: an integer up to 2⁵³ multiplied or divided by one of these is
# rounded once, which gives the correctly rounded decimal. All other numbers are left to numpy.
_TENS = np.array([10.0**k for k in range(23)])
_MANTISSA = 2**53 // 10 - 1  # the largest to which another digit can be added


@kernel("i8(u1[::1], f8[:, ::1])")
def rows(text, values):  # type: ignore[no-untyped-def]
    """Write the rows of a text, which ends in a line feed, to `values`; return their number, or −1 if one is wrong."""
    frames, width = values.shape
    at, row, column = 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == 32 or 9 <= letter <= 13:
            if letter == 10 and column > 0:
                if column != width:
                    return -1
                row, column = row + 1, 0
            at += 1
            continue
        if row == frames or column == width:
            return -1
        negative = letter == 45
        if letter == 45 or letter == 43:
            at += 1
        mantissa, power, digits, point = 0, 0, 0, False
        while True:
            letter = text[at]
            if 48 <= letter <= 57:
                if mantissa > _MANTISSA:
                    return -1
                mantissa = 10 * mantissa + (letter - 48)
                digits += 1
                power -= point
            elif letter == 46 and not point:
                point = True
            else:
                break
            at += 1
        if digits == 0:
            return -1
        if letter == 69 or letter == 101:
            at += 1
            sign = 1
            if text[at] == 45 or text[at] == 43:
                sign = -1 if text[at] == 45 else 1
                at += 1
            exponent, digits = 0, 0
            while 48 <= text[at] <= 57 and digits < 4:
                exponent = 10 * exponent + (text[at] - 48)
                digits += 1
                at += 1
            if digits == 0:
                return -1
            power += sign * exponent
            letter = text[at]
        if not (letter == 32 or 9 <= letter <= 13) or abs(power) > 22:
            return -1
        value = mantissa / _TENS[-power] if power < 0 else mantissa * _TENS[power]
        values[row, column] = -value if negative else value
        column += 1
    return row
