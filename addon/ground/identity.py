"""Recognise data without pointers: by session id while this Blender runs, by name and file afterwards.

A pointer would keep data alive, and append it to other files together with an action. Session ids change with every
load and may then belong to other data, so each is stored with a token of its session.
"""

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import bpy
from bpy.app.handlers import persistent

from . import registrar
from .blender_types import Data

_session = os.urandom(16).hex()


class Identity(NamedTuple):
    """The name of data, its file ("" for the opened one), its session id, and the token of that session."""

    name: str
    library: str = ""
    uid: int = 0
    session: str = ""

    def values(self) -> dict[str, Any]:
        """Return the identity as plain values, for storing."""
        return {"name": self.name, "library": self.library, "uid": str(self.uid), "session": self.session}

    @property
    def is_of_this_session(self) -> bool:
        return self.session == _session

    def here(self, kept: Iterable[Data]) -> Data | None:
        """Return the data with this session id among `kept`, or None; ids of earlier sessions never match."""
        if not self.is_of_this_session:
            return None
        return next((one for one in kept if one.session_uid == self.uid), None)

    def find(self, kept: Iterable[Data]) -> Data | None:
        """Return the data with this session id among `kept`, or by name and file if the id is of an earlier session."""
        return self.here(kept) if self.is_of_this_session else find_called(kept, self.name, self.library)


def find_called(
    kept: Iterable[Data], name: str, library: str, own_file: str = "", library_of: bpy.types.ID | None = None
) -> Data | None:
    """Return the data of a name and file, or None.

    own_file : the file to assume if `library` is ""
    library_of : linked data whose file a relative `library` path starts from
    """
    # abspath resolves // relative to the opened file, or to the library that it is given.
    within = library_of.library if library_of is not None else None
    file = bpy.path.abspath(library, library=within) if library else own_file
    return next((one for one in kept if one.name == name and _same(file_of(one), file)), None)


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths, which may be relative to the opened file, name one file, or files of one name."""
    return bpy.path.basename(one) == bpy.path.basename(other)


def _same(one: str, other: str) -> bool:
    return os.path.normpath(one) == os.path.normpath(other)


def file_of(data: bpy.types.ID) -> str:
    """Return the path of the file that data is linked from; "" for data of the opened file."""
    return bpy.path.abspath(data.library.filepath) if data.library else ""


def identity_of(data: bpy.types.ID) -> Identity:
    """Return the current identity of data."""
    return Identity(data.name, data.library.filepath if data.library else "", data.session_uid, _session)


@persistent
def _renew(*_: Any) -> None:
    global _session
    _session = os.urandom(16).hex()


def register() -> None:
    registrar.append(bpy.app.handlers.load_post, _renew)
