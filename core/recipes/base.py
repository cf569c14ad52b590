"""What every recipe has: a verb, a label, a sentence, and JSON out; `verbs.from_json` reads it again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..options import Declared, declared


def graph_name(names: Sequence[str]) -> str:
    """Return what the graph of clips of these names is called."""
    return " + ".join(names) if len(names) < 4 else f"{names[0]} + {len(names) - 1} more"


@dataclass(frozen=True, kw_only=True)
class Recipe(Declared):
    """A verb with its options; `verbs` knows what does it.

    verb : what it is called on command lines and in JSON; earlier_verbs : what it was called before
    label, tooltip : of its button in Blender; summary : the sentence of the command line's help
    mode, mode_tooltip : of the panel Weave, "" for what is no mode of it
    least, most : how many clips it takes, None for any number
    like : where the first clip is named apart, by the flag and the job key `like`, what it is; "" elsewhere
    reference_first : whether the clip that is marked as reference comes first, whatever the order of the list
    of_action : whether it changes one action, in Blender the armature's own, whose place the result can take
    """

    verb: ClassVar[str]
    label: ClassVar[str]
    tooltip: ClassVar[str]
    summary: ClassVar[str]
    earlier_verbs: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    mode_tooltip: ClassVar[str] = ""
    least: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    reference_first: ClassVar[bool] = False
    of_action: ClassVar[bool] = False
    like: ClassVar[str] = ""

    @classmethod
    def label_of(cls, count: int) -> str:
        """Return what the button says where it makes a result of each of so many actions."""
        return f"{cls.label}: {count} Actions"

    def shared_out(self, clips: Sequence[Any]) -> list[list[Any]]:
        """Return the clips of each result: of some for a verb that takes one, each by itself."""
        return [[clip] for clip in clips] if self.most == 1 and clips else [list(clips)]

    def result_name(self, names: Sequence[str]) -> str:
        """Return what the result of clips of these names is called, before it is made; raises OptionError."""
        return f"{' + '.join(names)} {self.verb}"

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return those of some clips, or of what belongs to each, that are prepared together (see `verbs`)."""
        return list(clips)

    def figures(self, report: Mapping[str, Any]) -> list[str]:  # noqa: ARG002  (of verbs that have some)
        """Return the main figures of a result in a few lines, from its report; those of every result come apart."""
        return []

    def with_names(self, names: Mapping[str, str]) -> Self:  # noqa: ARG002  (for recipes that name clips)
        """Return the recipe for clips that are called otherwise by now: today's names by those of then."""
        return self

    def to_json(self) -> str:
        values = {name: getattr(self, name) for name in declared(type(self))}
        return json.dumps({"verb": self.verb, **values}, sort_keys=True)
