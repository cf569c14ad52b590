"""Read actions of an armature, and of other armatures, as clips on its rig.

No Blender data is kept in the result: data is looked up again by session id.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy

from ....core import verbs
from ....core.errors import LoomError
from ....core.motion import limits
from ....core.motion.clip import Clip
from ....core.recipes.base import Recipe
from ....core.recipes.reading import ReadingOptions, Request, Source
from ....core.recipes.style import StyleOptions
from ...bridge import (
    carriers,
    clip_on_controls,
    control_body,
    curves,
    evaluated_action,
    left_properties,
    mirrored_properties,
    other_bodies,
    own_actions,
    own_poses,
    rates,
    rig,
    source_context,
    unkeyed_pose,
)
from ...bridge import clip as clips
from ...bridge.baking import Baked
from ...bridge.source_context import SourceContext
from ...ground import steps
from ...ground.blender_types import SlottedAction, armature_data, by_full_name, present, scene_of
from ...model import hand_rows, kept_styles
from ..contacts import hand_contacts, pose_markers
from . import partner_actions, prepared, read_before, to_bake


@dataclass(frozen=True, eq=False)
class Read:
    """The sources as clips on the armature's rig, with session ids of the armature, the actions and their slots.

    players : session id of the armature of each action, 0 for the target armature
    retargeted : the transfer of each clip from its own armature, "" for the target armature's own
    bodies : clips that precede the sources' and only provide a body; their motion is not used
    baked : the bones to key, if not the whole body may be keyed
    alike : the controls of a rig that any result of the same set moves; each result keys them
    contents : the hash of each action's content when it was read, "" if unknown
    contexts : the context of each source; () for a reading without a recipe
    changed : a sentence on contexts that changed since the rebuilt result was made, "" without a change
    partner : the inputs of the partner's result, None without a partner
    """

    body: rig.Rig
    sources: tuple[clips.ReadAction, ...]
    armature: int
    made_of: tuple[tuple[int, int], ...]
    players: tuple[int, ...] = ()
    retargeted: tuple[str, ...] = ()
    bodies: tuple[Clip, ...] = ()
    baked: Baked | None = None
    alike: frozenset[curves.Target] = frozenset()
    contents: tuple[str, ...] = ()
    contexts: tuple[SourceContext, ...] = ()
    changed: str = ""
    partner: "Inputs | None" = None

    @property
    def clips(self) -> list[Clip]:
        return [*self.bodies, *(source.clip for source in self.sources)]

    @property
    def covered(self) -> bool:
        """Whether the armature displays other poses than its keys."""
        return self.baked is not None and self.baked.covered

    def in_order(self, places: Sequence[int]) -> "Read":
        """Return the same reading with only the sources at some places, in that order."""
        return dataclasses.replace(
            self,
            sources=tuple(self.sources[k] for k in places),
            made_of=tuple(self.made_of[k] for k in places),
            players=tuple(self.players[k] for k in places),
            retargeted=tuple(self.retargeted[k] for k in places),
            contents=tuple(self.contents[k] for k in places) if self.contents else (),
            contexts=tuple(self.contexts[k] for k in places) if self.contexts else (),
            partner=None if self.partner is None else self.partner.in_order(places),
        )

    @property
    def notes(self) -> list[str]:
        """Messages about omitted parts of the sources with reasons, and about the way the body was read."""
        of_sources = sorted({note for source in self.sources for note in source.notes})
        return [*filter(None, (self.changed, self.body.note, self.body.carried)), *of_sources]

    @property
    def retarget_notes(self) -> list[str]:
        """A sentence about the transfer of each source of another armature."""
        return [
            f"{one.clip.name}: {retargeted}"
            for one, retargeted in zip(self.sources, self.retargeted, strict=False)
            if retargeted
        ]


@dataclass(frozen=True, eq=False)
class Inputs:
    """All inputs of a result: the request, the clips read for it, and the recipe."""

    request: Request
    read: Read
    recipe: Any

    def in_order(self, places: Sequence[int]) -> "Inputs":
        """Return the same inputs with only the sources at some places, in that order."""
        sources = tuple(self.request.sources[k] for k in places)
        request = dataclasses.replace(self.request, sources=sources)
        return dataclasses.replace(self, request=request, read=self.read.in_order(places))

    @property
    def partner_clips(self) -> list[Clip]:
        """The clips of the partner, [] without one."""
        return [] if self.read.partner is None else self.read.partner.read.clips

    @property
    def on_path(self) -> bool:
        """Whether the result is held on a path in the world, whatever carries the armature."""
        return bool(getattr(self.recipe, "path", ()))

    @property
    def notes(self) -> list[str]:
        """The notes of the sources and the body that apply to the result."""
        return [note for note in self.read.notes if not (self.on_path and note == self.read.body.carried)]


def read_in_steps(
    context: bpy.types.Context, armature: bpy.types.Object, request: Request, recipe: Recipe | None = None
) -> steps.Steps[Read]:
    """Read the requested actions on an armature like `read_actions_in_steps`; raises LoomError kinds."""
    made_of = []
    for source in request.sources:
        action = by_full_name(bpy.data.actions, source.name)
        if action is None:
            raise LoomError(f"There is no action named {source.name!r}")
        made_of.append((action, curves.slot_called(action, source.slot, player_of(source, armature) or armature)))
    return (yield from read_actions_in_steps(scene_of(context), armature, made_of, request, recipe))


read = steps.at_once(read_in_steps)


def player_of(source: Source, armature: bpy.types.Object) -> bpy.types.Object | None:
    """Return the armature that owns a source's action, or None if it is the given one; raises LoomError."""
    found = by_full_name(bpy.data.objects, source.armature) if source.armature else None
    if source.armature and (found is None or found.type != "ARMATURE" or not found.users_scene):
        raise LoomError(
            f"{source.name} is an action of {source.armature}, which is gone: choose its armature in Name, Color,"
            " Range…"
        )
    return None if found == armature else found


