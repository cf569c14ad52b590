"""Runs everything that must hold: checkers, core tests on both engines, and the built zip in every Blender.

BLENDER="4.2 5.2" in the environment limits the Blenders. Each step writes its output to build/test-logs/. The
last line reads `N passed, N failed, N skipped`; a step that fails without naming a test counts as one failed.
"""

import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import environments

ROOT = environments.ROOT
LOGS = ROOT / "build" / "test-logs"
TYPES = ROOT / "build" / "types"
SECONDS_PER_STEP = 3000  # a machine that is twice as slow, with the other suites beside it, still ends in time
SECONDS_PER_BLENDER = 2400
BLENDERS_AT_A_TIME = 2
TAIL_LINES = 60


@dataclass(frozen=True)
class Outcome:
    """How one step ended, and what its tests said, if it ran some."""

    name: str
    seconds: float
    trouble: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    without_clips: int = 0


def run(name, command, *, cwd=ROOT, env=None, limit=SECONDS_PER_STEP):
    """Run one step with its output in its log, say how it went, and return its outcome."""
    log, report = LOGS / f"{name}.log", LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    started, trouble = time.monotonic(), ""
    with log.open("w", encoding="utf-8") as output:
        try:
            ended = subprocess.run(
                list(map(str, command)),
                cwd=cwd,
                env=clean_environment() | (env or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=limit,
                check=False,
            )
            if ended.returncode != 0:
                trouble = f"ended with status {ended.returncode}"
        except subprocess.TimeoutExpired:
            trouble = f"did not end within {limit} s"
    outcome = Outcome(name, time.monotonic() - started, trouble)
    outcome = count_tests(outcome, report) if report.exists() else outcome
    tell(outcome, log)
    return outcome


def run_pytest(name, python, arguments, **options):
    """Run pytest as a step; -P keeps the root off its path, where `core` would be a package by itself."""
    command = [python, "-P", "-m", "pytest", *arguments, f"--junit-xml={LOGS / name}.xml"]
    return run(name, command, **options)


def clean_environment():
    """This process's environment without what would let tests see another package or engine."""
    unwanted = ("PYTHONPATH", "ACTION_LOOM_ENGINE", "ACTION_LOOM_ZIP")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def count_tests(outcome, report):
    """Read pytest's own report: nothing else survives a Blender that crashes at its exit."""
    suites = ElementTree.parse(report).getroot().findall("testsuite")
    total, failures, errors, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites) for key in ("tests", "failures", "errors", "skipped")
    )
    reasons = [case.get("message", "") for suite in suites for case in suite.iter("skipped")]
    return replace(
        outcome,
        passed=total - failures - errors - skipped,
        failed=failures + errors,
        skipped=skipped,
        without_clips=sum("../shared" in reason for reason in reasons),
    )


def tell(outcome, log):
    """Print one line about a step, and the end of its log if it failed."""
    words = [f"{outcome.passed} passed"] if outcome.passed or outcome.failed else []
    words += [f"{n} {word}" for n, word in ((outcome.failed, "failed"), (outcome.skipped, "skipped")) if n]
    words += [outcome.trouble] if outcome.trouble else []
    status = "FAILED" if outcome.trouble else "ok"
    lines = [f"{status:7}{outcome.name:19}{outcome.seconds:7.1f} s  {', '.join(words)}".rstrip()]
    if outcome.trouble:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:]
        lines += [f"    | {line}" for line in [*tail, f"all of it: {log.relative_to(ROOT)}"]]
    # One call, so that two Blenders that end together do not mix their lines.
    print("\n".join(lines) + "\n", end="", flush=True)


def check_package():
    """Checkers, and the core's tests with each engine and with the oldest numpy."""
    python, oldest = environments.package(), environments.oldest()
    link_for_types()
    both = ["-m", "both_engines"]

    def twins():
        return [
            run_pytest("core-numpy", python, both, env={"ACTION_LOOM_ENGINE": "numpy"}),
            run_pytest("core-oldest-numpy", oldest, both, env={"PYTHONPATH": str(TYPES)}),
        ]

    checked = [
        run("ruff", [python, "-m", "ruff", "check", "--output-format=concise"]),
        run("format", [python, "-m", "ruff", "format", "--check"]),
        run("mypy", [python, "-m", "mypy", "-p", "action_loom.core", "-p", "action_loom.addon"]),
    ]
    with ThreadPoolExecutor(2) as pool:  # the two twins together take as long as the compiled engine alone
        twin_outcomes = pool.submit(twins)
        return [*checked, run_pytest("core-numba", python, []), *twin_outcomes.result()]


def link_for_types():
    """Show the repository as a folder named like the package, for programs that follow folders only."""
    TYPES.mkdir(parents=True, exist_ok=True)
    link = TYPES / "action_loom"
    if not link.is_symlink():
        link.symlink_to(os.path.relpath(ROOT, TYPES), target_is_directory=True)


def check_blenders(names):
    """Build the zip, then install and test it in each Blender."""
    pythons = {name: environments.blender(name) for name in [*names, "5.2"]}
    built = run("build", [pythons["5.2"], ROOT / "tools" / "build.py"])
    if built.trouble:
        return [built]
    # The last thing that the build prints is the path of its zip.
    env = {"ACTION_LOOM_ZIP": (LOGS / "build.log").read_text(encoding="utf-8").splitlines()[-1]}

    def test_one(name):
        folder = ROOT / "tests" / "addon"
        return run_pytest(name, pythons[name], ["."], cwd=folder, env=env, limit=SECONDS_PER_BLENDER)

    with ThreadPoolExecutor(BLENDERS_AT_A_TIME) as pool:
        return [built, *pool.map(test_one, names)]


def summarise(outcomes):
    """Print the sums, and return whether everything that must hold does."""
    skipped = sum(outcome.skipped for outcome in outcomes)
    without_clips = sum(outcome.without_clips for outcome in outcomes)
    failed = sum(max(outcome.failed, bool(outcome.trouble)) for outcome in outcomes)
    print(f"\n{sum(outcome.seconds for outcome in outcomes):.0f} s of work; logs in {LOGS.relative_to(ROOT)}")
    if without_clips:
        print(f"{without_clips} of the skipped tests want the clips of ../shared, which is not here")
    if os.environ.get("CI"):
        complaints = ci_complaints(skipped)
        print("".join(f"CI: {complaint}\n" for complaint in complaints), end="")
        failed += len(complaints)
    print(f"{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed, {skipped} skipped")
    return failed == 0


def ci_complaints(skipped):
    """What is forgiven elsewhere, but not where the project vouches for its state."""
    complaints = [] if (ROOT.parent / "shared" / "data").is_dir() else ["the clips of ../shared are missing"]
    return complaints + ([f"{skipped} skipped, but here nothing may be"] if skipped else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only-blender", action="store_true", help="leave out checkers and core tests")
    options = parser.parse_args()
    names = os.environ.get("BLENDER", "").split() or list(environments.BLENDERS)
    unknown = sorted(set(names) - set(environments.BLENDERS))
    if unknown:
        parser.error(f"BLENDER={unknown[0]} is not one of {', '.join(environments.BLENDERS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        outcomes = [] if options.only_blender else check_package()
        outcomes += check_blenders(names)
    except environments.SetupError as error:
        sys.exit(f"setup: {error}")
    sys.exit(0 if summarise(outcomes) else 1)


if __name__ == "__main__":
    main()
