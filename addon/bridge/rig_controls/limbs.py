"""Find the controls of an arm or a leg by test poses of candidates, in each state of the switches."""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from ....core.motion import quat
from ....core.motion.quat import Array
from . import response
from .body import locks
from .found import STRETCH, Part, Setting, Switch
from .graph import POLE, Graph
from .probe import Move, Probe
from .response import TURN

State = dict[str, float]
Bones = tuple[tuple[str, str], ...]
Asks = Generator[tuple[State, dict[str, Move]], Array, Part]
_NEAR = 0.02  # of the limb's length: a control at the limb's end
_COPIES = {"ARMATURE", "CHILD_OF", "COPY_LOCATION", "COPY_ROTATION", "COPY_TRANSFORMS"}
_PROPERTIES = 8  # tried switches of a limb


@dataclass(frozen=True)
class Rig:
    """The context of the search for limbs: the probe, the graph, and the bones that may be keyed."""

    probe: Probe
    graph: Graph
    keyable: set[str]
    roles: dict[str, str]

    def at(self, bone: str) -> int:
        return self.probe.index[bone]

    def outermost(self, bones: Iterable[str]) -> list[str]:
        """Return bones sorted by the number of other keyable bones among their dependencies."""
        return sorted(bones, key=lambda bone: (len(self.graph.count_steps(bone).keys() & self.keyable), bone))


@dataclass
class _Search:
    """The search of one limb: its bones' indices, the dependencies of this limb only, and candidates."""

    rig: Rig
    part: Part
    own: set[str]
    limb: list[int] = field(init=False)
    step: float = field(init=False)

    def __post_init__(self) -> None:
        self.limb = [self.rig.at(bone) for _, bone in self.part.bones[:3]]
        self.step = 0.1 * float(np.linalg.norm(np.diff(self.rest[:, :3, 3], axis=0), axis=1).sum())

    @property
    def rest(self) -> Array:
        return self.rig.probe.neutral[self.limb]

    @property
    def every(self) -> list[int]:
        return [self.rig.at(bone) for _, bone in self.part.bones]

    @property
    def candidates(self) -> list[str]:
        return self.rig.outermost(self.own & self.rig.keyable)

    def inverse(self) -> list[tuple[str, str]]:
        return [one for one in self.rig.graph.inverse if one[0] in self.own]

    def under(self, *, pole: bool) -> list[str]:
        """Return candidates that targets (or poles) of the limb's inverse kinematics depend on."""
        edges = chain.from_iterable(self.rig.graph.edges[bone] for bone, _ in self.inverse())
        targets = [edge.source for edge in edges if edge.how == (POLE if pole else "IK")]
        above = self.rig.graph.count_steps(*targets)
        return [name for name in self.candidates if name in above and name not in self.chain()]

    def chain(self) -> set[str]:
        """Return the bones that inverse kinematics turns."""
        return {bone for bone, _ in self.inverse()} | {bone for _, bone in self.part.bones}

    def states(self) -> list[State]:
        """Return the current state, and one state for each property of the limb with this property changed."""
        value = self.rig.probe.original
        found = {path: bones & self.own for path, bones in self.rig.graph.properties.items() if bones & self.own}
        paths = sorted(found, key=lambda path: (-len(found[path]), path))[:_PROPERTIES]
        changed: list[State] = [{path: one} for path in paths for one in (0.0, 1.0) if value(path) != one]
        return [{}, *changed]

    def influences(self, to: float) -> State:
        """Return the state with the influence of all IK constraints of the limb set, except driven ones."""
        paths = [f'pose.bones["{bone}"].constraints["{name}"].influence' for bone, name in self.inverse()]
        driven = {path.rpartition(".")[0] for path in self.rig.graph.set_by_drivers}
        return {path: to for path in paths if path.rpartition(".")[0] not in driven}

    def stretching(self) -> list[str]:
        """Return the properties that let the limb's inverse kinematics stretch it, which would move its middle."""
        found = []
        for bone, name in self.inverse():
            constraint: Any = self.rig.probe.bones[bone].constraints[name]
            above = [self.rig.probe.bones[bone], *self.rig.probe.bones[bone].parent_recursive]
            found += [
                f'pose.bones["{each.name}"]{STRETCH}'
                for each in above[: constraint.chain_count]
                if each.ik_stretch > 0.0
            ]
        return list(dict.fromkeys(found))

    def unlimited_state(self) -> State:
        """Return the state in which inverse kinematics bends the limb without limits, {} if there are none."""
        bones = self.rig.probe.bones
        axes = [(name, axis) for name in sorted(self.chain()) for axis in "xyz"]
        axes = [(name, axis) for name, axis in axes if getattr(bones[name], f"use_ik_limit_{axis}")]
        ends = (("min", -np.pi), ("max", np.pi))
        return {f'pose.bones["{name}"].ik_{end}_{axis}': to for name, axis in axes for end, to in ends}

    def goes(self, control: str) -> bool:
        """Return whether a control exists and may be moved."""
        return bool(control) and not all(locks(self.rig.probe.bones[control], "location"))

    def push(self, sideways: int = 0) -> Move:
        """Return a move towards the limb's upper end, or in one of two directions across the limb."""
        ahead = self.rest[0, :3, 3] - self.rest[2, :3, 3]
        ahead /= max(float(np.linalg.norm(ahead)), 1e-9)
        across = np.cross(ahead, np.roll(ahead, 1) + np.array([0.3, 0.1, 0.2]))
        across /= np.linalg.norm(across)
        across = np.cross(ahead, across) if sideways == 2 else across
        way = across if sideways else 0.95 * ahead + 0.3 * across
        return (np.zeros(3) if sideways else TURN), (3.0 if sideways else 1.0) * self.step * way


