"""Run the checkers, the core tests and the built zip in Blender: the quick tests, or all tests with --all.

The short run skips the tests that tests/durations.json records as slow, and uses one engine and one Blender. With
--all, the oldest numpy and all Blenders before the newest run the quick tests; all other steps run all tests. Blenders
between the oldest and the newest do not run tests marked `core_result`. The environment variable BLENDER="4.2 5.2"
selects the Blenders. Each step writes its output to build/test-logs/. The last line reads
`N passed, N failed, N skipped`; a step that fails without naming a test counts as one failed.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

import environments
import time_left

ROOT = environments.ROOT
sys.path.insert(0, str(ROOT / "tests" / "oracles"))

import durations

LOGS = ROOT / "build" / "test-logs"
TYPES = ROOT / "build" / "types"
SECONDS_PER_STEP = 4800  # enough for a machine of half the speed that runs other suites, too
MOST_PROCESSES = 8  # a limit for machines with many processors: each process may be a Blender
TAIL_LINES = 60
CRASH_LINES = 10  # from the first line of a crash's stack: the functions that ran
NEWEST = "5.2"  # the Blender that builds the zip and serves the short run
WHOLE = {"core": "core-numpy", "addon": NEWEST}  # the steps that run and record all tests of a group
BOTH_ENGINES = ("-m", "both_engines and not one_engine")


@dataclass(frozen=True)
class Step:
    """One program of a run; group : core or addon, if it runs pytest on their tests; quick : never runs slow tests."""

    name: str
    command: list
    group: str = ""
    quick: bool = False
    cwd: os.PathLike = ROOT
    env: dict = field(default_factory=dict)

    @property
    def log(self):
        return LOGS / f"{self.name}.log"

    @property
    def report(self):
        return LOGS / f"{self.name}.xml"


@dataclass(frozen=True)
class Outcome:
    """How one step ended, and the counts of its tests, if it ran any.

    known : tests that fail for a reason that is written beside them, and whose passing would be a failure names : the
    tests that failed
    """

    step: Step
    seconds: float
    trouble: str = ""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    without_clips: int = 0
    known: int = 0
    names: tuple = ()

    @property
    def tests(self):
        return self.passed + self.failed + self.skipped + self.known


# --- which steps there are ------------------------------------------------------------------------------------------


def checkers():
    """Return the steps that check the code without running it."""
    python = environments.package()
    return [
        Step("ruff", [python, "-m", "ruff", "check", "--output-format=concise"]),
        Step("format", [python, "-m", "ruff", "format", "--check"]),
        Step("mypy", [python, "-m", "mypy", "-p", "action_loom.core", "-p", "action_loom.addon"]),
    ]


def build():
    return Step("build", [environments.blender(NEWEST), ROOT / "tools" / "build.py"])


def core_tests(everything):
    """Return the core's test steps: on the zip's engine, on the compiled engine, and with the oldest numpy."""
    python, numpy = environments.package(), {"ACTION_LOOM_ENGINE": "numpy"}
    steps = [pytest_step("core-numpy", python, [], "core", env=numpy)]
    if everything:
        steps.append(pytest_step("core-numba", python, BOTH_ENGINES, "core", env={"ACTION_LOOM_ENGINE": "numba"}))
        oldest, env = environments.oldest(), {"PYTHONPATH": str(TYPES)}
        steps.append(pytest_step("core-oldest-numpy", oldest, BOTH_ENGINES, "core", quick=True, env=env))
    return steps


def blender_tests(names):
    """Return the steps that run the add-on's tests in some Blenders.

    Those before the newest run quick tests only; those between the oldest and the newest no tests marked `core_result`.
    """
    folder, newest = ROOT / "tests" / "addon", max(names)
    fewer = dict.fromkeys(sorted(names)[1:-1], ("-m", "not core_result"))
    return [
        pytest_step(name, environments.blender(name), [*fewer.get(name, ()), "."], "addon", name != newest, cwd=folder)
        for name in names
    ]


def pytest_step(name, python, arguments, group, quick=False, **where):
    """Return a step that runs pytest; -P keeps the root off its path, where `core` would be a package by itself."""
    step = Step(name, [python, "-P", "-m", "pytest", "-v", *arguments], group, quick, **where)
    return replace(step, command=[*step.command, f"--junit-xml={step.report}"])


# --- running them ---------------------------------------------------------------------------------------------------


class Run:
    """All steps of one run; several suites run at a time if slow tests run, too.

    everything : whether slow tests run, too
    """

    def __init__(self, everything):
        self.everything = everything
        # Suites that run beside each other need no workers; a single one uses all processors.
        self.at_a_time = 2 if everything else 1
        self.cores = min(os.cpu_count() or 2, MOST_PROCESSES)
        self.workers = max(1, self.cores // self.at_a_time)
        self.progress = None
        self.running = set()

    def end(self, number, _frame):
        """End the running steps with everything that they have started, and this program by the signal's status."""
        for step in list(self.running):
            with suppress(OSError):
                (os.killpg if hasattr(os, "killpg") else os.kill)(step.pid, signal.SIGTERM)
        os._exit(128 + number)

    def all_of(self, first, suites):
        """Run the first steps, which end with the build of the zip, beside the suites; return the outcomes."""
        link_for_types()
        shares = {step.name: self.share(step) for step in [*first, *suites]}
        seconds = sum(share.seconds for share in shares.values()) / self.cores
        busy = time_left.other_work(self.cores)
        print(f"{time_left.in_words(seconds)} on {self.cores} processors{busy}, {self.what_is_left_out()}", flush=True)
        # Long suites start first, so that none runs alone at the end. One at a time needs no order, and the build gets
        # time to end.
        in_turn = sorted(suites, key=lambda step: -shares[step.name].seconds) if self.at_a_time > 1 else suites
        with (
            time_left.Progress(shares, self.cores) as self.progress,
            ThreadPoolExecutor(1) as alone,
            ThreadPoolExecutor(self.at_a_time) as pool,
        ):
            begun = [alone.submit(self.run, step) for step in first]
            tested = [pool.submit(self.test, step, begun[-1]) for step in in_turn]
            return [one.result() for one in [*begun, *tested] if one.result()]

    def what_is_left_out(self):
        return "with everything" if self.everything else "without slow tests (ALL=1: everything)"

    def left_out(self, step):
        """Return the slow tests that a step skips, and their seconds; WRITE keeps the tests that write pages."""
        if (self.everything and not step.quick) or (step.group == "addon" and os.environ.get("WRITE")):
            return {}
        return durations.slow(step.group)

    def share(self, step):
        """Return the recorded work of the step, without the tests that this run leaves out."""
        known = {"seconds": 0.0, "tests": 0} | durations.recorded()["steps"].get(step.name, {})
        if step.quick:
            return time_left.Share(known["seconds"], known["tests"])  # recorded without slow tests
        slow = {} if (left_out := self.left_out(step)) else durations.slow(step.group)
        return time_left.Share(known["seconds"] - sum(left_out.values()), known["tests"] - len(left_out), slow)

    def test(self, step, built):
        """Run the tests of a step. Tests of the add-on wait for the zip; return None if its build failed."""
        if step.group == "addon":
            outcome = built.result()
            if outcome.trouble:
                return None
            # The last thing that the build prints is the path of its zip.
            step.env["ACTION_LOOM_ZIP"] = outcome.step.log.read_text(encoding="utf-8").splitlines()[-1]
        more = ["--short"] if self.left_out(step) else []
        more += ["-n", self.workers, "--dist=worksteal"] if self.workers > 1 else []
        return self.run(replace(step, command=[*step.command, *more]))

    def run(self, step):
        """Run one step with its output in its log, print how it ended, and return its outcome."""
        step.report.unlink(missing_ok=True)
        started, trouble = time.monotonic(), ""
        with step.log.open("w", encoding="utf-8") as output:
            self.progress.begin(step.name, step.log)
            try:
                program = subprocess.Popen(
                    list(map(str, step.command)),
                    cwd=step.cwd,
                    env=clean_environment() | step.env,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # so that it can be ended with its children
                )
                self.running.add(program)
                if program.wait(SECONDS_PER_STEP) != 0:
                    trouble = f"ended with status {program.returncode}"
            except subprocess.TimeoutExpired:
                program.kill()
                trouble = f"did not end within {SECONDS_PER_STEP} s"
            self.running.discard(program)
        outcome = Outcome(step, time.monotonic() - started, trouble)
        outcome = count_tests(outcome) if step.report.exists() else outcome
        self.progress.end(step.name, told(outcome))
        return outcome


