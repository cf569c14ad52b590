"""make fuzz SIGNALS=200: stops commands at random moments, lets two write one file, and takes away room or readers.

A stopped command must end with the status of its signal and one line, and leave no part of a file. Files in the folder
must be whole. The next command must clear the files that kill -9 leaves. The same seed tries the same verbs and
signals; the moments are shares of how long each verb takes, so they fall anywhere from its start to its end.
"""

import argparse
import collections
import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import plain_bvh
from action_loom.core import verbs as loom
from action_loom.core.demo_character import actions
from action_loom.core.formats import bvh
from oracles import trials

COMMAND = (sys.executable, "-P", "-m", "action_loom.core.cli.process")
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
LINE = b"action-loom: interrupted\n"
# A library's clean-up can swallow the exception of a signal; Python then prints it on lines of its own.
SWALLOWED = b"Exception ignored in"
TRACKER = b"resource_tracker"  # of Python: it outlives a killed command, and prints the resources that it clears
VERBS = {
    "info": "info walk.bvh turn.bvh --report out/r.json",
    **trials.commands(),
    "run": "run jobs.toml",
    "run, two at a time": "run jobs.toml --jobs 2",
}


@dataclass
class Ended:
    """How a command ended: its status, its stderr, and how long it took."""

    status: int
    err: bytes
    seconds: float


