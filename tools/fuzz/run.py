"""make fuzz: tries damaged files of all kinds, recipes and jobs, and prints crashes, hangs and high memory use.

Cases are made from a seed and a number: `--only KIND:NUMBER` does one again. Each engine does all of them.
"""

import argparse
import collections
import multiprocessing
import os
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path

# Percent of the cases of each kind: a walk along a path takes the time of a hundred files.
SHARES = {
    "files": 24, "takes": 12, "graphs": 7, "styles": 4, "tables": 10, "recipes": 9, "jobs": 9, "meshes": 4, "paths": 1,
    "libraries": 7, "schemas": 4, "bombs": 4, "pipes": 3, "links": 1, "limits": 1,
}  # fmt: skip
BATCH = 2000  # cases of one process
SECONDS, MEGABYTES = 5.0, 500.0  # limits of a case; processor time does not depend on the machine's load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="cases, all kinds and engines together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="KIND:NUMBER", help="one case, with its traceback")
    arguments = parser.parse_args()
    if arguments.only:
        kind, _, number = arguments.only.partition(":")
        import cases

        print(cases.run(kind, arguments.seed, int(number), Path(tempfile.mkdtemp())))
        return 0
    each = {kind: max(arguments.count * share // 200, 1) for kind, share in SHARES.items()}
    jobs = [
        (engine, kind, arguments.seed, first, min(first + BATCH, count))
        for engine in ("numpy", "numba")
        for kind, count in each.items()
        for first in range(0, count, BATCH)
    ]
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    troubles: list[str] = []
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        for found, wrong in pool.imap_unordered(_watched, jobs):
            counts.update(found)
            troubles += wrong
            done = sum(counts.values())
            batch = ", ".join(f"{kind} {how} {count}" for (kind, how), count in found.items())
            print(
                f"{done} of {2 * sum(each.values())} cases, {len(troubles)} troubles; {batch}",
                *wrong,
                sep="\n  ",
                file=sys.stderr,
                flush=True,
            )  # the counts up to here remain after a stopped run
    for (kind, how), count in sorted(counts.items()):
        print(f"{kind:8s} {how:8s} {count}")
    print(f"{sum(counts.values())} cases, {len(troubles)} troubles")
    for line, count in collections.Counter(trouble.partition(": ")[2] for trouble in troubles).most_common(30):
        first = next(trouble for trouble in troubles if trouble.endswith(line))
        print(f"  {count} × {first}")
    return 1 if troubles else 0


def _watched(job: tuple[str, str, int, int, int]) -> tuple[collections.Counter[tuple[str, str]], list[str]]:
    """Run consecutive cases in this process; an alarm ends cases that hang."""
    import signal

    engine, kind, seed, first, last = job
    os.environ["ACTION_LOOM_ENGINE"] = engine
    import cases

    def hang(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, hang)
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    troubles = []
    with tempfile.TemporaryDirectory() as folder:
        cases.run(kind, seed, -1, Path(folder))  # loads and compiles
        for number in range(first, last):
            label, before, began = f"{engine} {kind}:{number}", _peak(), time.process_time()
            signal.setitimer(signal.ITIMER_PROF, 2.0 * SECONDS)
            try:
                counts[kind, cases.run(kind, seed, number, Path(folder))] += 1
            except BaseException as error:
                counts[kind, "wrong"] += 1
                place = traceback.extract_tb(error.__traceback__)[-1]
                troubles.append(
                    f"{label}: {type(error).__name__} {str(error)[:90]} ({Path(place.filename).name}:{place.lineno})"
                )
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
            if time.process_time() - began > SECONDS:
                troubles.append(f"{label}: over {SECONDS:g} s")
            if _peak() - before > MEGABYTES:
                troubles.append(f"{label}: over {MEGABYTES:g} MB")
    return counts, troubles


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


if __name__ == "__main__":
    sys.exit(main())