def read_actions_in_steps(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    made_of: Sequence[SlottedAction],
    request: Request,
    recipe: Recipe | None = None,
) -> steps.Steps[Read]:
    """Read actions whose data and slots are already known.

    Actions of other armatures are read on those and transferred to the armature's body, unless the recipe itself
    handles several bodies. Raises LoomError kinds.
    """
    present(bpy.context.view_layer).update()  # a script may have moved the armature just now
    if isinstance(recipe, verbs.Bake):
        return (yield from _read_to_bake(scene, armature, made_of, request, recipe))
    players = [player_of(source, armature) for source in request.sources]
    own = [one for one, player in zip(made_of, players, strict=True) if player is None]
    onto_object = isinstance(recipe, verbs.Root) and recipe.onto == "object"
    span = _span(request.sources[0], made_of[0]) if request.sources else (0.0, 0.0)
    as_now = not isinstance(recipe, verbs.Warp)
    body = _body(scene, armature, own, span, moving_object=onto_object, as_now=as_now)
    carried = evaluated_action.carried_targets(armature, own) if request.reading.visual else frozenset()
    by_recipe = recipe is not None and verbs.VERBS[recipe.verb].several_bodies
    if by_recipe or len(own) < len(made_of):
        control_body.refuse_unknown(armature, body)
    sources, retargeted, contents, as_read = [], [], [], []
    for k, (one, player, source) in enumerate(zip(made_of, players, request.sources, strict=True)):
        how = source, request.reading
        if player is None and not by_recipe:
            reading = _read_one(scene, armature, one, body, how, carried)
            source_read, content = yield from steps.within(reading, k, len(made_of))
            if body.controls is None and (left := left_properties.note(armature, one)):
                source_read = dataclasses.replace(source_read, notes=(*source_read.notes, left))
            as_read.append((armature, body, source_read.clip))
            sources.append(
                mirrored_properties.complete_source(armature, source_read) if is_mirrored(recipe) else source_read
            )
            contents.append(content)
            retargeted.append("")
            continue
        owner = player or armature
        their_body = _body(scene, owner, [one], _span(source, one))
        reading = _read_one(scene, owner, one, their_body, how)
        theirs, content = yield from steps.within(reading, k, len(made_of))
        as_read.append((owner, their_body, theirs.clip))
        contents.append(content)
        brought, how_brought = _bring(armature, body, owner, theirs, by_recipe=by_recipe)
        sources.append(brought)
        retargeted.append(how_brought)
    ids = tuple((action.session_uid, slot.handle if slot else 0) for action, slot in made_of)
    uids = tuple(0 if player is None else player.session_uid for player in players)
    bodies = (own_poses.read(armature, body, sources[0].clip.rate),) if by_recipe else ()
    found = Read(
        body, tuple(sources), armature.session_uid, ids, uids, tuple(retargeted), bodies, contents=tuple(contents)
    )
    if recipe is not None:
        found = dataclasses.replace(found, contexts=_contexts(scene, made_of, as_read, request))
    if isinstance(recipe, StyleOptions) and recipe.kept:
        prepared.keep(recipe, found.clips, kept_styles.load(recipe.kept))
    if recipe is not None and request.result.partner:
        partner = yield from _read_partner(scene, armature, made_of, request, recipe)
        found = dataclasses.replace(found, partner=partner)
    return found


