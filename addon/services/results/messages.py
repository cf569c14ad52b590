"""Collect the messages of the tab: one line that counts, and notes, ranked, each once, with a short form."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...bridge import rates
from ...ground.translations.runtime import translate_text
from ...model import contact_rows, frame_conversion, lists, properties
from ..preview import previews
from . import exported_last, message_kinds

if TYPE_CHECKING:
    from ..preview.ghosts import Ghost

WORDS = 15  # of a short form
FEWEST = 12  # smallest number of letters before a colon at which a message is cut
_ENDS = re.compile(r"(?<=[^\s\d]) \(|[:;] |: |, (?=as |where |most |which |whose |and )|[：；。（]")
_ASIDE = re.compile(r" ?[(（][^()（）]*[)）](?=$| ?\w)")  # such as "(frame 31)"
# The characters after a name at the beginning, and after a name that is the subject.
_COLON = re.compile(r"[:：]\s*")
_SUBJECT = re.compile(r"[:：]\s*|\s*は|\s+(?!and |と|和|与)")
_LIKELY = re.compile(r"was it made at ([\d.]+)\?")
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


class Message(NamedTuple):
    """A message: the whole English text, its subject, and the number of its subjects.

    of : the name of the action that the text begins with, "" for none
    source : the name of the action that a button would mend, "" if unknown
    rate : that its action was made for, if the scene plays it at another; 0 for other messages
    """

    text: str
    of: str = ""
    source: str = ""
    subjects: int = 1
    rate: float = 0.0

    @property
    def shown(self) -> str:
        """The short form, translated."""
        short = shortened(translate_text(self.text.partition("\n")[0]), self.of, is_above=not self.source)
        return f"{short} (×{self.subjects})" if self.subjects > 1 else short


def shortened(text: str, of: str = "", *, is_above: bool = False) -> str:
    """Return the first clause of a message, of at most `WORDS` words, without its action's name and its remedy.

    is_above : whether the name is that of the result shown above the line, so that it is not needed as a subject either

    Example: "Run + Walk 50:50: a knee jerks 4.0 times as hard as in the sources at frame 3: look there" of the action
    "Run + Walk 50:50" becomes "A knee jerks 4.0 times as hard as in the sources at frame 3".
    """
    after = (_SUBJECT if is_above else _COLON).match(text, len(of)) if of and text.startswith(of) else None
    text = text if after is None else text[after.end() :]
    text = _ASIDE.sub("", text)
    end = next(
        (one.start() for one in _ENDS.finditer(text) if one.start() >= FEWEST or one[0][0] not in ":："), len(text)
    )
    words = text[:end].rstrip(". ").split(" ")
    short = " ".join(words[:WORDS]) + ("…" if len(words) > WORDS else "")
    is_name = (of and short.startswith(of)) or not words[0].isalpha()  # such as cmu_02
    return short if is_name else short[:1].upper() + short[1:]


def figure_of(summary: str) -> str:
    """Return the most important figure of a result's English summary, translated: the slide of feet, or its length.

    Languages write the unit in their own ways, so the part of the translation is found by its numbers.
    """
    english = summary.split(", ")
    numbers = _NUMBERS.findall(next((part for part in english if "cm/s" in part), english[0]))
    parts = re.split(r", |[，、]", translate_text(summary))
    part = next((one for one in parts if _NUMBERS.findall(one) == numbers), parts[0])
    now = re.sub(r"[\d.]+ → ", "", part)
    return now[:1].upper() + now[1:]


def ranked(messages: Iterable[Message], names: Iterable[str] = ()) -> list[Message]:
    """Return messages by importance; messages that differ only in action names, numbers and asides are merged.

    names : of actions that a message may name besides its own, such as both actions of a pair
    """
    found: dict[str, Message] = {}
    others, told = sorted(filter(None, names), key=len, reverse=True), set[str]()
    for one in messages:
        own = _NUMBERS.sub("#", one.text)  # a message with other numbers only is not repeated
        plain = one.text
        for name in (one.of, *others):
            plain = plain.replace(name, "*") if name else plain
        plain = _NUMBERS.sub("#", _ASIDE.sub("", plain))
        known = found.setdefault(plain, one)
        if known is not one and own not in told:
            found[plain] = known._replace(text=f"{known.text}\n{one.text}", subjects=known.subjects + 1)
        told.add(own)
    return sorted(found.values(), key=lambda one: message_kinds.rank(one.text.partition("\n")[0]))


def of_tab(scene: bpy.types.Scene, armature: bpy.types.Object, rig: Any, mode: str) -> list[Message]:
    """Return the messages about an armature's preview, played action and ticked sources, ranked."""
    playing, settings = contact_rows.action_of(armature), properties.settings_of(scene)
    ghost = previews.of_panel(settings, armature.session_uid, previews.SOLO)
    if ghost is not None:
        texts = [*_of_preview(ghost)]
    else:
        is_last = playing is not None and rig is not None and rig.last_of == playing.name
        texts = rig.last_warnings.splitlines() if is_last and rig.last_mode in (mode, "") else []
    ticked = lists.ticked_lines(rig)
    names = [playing.name if playing is not None else "", *(line.action.name for line in ticked)]
    if ghost is not None and ghost.woven is not None:
        names.append(ghost.woven.clip.name)
    own = {line.action.name for line in ticked if lists.is_own(line)}
    texts += [line.warning for line in ticked if line.warning]
    named = ((text, _subject(text, names)) for text in dict.fromkeys(texts))
    found = [
        Message(text, name, name if name in own else "", rate=_likely_rate(text, name, playing)) for text, name in named
    ]
    if playing is not None and (rate := rates.differing(scene, playing)):
        text = f"Made at {rate:g} frames per second, plays at {rates.of_scene(scene):g}"
        found.append(Message(text, playing.name, playing.name, rate=rate))
    if exported := exported_last.describe_export(armature):
        found.append(Message(exported))
    return ranked(found, names)


def _likely_rate(text: str, name: str, playing: bpy.types.Action | None) -> float:
    """Return the rate that the played action was probably made for, from a text about it; 0 for other texts."""
    likely = _LIKELY.search(text)
    return float(likely[1]) if likely and playing is not None and playing.name == name else 0.0


def _subject(text: str, names: Iterable[str]) -> str:
    """Return the name that a message begins with: one of some names, or of any action or object; "" for none."""
    first = text.partition(": ")[0]
    known = first in bpy.data.actions or first in bpy.data.objects
    return first if known else max((one for one in names if text.startswith(one)), key=len, default="")


def _of_preview(ghost: "Ghost") -> Iterator[str]:
    """Return notes on meshes that a preview omits, and its warnings in frames of the scene."""
    yield from ghost.left_out
    if ghost.woven is not None and not ghost.outdated:
        start = round(float(ghost.figures[-1].playing.frames[0]))
        firsts = [(source.clip.name, source.first_frame) for source in ghost.read.sources]
        warnings = frame_conversion.frames_of_clips(ghost.woven.report.get("warnings", ()), firsts)
        yield from contact_rows.in_scene(warnings, start)
