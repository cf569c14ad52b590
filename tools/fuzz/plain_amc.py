"""A second reader of ASF and AMC files, independent of the tested one: it reads word by word."""

import math
import re

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
KEYS = ("name", "direction", "length", "axis", "dof")


class NotAmcError(ValueError):
    """This reader does not accept the text as ASF or AMC."""


def skeleton(data: bytes) -> dict[str, dict]:
    """Return by bone its parent, its end from its joint, and its degrees of freedom, of a file's bytes."""
    hangs: list[tuple[str, str]] = []
    section, bones, bone = "", {"root": {"parent": "", "end": [0.0] * 3, "dof": []}}, {}
    for words in _lines(data.removeprefix(b"\xef\xbb\xbf"), r"[^ \t\r\v\f,()]+"):
        word = words[0].lower()
        if word.startswith(":"):
            section = word
        elif section == ":root" and word == "order":
            bones["root"]["dof"] = [one.lower() for one in words[1:]]
        elif section == ":bonedata" and word == "begin":
            bone = {}
        elif section == ":bonedata" and word == "end":
            length = float(bone["length"][0])
            end = [length * float(one) for one in bone["direction"]]
            bones[bone["name"][0]] = {"end": end, "dof": [one.lower() for one in bone.get("dof", [])]}
        elif section == ":bonedata" and word in KEYS:
            bone[word] = words[1:]
        elif section == ":hierarchy" and word not in ("begin", "end"):
            hangs += [(child, words[0]) for child in words[1:]]
    for child, parent in hangs:
        bones[child]["parent"] = parent
    if not all("parent" in one for one in bones.values()):
        raise NotAmcError("a bone hangs nowhere")
    return bones


def frames(data: bytes, bones: dict[str, dict]) -> list[dict[str, list[float]]]:
    """Return the values of each frame by bone; raises NotAmcError."""
    found: list[dict[str, list[float]]] = []
    for words in _lines(data.removeprefix(b"\xef\xbb\xbf"), r"[^ \t\r\v\f]+"):
        if words[0].startswith(":"):
            continue
        if len(words) == 1 and words[0].isdigit():
            found.append({})
            continue
        if not all(NUMBER.fullmatch(word) for word in words[1:]):
            raise NotAmcError(f"no number in {words[0]}")
        found[-1][words[0]] = [float(word) for word in words[1:]]
    for frame in found:
        if {name: len(values) for name, values in frame.items() if values} != {
            name: len(bone["dof"]) for name, bone in bones.items() if bone["dof"]
        }:
            raise NotAmcError("a frame is not whole")
        if not all(math.isfinite(value) for values in frame.values() for value in values):
            raise NotAmcError("not finite")
    return found


def _lines(data: bytes, word: str) -> list[list[str]]:
    """Return the words of each line that has any; `#` at the start of a word begins a comment."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = (re.findall(word, re.sub(r"(^|[ \t\r])#.*", r"\1", line)) for line in text.split("\n"))
    return [words for words in lines if words]