read_actions = steps.at_once(read_actions_in_steps)


def _read_partner(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    made_of: Sequence[SlottedAction],
    request: Request,
    recipe: Recipe,
) -> steps.Steps[Inputs]:
    """Return the inputs of the partner's result: its actions over the same frames; raises LoomError kinds."""
    partner = partner_actions.find_partner(armature, request.result.partner, recipe)
    theirs, sources = [], []
    for (action, slot), source in zip(made_of, request.sources, strict=True):
        found = partner_actions.find_action(action, source, armature, partner, len(made_of))
        first, last = (round(frame) for frame in _span(source, (action, slot)))
        theirs.append((found, curves.slot_called(found, "", partner)))
        rate = _rate(scene, action, source)
        sources.append(Source(name=found.name_full, rate=rate, first=first, last=last))
    name = request.result.result_name
    name = f"{name} {partner.name}" if name else ""
    result = dataclasses.replace(request.result, partner="", place="reference", result_name=name)
    own = Request(sources=tuple(sources), reading=request.reading, result=result)
    return Inputs(own, (yield from read_actions_in_steps(scene, partner, theirs, own, recipe)), recipe)


def _bring(
    armature: bpy.types.Object,
    body: rig.Rig,
    owner: bpy.types.Object,
    theirs: clips.ReadAction,
    *,
    by_recipe: bool,
) -> tuple[clips.ReadAction, str]:
    """Return an action of another armature for a body, and how its clip was carried onto that; raises LoomError kinds.

    by_recipe : whether the recipe handles several bodies, so that the clip stays on its own
    """
    poses = own_poses.read(armature, body, theirs.clip.rate)
    if by_recipe:
        pairs = other_bodies.pairs_of(theirs.clip.skeleton, poses, (owner.name, armature.name))
        clip, notes, how = other_bodies.without_others(theirs.clip), theirs.notes, ""
        targets = other_bodies.keyed_by(pairs, body.skeleton, body)
    else:
        brought = other_bodies.bring(theirs.clip, body, poses, owner.name, armature.name)
        clip, notes, how = brought.clip, (*theirs.notes, *brought.notes), brought.retargeted
        targets = brought.targets
    targets |= other_bodies.find_keyed(armature)
    clip = dataclasses.replace(clip, free_hands=theirs.clip.free_hands)
    found = dataclasses.replace(theirs, clip=clip, targets=targets, notes=notes, start={}, hidden=frozenset())
    return found, how


def _read_to_bake(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    made_of: Sequence[SlottedAction],
    request: Request,
    recipe: verbs.Bake,
) -> steps.Steps[Read]:
    recipe.check_count(len(made_of))
    ((action, slot),), (source,) = made_of, request.sources
    slot = curves.choose_slot(action, armature) if slot is None else slot
    first, last = source.span or action.frame_range[:]
    limits.check_reading(action.name, first, last, max(len(armature_data(armature).bones), 1))
    rate = _rate(scene, action, source)
    body, read, baked = yield from to_bake.read_in_steps(scene, armature, (action, slot), recipe, source, rate)
    made = ((action.session_uid, slot.handle if slot else 0),)
    contexts = _contexts(scene, [(action, slot)], [(armature, body, read.clip)], request, evaluated=True)
    return Read(body, (read,), armature.session_uid, made, (0,), ("",), baked=baked, contexts=contexts)


def _contexts(
    scene: bpy.types.Scene,
    made_of: Sequence[SlottedAction],
    as_read: Sequence[tuple[bpy.types.Object, rig.Rig, Clip]],
    request: Request,
    *,
    evaluated: bool = False,
) -> tuple[SourceContext, ...]:
    """Return the context of each source.

    as_read : the armature, the body and the clip of each source, before it is carried onto another body
    evaluated : whether Blender evaluated the clips' poses, independent of the request
    """
    found = []
    for played, (owner, body, clip), source in zip(made_of, as_read, request.sources, strict=True):
        seen = evaluated or request.reading.visual or body.controls is not None
        found.append(_context(scene, played, (owner, body), source, clip.rate, shown=clip if seen else None))
    return tuple(found)


def _context(
    scene: bpy.types.Scene,
    played: SlottedAction,
    on: tuple[bpy.types.Object, rig.Rig],
    source: Source,
    rate: float,
    **how: Any,
) -> SourceContext:
    """Return the context of a source on its armature and body."""
    return source_context.find_context(
        scene,
        played,
        on[1],
        rate,
        span=_span(source, played),
        carrier=carriers.find_carrier(on[0]),
        markers=pose_markers.events(played[0]),
        free_hands=hand_rows.text_of(played[0]),
        **how,
    )