def search(rig: Rig, part: Part, own: set[str], beyond: Bones = ()) -> Asks:
    """Find the controls of a limb (at least three bones); a generator of poses, which receives the bones' matrices.

    beyond : bones below its end; the limb includes the one that the IK control carries, as in paws
    """
    one = _Search(rig, part, own)
    state, part = yield from _inverse(one, {})
    if beyond and one.under(pole=False) and not one.goes(part.ik):
        longer = _Search(rig, replace(one.part, bones=(*part.bones, *beyond)), own)
        longer_state, found = yield from _inverse(longer, {})
        if one.goes(found.ik):
            end = [bone for bone in beyond if bone[0] == found.end]
            state, part = longer_state, replace(found, bones=(*part.bones, *end))
            one = _Search(rig, part, own)
    limits = {} if part.ik else one.unlimited_state()
    if limits and (yield from _inverse(one, limits))[1].ik:
        bones = " and ".join(sorted({path.split('"')[1] for path in limits}))
        part = replace(part, hint=f"{part.name}: the IK limits of {bones} don't let it bend; keyed on FK")
    part, off = yield from _forward(one, part, state)
    if not part.ik:
        return replace(part, settings=tuple(Setting(path, fk) for path, fk in off.items()))
    part = yield from _tips(one, part, state)
    part = yield from _rolling(one, part, state)
    value = rig.probe.original
    # If it is off in the state that the rig is in, the property that turns it on is the switch.
    switching = list(off) or (list(state)[:1] if part.fk else [])
    switches = [Switch(path, off.get(path, value(path)), state.get(path, value(path))) for path in switching]
    settings = tuple(Setting(path, ik) for path, ik in state.items() if path not in switching)
    settings += tuple(Setting(path, 0.0) for path in one.stretching())
    return replace(part, switches=tuple(switches), settings=settings)


def _inverse(one: _Search, also: State) -> Generator[tuple[State, dict[str, Move]], Array, tuple[State, Part]]:
    """Find the control of the limb's end, its pole, and the state in which they work; `also` applies in every state."""
    ends, poles = one.under(pole=False), one.under(pole=True)
    best: tuple[int, State, Part] = (0, {}, one.part)
    if not ends:
        return {}, one.part
    tried: list[State] = [*one.states(), *([one.influences(1.0)] if one.influences(1.0) else [])]
    for state in ({**also, **each} for each in tried):
        before = yield state, {}
        part = yield from _end(one, ends, state, before)
        if part.ik:
            part = yield from _pole(one, part, [name for name in poles if name != part.ik], state)
        rank = bool(part.ik) + bool(part.pole)
        if rank > best[0]:
            best = rank, state, part
        if rank == 2 or (rank == 1 and not poles):
            break
    if best[0] == 1 and poles:
        for more in one.states()[1:]:  # a pole that another property switches on
            if more.keys() <= best[1].keys():
                continue
            part = yield from _pole(one, best[2], [name for name in poles if name != best[2].ik], best[1] | more)
            if part.pole:
                return best[1] | more, part
    return best[1], best[2]


