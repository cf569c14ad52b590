"""Choose named styles, and keep styles in a file as text blocks: the output of `action-loom style fit`, in base64."""

import base64
import binascii
import textwrap
from typing import TYPE_CHECKING, Any

import bpy

from ...core.errors import LoomError
from ...core.recipes.style import NAMED

if TYPE_CHECKING:
    from ...core.style.style import Style

ENDING = ".loomstyle"


def is_style(text: bpy.types.Text) -> bool:
    """Return whether a text holds a style, by its name."""
    return text.name.endswith(ENDING)


def keep(content: bytes, name: str) -> bpy.types.Text:
    """Store the contents of a style file as the text of that name, new or replaced."""
    called = name if name.endswith(ENDING) else f"{name}{ENDING}"
    text = bpy.data.texts.get(called) or bpy.data.texts.new(called)
    text.from_string("\n".join(textwrap.wrap(base64.b64encode(content).decode("ascii"), 120)))
    text.use_fake_user = True
    return text


def content(name: str) -> bytes:
    """Return the contents of the style file that a text holds; raises LoomError if there is none."""
    text = bpy.data.texts.get(name)
    if text is None:
        raise LoomError(f"The style {name!r} is not in the file any more: load it again, or learn from the actions")
    try:
        return base64.b64decode("".join(text.as_string().split()), validate=True)
    except (binascii.Error, ValueError):
        raise LoomError(f"The text {name!r} keeps no style: it was changed, so load it again") from None


def load(name: str) -> "Style":
    """Return the style that a text holds; raises LoomError."""
    from ...core.style import storage

    return storage.read(content(name), name)


def read_named_style(settings: Any) -> int:
    """Return the number of the named style that a walk is changed towards, 0 for none."""
    return next((k for k, name in enumerate(NAMED, 1) if name == settings.restyle.toward.strip()), 0)


def choose_named_style(settings: Any, number: int) -> None:
    """Change walks towards a named style by its number, 0 for none."""
    settings.restyle.toward = ["", *NAMED][number]
