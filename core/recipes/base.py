"""The base of every recipe: a verb with its labels and options, written as JSON; `verbs.from_json` reads it again."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from ..errors import ClipError
from ..options import Declared, Option, declaration, declared_options


def graph_name(names: Sequence[str]) -> str:
    """Return the default name of the graph of clips with these names.

    Example:
        >>> from action_loom.core.recipes import base
        >>> base.graph_name(["walk", "run"]), base.graph_name(["walk", "run", "jump", "wave"])
        ('walk + run', 'walk + 3 more')
    """
    return " + ".join(names) if len(names) < 4 else f"{names[0]} + {len(names) - 1} more"


def check_count(label: str, count: int, least: int, most: int | None) -> None:
    """Raise ClipError unless there are `least` to `most` clips.

    Example:
        >>> from action_loom.core.recipes import base
        >>> base.check_count("Blend", 2, 2, None)
    """
    if count < least or (most is not None and count > most):
        wanted = f"{least} or more" if most is None else f"{least}" if most == least else f"{least} to {most}"
        raise ClipError(f"{label} takes {wanted} clip{'' if wanted == '1' else 's'}; {count} given")


def _one_of(names: Sequence[str]) -> str:
    """Return names as alternatives in a phrase, at most the first three."""
    named = [*names[:3], *(["another of these"] if len(names) > 3 else [])]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} or {named[-1]}"


@declaration
class Recipe(Declared):
    """A verb with its options; `verbs` knows which function applies it.

    verb : its name on command lines and in JSON; earlier_verbs : its names in earlier versions
    label, tooltip : of its button in Blender; summary : the sentence of the command line's help
    mode : its label in the panel Weave, "" for a verb without a mode there
    intent : which of the panel's intents the mode belongs to, such as Mix
    least, most : how many clips it takes, None for any number
    like : what the first clip is, where it has its own flag and job key, `like`; "" elsewhere
    others : what the clips after the first are, where `--from` can name them on the command line; "" elsewhere
    reference_first : whether the clip marked as reference comes first, whatever the order of the list
    of_action : whether it changes one action, in Blender the armature's own, which the result can replace
    takes_partners : whether a second figure can be woven with the first, see `verbs.apply_with_partner`
    with_partner : values that options have then
    """

    verb: ClassVar[str]
    label: ClassVar[str]
    tooltip: ClassVar[str]
    summary: ClassVar[str]
    earlier_verbs: ClassVar[tuple[str, ...]] = ()
    mode: ClassVar[str] = ""
    intent: ClassVar[str] = ""
    least: ClassVar[int] = 2
    most: ClassVar[int | None] = None
    reference_first: ClassVar[bool] = False
    of_action: ClassVar[bool] = False
    takes_partners: ClassVar[bool] = False
    with_partner: ClassVar[Mapping[str, Any]] = {}
    like: ClassVar[str] = ""
    others: ClassVar[str] = ""

    @classmethod
    def takes_partner_files(cls) -> bool:
        """Return whether files of a second figure can be given, also for verbs that lack the choice in Blender."""
        return cls.takes_partners or bool(cls.like)

    @classmethod
    def with_motion(cls, clips: Sequence[Any]) -> Sequence[Any]:
        """Return the clips of which more than the body is used."""
        return clips[1:] if cls.like else clips

    @classmethod
    def check_count(cls, count: int) -> None:
        """Raise ClipError unless the verb takes `count` clips."""
        check_count(cls.label, count, cls.least, cls.most)

    @classmethod
    def label_of(cls, count: int) -> str:
        """Return the button's label for making one result from each of several actions."""
        return f"{cls.label}: {count} Actions"

    def shared_out(self, clips: Sequence[Any]) -> list[list[Any]]:
        """Return the clips of each result; a verb for one clip, or for one `like` another, is applied to each."""
        if self.like and len(clips) > 2:
            return [[clips[0], clip] for clip in clips[1:]]
        return [[clip] for clip in clips] if self.most == 1 and clips else [list(clips)]

    def each(self, clips: Sequence[Any]) -> list[tuple["Recipe", list[Any]]]:
        """Return the recipe and the clips of each result."""
        return [(self, group) for group in self.shared_out(clips)]

    def result_name(self, names: Sequence[str]) -> str:
        """Return the name of the result of clips with these names; raises OptionError if options do not fit."""
        return f"{' + '.join(names)} {self.verb}"

    def prepared_of(self, clips: Sequence[Any]) -> list[Any]:
        """Return the clips that `verbs.prepare` needs; callers may pass anything in the clips' order, such as names."""
        return list(clips)

    def figures(self, report: Mapping[str, Any]) -> list[str]:  # noqa: ARG002  (of verbs that have some)
        """Return the verb's own main figures from a result's report as lines; common figures are added elsewhere."""
        return []

    def without_effect(self, report: Mapping[str, Any]) -> list[str]:  # noqa: ARG002  (of verbs whose result decides)
        """Return a sentence for each option without effect, from a result's report."""
        options, unused = declared_options(type(self)), []
        given = {name for name, about in options.items() if getattr(self, name) != about.default}
        for name in [name for name in options if name in given]:
            about = options[name]
            if only := self._only(options, name):
                unused.append(f"{name} had no effect: it is for {only}")
            elif about.needs and not given.intersection(about.needs):
                unused.append(f"{name} had no effect: give {_one_of(about.needs)}, too")
        return unused

    def _only(self, options: Mapping[str, Option], name: str) -> str:
        """Return a phrase on the values of another option that an option requires, "" if they are set."""
        about = options[name]
        if about.only_for is None:
            return ""
        decides, values = about.only_for
        return self._only(options, decides) if getattr(self, decides) in values else about.only

    def with_names(self, names: Mapping[str, str]) -> Self:  # noqa: ARG002  (for recipes that name clips)
        """Return the recipe with clip names replaced; names : new names by those in the recipe."""
        return self

    def to_json(self) -> str:
        values = {name: getattr(self, name) for name in declared_options(type(self))}
        return json.dumps({"verb": self.verb, **values}, sort_keys=True)
