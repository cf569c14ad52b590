"""A character during a drive: its data, its session, and its display."""

import dataclasses

import bpy
import numpy as np

from ....core.motion import kinematics, root_motion
from ....core.motion.clip import Clip
from ....core.motion.quat import Array
from ....core.recipes.reading import Request
from ....core.verbs import Drive
from ....core.weave.splice import mask
from ...bridge.live_pose import LivePose
from ...model import properties
from ..weaving.reading import Read
from .session import Session

Place = tuple[float, float, float]


class Figure:
    """A driven armature; if its controls are too slow for live posing, its bones are drawn as lines."""

    def __init__(
        self,
        armature: bpy.types.Object,
        read: Read,
        session: Session,
        request: Request,
        recipe: Drive,
        legs: Clip | None = None,
    ) -> None:
        """Store the data; legs : the clip whose legs and path are kept, None if the whole body is driven."""
        self._uid, self.name = armature.session_uid, armature.name
        self.read, self.session, self.request, self.recipe = read, session, request, recipe
        self.legs, self._upper = legs, None if legs is None else mask.upper_body(legs.skeleton, "").joints
        self._way = None if legs is None else root_motion.ground_frames(legs)[0] @ np.array([1.0, 1j])
        self.has_controls = read.body.controls is not None
        self._pose = None if self.has_controls else LivePose(armature, read.body)

    @property
    def armature(self) -> bpy.types.Object | None:
        """The armature; None if it was deleted."""
        return properties.of_session(bpy.data.objects, self._uid)

    @property
    def height(self) -> float:
        """The height of the ground under the body, in units of the scene."""
        armature, footing = self.armature, self.session.state.footing
        floor = 0.0 if armature is None else float(armature.matrix_world.translation.z)
        return floor + (0.0 if footing is None else footing.level / self.read.body.world_metres)

    @property
    def aside(self) -> complex:
        """The offset of the display from the driven place, x + iy metres; kept legs determine the display."""
        return 0j if self._way is None else complex(self._way[self._frame]) - self.session.state.place

    @property
    def _frame(self) -> int:
        """The displayed frame of the legs; a cycle is repeated in place during a drive."""
        assert self.legs is not None
        frame = round(self.session.seconds * self.legs.rate)
        return frame % (len(self.legs) - 1) if self.legs.cyclic else min(frame, len(self.legs) - 1)

    def _displayed_pose(self) -> tuple[Array, Array]:
        """Return the displayed rotations (J, 4) and translations (J, 3)."""
        rotations, translations = self.session.state.shown
        if self.legs is None:
            return rotations, translations
        under = self.legs.rotations[self._frame].copy(), self.legs.translations[self._frame].copy()
        under[0][self._upper], under[1][self._upper] = rotations[self._upper], translations[self._upper]
        return under

    def show(self) -> list[tuple[Place, Place]]:
        """Pose the armature; return the bones to draw instead if it can't be posed, in units of the scene."""
        armature, (rotations, translations) = self.armature, self._displayed_pose()
        like = self.session.data.clips[0]
        if armature is None:
            return []
        if self._pose is not None:
            self._pose.show(armature, like, rotations, translations)
            return []
        points = kinematics.points(
            dataclasses.replace(like, rotations=rotations[None], translations=translations[None])
        )
        places = [(x, y, z) for x, y, z in (points[0] / self.read.body.world_metres).tolist()]
        return [(places[one], places[other]) for one, other in kinematics.lines(like.skeleton).tolist()]

    def restore(self) -> None:
        """Restore the original pose."""
        armature = self.armature
        if armature is not None and self._pose is not None:
            self._pose.restore(armature)

    def kept(self) -> Drive:
        """Return the recipe that repeats the drive."""
        return dataclasses.replace(self.recipe, **self.session.kept())