def _end(
    one: _Search, ends: list[str], state: State, before: Array
) -> Generator[tuple[State, dict[str, Move]], Array, Part]:
    """Find the control that carries hand, foot or toe; one placed at the end is preferred, then the outermost."""
    bones, neutral = one.rig.probe.bones, one.rig.probe.neutral
    best: list[tuple[bool, int, bool, str, bool]] = []
    for order, name in enumerate(ends):
        after = yield state, {name: one.push()}
        k = one.rig.at(name)
        move = response.moved_by(before[k], after[k])
        for at in range(2, len(one.part.bones)):
            end = one.rig.at(one.part.bones[at][1])
            limb = [*one.limb[:2], end]
            if response.reaches(move, before[limb], after[limb], one.step, stiff=at == 2):
                locked = all(locks(bones[name], "location"))
                away = np.linalg.norm(neutral[k, :3, 3] - neutral[end, :3, 3]) > _NEAR * 10.0 * one.step
                turns = response.follows(move, before[end], after[end], one.step)
                best.append((locked, at, bool(away), f"{order:03}{name}", turns))
    if not best:
        return one.part
    _, at, _, name, turns = min(best)
    return replace(one.part, ik=name[3:], end=one.part.bones[at][0], turns_end=turns)


def _pole(
    one: _Search, part: Part, poles: list[str], state: State
) -> Generator[tuple[State, dict[str, Move]], Array, Part]:
    """Find the pole: with the limb bent, it moves the limb's middle alone."""
    if not poles:
        return part
    bent = {part.ik: one.push()}
    before = yield state, bent
    for name in poles:
        for way in (1, 2):  # the pole may lie in one of them
            after = yield state, {**bent, name: one.push(sideways=way)}
            limb = [*one.limb[:2], one.rig.at(dict(part.bones)[part.end])]
            if response.swivels(before[limb], after[limb], one.step):
                return replace(part, pole=name)
    return part


def _forward(
    one: _Search, part: Part, inverse: State
) -> Generator[tuple[State, dict[str, Move]], Array, tuple[Part, State]]:
    """Find the controls that turn each bone of the limb, and the state in which they do."""
    states = one.states()
    if part.ik:
        first = [state for state in states if state.keys() & inverse.keys() or not state]
        states = [*first, *(state for state in states if state not in first)]
        if one.influences(0.0):
            states.append(one.influences(0.0))
    best: tuple[int, Part, State] = (0, part, {})
    for state in states:
        before = yield state, {}
        if part.ik:
            after = yield state, {part.ik: one.push()}
            end = one.rig.at(dict(part.bones)[part.end])
            if np.linalg.norm(after[end, :3, 3] - before[end, :3, 3]) > 0.1 * one.step:
                continue
        fk = yield from turning(one.rig, part.bones, one.every, one.candidates, state, before, one.step, limb=True)
        if len(fk) > best[0]:
            best = len(fk), replace(part, fk=fk), state
        if best[1].has_fk:
            break
    return best[1], best[2]


def turning(
    rig: Rig,
    bones: Bones,
    among: list[int],
    candidates: list[str],
    state: State,
    before: Array,
    step: float,
    *,
    limb: bool = False,
    end: int = -1,
) -> Generator[tuple[State, dict[str, Move]], Array, tuple[tuple[str, str], ...]]:
    """Return the control of each role's bone: it moves the bone rigidly, and the smallest number of other bones in
    `among`.

    limb : whether `among` is a limb, outwards; a control then moves few bones further in, and all bones further out
    end : a bone that other bones' controls may not move, and that its own may only turn, if not -1
    """
    ranks: dict[str, list[tuple[bool, int, int, bool, float, int, str]]] = {role: [] for role, _ in bones}
    for order, name in enumerate(candidates):
        after = yield state, {name: (TURN, np.zeros(3))}
        k = rig.at(name)
        if not response.obeys(before[k], after[k]):
            continue
        move = response.moved_by(before[k], after[k])
        moved = [response.has_moved(before[j], after[j], step) for j in among]
        for role, bone in bones:
            j = rig.at(bone)
            stays = end < 0 or not (response.has_head_moved if j == end else response.has_moved)(
                before[end], after[end], step
            )
            if stays and response.follows(move, before[j], after[j], step):
                # A bone is its own control, unless it only follows another one.
                follower = any(edge.how in _COPIES for edge in rig.graph.edges[bone])
                away = round(
                    response.bone_distance(before[j], rig.probe.bones[bone].bone.length, before[k, :3, 3]) / step, 1
                )
                at = among.index(j) if limb else len(among)
                count, lost = sum(moved[:at]), -sum(moved[at:])
                ranks[role].append((name == bone and follower, count, lost, name != bone, away, order, name))
    chosen: dict[str, str] = {}
    played: dict[str, str] = {}  # the role of a bone used before: the spine of a short trunk may be its chest, too
    for role, bone in bones:
        names = [rank[-1] for rank in sorted(ranks[role])]
        if bone in played:
            names = [chosen[played[bone]]] if played[bone] in chosen else []
        elif names and names[0] in chosen.values():  # it turns a bone further in, and this one follows
            names = [bone] if bone in names else []
        played.setdefault(bone, role)
        if names:
            chosen[role] = names[0]
    return tuple(chosen.items())


