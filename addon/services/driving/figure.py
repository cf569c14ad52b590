"""A character while it is driven: what was read of it, its session, and how it is shown."""

import dataclasses

import bpy

from ....core.motion import kinematics
from ....core.recipes.reading import Request
from ....core.verbs import Drive
from ...bridge.live_pose import LivePose
from ...model import properties
from ..weaving.reading import Read
from .session import Session

Place = tuple[float, float, float]


class Figure:
    """An armature that is driven; one whose controls are too slow to be posed live is shown as its bones' lines."""

    def __init__(
        self, armature: bpy.types.Object, read: Read, session: Session, request: Request, recipe: Drive
    ) -> None:
        self._uid, self.name = armature.session_uid, armature.name
        self.read, self.session, self.request, self.recipe = read, session, request, recipe
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

    def show(self) -> list[tuple[Place, Place]]:
        """Pose the armature; return the bones to be drawn in its place, in units of the scene."""
        armature, (rotations, translations) = self.armature, self.session.state.shown
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
        """Put the pose back as it was."""
        armature = self.armature
        if armature is not None and self._pose is not None:
            self._pose.restore(armature)

    def kept(self) -> Drive:
        """Return the recipe that drives it again."""
        return dataclasses.replace(self.recipe, **self.session.kept())
