"""Golden results: the bytes that command lines, jobs and operators write, compared with those of an earlier state.

    .venv/bin/python tools/golden.py [ZIP]              compare with tests/data/golden.json, print the differences
    .venv/bin/python tools/golden.py [ZIP] --record     write that file
    .venv/bin/python tools/golden.py --only "jobs|mb"   the cases whose names have these parts, compared

Without a zip the operators, which run in Blender 5.2, are left out. The cases are generated from the registry of
verbs, their trial inputs and their declared options. Four settings make the bytes repeatable: the numpy engine,
relative paths in a temporary folder, one thread of OpenBLAS, and a clock that stands still, because reports contain
durations. No byte is changed before it is hashed.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "data" / "golden.json"
sys.path.insert(0, str(ROOT / "tests"))
DIGITS = 12  # of each hash: 48 bits
NAMES = ("walk", "sneak", "turn", "wave")  # files of the trial commands, in each folder of clips
CAPTURED = {"mb": "cmu/cmu_mb_0*.bvh", "asf": "amc/16_*.amc"}
RATE, LONGEST = 30.0, 90  # frames a second, frames of captured clips
CHARACTERS = ("figure", "mannequiny", "Fox", "captured mb", "mmd_own")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("zip", nargs="?", default="", help="the extension, for the operators")
    parser.add_argument("--record", action="store_true", help="write the results instead of comparing them")
    parser.add_argument("--only", default="", help="parts of the names of cases, separated by |")
    parser.add_argument("--in-blender", default="", help=argparse.SUPPRESS)  # the file for the results of operators
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = [part for part in arguments.only.split("|") if part]
    if arguments.in_blender:
        Path(arguments.in_blender).write_text(json.dumps(run_operators(arguments.zip, parts)), encoding="utf-8")
        return 0
    began = time.monotonic()
    time.perf_counter = lambda: 0.0  # the clock of reports
    results = run_core(parts)
    if arguments.zip:
        results |= start_blender(arguments.zip, arguments.only)
    print(f"{len(results)} cases in {time.monotonic() - began:.0f} s")
    recorded = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    if arguments.record:
        text = json.dumps(recorded | results if parts or not arguments.zip else results, indent=0, sort_keys=True)
        RECORD.write_text(text + "\n", encoding="utf-8")
        return 0
    return print_differences(results, recorded, complete=bool(arguments.zip) and not parts)


def print_differences(results: dict[str, str], recorded: dict[str, str], *, complete: bool) -> int:
    """Print each case with another result, and return 1 if there is one; complete : whether all cases were run."""
    names = sorted({*results, *recorded} if complete else results)
    different = [name for name in names if results.get(name) != recorded.get(name)]
    for name in different:
        print(f"{name}\n  was {recorded.get(name)}\n  is  {results.get(name)}")
    print(f"{len(different)} differ")
    return 1 if different else 0


# --- command lines and jobs ------------------------------------------------------------------------------------------


def run_core(parts: list[str]) -> dict[str, str]:
    """Return the results of command lines and job files by the names of the cases."""
    from action_loom.core import jit

    jit.use("numpy")
    results: dict[str, str] = {}
    kinds = ("figure", *CAPTURED) if "operator" not in parts else ()
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            clips = write_clips(kind)
            cases = {f"{kind} {name}": line for name, line in [*commands(kind), *jobs(clips)]}
            for name, line in cases.items():
                if all(part in name for part in parts) or name.endswith("command graph build"):  # others read its graph
                    results[name] = run_line(line)
    return {name: result for name, result in results.items() if all(part in name for part in parts)}


def write_clips(kind: str) -> list[Any]:
    """Write the files that the trial commands read, and return the clips."""
    import numpy as np
    import right_subjects as subjects
    from action_loom.core import verbs
    from action_loom.core.demo_character import actions
    from action_loom.core.formats import bvh
    from action_loom.core.motion import resample

    if kind == "figure":
        clips = [actions.walk(RATE, 4), actions.sneak(RATE), actions.turn_left(RATE), actions.wave(RATE)]
    else:
        read = (subjects.captured(path) for path in sorted(subjects.DATA.glob(CAPTURED[kind])))
        chosen = sorted([one for one in read if one], key=lambda one: not one.gait)[: len(NAMES)]
        clips = [resample.to_rate(one.clip, RATE) for one in chosen]
        clips = [clip.cut(0, min(len(clip), LONGEST)) for clip in clips]
    clips = [replace(clip, name=name) for clip, name in zip(clips, NAMES, strict=True)]
    spot = replace(verbs.apply(verbs.InPlace(), clips[:1]).clip, name="spot")
    for clip in (*clips, spot):
        bvh.write(bvh.from_clip(clip), Path(f"{clip.name}.bvh"))
    height = clips[0].skeleton.height
    np.savetxt("p.csv", height * np.array([[0.0, 0.0], [0.0, 1.7], [-1.2, 2.9]]), fmt="%.6f", delimiter=",")
    return clips


def commands(kind: str) -> Iterator[tuple[str, str]]:
    """Yield command lines of all verbs; on the clips of the figure also with each of their options."""
    from action_loom.core import verbs
    from action_loom.core.options import declared_options
    from oracles import trials

    lines = trials.commands()
    for verb in sorted(lines, key=lambda one: one != "graph build"):
        yield f"command {verb}", lines[verb]
    recipes = {row.recipe.verb: row.recipe for row in verbs.VERBS.values()}
    recipes |= {"graph build": verbs.BuildGraph, "style fit": verbs.FitStyle}
    for verb, line in lines.items() if kind == "figure" else ():
        line = line.replace("--picture out/p.png", "").replace("--graph g.npz", "walk.bvh turn.bvh")
        options = declared_options(recipes[verb])
        for about in options.values():
            for flags in flags_of(about):
                needed = "" if about.only_for is None else " ".join(deciding_flags(options, about))
                yield f"option {verb} {flags}", f"{line} {needed} {flags}"


def deciding_flags(options: dict[str, Any], about: Any) -> list[str]:
    """Return the flags of the other options without which an option has no effect."""
    if about.only_for is None:
        return []
    decides, values = about.only_for
    flag, value = decides.replace("_", "-"), values[0]
    text = f"--{'' if value else 'no-'}{flag}" if isinstance(value, bool) else f"--{flag} {value}"
    return [*deciding_flags(options, options[decides]), text]


def flags_of(about: Any) -> list[str]:
    """Return flags that give an option another value than its default."""
    flag = f"--{about.name.replace('_', '-')}"
    if about.kind is bool:
        return [f"--no-{flag[2:]}" if about.default else flag]
    if about.choices:
        return [f"{flag} {name}" for name in about.names if name != about.default][:3]
    if about.table:
        return [f"{flag} '{rows}'" for rows in ("0 1; 9 2", "0 1 0.5; 1 1 1", "0 0 3 20")]
    if about.kind in (int, float):
        low = -1e9 if about.minimum is None else about.minimum
        high = about.usual[1] if about.usual else 1e9 if about.maximum is None else about.maximum
        value = min(max(1.5 * about.default if about.default else 0.5, low), high)
        return [f"{flag} {min(int(value) + 1, int(high)) if about.kind is int else round(value, 4):g}"]
    if about.kind is tuple:
        return [f"{flag} 1 2"]
    texts = {"place": ("walk:9",), "joints": ("head", "hand.L")}.get(about.pick, ("walk",))
    return [f"{flag} {text}" for text in texts]


def jobs(clips: list[Any]) -> Iterator[tuple[str, str]]:
    """Write a job file for each call of the battery, and yield the command lines that run them."""
    import numpy as np
    import right_recipes
    from action_loom.core import verbs
    from action_loom.core.formats import bvh

    for verb, make_call in right_recipes.CALLS.items():
        call = make_call(clips[0], clips[1:], np.random.default_rng(zlib.crc32(verb.encode())))
        folder = Path("jobs") / verb
        folder.mkdir(parents=True)
        for clip in call.clips:
            bvh.write(bvh.from_clip(clip), folder / f"{clip.name}.bvh")
        files = [f"{clip.name}.bvh" for clip in call.clips]
        table = {"verb": verb, "output": "../../out/a.bvh", "report": "../../out/r.json", **call.options}
        table |= {"like": files.pop(0)} if verbs.VERBS[verb].recipe.like else {}
        lines = [f"{key} = {json.dumps(value)}" for key, value in (table | {"clips": files}).items()]
        (folder / "jobs.toml").write_text("\n".join(["[[job]]", *lines]), encoding="utf-8")
        yield f"job {verb}", f"run jobs/{verb}/jobs.toml"


def run_line(line: str) -> str:
    """Run a command in this process; returns the hashes of its files, or its refusal."""
    from action_loom.core.cli.main import main as run

    out, errors = Path("out"), io.StringIO()
    out.mkdir(exist_ok=True)
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(errors):
        try:
            status = run([*shlex.split(line), "--engine", "numpy", "--force"])
        except SystemExit as error:  # of the parser of arguments
            status = int(str(error.code))
    written = {"text": hash_of(printed.getvalue().encode())}
    for path in sorted(out.iterdir()):
        written[path.suffix[1:]] = hash_of(path.read_bytes())
        if path.suffix == ".npz" and path.stem == "g":
            path.replace("g.npz")  # the graph that later commands walk through
        else:
            path.unlink()
    if not status:
        return " ".join(f"{kind}:{content}" for kind, content in written.items())
    lines = [line for line in errors.getvalue().splitlines() if line.startswith("action-loom: ")]  # without the usage
    return f"{status}: {' '.join(lines)}".replace("action-loom: ", "")


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]


# --- operators -------------------------------------------------------------------------------------------------------


def start_blender(zip_path: str, only: str) -> dict[str, str]:
    """Return the results of the operators, which run in a process of Blender's Python."""
    python = ROOT / ".venv-blender" / "5.2" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        out, log = Path(folder) / "out.json", Path(folder) / "log"
        command = [str(python), __file__, str(Path(zip_path).resolve()), "--only", only, "--in-blender", str(out)]
        with log.open("w") as stream:
            status = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, check=False).returncode
        if not out.exists():
            sys.exit(f"{log.read_text()[-3000:]}\nBlender failed with status {status}")
        results: dict[str, str] = json.loads(out.read_text(encoding="utf-8"))
    return results


