"""Weave the partner of a figure: it plays the same frames next to the leading figure (methods: Partners)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies import alike
from ..contacts import couple, keep, placement
from ..contacts.wanted import Played
from ..errors import OptionError, wrong_count
from ..motion import arrays, continuous_mean, mirror, quat, resample, retarget, root_motion
from ..motion.clip import Channel, Clip
from ..motion.quat import Array
from ..quality import quality
from ..recipes.base import Recipe
from ..recipes.planting import PlantOptions
from ..weave import body_limits, planting
from ..weave.results import Result
from .source_frames import Shown

EASE = 1.0 / 3.0  # s before and after a seam over which the difference of its poses is spread
JUMP = 4.0  # times the usual step between played frames of a source; a larger step is a seam
HELD = 1e-3  # frames; smaller steps hold a pose, and do not count for the usual step
TURNED = 1e-6  # radians and metres; a mirrored partner that is nearer to its correct place is not moved

Overlay = Callable[[Clip, Clip], Clip]
Beside = tuple[Clip, Clip, Clip]  # of the leader, of its partner as captured, and on the body of the partner's result


@dataclass(frozen=True, eq=False)
class _Layer:
    """Stretches of sources that follow each other in F frames of a result.

    sources (F,) : number of the source played in each frame, -1 for none
    frames, weights (F,) : the frame of this source, and its weight; mirrored (F,) : whether its mirror image is played
    """

    sources: NDArray[np.int64]
    frames: Array
    weights: Array
    mirrored: NDArray[np.bool_]


def weave_partner(
    recipe: Recipe,
    clips: Sequence[Clip],
    partners: Sequence[Clip],
    made: Result,
    shown: Sequence[Shown],
    adapts: str,
    overlay: Overlay | None = None,
) -> Result:
    """Return a result with the result of its partner, whose hands keep their contacts with each other.

    partners : the partner's clip for each of the clips, with the same frames
    shown : the frames of its clips that the result plays, as returned by `source_frames.of`
    adapts : whose arms move to keep contacts, see `couple.ADAPTS`
    overlay : takes the legs (the first clip) and the upper body (the other clips), and returns both as one clip
    Raises OptionError for partners whose clips have another length or rate, and for results that mix strides of many
    clips.

    Example:
        >>> import numpy as np
        >>> from action_loom.core import verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.motion import root_motion
        >>> walk = actions.walk()
        >>> beside = root_motion.place_clip(walk, 0.0, np.array([0.8, 0.0]))
        >>> made = verbs.apply_with_partner(verbs.Loop(), [walk], [beside])
        >>> places = [root_motion.ground_frames(one.clip)[0][0] for one in (made, made.partner)]
        >>> (places[1] - places[0]).round(2).tolist()
        [0.8, 0.0]
    """
    check_partners(recipe, clips, partners, shown)
    pairs = _pair_clips(clips, partners, shown)
    names = [clip.name for clip in partners]
    # An overlay takes the legs from the locomotion, and the arms and their contacts from the actions.
    acts = shown if overlay is None else [one for one in shown if one.source]
    woven = _weave(clips, pairs, partners[made.reference], made.clip, shown, overlay)
    woven = replace(woven, name=recipe.result_name(names))
    played = _list_played(acts, pairs, len(made.clip), world=overlay is None)
    of = dict(pairs.values())
    originals = {image: own for (source, mirrored), pair in pairs.items() if mirrored
                 for image, own in zip(pair, (clips[source], partners[source]), strict=True)}  # fmt: skip
    sources = couple.find_sources(played, of, originals)
    there, woven = woven, placement.bring_near((made.clip, woven), played, sources, adapts)
    one_source = woven is there and made.report.get("not_planted") in (None, planting.ONE_SOURCE)
    report = {**made.report, "hands": None, "names": names, "notes": []}
    if isinstance(recipe, PlantOptions):
        woven, planted = planting.of_result(woven, _plant_options(recipe), one_source=one_source)
        report |= planted.report
    sentences = [one for pair in of.items() for one in couple.describe_left_out(*pair)]
    if getattr(recipe, "keep_hands", "auto") != "off":
        woven, own = keep.keep_contacts(woven, [replace(one, clip=of[one.clip]) for one in played])
        sentences += own.describe(woven.name)
    (clip, woven), kept = couple.keep_contacts((made.clip, woven), played, sources, adapts)
    sentences += kept.describe(clip.name)
    own_sources = list(dict.fromkeys(of[one.clip] for one in played))
    report["limits"], report["warnings"] = body_limits.describe_limits(woven, own_sources)
    report["quality"] = {
        "before": [quality.measure(one) for one in own_sources],
        "after": quality.measure(woven),
    }
    return join_results(made, clip, replace(made, clip=woven, report=report), kept, sentences)


def _weave(
    clips: Sequence[Clip],
    pairs: Mapping[tuple[int, bool], tuple[Clip, Clip]],
    body: Clip,
    lead: Clip,
    shown: Sequence[Shown],
    overlay: Overlay | None,
) -> Clip:
    """Return the partner next to a result of the leader; body : a clip on the partner's body."""
    on_body = {which: (*pair, alike.like(pair[1], body)[0]) for which, pair in pairs.items()}
    if overlay is None:
        return _follow(_lay_out(shown, clips, len(lead)), on_body, lead)
    legs, arms = (
        _follow(_lay_out([one for one in shown if (one.source == 0) == first], clips, len(lead)), on_body, lead)
        for first in (True, False)
    )
    made = overlay(legs, arms)
    return replace(_take_first_as_last(made) if legs.cyclic else made, cyclic=legs.cyclic)


