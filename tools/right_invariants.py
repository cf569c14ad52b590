"""Invariants of every result: one table of functions, tolerances and reasons.

A result is wrong if it breaks an invariant and no warning or note of its report mentions it.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import right_measures as see
from right_measures import Seen

LONGEST_MESSAGE = 300  # letters


@dataclass
class Trial:
    """A verb's result with its inputs, as the invariants read them.

    result : the motion seen from its joints; sources : the motions of its source clips, without prepended frames
    body : the compared joints; cyclic : whether the result is meant to repeat
    report : the verb's report; meets : whether all sources are cycles, so that a blend must be one
    carrier : the joint that travels; more : "bodies", the compared joints of each source, and special conditions
    ("free": the verb moves limbs by design, "nameless" bodies, "said": messages besides the report)
    """

    verb: str
    result: Seen
    sources: Sequence[Seen]
    body: Sequence[int]
    cyclic: bool
    report: dict[str, Any]
    meets: bool = False
    carrier: int = 0
    more: dict[str, Any] = field(default_factory=dict)

    def says(self, pattern: str) -> bool:
        """Return whether a warning or a note of the report matches the pattern."""
        sentences = [*self.report.get("warnings", ()), *self.report.get("notes", ()), *self.more.get("said", ())]
        sentences.append(self.report.get("not_planted") or "")
        if self.more.get("nameless") and any(sentences):
            return True  # any message is enough about an unknown body
        pattern = f"{pattern}|hardly|timing differs|nothing was"  # clips that do not fit together may give any result
        return any(re.search(pattern, sentence, re.IGNORECASE) for sentence in sentences)


class Wrong(NamedTuple):
    """A broken invariant: its name, the measured figure, its size in tolerances, and a sentence."""

    invariant: str
    figure: float
    times: float
    text: str


def exceeds(invariant: str, value: float, most: float, text: str) -> Wrong | None:
    """Return the fault of a value over its tolerance."""
    return None if value <= most else Wrong(invariant, value, value / most, text)


def closes(trial: Trial) -> Wrong | None:
    if not trial.cyclic or len(trial.result.places) < 3:
        return None
    off = see.closure(trial.result, trial.body)
    return exceeds("closure", off, 0.005, f"cyclic, but its ends are {100 * off:.2f} % of the height apart")


def blend_of_cycles(trial: Trial) -> Wrong | None:
    if trial.verb != "blend" or not trial.meets or trial.cyclic or trial.says(r"cycl|close|loop|repeat"):
        return None
    off = see.closure(trial.result, trial.body)
    text = f"two cycles, but not cyclic: ends {100 * off:.2f} % apart"
    return Wrong("cycles blend to a cycle", off, off / 0.005, text)


def facing_and_travel(trial: Trial) -> Wrong | None:
    """Compare the reported figures with the way of the travelling joint, and with hips and shoulders."""
    told = (trial.report.get("quality") or {}).get("after") or {}
    if trial.verb == "loop":
        told = {"travel_m": trial.report["loop"]["travel_m"]}
        hips = trial.result.places[[0, -1], trial.carrier, :2]
        off = abs(float(np.linalg.norm(hips[1] - hips[0])) - told["travel_m"])
        if off > trial.result.of(0.03) + 0.05 * told["travel_m"]:
            text = f"reports {told['travel_m']:.2f} m a cycle, {off:.2f} m else"
            return Wrong("travel as reported", off, off / 0.03, text)
    if "path_m" in told:
        way = see.way(trial.result.places[:, trial.carrier])
        off = abs(way - told["path_m"])
        if off > 0.05 * way + trial.result.of(0.03):
            text = f"reports {told['path_m']:.2f} m, is {way:.2f}"
            return Wrong("travel as reported", off, off / (0.05 * way + 0.03), text)
    facing = None if trial.more.get("nameless") else see.facing(trial.result)
    if facing is not None and len(facing) > 1 and "turn_degrees" in told:
        turn = float(np.degrees(facing[-1] - facing[0]))
        off = abs((turn - told["turn_degrees"] + 180.0) % 360.0 - 180.0)
        lively = max(float(np.degrees(np.abs(np.diff(facing)).max())), 1.0)  # a spin has no exact facing
        if off > 10.0 + 2.0 * lively:
            return Wrong("turn as reported", off, off / 10.0, f"reports {told['turn_degrees']:.0f}°, is {turn:.0f}°")
    return None


SLIDE = {"in_place", "key_poses"}  # feet slide by design: on the spot, and from pose to pose


def feet_slide(trial: Trial) -> Wrong | None:
    if trial.verb in SLIDE or trial.more.get("free"):
        return None
    before = [value for value in map(see.slide, trial.sources) if not np.isnan(value)]
    after = see.slide(trial.result)
    if not before or np.isnan(after):
        return None
    toes = all(trial.result.at(f"toe.{side}") is not None for side in see.SIDES)
    most = 1.5 * max(before) + trial.result.of(2.0 if toes else 6.0)  # ankles go ahead while heels lift
    if after <= most or trial.says(r"slid|planted|stand|feet|foot|skat"):
        return None
    return Wrong("feet slide", after, after / most, f"standing feet slide {after:.1f} cm/s, sources {max(before):.1f}")


def feet_low(trial: Trial) -> Wrong | None:
    if trial.verb in ("retarget", "root") or trial.more.get("free"):
        return None
    if trial.verb == "key_poses" and trial.more.get("nameless"):  # feet are unknown, and poses are as requested
        return None
    before = [see.lowest(one) / one.height for one in trial.sources]
    after = see.lowest(trial.result) / trial.result.height
    if not before or np.isnan(after) or np.isnan(before).any():
        return None
    deeper = see.TALL * (min(before) - after)
    if deeper <= 0.02 or trial.says(r"lower|ground|floor|under|foot|feet"):
        return None
    text = f"a foot comes {100 * deeper:.1f} cm lower than in the sources"
    return Wrong("feet lower", 100 * deeper, deeper / 0.02, text)


def knees_backwards(trial: Trial) -> Wrong | None:
    before = max(map(see.most_backwards, trial.sources), default=0.0)
    after = see.most_backwards(trial.result)
    if after <= before + 2.0 or trial.says(r"knee|bends?"):
        return None
    text = f"a knee bends {after:.1f}° backwards, sources {before:.1f}°"
    return Wrong("knees backwards", after, (after - before) / 2.0, text)


def knees_jerk(trial: Trial) -> Wrong | None:
    before = max([2000.0, *map(see.knee_acceleration, trial.sources)])
    after = see.knee_acceleration(trial.result)
    if after <= 3.0 * before or trial.says(r"knee|jerk"):
        return None
    ratio = after / before
    return Wrong("knees jerk", ratio, ratio / 3.0, f"knees accelerate {ratio:.1f} x the sources'")


def shins_near(trial: Trial) -> Wrong | None:
    before = min((see.shins_apart(one) / one.height for one in trial.sources), default=np.inf)
    after = see.shins_apart(trial.result) / trial.result.height
    least = min(0.5 * before, 0.03 / see.TALL)
    if not np.isfinite(before) or after >= least or trial.says(r"shin|legs"):
        return None
    cm = 100 * see.TALL
    text = f"shins {cm * after:.1f} cm apart, sources {cm * before:.1f}"
    return Wrong("shins near", cm * after, least / max(after, 1e-4), text)


def jumps(trial: Trial) -> Wrong | None:
    """Compare the fastest joint with twice the sources' fastest; a speed below 2 m/s is never a jump."""
    if trial.verb == "key_poses" or trial.more.get("free"):  # poses may have any distance, in any time
        return None
    bodies = trial.more["bodies"]
    before = [see.swiftest(one, body)[0] / one.height for one, body in zip(trial.sources, bodies, strict=True)]
    after, frame = see.swiftest(trial.result, trial.body)
    after /= trial.result.height
    most = max(2.0 * max(before, default=0.0), 2.0 / see.TALL)
    if after <= most or trial.says(r"jump|jerk|far|apart|seam|m/s|step|hurr|fast|off"):
        return None
    metres = see.TALL * after
    text = f"a joint moves {metres:.1f} m/s at frame {frame}, sources {see.TALL * max(before, default=0.0):.1f}"
    return Wrong("jump", metres, after / most, text)


