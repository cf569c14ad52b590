"""ASF and AMC files for tests: two bones by hand, captured files, and an independent computation of joints."""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from . import material

FOLDER = material.SHARED / "amc"

# The upper bone turns about a tilted axis, the lower one about an axis of its own; tests rely on the line numbers.
ASF = """# two bones
:version 1.10
:name VICON
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   begin what you like # here
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name upper
     direction 0 1 0
     length 10
     axis 0 0 90  XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
     id 2
     name lower
     direction 0.6 0.8 0
     length 5
     axis 0 0 0  XYZ
    dof rz
    limits (-inf inf)
  end
:hierarchy
  begin
    root upper
    upper lower
  end
"""
AMC = """#!OML:ASF two.asf
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 0 0
upper 0 0 0
lower 0
2
root 1 2 3 0 0 0
upper 90 0 0
lower 90
3
root 1 2.5 3 0 90 0
upper 0 0 9e1
lower -4.5e-1
"""


def write(folder: Path, asf: str | bytes = ASF, amc: str | bytes = AMC, name: str = "two") -> Path:
    """Write both files, and return the path of the AMC file."""
    for suffix, text in ((".asf", asf), (".amc", amc)):
        (folder / f"{name}{suffix}").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / f"{name}.amc"


def captured(folder: Path = FOLDER) -> list[Path]:
    """Return all captured AMC files, for `parametrize`; without captures, one path that does not exist."""
    return sorted(folder.glob("*.amc")) or [Path("absent.amc")]


def points(asf: Path, amc: Path) -> np.ndarray:
    """Return the ends of all bones (F, B, 3) in the files' unit and axes, bone by bone, by matrices of another library.

    The files must be written like the CMU database's: degrees, keys in the usual order.
    """
    bones, children = _skeleton(asf.read_text())
    frames = [part for part in _frames(amc.read_text()) if part]
    ends = {"root": np.array([frame["root"][:3] for frame in frames])}
    turned = {"root": Rotation.from_euler("xyz", [frame["root"][3:] for frame in frames], degrees=True)}
    waiting = ["root"]
    while waiting:
        parent = waiting.pop(0)
        for name in children.get(parent, []):
            bone = bones[name]
            own = turned[parent]
            if bone["dof"]:
                frame = Rotation.from_euler(bone["order"], bone["axis"], degrees=True)
                order = "".join(word[1] for word in bone["dof"])
                turn = Rotation.from_euler(order, np.array([f[name] for f in frames]).reshape(len(frames), -1), True)
                own = own * frame * turn * frame.inv()
            turned[name] = own
            ends[name] = ends[parent] + own.apply(bone["reach"])
            waiting.append(name)
    return np.stack([ends[name] for name in bones], axis=1)


def _skeleton(text: str) -> tuple[dict, dict]:
    bones, children, bone, section = {}, {}, {}, ""
    for words in (line.split() for line in text.splitlines() if line.split()):
        section = words[0] if words[0].startswith(":") else section
        if section == ":bonedata" and words[0] == "begin":
            bone = {"dof": []}
        elif section == ":bonedata" and words[0] == "name":
            bones[words[1]] = bone
        elif section == ":bonedata" and words[0] == "direction":
            bone["reach"] = np.array(list(map(float, words[1:4])))
        elif section == ":bonedata" and words[0] == "length":
            bone["reach"] = float(words[1]) * bone["reach"]
        elif section == ":bonedata" and words[0] == "axis":
            bone["axis"], bone["order"] = list(map(float, words[1:4])), words[4].lower()
        elif section == ":bonedata" and words[0] == "dof":
            bone["dof"] = words[1:]
        elif section == ":hierarchy" and len(words) > 1:
            children[words[0]] = words[1:]
    return bones, children


def _frames(text: str) -> list[dict]:
    frames: list[dict] = []
    for words in (line.split() for line in text.splitlines() if line[:1] not in ("#", ":")):
        if len(words) == 1:
            frames.append({})
        elif words:
            frames[-1][words[0]] = list(map(float, words[1:]))
    return frames