def join_results(made: Any, clip: Clip, theirs: Result, kept: keep.Kept, sentences: Sequence[str]) -> Any:
    """Return a result with its clip changed, and with the partner's.

    Example:
        >>> from action_loom.core import verbs
        >>> from action_loom.core.contacts.keep import Kept
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import partner
        >>> made = verbs.apply(verbs.Loop(), [actions.walk()])
        >>> partner.join_results(made, made.clip, made, Kept(()), []).report["partner"]["name"]
        'walk loop'
    """
    told = {
        "partner": {"name": theirs.clip.name, **kept.as_report()},
        "warnings": [*(one for one in made.report["warnings"] if not one.endswith(couple.ALONE)), *sentences],
    }
    return replace(made, clip=made.restore(clip), report=made.report | told, partner=theirs)


def _plant_options(recipe: PlantOptions) -> PlantOptions:
    """Return the options without spans, which are valid for the leader only."""
    return PlantOptions(plant_feet=recipe.plant_feet)


def check_partners(recipe: Recipe, clips: Sequence[Clip], partners: Sequence[Clip], shown: Sequence[Shown]) -> None:
    """Raise OptionError for partners whose frames differ from the clips', and for results whose frames are unknown.

    Example:
        >>> from action_loom.core import errors, verbs
        >>> from action_loom.core.demo_character import actions
        >>> from action_loom.core.verbs import partner
        >>> walk = actions.walk()
        >>> try:
        ...     partner.check_partners(verbs.Loop(), [walk], [walk.cut(0, 9)], [])
        ... except errors.OptionError as error:
        ...     print(error)
        walk, walk has 9 values, but takes 97
    """
    if len(partners) != len(clips):
        raise wrong_count("partners", len(partners), len(clips))
    for clip, partner in zip(recipe.with_motion(clips), recipe.with_motion(partners), strict=True):
        if len(clip) != len(partner) or abs(clip.rate - partner.rate) > 1e-6:
            raise wrong_count(f"{clip.name}, {partner.name}", len(partner), len(clip))
    if not shown:
        raise OptionError(f"{recipe.label} takes no partner")


def _pair_clips(
    clips: Sequence[Clip], partners: Sequence[Clip], shown: Sequence[Shown]
) -> dict[tuple[int, bool], tuple[Clip, Clip]]:
    """Return the played clips with their partners, by number and whether they are mirrored."""
    found = {}
    for one in shown:
        pair = clips[one.source], partners[one.source]
        if (one.source, one.mirrored) not in found:
            found[one.source, one.mirrored] = _mirror_pair(*pair) if one.mirrored else pair
    return found


