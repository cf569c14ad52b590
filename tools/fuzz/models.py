"""Damaged glTF and FBX files through the add-on's import: each is refused in one line, or moves as Blender shows it.

    .venv-blender/5.2/bin/python tools/fuzz/models.py ZIP --count 6000 --seed 62
    .venv-blender/5.2/bin/python tools/fuzz/models.py ZIP --seed 62 --only glb:17      # one case again

Blender's own importers run in processes of BATCH cases, so a crash of Blender ends one case only, and is counted.
"""

import argparse
import base64
import collections
import itertools
import json
import random
import struct
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import in_blender

BATCH = 100
SECONDS = 5.0  # limit of processor time of a case
SECONDS_PER_MILLION = 8.0  # besides, for each million of poses, of which 10 are read at most
HANG = 600.0  # s after which a case without an answer is ended
NEAR = 2e-3  # of the body's size: the largest distance from Blender's own import
STRANGE: tuple[Any, ...] = (
    None, -1, 0, 1, 2**31, 10**30, 0.5, 1e300, -1e300, float("nan"), "", "x" * 300, "SCALAR", "MAT4", "../a.bin",
    "data:,", [], [0], [1e30, 0, 0], {}, True,
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("zip")
    parser.add_argument("--count", type=int, default=600, help="cases, all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="KIND:NUMBER", help="one case")
    parser.add_argument("--last", type=int, default=-1, help=argparse.SUPPRESS)  # in a process of a batch
    arguments = parser.parse_args()
    if arguments.only:
        kind, _, first = arguments.only.partition(":")
        run_batch(arguments.zip, arguments.seed, kind, range(int(first), max(int(first), arguments.last) + 1))
        return 0
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    end = arguments.count // len(KINDS)
    for batch, kind in itertools.product(range(0, end, BATCH), KINDS):
        first, last = batch, min(batch + BATCH, end) - 1
        while first <= last:
            command = [sys.executable, __file__, arguments.zip, "--seed", str(arguments.seed)]
            answers, ending = _watch([*command, "--only", f"{kind}:{first}", "--last", str(last)])
            counts.update((kind, answer.partition(" ")[0].rstrip(":")) for answer in answers)
            for number, answer in enumerate(answers, first):
                if not answer.startswith(("fine", "refused")):
                    print(f"{kind}:{number} {answer}", flush=True)
            first += len(answers)
            if first <= last:
                counts[kind, "ended"] += 1
                print(f"{kind}:{first} Blender ended ({ending})", flush=True)
                first += 1
        print(f"{kind}: {batch} to {last}: {dict(counts)}", file=sys.stderr, flush=True)
    for (kind, how), count in sorted(counts.items()):
        print(f"{kind:8s} {how:8s} {count}")
    return sum(count for (_, how), count in counts.items() if how not in ("fine", "refused")) > 0


def _watch(command: list[str]) -> tuple[list[str], str]:
    """Run a batch; return the line of each case that ended, and how the process ended."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True)
        before, since, ending = -1, time.monotonic(), ""
        while process.poll() is None:
            time.sleep(0.2)
            size = out.seek(0, 2)
            if size != before:
                before, since = size, time.monotonic()
            elif time.monotonic() - since > HANG:
                process.kill()
                ending = f"no answer in {HANG:g} s"
        out.seek(0)
        answers = [line.removeprefix("case ").rstrip() for line in out if line.startswith("case ")]
    return answers, ending or f"status {process.returncode}"


def run_batch(zip_path: str, seed: int, kind: str, numbers: range) -> None:
    """Run cases in this Blender, and print a line for each."""
    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        whole = _whole_file(kind, Path(folder))
        for number in numbers:
            rng = random.Random(f"{kind} {seed} {number}")
            path = Path(folder) / f"case.{kind}"
            path.write_bytes(KINDS[kind](whole, rng) if number else whole)  # the first one is not damaged
            began = time.process_time()
            answer = _outcome(loom, path)
            seconds = time.process_time() - began
            if seconds > SECONDS + SECONDS_PER_MILLION * _poses() / 1e6:
                answer = f"slow: {seconds:.1f} s ({answer})"
            sys.__stdout__.write(f"\ncase {answer}\n")  # type: ignore[union-attr]
            sys.__stdout__.flush()  # type: ignore[union-attr]


def _whole_file(kind: str, folder: Path) -> bytes:
    """Return a file of the demo's figure, which plays one short action."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.action_loom.add_demo()
    bpy.context.scene.render.fps = 30
    for action in list(bpy.data.actions):
        if action.name != "Wave":
            bpy.data.actions.remove(action)
    bpy.context.object.animation_data.action = bpy.data.actions["Wave"]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 9
    path = folder / f"whole.{kind}"
    if kind == "fbx":
        import_module("io_scene_fbx.encode_bin").FBXElem._add_array_helper = _add_plain_array
        bpy.ops.export_scene.fbx(filepath=str(path), object_types={"ARMATURE", "MESH"}, bake_anim_simplify_factor=0.0)
        return path.read_bytes()
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", export_frame_range=True)
    data = path.read_bytes() if path.exists() else path.with_suffix(".glb").read_bytes()
    return data if kind == "glb" else _embed(data)


def _add_plain_array(element: Any, data: bytes, kind: bytes, length: int) -> None:
    """Add an array without compression, whose damage the importer would notice before it reads a number."""
    element.props_type.append(kind)
    element.props.append(struct.pack("<3I", length, 0, len(data)) + data)


def _embed(data: bytes) -> bytes:
    """Return a .gltf file of a .glb file, with its binary in the text."""
    content, binary = _parts(data)
    content["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode()
    return json.dumps(content).encode()


# --- damage -----------------------------------------------------------------------------------------------------------


def _parts(data: bytes) -> tuple[Any, bytes]:
    end = 20 + struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:end]), data[end + 8 :]


def _damage_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 4, 50))):
        place = rng.randrange(len(changed))
        changed[place : place + 1] = bytes([rng.choice((0, 1, 127, 255, rng.randrange(256)))])
    return bytes(changed[: rng.choice((len(changed),) * 4 + (rng.randrange(len(changed)),))])


