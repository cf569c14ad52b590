"""The report on a style: plain JSON values that scripts can rely on (methods: Style)."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from .measures import UNITS
from .style import KINDS, Style

SHOWN = 6  # components whose shares are reported


def learnt(style: Style, names: Sequence[str], hashes: Sequence[str], began: float) -> dict[str, Any]:
    """Return the report on a style of clips with these names and hashes; began : perf_counter at the start."""
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
            "shares": {kind: np.round(style.learnt(kind).parts.shares[:SHOWN], 4).tolist() for kind in KINDS},
            "components": list(style.learnt("apart").names[:SHOWN]),
            "labels": {
                column: {
                    "component": style.learnt("apart").names[effect.component],
                    "effect": round(effect.size, 3),
                    "chance": round(effect.chance, 4),
                    "correlation": None if effect.correlation is None else round(effect.correlation, 4),
                }
                for column, effect in style.effects("apart").items()
            },
        },
        "carried": [carried.as_report() for carried in of.carried],
        "dropped": [],
        "notes": list(of.corrected),
        "warnings": [*of.left_out, *of.given, *(sentence for carried in of.carried for sentence in carried.sentences)],
        "seconds_taken": round(time.perf_counter() - began, 4),
    }
