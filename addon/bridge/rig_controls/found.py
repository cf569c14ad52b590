"""Describe a rig's controls: the bone moved by each one, the switches of limbs, and parts that can't be solved."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

BEYOND = ("toe", "hand+")  # roles of bones below a foot, and below the hand of a front leg
STRETCH = ".ik_stretch"  # a bone's property: the amount by which IK may stretch it


@dataclass(frozen=True)
class Drive:
    """A bone that deforms the mesh, and the control that moves it, "" for none.

    how : the link that transmits the movement: ITSELF, PARENT, or the type of a constraint
    confirmed : whether a test pose of a copy of the rig has shown it; otherwise it follows from constraints alone
    """

    bone: str
    control: str
    how: str
    confirmed: bool = False


@dataclass(frozen=True)
class Switch:
    """A property, by its path on the armature object, with its values for forward and for inverse kinematics."""

    path: str
    fk: float
    ik: float


@dataclass(frozen=True)
class Setting:
    """A property, by its path on the armature object, and the value that it must have."""

    path: str
    value: float


@dataclass(frozen=True)
class Part:
    """The controls of a limb, or of another part of the body; "" and () for missing ones.

    bones : (role, deforming bone) from the trunk outwards
    fk : (role, control) that turns the bone of a role with forward kinematics
    ik, pole : controls of hand or foot, and of elbow or knee, with inverse kinematics
    end : the role of the bone that the IK control carries: hand or foot, or the toe of paws
    turns_end : whether the IK control turns that bone with it
    tips : (role, control) that turns a bone the IK control does not turn while inverse kinematics is on
    roll : of a leg, a control near the ball, between the IK control and the end, that turns and moves the end
    switches : properties that switch between FK and IK; settings : other properties to set for inverse kinematics
    hangs_on : of a chain, its parent bone
    moving : the FK controls that get location keys: in a chain if their location moves their bones, in the trunk if
        they place a bone at the end of one without a control
    note : the reason why the part can't be solved, in one sentence; "" if it can
    hint : the reason why it is solved on FK alone although it has inverse kinematics, in one sentence, or ""
    """

    name: str
    bones: tuple[tuple[str, str], ...]
    fk: tuple[tuple[str, str], ...] = ()
    ik: str = ""
    pole: str = ""
    end: str = ""
    turns_end: bool = False
    tips: tuple[tuple[str, str], ...] = ()
    roll: str = ""
    switches: tuple[Switch, ...] = ()
    settings: tuple[Setting, ...] = ()
    hangs_on: str = ""
    moving: tuple[str, ...] = ()
    note: str = ""
    hint: str = ""

    @property
    def controls(self) -> frozenset[str]:
        """All its controls."""
        every = (self.ik, self.pole, self.roll, *dict(self.fk).values(), *dict(self.tips).values())
        return frozenset(name for name in every if name)

    def kind_of(self, keyed: Collection[str]) -> Literal["", "fk", "ik"]:
        """Return "fk" or "ik" if all given controls have this kind, "" for both or none."""
        on_ik = any(name in keyed for name in (self.ik, self.pole) if name)
        on_fk = any(control in keyed for _, control in self.fk)
        return "" if on_ik == on_fk else "ik" if on_ik else "fk"

    @property
    def has_fk(self) -> bool:
        """Whether every bone of the part, except those below hand or foot, has a control of its own."""
        turned = {role for role, _ in self.fk}
        return bool(turned) and all(role in turned for role, _ in self.bones if not role.startswith(BEYOND))


@dataclass(frozen=True)
class RigControls:
    """The controls of a rig.

    deform : the bones that deform a mesh
    drives : for each of them, the control that moves it
    root, torso : the control of the whole rig, and the one of the trunk with its appendages; "" for none
    parts : trunk, then arms and legs
    chains : appendages of these: fingers, tails, ears, a jaw
    seconds : duration of the search
    """

    armature: str
    deform: tuple[str, ...]
    drives: tuple[Drive, ...]
    root: str
    torso: str
    parts: tuple[Part, ...]
    chains: tuple[Part, ...] = ()
    seconds: float = 0.0

    @property
    def every(self) -> tuple[Part, ...]:
        """The parts of the body, and their chains."""
        return self.parts + self.chains

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each part that can't be solved, or cannot be solved on inverse kinematics."""
        return tuple(part.note or part.hint for part in self.parts if part.note or part.hint)

    @property
    def controls(self) -> frozenset[str]:
        """All controls that may get keys."""
        return frozenset({self.root, self.torso} - {""}).union(*(part.controls for part in self.every))