def _mirror_pair(clip: Clip, partner: Clip) -> tuple[Clip, Clip]:
    """Return the mirror images of two clips in the same plane, even if the rest poses of the bodies differ."""
    images = mirror.mirror_clip(clip), mirror.mirror_clip(partner)
    (ground, facing), (other, other_facing) = (root_motion.ground_frames(one.cut(0, 1)) for one in (clip, partner))
    (lead, leads), (there, faces) = (root_motion.ground_frames(one.cut(0, 1)) for one in images)
    away = np.exp(-1j * facing[0]) * (complex(*other[0]) - complex(*ground[0]))
    wanted = complex(*lead[0]) + np.exp(1j * leads[0]) * complex(-away.real, away.imag)
    turn = float(np.angle(np.exp(1j * (leads[0] - (other_facing[0] - facing[0]) - faces[0]))))
    shift = wanted - np.exp(1j * turn) * complex(*there[0])
    if max(abs(turn), abs(shift)) <= TURNED:
        return images
    return images[0], root_motion.place_clip(images[1], turn, np.array([shift.real, shift.imag]))


def _wrap(one: Shown) -> Array:
    """Return the played frames (K,) of a stretch, wrapped to the cycle if its clip is one."""
    return one.low + (one.frames - one.low) % one.cycle if one.cycle else one.frames


def _list_played(
    shown: Sequence[Shown], pairs: Mapping[tuple[int, bool], tuple[Clip, Clip]], count: int, *, world: bool
) -> list[Played]:
    """Return the stretches of the leader's clips that a result of `count` frames plays.

    world : whether the result is placed in the world as the clips are, but for a turn and a shift
    """
    found = []
    for one in shown:
        frames = _wrap(one)[: count - one.first]
        clip = pairs[one.source, one.mirrored][0]
        found.append(Played(clip, one.first, frames, one.weights[: len(frames)], world))
    return found


def _lay_out(shown: Sequence[Shown], clips: Sequence[Clip], count: int) -> list[_Layer]:
    """Return stretches in layers, in each of which no two overlap; gaps continue the stretch before them."""
    layers: list[_Layer] = []
    for one in sorted(shown, key=lambda one: one.first):
        frames = np.clip(_wrap(one), 0.0, len(clips[one.source]) - 1.0)[: count - one.first]
        at = slice(one.first, one.first + len(frames))
        layer = next((known for known in layers if (known.sources[at] < 0).all()), None)
        if layer is None:
            layer = _Layer(np.full(count, -1), np.zeros(count), np.zeros(count), np.zeros(count, dtype=bool))
            layers.append(layer)
        layer.sources[at], layer.frames[at], layer.mirrored[at] = one.source, frames, one.mirrored
        layer.weights[at] = one.weights[: len(frames)]
    for layer in layers:
        known = np.flatnonzero(layer.sources >= 0)
        held = known[np.clip(np.searchsorted(known, np.arange(count), side="right") - 1, 0, None)]
        step = np.arange(count) - held
        last = np.array([len(clip) - 1.0 for clip in clips])[layer.sources[held]]
        layer.frames[:] = np.where(step != 0, np.clip(layer.frames[held] + step, 0.0, last), layer.frames)
        layer.sources[:], layer.mirrored[:] = layer.sources[held], layer.mirrored[held]
    alone = sum(layer.weights for layer in layers) <= 0.0
    layers[0].weights[alone] = 1.0
    return layers


def _follow(layers: Sequence[_Layer], pairs: Mapping[tuple[int, bool], Beside], lead: Clip) -> Clip:
    """Return the partner beside a result of the leader."""
    ground, facing = root_motion.ground_frames(lead)
    parts = [_play(layer, pairs, facing, lead) for layer in layers]
    weights = np.stack([layer.weights for layer in layers])
    weights = weights / weights.sum(axis=0)
    mixed = parts[0] if len(parts) == 1 else _mix(parts, weights)
    if lead.cyclic:
        mixed = _take_first_as_last(mixed)
    return replace(root_motion.place_clip(mixed, facing, ground), cyclic=lead.cyclic)


