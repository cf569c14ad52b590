"""Suspend Blender's handlers during work outside the artist's scene."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy


@contextmanager
def unheard(*names: str) -> Iterator[None]:
    """Suspend Blender's handlers of some names during work outside the artist's scene."""
    handlers: list[list[Any]] = [getattr(bpy.app.handlers, name) for name in names]
    listening = [list(one) for one in handlers]
    try:
        for one in handlers:
            one.clear()
        yield
    finally:
        for one, functions in zip(handlers, listening, strict=True):
            one[:] = functions
