"""Writing files whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

from .errors import LoomError


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file beside its place first and rename it then; raises LoomError, and leaves nothing half done."""
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise LoomError(f"{path} can't be written ({error.strerror})") from None
    finally:
        # What could not even be named is not there.
        with suppress(OSError):
            beside.unlink(missing_ok=True)