def link_for_types():
    """Show the repository as a folder with the package's name, for programs that need such a folder."""
    TYPES.mkdir(parents=True, exist_ok=True)
    link = TYPES / "action_loom"
    if not link.is_symlink():
        link.symlink_to(os.path.relpath(ROOT, TYPES), target_is_directory=True)


def clean_environment():
    """Return this process's environment without variables that select another package or engine.

    Matrices are small and several programs run at once: with more threads each, they mostly wait for each other.
    """
    unwanted = ("PYTHONPATH", "ACTION_LOOM_ENGINE", "ACTION_LOOM_ZIP")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {"OPENBLAS_NUM_THREADS": "1"} | kept


# --- outcomes ---------------------------------------------------------------------------------------------------------


def count_tests(outcome):
    """Read pytest's own report: only this survives a Blender that crashes at its exit."""
    suites = ElementTree.parse(outcome.step.report).getroot().findall("testsuite")
    total, failures, errors, skipped = (
        sum(int(suite.get(key, 0)) for suite in suites) for key in ("tests", "failures", "errors", "skipped")
    )
    reasons = [case.get("message", "") for suite in suites for case in suite.iter("skipped")]
    known = sum(case.get("type") == "pytest.xfail" for suite in suites for case in suite.iter("skipped"))
    cases = [case for suite in suites for case in suite.iter("testcase")]
    return replace(
        outcome,
        passed=total - failures - errors - skipped,
        failed=failures + errors,
        skipped=skipped - known,
        known=known,
        without_clips=sum("../shared" in reason for reason in reasons),
        names=tuple(name_of_test(case) for case in cases if {"failure", "error"} & {child.tag for child in case}),
    )