def _play(layer: _Layer, pairs: Mapping[tuple[int, bool], Beside], facing: Array, lead: Clip) -> Clip:
    """Return the partner at the leader's place and facing (F,) in each frame, with smooth seams."""
    parts, breaks = [], _find_breaks(layer)
    for first, end in zip([0, *breaks], [*breaks, len(facing)], strict=True):
        clip, captured, partner = pairs[int(layer.sources[first]), bool(layer.mirrored[first])]
        frames = layer.frames[first:end]
        turn = np.unwrap(facing[first:end] - resample.curve(root_motion.ground_frames(clip)[1], frames))
        # A verb changes how the leader sways; the partner only follows how it turns.
        back = root_motion.smooth(turn, root_motion.HEADING_SIGMA * lead.rate) - facing[first:end]
        lead_at, at, stands = (
            resample.curve(root_motion.ground_frames(one)[0], frames) for one in (clip, captured, partner)
        )
        wanted = retarget.leg_ratio(clip.skeleton, lead.skeleton) * (at - lead_at) - stands
        shift = np.exp(1j * back) * (wanted[:, 0] + 1j * wanted[:, 1])
        parts.append(
            root_motion.place_clip(resample.sample(partner, frames), back, np.column_stack([shift.real, shift.imag]))
        )
    whole = _concatenate(parts, lead)
    if lead.cyclic:  # its last frame repeats its first one
        begins = abs(layer.frames[-1] - layer.frames[0]) > 0.5
        breaks = sorted({*(one % (len(facing) - 1) for one in breaks), *([0] if begins else [])})
    for seam in breaks:
        whole = _spread_step(whole, seam, repeats=lead.cyclic)
    return whole


def _find_breaks(layer: _Layer) -> list[int]:
    """Return the frames at which the played source does not continue from the frame before."""
    steps = np.diff(layer.frames)
    usual = float(np.median(steps[steps > HELD])) if (steps > HELD).any() else 1.0
    other = (np.diff(layer.sources) != 0) | (np.diff(layer.mirrored.astype(int)) != 0)
    return (np.flatnonzero(other | (steps < -1e-6) | (steps > JUMP * usual)) + 1).tolist()


def _concatenate(parts: Sequence[Clip], lead: Clip) -> Clip:
    first = parts[0]
    names = [name for name in first.channels if all(name in one.channels for one in parts)]
    return replace(
        first,
        rate=lead.rate,
        rotations=np.concatenate([one.rotations for one in parts]),
        translations=np.concatenate([one.translations for one in parts]),
        scales=None if first.scales is None else np.concatenate([one.scales for one in parts]),
        channels={
            name: Channel(np.concatenate([one.channels[name].values for one in parts]), first.channels[name].discrete)
            for name in names
        },
        cyclic=False,
    )


def _spread_step(clip: Clip, seam: int, *, repeats: bool) -> Clip:
    """Return a clip without a step between a seam and the frame before; half of the step is spread on each side."""
    count = len(clip) - 1 if repeats else len(clip)
    reach = min(round(EASE * clip.rate), count // 2 if repeats else min(seam, count - seam))
    if reach < 2:
        return clip
    before, after = np.arange(seam - reach, seam), np.arange(seam, seam + reach)
    ease = 0.5 * arrays.ease(np.linspace(0.0, 1.0, reach + 1)[1:])
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    here = [rows % count for rows in (before, after)]
    step = quat.log(quat.mul(quat.inv(rotations[here[0][-1]]), rotations[here[1][0]]))
    usual = [
        quat.log(quat.mul(quat.inv(rotations[rows[k]]), rotations[rows[k + 1]]))
        for rows, k in ((here[0], -2), (here[1], 0))
    ]
    step = step - 0.5 * (usual[0] + usual[1])
    move = translations[here[1][0]] - translations[here[0][-1]]
    move = move - 0.5 * (
        translations[here[0][-1]] - translations[here[0][-2]] + translations[here[1][1]] - translations[here[1][0]]
    )
    for rows, shares in ((here[0], ease), (here[1], -ease[::-1])):
        turned = quat.mul(rotations[rows], quat.exp(shares[:, None, None] * step))
        rotations[rows] = quat.same_side(turned, rotations[rows])
        translations[rows] += shares[:, None, None] * move
    return replace(clip, rotations=rotations, translations=translations)


def _take_first_as_last(clip: Clip) -> Clip:
    rotations, translations = clip.rotations.copy(), clip.translations.copy()
    rotations[-1] = quat.same_side(rotations[0], rotations[-2])
    translations[-1] = translations[0]
    return replace(clip, rotations=rotations, translations=translations)


def _mix(parts: Sequence[Clip], weights: Array) -> Clip:
    """Return the mean of clips with the same frames and skeleton; weights (N, F)."""
    first = parts[0]
    rotations = continuous_mean.mean_of_frames([one.rotations for one in parts], weights)
    translations = np.einsum("nf,nfjk->fjk", weights, np.stack([one.translations for one in parts]))
    heaviest = parts[int(weights.sum(axis=1).argmax())]
    return replace(first, rotations=rotations, translations=translations, channels=heaviest.channels)
