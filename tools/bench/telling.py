"""How figures get out of a process of its own: one line of JSON among whatever else it says."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from line import Figures

MARK = "FIGURES "


def tell(figures: Mapping[str, Figures], **more: Any) -> None:
    """Print figures by their line's key, and other plain values."""
    print(MARK + json.dumps({"figures": {key: asdict(one) for key, one in figures.items()}} | more))


def heard(output: str) -> tuple[dict[str, Figures], dict[str, Any]]:
    """Return what `tell` printed."""
    message = json.loads(next(line for line in output.splitlines() if line.startswith(MARK)).removeprefix(MARK))
    figures = message.pop("figures")
    return {key: Figures(**one) for key, one in figures.items()}, message