def messages(trial: Trial) -> Wrong | None:
    for sentence in [*trial.report.get("warnings", ()), *trial.report.get("notes", ()), *trial.more.get("said", ())]:
        fault = unfit(sentence)
        if fault:
            return Wrong("message", float(len(sentence)), len(sentence) / LONGEST_MESSAGE, f"{fault}: {sentence[:80]}")
    return None


def numbers(trial: Trial) -> Wrong | None:
    if np.isfinite(trial.result.places).all():
        return None
    return Wrong("numbers", float("nan"), 1.0, "a joint is nowhere")


def unfit(sentence: str) -> str:
    """Return why a sentence can't be shown as a message, "" where it can."""
    if len(sentence) > LONGEST_MESSAGE:
        return f"{len(sentence)} letters"
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Cn", "Zl", "Zp") for letter in sentence):
        return "unprintable"
    return "" if sentence.strip() else "empty"


DO = re.compile(
    r"[:;]|\b(add|allow|ask|choose|close|connect|cut|first|give|given|had|let|lower|make|must|name|need|needs|pick|raise"
    r"|read|say|select|switch|take|takes|tick|try|turn|type|use|wants?|with)\b",
    re.IGNORECASE,
)


def refusal(sentence: str, names: Sequence[str]) -> str:
    """Return the fault of a refusal's sentence, "" if it names its object and a remedy."""
    fault = unfit(sentence)
    if fault:
        return fault
    named = any(name and name in sentence for name in names) or re.search(
        r"\b(clips?|actions?|armature|bones?|joints?|strides?|body)\b", sentence
    )
    if not named:
        return "names nothing"
    return "" if DO.search(sentence) else "does not say what to do"


class Row(NamedTuple):
    """An invariant of every result: its function, and its reason in a line."""

    holds: Callable[[Trial], Wrong | None]
    reason: str


EVERY = (
    Row(numbers, "every joint is somewhere"),
    Row(closes, "what is marked as a cycle ends as it begins, within 0.5 % of the height"),
    Row(blend_of_cycles, "a blend of two cycles is one, with a gap of 2 % or a missing last key, too"),
    Row(facing_and_travel, "the report's way and turn are those that hips and shoulders go: 5 % + 3 cm, 10°"),
    Row(feet_slide, "standing feet slide at most 1.5 x what the worst source's do, + 2 cm/s"),
    Row(feet_low, "no foot comes 2 cm (of 1.7 m) lower than in the sources"),
    Row(knees_backwards, "no knee bends 2° further back than in the sources"),
    Row(knees_jerk, "knees accelerate at most 3 x the sources' (99 of 100 frames; 2000 °/s² count as nothing)"),
    Row(shins_near, "shins come no nearer than half the sources' least, or 3 cm"),
    Row(jumps, "no joint is more than twice as fast as in any source, or 2 m/s"),
    Row(messages, f"a message has {LONGEST_MESSAGE} letters at most, all printable"),
)
