"""Find the name of a bone or property on the other side of the body.

A name is changed in place, so numbers, capitals and separators stay: `Ear.L.001` becomes `Ear.R.001`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

Pair = tuple[str, str]  # words for left and for right, in lower case

PAIRS: tuple[Pair, ...] = (
    ("l", "r"),
    ("left", "right"),
    ("左", "右"),
    ("links", "rechts"),
    *((f"linke{end}", f"rechte{end}") for end in ("", "r", "s", "n", "m")),
    ("gauche", "droite"),
    ("gauche", "droit"),
    ("izquierda", "derecha"),
    ("izquierdo", "derecho"),
    ("izq", "der"),
    ("sinistra", "destra"),
    ("sinistro", "destro"),
    ("sx", "dx"),
    ("esquerda", "direita"),
    ("esquerdo", "direito"),
    *((f"лев{end}", f"прав{end}") for end in ("", "ый", "ая", "ое", "ые", "ой", "о")),
    ("л", "п"),
    ("ліво", "право"),
    ("ліва", "права"),
    ("ліве", "праве"),
    ("lewy", "prawy"),
    ("lewa", "prawa"),
    ("lewe", "prawe"),
    ("levý", "pravý"),
    ("levá", "pravá"),
    ("levé", "pravé"),
    ("vänster", "höger"),
    ("venstre", "høyre"),
    ("venstre", "højre"),
    ("vasen", "oikea"),
    ("bal", "jobb"),
    ("sol", "sağ"),
    ("왼쪽", "오른쪽"),
    ("왼", "오른"),
    ("يسار", "يمين"),
    ("שמאל", "ימין"),
    ("trái", "phải"),
    ("kiri", "kanan"),
)
_RUN = re.compile(r"[^\W\d_]+")
_LONG = 4  # least letters of a side word that may be part of a longer word, such as "lefteye"


def other_sides(name: str, pairs: Sequence[Pair] = PAIRS) -> list[str]:
    """Return candidates for a name on the other side, the likeliest first; an empty list for a name without a side.

    pairs : words for left and right

    Example:
        >>> from action_loom.core.motion import named_sides
        >>> [named_sides.other_sides(name)[0] for name in ("smile_L", "LeftEye", "Ohr links", "Ухо.Левое.001")]
        ['smile_R', 'RightEye', 'Ohr rechts', 'Ухо.Правое.001']
        >>> named_sides.other_sides("jaw")
        []
    """
    return list(_other_sides(name, tuple(pairs)))


def words(name: str) -> list[str]:
    """Return the words of a name in lower case, split at separators, numbers and capitals.

    Example:
        >>> from action_loom.core.motion import named_sides
        >>> named_sides.words("OreilleG_02")
        ['oreille', 'g']
    """
    return [name[first:end].lower() for first, end in _spans(name)]


def pairs_of(named: Iterable[tuple[str, str]]) -> tuple[Pair, ...]:
    """Return the words for left and right by which the two names of each pair differ.

    Example:
        >>> from action_loom.core.motion import named_sides
        >>> named_sides.pairs_of([("Bras.G", "Bras.D"), ("Jambe.G", "Jambe.D"), ("Main", "Tete")])
        (('g', 'd'),)
    """
    found: dict[Pair, int] = {}
    for left, right in named:
        ours, theirs = words(left), words(right)
        differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
        if len(ours) == len(theirs) > 1 and len(differing) == 1:
            found[differing[0]] = found.get(differing[0], 0) + 1
    return tuple(pair for pair, count in found.items() if count > 1)


@lru_cache(maxsize=4096)
def _other_sides(name: str, pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    fitting = [pair for pair in pairs if _exchange_sides(name, (pair,)) != name]
    every = [_exchange_sides(name, fitting), *(_exchange_sides(name, (pair,)) for pair in fitting)]
    return tuple(dict.fromkeys(one for one in every if one != name))


def _exchange_sides(name: str, pairs: Sequence[Pair]) -> str:
    """Return a name with the words for left and right exchanged; if several pairs match, the first one is used."""
    opposite: dict[str, str] = {}
    for left, right in pairs:
        opposite.setdefault(left, right)
        opposite.setdefault(right, left)
    parts, end = [], 0
    for first, last in _spans(name):
        parts += [name[end:first], _opposite(name[first:last], opposite)]
        end = last
    return "".join([*parts, name[end:]])


def _opposite(word: str, opposite: dict[str, str]) -> str:
    """Return the opposite of a side word, or of a longer word that begins or ends with one."""
    lower = word.lower()
    if lower in opposite:
        return _with_capitals(opposite[lower], word)
    for side, other in sorted(opposite.items(), key=lambda both: -len(both[0])):
        if len(side) < (_LONG if side.isascii() else 1) or side in "лп":
            continue
        if lower.startswith(side):
            return _with_capitals(other, word[: len(side)]) + word[len(side) :]
        if lower.endswith(side):
            return word[: -len(side)] + _with_capitals(other, word[-len(side) :])
    return word


def _with_capitals(word: str, like: str) -> str:
    """Return a word with the capitalization of another."""
    if like.isupper() and (len(like) > 1 or len(word) == 1):
        return word.upper()
    return word.capitalize() if like[0].isupper() else word


def _spans(name: str) -> list[tuple[int, int]]:
    """Return the start and end of each word of a name."""
    spans = []
    for run in _RUN.finditer(name):
        first = run.start()
        for at in range(run.start() + 1, run.end()):
            before, here, after = name[at - 1], name[at], name[at + 1 : at + 2]
            begins = here.isupper() and (before.islower() or (before.isupper() and after.islower()))
            if begins or before in "左右" or here in "左右":
                spans.append((first, at))
                first = at
        spans.append((first, run.end()))
    return spans
