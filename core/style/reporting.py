"""The report on a style: plain JSON values that scripts may rely on."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .measures import UNITS
from .style import WAYS, Style

SHOWN = 6  # components whose shares are told


def learnt(style: Style, names: Sequence[str], hashes: Sequence[str], began: float) -> dict[str, Any]:
    """Return the report on a style; `began` is the perf_counter at the start."""
    of, known = style.material, style.sliders
    people = {of.people[clip] for clip in of.of}
    return {
        "verb": "style",
        "inputs": list(names),
        "names": list(names),
        "output": style.name,
        "hashes": list(hashes),
        "style": {
            "strides": len(of),
            "people": sorted(people),
            "gait": of.gait,
            "sliders": {
                name: {
                    "unit": UNITS[name],
                    "mean": round(float(known.means[k]), 4),
                    "deviation": round(float(known.deviations[k]), 4),
                    "lowest": round(float(known.lowest[k]), 2),
                    "highest": round(float(known.highest[k]), 2),
                }
                for k, name in enumerate(known.names)
            },
            "shares": {way: np.round(style.learnt(way).parts.shares[:SHOWN], 4).tolist() for way in WAYS},
            "components": list(style.learnt("apart").names[:SHOWN]),
            "labels": {
                column: {
                    "component": style.learnt("apart").names[found.component],
                    "effect": round(found.size, 3),
                    "chance": round(found.chance, 4),
                    "correlation": None if found.correlation is None else round(found.correlation, 4),
                }
                for column, found in style.effects("apart").items()
            },
        },
        "carried": [one.as_report() for one in of.carried],
        "dropped": [],
        "warnings": [*of.left_out, *of.given, *(sentence for one in of.carried for sentence in one.sentences)],
        "seconds_taken": round(time.perf_counter() - began, 4),
    }
