"""Recognising data without holding it: by session id while this Blender runs on, by name and file afterwards.

A pointer would keep data alive, and drag it along when an action is appended elsewhere. Session ids are new after every
load, and may then belong to something else: so each comes with a token of the session that it is of.
"""

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.app.handlers import persistent

from .blender_types import Data

_session = uuid.uuid4().hex


@dataclass(frozen=True)
class Identity:
    """What data was called, in which file it was ("" is the opened one), and its id in the session of a token."""

    name: str
    library: str = ""
    uid: int = 0
    session: str = ""

    def values(self) -> dict[str, Any]:
        """Return what is kept of it, as plain values."""
        return {"name": self.name, "library": self.library, "uid": str(self.uid), "session": self.session}

    @property
    def is_of_this_session(self) -> bool:
        return self.session == _session

    def here(self, kept: Iterable[Data]) -> Data | None:
        """Return the data of this session id among some, or None; that of an earlier session is none."""
        if not self.is_of_this_session:
            return None
        return next((one for one in kept if one.session_uid == self.uid), None)

    def find(self, kept: Iterable[Data]) -> Data | None:
        """Return the data of this session id among some, or of this name and file if the id is an earlier session's."""
        return self.here(kept) if self.is_of_this_session else called(kept, self.name, self.library)


def called(
    kept: Iterable[Data], name: str, library: str, own_file: str = "", library_of: bpy.types.ID | None = None
) -> Data | None:
    """Return the data of a name and file; `own_file` is that of what had no file of its own.

    library_of : linked data whose file the path of `library` begins at
    """
    # Blender turns only its own paths.
    within = library_of.library if library_of is not None else None
    file = bpy.path.abspath(library, library=within) if library else own_file
    return next((one for one in kept if one.name == name and _same(file_of(one), file)), None)


def _same(one: str, other: str) -> bool:
    return os.path.normpath(one) == os.path.normpath(other)


def file_of(data: bpy.types.ID) -> str:
    """Return the path of the file that data is linked from; "" if it is the opened one's own."""
    return bpy.path.abspath(data.library.filepath) if data.library else ""


def identity_of(data: bpy.types.ID) -> Identity:
    """Return the identity of data as it is now."""
    return Identity(data.name, data.library.filepath if data.library else "", data.session_uid, _session)


@persistent
def _renew(*_: Any) -> None:
    global _session
    _session = uuid.uuid4().hex


def register() -> None:
    bpy.app.handlers.load_post.append(_renew)


def unregister() -> None:
    bpy.app.handlers.load_post.remove(_renew)
