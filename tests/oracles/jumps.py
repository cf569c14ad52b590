"""Jumps for the tests of weight: captured ones, held out while it was tuned, and ways to make their fall wrong."""

from dataclasses import replace
from functools import cache

import numpy as np
from action_loom.core.formats import motion_file
from action_loom.core.motion import clip as clips
from action_loom.core.motion import resample, root_motion, trim
from action_loom.core.motion.clip import Clip
from action_loom.core.weight import flights
from action_loom.core.weight.flights import Flight
from oracles.material import SHARED

# Jumps with one long flight each, and other clips. Weight's constants were chosen without all of these.
JUMPS = ("cmu_asf_16_03", "cmu_daz_13_39", "cmu_mb_49_04", "127_22", "127_26")
OTHERS = (
    *("09_01", "09_06", "09_10", "127_03", "127_09", "127_12", "127_13", "127_15", "127_16", "127_30", "127_34"),
    *("127_36", "127_37", "127_38", "16_17", "16_23", "16_25", "16_28", "16_30", "16_34", "16_38", "16_42", "16_49"),
    *("16_51", "16_55", "cmu_asf_16_08", "cmu_asf_16_15", "cmu_asf_16_41", "cmu_daz_10_01", "cmu_daz_10_03"),
    *("cmu_daz_14_27", "cmu_daz_martial_04", "cmu_daz_salsa_10", "cmu_mb_02_01", "cmu_mb_07_01", "cmu_mb_07_04"),
    *("cmu_mb_08_04", "cmu_mb_08_07", "cmu_mb_10_04", "cmu_mb_35_22", "cmu_mb_07_02", "cmu_mb_07_07", "cmu_mb_07_10"),
    *("cmu_mb_08_03", "cmu_mb_08_06", "cmu_mb_16_32", "cmu_mb_35_06", "cmu_mb_35_09", "cmu_mb_35_11", "cmu_mb_35_14"),
    *("cmu_mb_35_18", "cmu_mb_35_25", "cmu_mb_35_31", "cmu_mb_35_32"),
)
RAMP = 0.12  # s before and after a flight in which time begins and ceases to run at another speed


@cache
def read(name: str) -> Clip:
    """Return a captured clip by its name, without its bad ends."""
    (path,) = (path for folder in ("cmu", "strides", "amc") for path in (SHARED / folder).glob(f"{name}.[ab]*"))
    skeleton = str(path.parent / f"{name.partition('_')[0]}.asf") if path.suffix == ".amc" else ""
    return trim.ends(motion_file.read(path, skeleton=skeleton).clip).clip


def long_flights(clip: Clip) -> list[Flight]:
    return [one for one in flights.find_flights(clip).flights if one.seconds > 0.3]


def retimed(clip: Clip, flight: Flight, factor: float) -> Clip:
    """Return a clip whose flight takes longer by a factor."""
    at = (np.arange(len(clip) - 1) + 0.5) / clip.rate
    apart = np.maximum(np.maximum(flight.start - at, at - flight.end), 0.0)
    share = np.clip(1.0 - apart / RAMP, 0.0, 1.0)
    times = np.concatenate([[0.0], np.cumsum(1.0 + (factor - 1.0) * share * share * (3.0 - 2.0 * share))])
    return resample.sample(clip, np.interp(np.arange(int(times[-1]) + 1), times, np.arange(len(clip))))


def resized(clip: Clip, scale: float) -> Clip:
    """Return a clip of a body of another size, which moves as it did."""
    skeleton = clip.skeleton
    larger = replace(skeleton, offsets=scale * skeleton.offsets, tips=scale * skeleton.tips)
    return replace(clip, skeleton=larger, translations=scale * clip.translations)


def in_sequence(parts: list[Clip]) -> Clip:
    """Return clips in sequence, each where the one before it ends."""
    placed, at = list[Clip](), np.zeros(2)
    for part in parts:
        ground, _ = root_motion.ground_frames(part)
        placed.append(root_motion.place_clip(part, 0.0, at - ground[0]))
        at = at + ground[-1] - ground[0]
    return clips.join_clips(placed)
