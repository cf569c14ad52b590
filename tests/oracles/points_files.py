"""Files of points in every format, written without the readers."""

import io
import json
import struct

import numpy as np

RATE = 50.0


def as_csv(values, names):
    head = ",".join(["timestamp", *(f"body_{name}_{axis}" for name in names for axis in "xyz")])
    rows = [
        ",".join([f"{k / RATE:.4f}", *("" if np.isnan(v) else f"{v:.4f}" for v in row.ravel())])
        for k, row in enumerate(values)
    ]
    return "\n".join([head, *rows, ""]).encode()


def as_json(values, names):
    frames = []
    for row in values:
        seen = [(name, place) for name, place in zip(names, row.tolist(), strict=True) if np.isfinite(place).all()]
        frames.append({"keypoints3D": [{"name": name, "x": x, "y": y, "z": z} for name, (x, y, z) in seen]})
    return json.dumps({"fps": RATE, "frames": frames}).encode()


def as_trc(values, names):
    head = [
        "PathFileType\t4\t(X/Y/Z)\tone.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        f"{RATE}\t{RATE}\t{len(values)}\t{len(names)}\tm",
        "Frame#\tTime\t" + "".join(f"{name}\t\t\t" for name in names),
        "\t\t" + "\t".join(f"{axis}{k}" for k in range(1, len(names) + 1) for axis in "XYZ"),
    ]
    rows = [
        "\t".join([str(k + 1), f"{k / RATE:.4f}", *("" if np.isnan(v) else f"{v:.4f}" for v in row.ravel())])
        for k, row in enumerate(values)
    ]
    return "\n".join([*head, *rows, ""]).encode()


def as_npy(values, _names=()):
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def as_c3d(values, names, processor=84, scale=-1.0, unit=b"m "):
    """Return a small C3D file of floating-point numbers, or of whole ones for a positive scale.

    processor : 84 for Intel, 85 for DEC, 86 for SGI
    """
    order = ">" if processor == 86 else "<"

    def floats(numbers):
        if processor != 85:
            return np.asarray(numbers, f"{order}f4").tobytes()
        low, high = np.asarray(numbers, "<f4").view("<u2").reshape(-1, 2).T  # a VAX has the high half first
        high = np.where(high & 0x7F80, high + 0x0100, 0)  # and another bias of the exponent
        return np.stack([high, low], axis=1).astype("<u2").tobytes()

    width = max(map(len, names))
    text = "".join(name.ljust(width) for name in names).encode()
    parameters = bytearray([1, 80, 0, processor])

    def add(group, name, body):
        parameters.extend(struct.pack("<bb", len(name), group) + name.encode())
        parameters.extend(struct.pack(f"{order}H", 2 + len(body)) + body)

    add(-1, "POINT", b"\x00")
    add(1, "LABELS", struct.pack("<bBBB", -1, 2, width, len(names)) + text + b"\x00")
    add(1, "UNITS", struct.pack("<bBB", -1, 1, len(unit)) + unit + b"\x00")
    parameters.extend(bytes(2))
    blocks = -(-len(parameters) // 512)
    parameters[2] = blocks
    parameters = parameters.ljust(512 * blocks, b"\x00")
    counts = struct.pack(f"{order}5H", len(names), 0, 1, len(values), 0)
    header = bytes([2, 80]) + counts + floats([scale]) + struct.pack(f"{order}2H", 2 + blocks, 0) + floats([RATE])
    residual = np.where(np.isnan(values[..., :1]), -1.0, 0.0)
    rows = np.concatenate([np.nan_to_num(values) / (scale if scale > 0 else 1.0), residual], axis=2)
    data = rows.round().astype(f"{order}i2").tobytes() if scale > 0 else floats(rows.ravel())
    return header.ljust(512, b"\x00") + bytes(parameters) + data


FORMATS = {"csv": as_csv, "json": as_json, "trc": as_trc, "npy": as_npy, "c3d": as_c3d}
