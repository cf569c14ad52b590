"""What the command line tells: its reports, pictures and refusals, read strictly."""

import json
import struct
import zlib

MODULE = "action_loom.core.cli.process"


def read_json(path):
    """Parse strictly: JSON knows neither NaN nor Infinity."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def assert_one_line(err):
    assert err.startswith("action-loom: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1


def picture_size(path):
    """Width and height of a PNG whose every chunk is whole."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    place, chunks = 8, []
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(kind + body)
        chunks.append((kind, body))
        place += 12 + length
    assert chunks[-1][0] == b"IEND"
    assert zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    return struct.unpack(">II", chunks[0][1][:8])