def _tips(one: _Search, part: Part, state: State) -> Generator[tuple[State, dict[str, Move]], Array, Part]:
    """Find the controls that turn the bones beyond the limb's end, and the end itself if its control does not."""
    bones = tuple(bone for bone in part.bones[2:] if bone[0] != part.end or not part.turns_end)
    if not bones:
        return part
    before = yield state, {}
    names = [name for name in one.candidates if name not in (part.ik, part.pole)]
    # A control that rolls the foot moves its ankle, too, so it is not a control of the toes.
    end = one.rig.at(dict(part.bones)[part.end])
    tips = yield from turning(one.rig, bones, one.every, names, state, before, one.step, end=end)
    beyond = [role for role, _ in part.bones[3:] if role not in dict(tips)]
    if beyond and part.turns_end and part.end == part.bones[2][0]:
        roll = yield from _roll(one, part, names, state)
        if roll:
            # If no control turns the toes alone, but one turns the foot about them, the IK control carries the toes.
            return replace(part, end=beyond[-1], tips=((part.end, roll),))
    return replace(part, tips=tips)


def _roll(
    one: _Search, part: Part, names: list[str], state: State
) -> Generator[tuple[State, dict[str, Move]], Array, str]:
    """Find the control that turns a foot about its resting toes; "" for none."""
    foot, toe = one.every[2], one.every[-1]
    bent = {part.ik: one.push()}
    before = yield state, bent
    if not response.has_moved(one.rig.probe.neutral[toe], before[toe], one.step):
        return ""
    for name in reversed(names):
        after = yield state, {**bent, name: (TURN, np.zeros(3))}
        k = one.rig.at(name)
        move = response.moved_by(before[k], after[k])
        stays = not response.has_moved(before[toe], after[toe], one.step)
        if stays and response.goes_with(move, before[foot], after[foot], response.ALIKE, response.ALIKE * one.step):
            return name
    return ""


def _rolling(one: _Search, part: Part, state: State) -> Generator[tuple[State, dict[str, Move]], Array, Part]:
    """Find a control below a leg's IK control with the same effect on the deforming bones, preferably near the ball."""
    ball = next((bone for role, bone in part.bones if role.startswith("toe")), "")
    if not ball or "leg" not in part.name:
        return part
    rest, bones, above = one.rig.probe.neutral, one.rig.probe.bones, one.rig.graph.count_steps
    others = {part.pole, *dict(part.tips).values(), *dict(part.fk).values()}
    names = [name for name in one.candidates if name not in others and name != part.ik and part.ik in above(name)]
    names = [name for name in names if not any((*locks(bones[name], "location"), *locks(bones[name], "rotation")))]
    names.sort(key=lambda name: float(np.linalg.norm((rest[one.rig.at(name)] - rest[one.rig.at(ball)])[:3, 3])))
    carrier, end = one.rig.at(part.ik), one.rig.at(dict(part.bones)[part.end])
    deforming = [k for k, bone in enumerate(bones) if bone.bone.use_deform]
    bent = {part.ik: one.push()}
    before = yield state, bent
    for name in names:
        after = yield state, {**bent, name: (TURN, one.step * response.STEP)}
        moved = response.moved_by(before[one.rig.at(name)], after[one.rig.at(name)]) @ before[carrier]
        turn = quat.log(quat.from_matrix(np.linalg.inv(rest[carrier])[None, :3, :3] @ moved[:3, :3]))[0]
        alike = yield state, {part.ik: (turn, moved[:3, 3] - rest[carrier, :3, 3])}
        move = moved @ np.linalg.inv(before[carrier])
        goes = [k for k in deforming if response.rigid(move, before[k], alike[k], one.step)]
        # The knee may move differently, with a pole parented to the IK control, but a tweak control would stretch the
        # leg.
        lengths = [np.linalg.norm(np.diff(seen[one.limb, :3, 3], axis=0), axis=1) for seen in (after, alike)]
        bends = np.abs(lengths[0] - lengths[1]).max() < 2.0 * response.ALIKE * one.step
        if bends and end in goes and all(response.rigid(move, before[k], after[k], one.step) for k in goes):
            return replace(part, roll=name)
    return part
