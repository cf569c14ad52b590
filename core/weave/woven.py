"""What a verb hands back."""

from dataclasses import dataclass
from typing import Any

from ..motion.clip import Clip
from ..sync.registration import Registration
from .prepare import Prepared


@dataclass(frozen=True, eq=False)
class Woven:
    """The new clip, its report (plain JSON values) and what a picture of it needs."""

    clip: Clip
    report: dict[str, Any]
    prepared: Prepared
    registration: Registration
