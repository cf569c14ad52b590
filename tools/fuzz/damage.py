"""Damage texts, archives and arrays by chance: wrong bytes, words, numbers, shapes and kinds."""

import io
import json
import random

import numpy as np


class Wrong(Exception):  # noqa: N818 (a finding, not a failure)
    """The core accepted faulty input, or read input differently from another reader."""


STRANGE_NUMBERS = (
    "0", "-0", "1e999", "-1e308", "1e155", "1e9", "1e-320", "nan", "inf", "8.33", "9999", "1e-5", "007", "0x10", "1_0",
    "1,5", "9" * 30, "-1", "65536", "2147483648", "+.5", "5.", ".", "1e", "１２",
)  # fmt: skip
STRANGE_NAMES = (
    "Hips", "Chest", "LeftThigh", "n0:LeftThigh", "DEF-spine", "ORG-spine", "root", "", "{", "}", "a b", "歩",
    "é", "\x00", "\x1b[2J", "\x85", "\u3000", "x" * 300, "Site", "OFFSET", "MOTION", "../../x",
    "Left Left Arm", "head.001",
)  # fmt: skip


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return a text with a few things wrong: bytes, words, lines, numbers and names."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        how = rng.randrange(9)
        lines = data.split(b"\n")
        if how == 0 and data:
            at = rng.randrange(len(data))
            data = data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randrange(2) :]
        elif how == 1:
            data = data[: rng.randrange(len(data) + 1)]
        elif how == 2:
            at = rng.randrange(len(lines))
            lines[at : at + 1] = rng.choice(([], [lines[at]] * 2, [lines[at], rng.choice(lines)]))
            data = b"\n".join(lines)
        elif how in (3, 4, 5):
            at = rng.randrange(len(lines))
            words = lines[at].split(b" ")
            place = rng.randrange(len(words))
            words[place] = rng.choice(STRANGE_NUMBERS if how < 5 else STRANGE_NAMES).encode()
            lines[at] = b" ".join(words)
            data = b"\n".join(lines)
        elif how == 6:
            named = [k for k, line in enumerate(lines) if b"JOINT" in line or b"ROOT" in line]
            if named:
                at = rng.choice(named)
                lines[at] = lines[at].split(b" ")[0] + b" " + rng.choice(STRANGE_NAMES).encode()
            data = b"\n".join(lines)
        elif how == 7:
            first, last = sorted(rng.randrange(len(lines) + 1) for _ in range(2))
            data = b"\n".join(lines[:first] + lines[last:] + lines[first:last])
        else:
            data = data.replace(
                *rng.choice(((b"\n", b"\r\n"), (b"\n", b"\r"), (b" ", b"\t"), (b" ", b"\xa0"), (b"}", b"")))
            )
    return data


def damage_archive(rng: random.Random, content: bytes, arrays: dict[str, np.ndarray], about: str) -> bytes:
    """Return an archive of arrays with wrong bytes, or a wrong array; about : the array that is JSON text."""
    if rng.random() < 0.3:
        data = bytearray(content)
        for _ in range(rng.choice((1, 4, 64))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])
    changed = dict(arrays)
    name = rng.choice(sorted(changed))
    changed[name] = _damage_json(rng, changed[name]) if name == about else _damage_array(rng, changed[name])
    if rng.random() < 0.1:
        del changed[name]
    written = io.BytesIO()
    np.savez(written, **changed)
    return written.getvalue()


def _damage_array(rng: random.Random, values: np.ndarray) -> np.ndarray:
    values = values.copy()
    how = rng.randrange(6)
    if how == 0 and values.size:
        values.reshape(-1)[rng.randrange(values.size)] = rng.choice((-1, 0, 1, 255, 10**6, 2**40)) % (
            256 if values.dtype == np.uint8 else 2**62
        )
    elif how == 1 and values.size and values.dtype.kind == "f":
        values.reshape(-1)[rng.randrange(values.size)] = rng.choice((np.nan, np.inf, 1e300, -1e-300))
    elif how == 2:
        values = values[: rng.randrange(len(values) + 1)] if values.ndim else values
    elif how == 3:
        values = values.astype(rng.choice(("f4", "i4", "f8", "c16", "S3", "?")))
    elif how == 4:
        values = values[::-1].copy() if values.ndim else values
    else:
        values = values.reshape(-1, 1) if rng.random() < 0.5 else -values if values.dtype.kind in "ifc" else values
    return values


def _damage_json(rng: random.Random, values: np.ndarray) -> np.ndarray:
    about = json.loads(values.tobytes())
    inside = about if rng.random() < 0.6 else about["report"]
    inside[rng.choice(sorted(inside))] = rng.choice((None, -1, 0, 1.5, "x", [], {}, [1], {"a": 1}, 10**9, True, 1e300))
    return np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