def glance(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    made_of: Sequence[SlottedAction],
    request: Request,
    recipe: Recipe,
    *,
    staged: bool,
) -> tuple[SourceContext, ...]:
    """Return the contexts of sources without their evaluated poses and other slots; () if that needs a long search.

    staged : whether parents and constraints are evaluated, in a temporary scene; if not, `carried` only tells whether
        there are any
    """
    players, found = [player_of(one, armature) for one in request.sources], []
    owners = [player or armature for player in players]
    if isinstance(recipe, verbs.Bake) or not all(map(control_body.is_known, owners)):
        return ()
    by_recipe = verbs.VERBS[recipe.verb].several_bodies
    own = [one for one, player in zip(made_of, players, strict=True) if player is None]
    for played, player, owner, source in zip(made_of, players, owners, request.sources, strict=True):
        shared = player is None and not by_recipe
        which = (own, request.sources[0], made_of[0]) if shared else ([played], source, played)
        moving = shared and isinstance(recipe, verbs.Root) and recipe.onto == "object"
        as_now = not (shared and isinstance(recipe, verbs.Warp))
        span = _span(*which[1:]) if staged else (math.nan, math.nan)
        body = _posed_body(scene, owner, which[0], span, moving_object=moving, as_now=as_now)
        if not staged and carriers.is_carried(owner):
            body = dataclasses.replace(body, carrier_path=(0.0,))
        rate = _rate(scene, played[0], source)
        found.append(_context(scene, played, (owner, body), source, rate, siblings=False))
    return tuple(found)


def is_mirrored(recipe: Recipe | None) -> bool:
    return isinstance(recipe, verbs.Mirror) or (isinstance(recipe, verbs.CutOut) and recipe.mirrored)


def _rate(scene: bpy.types.Scene, action: bpy.types.Action, source: Source) -> float:
    return source.rate or rates.rate_of(action) or rates.of_scene(scene)


def _span(source: Source, played: SlottedAction) -> tuple[float, float]:
    return source.span or curves.frame_range(*played)


@own_actions.look_once()
def _body(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: Sequence[SlottedAction],
    span: tuple[float, float],
    *,
    moving_object: bool = False,
    as_now: bool = True,
) -> rig.Rig:
    """Return the body of an armature.

    span : scene frames of the first source; the body is placed by its parents' transforms in the first of them
    moving_object : whether the object is to be a joint even if no action moves it
    as_now : whether unkeyed properties have their current values; for spreading a pose, the pose is not part of the
        source
    """
    body = _posed_body(scene, armature, played, span, moving_object=moving_object, as_now=as_now)
    return own_poses.with_leaders(armature, body)


def _posed_body(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: Sequence[SlottedAction],
    span: tuple[float, float],
    *,
    moving_object: bool,
    as_now: bool,
) -> rig.Rig:
    """Return the body of `_body` without leaders and legs from its own actions; span : NaN to place it as it is now."""
    moving = [one for one in played if clips.moves_object(*one)]

    def still(names: Sequence[str]) -> dict[str, rig.Still]:
        turned = {"": rig.Still((0.0, 0.0, 0.0), clips.object_turn(armature, *moving[0]))} if moving else {}
        return turned | unkeyed_pose.still_bones(armature, names)

    body = control_body.body_or_bones(armature, moving_object=moving_object or bool(moving), still=still)
    body = carriers.stand_at(scene, armature, body, span)
    return unkeyed_pose.with_posed(armature, body, as_now=as_now)


def _read_one(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    played: SlottedAction,
    body: rig.Rig,
    how: tuple[Source, ReadingOptions],
    carried: frozenset[curves.Target] = frozenset(),
) -> steps.Steps[tuple[clips.ReadAction, str]]:
    """Read an action; also returns its content's hash, "" if it was not computed."""
    (action, slot), (source, reading) = played, how
    rate = _rate(scene, action, source)
    first, last = _span(source, played)
    limits.check_reading(action.name, first, last, len(body.skeleton))
    if body.controls is not None:
        played_on = clip_on_controls.read_in_steps(scene, armature, action, body, rate, slot, source.span)
        return hand_contacts.add_free_hands((yield from played_on), action), ""
    if reading.visual:
        seen = evaluated_action.read_in_steps(scene, armature, action, body, rate, slot, source.span, carried)
        return hand_contacts.add_free_hands((yield from seen), action), ""
    found, content = read_before.read(armature, action, body, rate, slot, source.span)
    return hand_contacts.add_free_hands(found, action), content