def name_of_test(case):
    """Return a test's name in pytest's form."""
    return f"{case.get('classname').replace('.', '/')}.py::{case.get('name')}"


def told(outcome):
    """Return one line about a step, and the end of its log if it failed."""
    words = [f"{outcome.passed} passed"] if outcome.passed or outcome.failed else []
    counts = (outcome.failed, "failed"), (outcome.skipped, "skipped"), (outcome.known, "known to fail")
    words += [f"{n} {word}" for n, word in counts if n]
    words += [outcome.trouble] if outcome.trouble else []
    status, log = "FAILED" if outcome.trouble else "ok", outcome.step.log
    lines = [f"{status:7}{outcome.step.name:19}{outcome.seconds:7.1f} s  {', '.join(words)}".rstrip()]
    if outcome.trouble:
        text = log.read_text(encoding="utf-8", errors="replace").splitlines()
        crash = [k for k, line in enumerate(text) if line.startswith("Fatal Python error")][-1:]
        shown = [*text[-TAIL_LINES:], *(line for k in crash for line in text[k - 1 : k + CRASH_LINES])]
        lines += [f"    | {line}" for line in [*shown, f"all of it: {log.relative_to(ROOT)}"]]
    return "\n".join(lines)


def summarise(outcomes, run):
    """Print the sums, and return whether everything passed."""
    skipped = sum(outcome.skipped for outcome in outcomes)
    without_clips = sum(outcome.without_clips for outcome in outcomes)
    failed = sum(max(outcome.failed, bool(outcome.trouble)) for outcome in outcomes)
    print(f"\nlogs in {LOGS.relative_to(ROOT)}")
    for outcome in outcomes:
        print("".join(f"failed in {outcome.step.name}: {name}\n" for name in outcome.names), end="")
    for outcome in outcomes:
        if left_out := 0 if outcome.step.quick else len(run.left_out(outcome.step)):
            print(f"{outcome.step.name}: {outcome.tests:,} of {outcome.tests + left_out:,} tests; the slow ones: ALL=1")
    if known := sum(outcome.known for outcome in outcomes):
        print(f"{known} tests are known to fail: the reason is beside each, and it would be a failure if one passed")
    if without_clips:
        print(f"{without_clips} of the skipped tests want the clips of ../shared, which is not here")
    if os.environ.get("CI"):
        complaints = ci_complaints(skipped)
        print("".join(f"CI: {complaint}\n" for complaint in complaints), end="")
        failed += len(complaints)
    print(f"{sum(outcome.passed for outcome in outcomes)} passed, {failed} failed, {skipped} skipped")
    return failed == 0


def ci_complaints(skipped):
    """Return complaints about missing clips and skipped tests, which only continuous integration refuses."""
    complaints = [] if (ROOT.parent / "shared" / "data").is_dir() else ["the clips of ../shared are missing"]
    return complaints + ([f"{skipped} skipped, but here nothing may be"] if skipped else [])


def record(outcomes, run):
    """Write the durations of this run to tests/durations.json; a short run keeps the recorded times of slow tests."""
    steps, tests = {}, {}
    for outcome in outcomes:
        name, group = outcome.step.name, outcome.step.group
        known = {} if outcome.step.quick else run.left_out(outcome.step)
        seconds = outcome.seconds * (run.workers if group else 1) + sum(known.values())
        steps[name] = {"seconds": round(seconds)} | ({"tests": outcome.tests + len(known)} if group else {})
        if WHOLE.get(group) == name:
            tests[group] = known | seconds_of_tests(outcome.step.report)
    durations.write(steps, tests)


def seconds_of_tests(report):
    """Return the seconds of each test in a report of pytest, by its name."""
    return {
        name_of_test(case): float(case.get("time")) for case in ElementTree.parse(report).getroot().iter("testcase")
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="slow tests, all engines and all Blenders, too")
    parser.add_argument("--only-blender", action="store_true", help="leave out checkers and core tests")
    parser.add_argument("--record", action="store_true", help="write what it took to tests/durations.json")
    options = parser.parse_args()
    names = os.environ.get("BLENDER", "").split() or (list(environments.BLENDERS) if options.all else [NEWEST])
    unknown = sorted(set(names) - set(environments.BLENDERS))
    if unknown:
        parser.error(f"BLENDER={unknown[0]} is not one of {', '.join(environments.BLENDERS)}")
    LOGS.mkdir(parents=True, exist_ok=True)
    run = Run(options.all)
    for number in (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
        signal.signal(number, run.end)
    try:
        checks, suites = ([], []) if options.only_blender else (checkers(), core_tests(options.all))
        outcomes = run.all_of([*checks, build()], [*suites, *blender_tests(names)])
    except environments.SetupError as error:
        sys.exit(f"setup: {error}")
    fine = summarise(outcomes, run)
    if options.record:
        record(outcomes, run)
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