def _damage_values(content: Any, rng: random.Random) -> Any:
    """Change, remove or repeat a value somewhere in a JSON tree."""
    inside = content
    for _ in range(rng.randrange(1, 6)):
        keys = [*inside] if isinstance(inside, dict) else [*range(len(inside))]
        key = rng.choice(keys)
        if not inside[key] or not isinstance(inside[key], dict | list):
            break
        outer, inside = inside, inside[key]
    else:
        inside, key = outer, key
    how = rng.randrange(5)
    if how == 0:
        del inside[key]
    elif how == 1 and isinstance(inside[key], int):
        inside[key] += rng.choice((-1, 1, 5))
    elif how == 2 and isinstance(inside, list):
        inside.append(inside[key])
    else:
        inside[key] = rng.choice(STRANGE)
    return content


def _glb(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return _damage_bytes(data, rng)
    content, binary = _parts(data)
    if rng.random() < 0.3:
        binary = _damage_bytes(binary, rng)
    else:
        for _ in range(rng.choice((1, 1, 2, 4))):
            content = _damage_values(content, rng)
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    size = 28 + len(text) + len(binary)
    return (
        struct.pack("<4sIII4s", b"glTF", 2, size, len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(binary), b"BIN\0")
        + binary
    )


def _gltf(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        return _damage_bytes(data, rng)
    content = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        content = _damage_values(content, rng)
    return json.dumps(content).encode()


KINDS = {"glb": _glb, "gltf": _gltf, "fbx": _damage_bytes}

# --- outcomes --------------------------------------------------------------------------------------------------------


def _outcome(loom: Any, path: Path) -> str:
    """Import a file into an empty scene; return "fine", "refused", or "wrong" with the fault."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    before = {(type(data).__name__, data.name) for data in bpy.data.user_map()}
    try:
        bpy.ops.action_loom.import_motion(filepath=str(path), trim=False, plant_feet=False)
    except RuntimeError as error:
        message = str(error).removeprefix("Error: ").strip()
        left = {(type(data).__name__, data.name) for data in bpy.data.user_map()} - before
        if "Traceback" in message or "\n" in message or len(message) > 400:
            return f"wrong: {message[-300:]!r}"
        return f"wrong: {left} stay" if left else f"refused {message}"
    kinds = {type(data).__name__ for data in bpy.data.user_map()} - {name for name, _ in before}
    if surplus := kinds & {"Mesh", "Material", "Image", "Texture"}:
        return f"wrong: {surplus} stay"
    rigs = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    if len(rigs) != 1 or len(bpy.data.actions) != 1:
        return f"fine {len(rigs)} armatures, {len(bpy.data.actions)} actions"
    action = bpy.data.actions[0]
    rate, count = loom("addon.bridge.rates").rate_of(action), int(action.frame_range[1] - action.frame_range[0])
    ours = _places(rigs[0], count)
    if not all(np.isfinite(place).all() for place in ours.values()):
        return "wrong: a bone is nowhere"
    return _compare(path, rate, count, ours)


def _poses() -> float:
    """Return the joints × frames of the longest action of the file."""
    import bpy

    bones = max((len(one.bones) for one in bpy.data.armatures), default=0)
    return bones * max((float(np.ptp(one.frame_range[:])) for one in bpy.data.actions), default=0.0)


def _places(rig: Any, count: int, stretch: float = 1.0) -> dict[str, np.ndarray]:
    """Return the positions (3, 3) of bones in the first, a middle and the last frame of the rig's action."""
    import bpy

    first = rig.animation_data.action.frame_range[0]
    rows: dict[str, list[Any]] = {bone.name: [] for bone in rig.pose.bones}
    for frame in (0, count // 3, count):
        whole, part = divmod(int(first) + stretch * frame, 1.0)
        bpy.context.scene.frame_set(int(whole), subframe=part)
        for bone in rig.pose.bones:
            rows[bone.name].append((rig.matrix_world @ bone.matrix).translation.copy())
    return {name: np.array(places) for name, places in rows.items()}


def _compare(path: Path, rate: float, count: int, ours: dict[str, np.ndarray]) -> str:
    """Compare with Blender's own import of the file in a scene of the same rate."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
    importer = bpy.ops.wm.fbx_import if path.suffix == ".fbx" else bpy.ops.import_scene.gltf
    try:
        importer(filepath=str(path))
    except RuntimeError:
        return "fine not compared"  # the add-on's own copy of it, with a skin or without meshes, can be imported
    rigs = [one for one in bpy.data.objects if one.type == "ARMATURE" and one.animation_data]
    if len(rigs) != 1 or rigs[0].animation_data.action is None:
        return "fine not compared"
    if rigs[0].name not in bpy.context.view_layer.objects:  # the file's scene leaves it out, so it would stand still
        bpy.context.scene.collection.objects.link(rigs[0])
    theirs = _places(rigs[0], count)
    names = ours.keys() & theirs.keys()
    if not names:
        return "fine other names"
    apart = _apart(ours, theirs, names)
    length = float(np.ptp(rigs[0].animation_data.action.frame_range[:]))
    if apart >= NEAR and count and 0.0 < abs(length - count) < 1.0:  # a cycle is made to end on a whole frame
        apart = _apart(ours, _places(rigs[0], count, length / count), names)
    return f"fine {apart:.1e}" if apart < NEAR else f"wrong: {apart:.2g} of the size apart"


def _apart(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray], names: set[str]) -> float:
    """Return the largest distance of two sets of positions, as a part of the body's size."""
    both = [np.array([side[name] for name in sorted(names)]) for side in (ours, theirs)]
    size = max(float(np.ptp(both[1][:, 0], axis=0).max()), 1e-6)
    return float(np.abs(both[0] - both[1]).max()) / size


if __name__ == "__main__":
    sys.exit(main())