def run_operators(zip_path: str, parts: list[str]) -> dict[str, str]:
    """Return the hashes of all curves of the actions that each operator makes or changes, or its refusal."""
    import in_blender
    import right_scenes as scenes
    from oracles import trials
    from right_in_blender import Battery

    results = {}
    calls = {name: call_of(name, options) for name, options in trials.calls().items()} | scenes.CALLS
    scenes.CALLS |= {name: call for name, call in calls.items() if name not in ("path", "retime")}  # earlier names
    with in_blender.extension(zip_path) as loom, tempfile.TemporaryDirectory() as folder:
        import bpy  # it reads the settings' folder as it is imported

        from addon import material

        battery = Battery(loom, Path(folder))
        for subject in CHARACTERS:
            names = {verb: f"operator {verb} {subject}" for verb in scenes.CALLS}
            names = {verb: name for verb, name in names.items() if all(part in name for part in parts)}
            path = battery.prepared(subject) if names else Path()
            before = {action.name: material.fingerprint(action) for action in bpy.data.actions}
            for verb, name in names.items():
                refused, words, _, _ = battery.run(path, verb, subject, "plain")
                after = {action.name: material.fingerprint(action) for action in bpy.data.actions}
                written = sorted(after.items() - before.items())
                curves = f"curves:{hash_of(json.dumps(written).encode())}" if written else " ".join(words)
                results[name] = refused or curves
    return results


def call_of(operator: str, options: dict[str, Any]) -> Any:
    """Return a call of the trials for `right_scenes`, with the actions of its subject."""

    def call(_: Any, subject: Any) -> tuple[str, dict[str, Any]]:
        text = json.dumps(options)
        for name, kind in (("slow", "walk"), ("quick", "run")):
            text = text.replace(f'"{name}"', json.dumps(subject.action(kind)))
        return operator, json.loads(text)

    return call


if __name__ == "__main__":
    sys.exit(main())
