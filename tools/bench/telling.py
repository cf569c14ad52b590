"""Pass figures from a child process to its parent: one marked line of JSON in its output."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from line import Figures

MARK = "FIGURES "


def tell(figures: Mapping[str, Figures], **more: Any) -> None:
    """Print figures by key, and other JSON values, as one marked line."""
    print(MARK + json.dumps({"figures": {key: asdict(one) for key, one in figures.items()}} | more))


def heard(output: str) -> tuple[dict[str, Figures], dict[str, Any]]:
    """Return the figures and other values that `tell` printed."""
    message = json.loads(next(line for line in output.splitlines() if line.startswith(MARK)).removeprefix(MARK))
    figures = message.pop("figures")
    return {key: Figures(**one) for key, one in figures.items()}, message
