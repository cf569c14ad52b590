"""Names of the files of a set, by a pattern with fields in braces (methods: A take becomes a set)."""

import re
from collections.abc import Mapping

from ...errors import OptionError

FIELDS = ("take", "name", "root", "speed")
_FIELD = re.compile(r"\{(\w*)\}")


def check_pattern(pattern: str) -> str:
    """Return a pattern after checking that it has {name} and only known fields; raises OptionError otherwise.

    Example:
        >>> from action_loom.core.verbs.take import naming
        >>> naming.check_pattern("{take}_{name}")
        '{take}_{name}'
    """
    unknown = [name for name in _FIELD.findall(pattern) if name not in FIELDS]
    if unknown or "{name}" not in pattern:
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise OptionError(f"names is {pattern!r}, but must have {{name}}, and of fields only {known}")
    return pattern


def fill_pattern(pattern: str, fields: Mapping[str, str]) -> str:
    """Return a pattern with its fields filled in.

    Example:
        >>> from action_loom.core.verbs.take import naming
        >>> fields = {"take": "long", "name": "Walk", "root": "_InPlace", "speed": "1.3"}
        >>> naming.fill_pattern("{take}_{name}{root}", fields)
        'long_Walk_InPlace'
    """
    return _FIELD.sub(lambda found: fields[found[1]], pattern)
