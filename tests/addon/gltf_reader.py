"""Read animations in .glb files by the glTF 2.0 specification, without code of the exporter."""

import json
import struct

import numpy as np

_KINDS = {5126: np.float32, 5123: np.uint16, 5121: np.uint8, 5125: np.uint32}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Animations:
    """The animations of a file, in its order."""

    def __init__(self, path):
        data = path.read_bytes()
        magic, version, total = struct.unpack_from("<4sII", data)
        assert (magic, version, total) == (b"glTF", 2, len(data))
        length, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON"
        self.content = json.loads(data[20 : 20 + length])
        size, kind = struct.unpack_from("<I4s", data, 20 + length)
        assert kind == b"BIN\0"
        self.binary = data[28 + length : 28 + length + size]
        assert self.content["buffers"][0]["byteLength"] <= size

    def __iter__(self):
        return iter([Animation(self, one) for one in self.content["animations"]])

    def values(self, number):
        accessor = self.content["accessors"][number]
        view = self.content["bufferViews"][accessor["bufferView"]]
        width, kind = _WIDTHS[accessor["type"]], _KINDS[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        assert start % np.dtype(kind).itemsize == 0
        flat = np.frombuffer(self.binary, kind, accessor["count"] * width, start)
        return flat.reshape(accessor["count"], width).astype(float)


class Animation:
    def __init__(self, file, content):
        self.file, self.content, self.name = file, content, content["name"]

    def places(self):
        """Return where each node is (by name, (F, 3)), Z up, and the F seconds."""
        nodes, channels, seconds = self.file.content["nodes"], {}, np.zeros(1)
        for channel in self.content["channels"]:
            sampler = self.content["samplers"][channel["sampler"]]
            times = self.file.values(sampler["input"])[:, 0]
            seconds = times if len(times) > len(seconds) else seconds
            target = channel["target"]
            channels[target["node"], target["path"]] = times, self.file.values(sampler["output"])
        found = {}
        for root in self.file.content["scenes"][0]["nodes"]:
            self._walk(root, np.tile(np.eye(4), (len(seconds), 1, 1)), nodes, channels, seconds, found)
        return {name: np.stack([at[:, 0], -at[:, 2], at[:, 1]], axis=1) for name, at in found.items()}, seconds

    def _walk(self, place, above, nodes, channels, seconds, found):
        node = nodes[place]
        moved = self._channel(place, "translation", node.get("translation", (0, 0, 0)), channels, seconds)
        turned = self._channel(place, "rotation", node.get("rotation", (0, 0, 0, 1)), channels, seconds)
        sized = self._channel(place, "scale", node.get("scale", (1, 1, 1)), channels, seconds)
        local = np.tile(np.eye(4), (len(seconds), 1, 1))
        local[:, :3, :3] = _matrices(turned) * sized[:, None, :]
        local[:, :3, 3] = moved
        here = above @ local
        found[node["name"]] = here[:, :3, 3]
        for child in node.get("children", ()):
            self._walk(child, here, nodes, channels, seconds, found)

    def _channel(self, node, path, usual, channels, seconds):
        if (node, path) not in channels:
            return np.tile(np.array(usual, float), (len(seconds), 1))
        times, values = channels[node, path]
        nearest = np.clip(np.searchsorted(times, seconds - 1e-5), 0, len(times) - 1)
        return values[nearest]


def _matrices(quaternions):
    x, y, z, w = (quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