class Trials:
    """A folder of clips, with the outcomes and faults of the trials."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.out, self.rng = folder, folder / "out", random.Random(f"signals {seed}")
        self.counts: collections.Counter[tuple[str, str]] = collections.Counter()
        self.troubles: list[str] = []
        self.out.mkdir()
        for clip in (actions.walk(30.0, 4), actions.sneak(30.0), actions.turn_left(30.0), actions.wave(30.0)):
            name = "turn" if "turn" in clip.name.lower() else clip.name.lower()
            bvh.write(bvh.from_clip(clip), folder / f"{name}.bvh")
        spot = loom.apply(loom.InPlace(), [actions.walk(30.0, 4)]).clip
        bvh.write(bvh.from_clip(spot), folder / "spot.bvh")
        (folder / "p.csv").write_text("0,0\n0,3\n-2,5\n")
        jobs = 'folder = "out"\n[[job]]\nverb = "blend"\nclips = ["walk.bvh"]\neach = "*.bvh"\nreport = "out/"\n'
        (folder / "jobs.toml").write_text(jobs)

    def start(self, arguments: str, **how: object) -> subprocess.Popen[bytes]:
        def ready() -> None:  # a shell may have it ignore Ctrl-C
            signal.signal(signal.SIGINT, signal.default_int_handler)

        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": ready} | how
        return subprocess.Popen([*COMMAND, *shlex.split(arguments)], cwd=self.folder, **how)  # type: ignore[call-overload]

    def run(self, arguments: str, **how: object) -> Ended:
        began = time.perf_counter()
        process = self.start(arguments, **how)
        _, err = process.communicate(timeout=300)
        return Ended(process.returncode, err or b"", time.perf_counter() - began)

    def expect(self, what: str, holds: bool, about: object) -> None:
        if not holds:
            self.troubles.append(f"{what}: {about}")

    def clear(self) -> None:
        for path in self.out.iterdir():
            path.unlink()

    def check_whole(self, what: str) -> None:
        """Note every file of the folder that another reader finds to be not whole."""
        for path in self.out.iterdir():
            if path.name.endswith(".part"):
                continue
            try:
                whole(path)
            except Exception as error:
                self.troubles.append(f"{what}: {path.name} is not whole ({error!r})")

    def parts(self) -> list[str]:
        return [path.name for path in self.out.iterdir() if path.name.endswith(".part")]


def whole(path: Path) -> None:
    """Read a file with an independent reader, which raises an error if the file is not whole."""
    data = path.read_bytes()
    if path.suffix == ".bvh":
        plain_bvh.read(data)
    elif path.suffix == ".json":
        json.loads(data)
    elif path.suffix == ".png":
        if not (data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")):
            raise ValueError("no picture")
    elif zipfile.ZipFile(path).testzip() is not None:
        raise ValueError("no graph")


# --- signals --------------------------------------------------------------------------------------------------------


def stop(trials: Trials, verbs: Sequence[str], count: int) -> None:
    """Stop commands at random moments, each verb by each signal in turn."""
    lasting = {}
    for verb in verbs:
        trials.clear()
        done = trials.run(VERBS[verb])
        trials.expect(f"{verb}, undisturbed", done.status == 0, done)
        lasting[verb] = done.seconds
    signals = list(STATUS)
    for number in range(count):
        verb, sent = verbs[number % len(verbs)], signals[number // len(verbs) % len(signals)]
        moment = trials.rng.random() * 1.02 * lasting[verb]
        what = f"{verb}, {sent.name} after {moment:.3f} of {lasting[verb]:.3f} s"
        trials.clear()
        process = trials.start(VERBS[verb])
        time.sleep(moment)
        process.send_signal(sent)
        printed, err = process.communicate(timeout=60)
        trials.counts[sent.name, _ending(trials, what, sent, process.returncode, printed, err)] += 1
        left = trials.parts()
        trials.check_whole(what)
        if sent != signal.SIGKILL:
            trials.expect(what, not left, left)
        elif left:
            trials.counts["SIGKILL", "left a part, which the next command cleared"] += 1
            again = trials.run(VERBS[verb] + " --force")
            trials.expect(what, again.status == 0 and not trials.parts(), (again, trials.parts()))


def _ending(trials: Trials, what: str, sent: signal.Signals, status: int, printed: bytes, err: bytes) -> str:
    """Check the end of a command after a signal, and return its kind."""
    if status == 0:
        trials.expect(what, err == b"", err)
        return "was done"
    if sent == signal.SIGKILL:
        trials.expect(what, status == -sent and (err == b"" or TRACKER in err), (status, err))
        return "ended"
    if status == STATUS[sent] and err.endswith(LINE):
        trials.expect(what, err == LINE or SWALLOWED in err, err)
        return "one line and its status" if err == LINE else "one line and its status, after words of Python"
    # Before the first line of ours, Python itself ends as the signal says.
    trials.expect(what, status in (-sent, 1) and printed == b"" and not list(trials.out.iterdir()), (status, err))
    trials.expect(what, sent != signal.SIGTERM or err == b"", err)
    trials.expect(what, b"action_loom/core" not in err.replace(b"core/cli/process.py", b""), err)
    return "before the first line of ours"


# --- several at once, no room, nobody who reads -------------------------------------------------------------------


def race(trials: Trials, rounds: int) -> None:
    """Let two commands write one file: one must succeed, the other must refuse, and the file must be whole."""
    for number in range(rounds):
        trials.clear()
        pair = [trials.start(f"sync {clip} sneak.bvh -o out/a.bvh --engine numpy") for clip in ("walk.bvh", "turn.bvh")]
        errors = [process.communicate(timeout=120)[1] for process in pair]
        statuses = sorted(process.returncode for process in pair)
        trials.expect(f"race {number}", statuses == [0, 1], (statuses, errors))
        trials.expect(f"race {number}", sum(b"exists already" in err for err in errors) == 1, errors)
        trials.expect(f"race {number}", os.listdir(trials.out) == ["a.bvh"], os.listdir(trials.out))
        trials.check_whole(f"race {number}")
        trials.counts["two that write one file", "one did, one was refused"] += 1
        pair = [
            trials.start(f"sync {clip} sneak.bvh -o out/a.bvh --engine numpy --force") for clip in ("walk.bvh",) * 2
        ]
        statuses = [(process.communicate(timeout=120), process.returncode)[1] for process in pair]
        trials.expect(f"race {number}, forced", statuses == [0, 0] and not trials.parts(), statuses)
        trials.check_whole(f"race {number}, forced")
        trials.counts["two that write one file", "both forced, the file is whole"] += 1


def fill(trials: Trials, verbs: Sequence[str], rounds: int) -> None:
    """Leave no room: for a file (a limit of its size imitates a full disk), and for printed output."""
    for number in range(rounds):
        verb = trials.rng.choice([verb for verb in verbs if not verb.startswith("run")])
        most = trials.rng.randrange(1, 20_000)

        def limited(most: int = most) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as on a full disk, writing fails and nobody is killed
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        trials.clear()
        environment = os.environ | {"NUMBA_CACHE_DIR": ""}
        done = trials.run(VERBS[verb], preexec_fn=limited, env=environment)
        what = f"full {number}: {verb}, {most} bytes"
        if done.status == 0:
            trials.counts["no room", "was small enough"] += 1
        else:
            trials.expect(what, done.status == 1 and _is_line(done.err), done)
            trials.counts["no room", "one line, nothing half written"] += 1
        trials.expect(what, not trials.parts(), trials.parts())
        trials.check_whole(what)
    for verb in [verb for verb in verbs if verb in ("info", "sync", "run")]:
        trials.clear()
        with open("/dev/full", "wb") as full:
            done = trials.run(VERBS[verb], stdout=full)
        trials.expect(f"{verb} > /dev/full", done.status == 1 and _is_line(done.err), done)
        trials.counts["no room", "one line, nothing half written"] += 1


def close(trials: Trials, verbs: Sequence[str], rounds: int) -> None:
    """Close a command's output within 0.2 s of its start: it must print no error, and leave only whole files."""
    for number in range(rounds):
        verb = trials.rng.choice(verbs)
        trials.clear()
        process = trials.start(VERBS[verb])
        assert process.stdout is not None
        time.sleep(trials.rng.random() * 0.2)
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=120)
        trials.expect(
            f"closed {number}: {verb}", process.returncode in (0, 1) and err == b"", (process.returncode, err)
        )
        trials.expect(f"closed {number}: {verb}", not trials.parts(), trials.parts())
        trials.check_whole(f"closed {number}: {verb}")
        trials.counts["nobody reads", "nothing said, files whole"] += 1


def _is_line(err: bytes) -> bool:
    return err.startswith(b"action-loom: ") and err.count(b"\n") == 1 and err.endswith(b"\n")


def tried(
    count: int, seed: int, verbs: Sequence[str] = tuple(VERBS)
) -> tuple[collections.Counter[tuple[str, str]], list[str]]:
    """Try `count` signals, and a tenth of that number of each other trial; return counts and faults."""
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder), seed)
        if any("--graph" in VERBS[verb] for verb in verbs):
            built = trials.run("graph build walk.bvh turn.bvh -o g.npz")
            trials.expect("graph build", built.status == 0, built)
        stop(trials, verbs, count)
        few = max(count // 10, 1)
        race(trials, few)
        fill(trials, verbs, few)
        close(trials, verbs, few)
        return trials.counts, trials.troubles


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="signals; of everything else a tenth as many")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    counts, troubles = tried(arguments.count, arguments.seed)
    for (what, how), count in sorted(counts.items()):
        print(f"{what:24s} {how:48s} {count}")
    print(f"{sum(counts.values())} trials, {len(troubles)} troubles")
    for trouble in troubles[:30]:
        print(f"  {trouble[:600]}")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
