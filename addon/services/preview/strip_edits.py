"""Apply drags in the timeline strip: to the panel's values behind a ghost, or to a result's recipe.

A change of the panel applies at once, so that the ghost follows. For a result, only the strip is updated during the
drag; the changed options of its recipe are returned at the end, to weave it again.
"""

import dataclasses
from typing import Any

import bpy

from ....core.options import declared_options
from ....core.verbs import Blend, Connect, Walk
from ...ground.blender_types import present
from ...model import contact_rows, lists, properties
from ...model.parts import Parts
from ...model.spans import Handle, Strip
from ..weights import weight_edges, weights_over_time
from . import strips, take_strip
from .strips import CONTACT, FADE, PIN, SEAM, WEIGHT, Shown

APART = 0.01  # of a blend, smallest distance of two weight keys


class Edit:
    """A drag of one handle; `options` : the changed options of a result's recipe."""

    options: dict[str, Any]

    def __init__(self, scene: bpy.types.Scene, armature: bpy.types.Object, shown: Shown, handle: Handle) -> None:
        # By session ids, during the drag.
        self._scene, self._armature = scene.session_uid, armature.session_uid
        self.shown, self.handle, self.options = shown, handle, {}

    @property
    def scene(self) -> bpy.types.Scene:
        return present(properties.of_session(bpy.data.scenes, self._scene))

    @property
    def armature(self) -> bpy.types.Object:
        return present(properties.of_session(bpy.data.objects, self._armature))

    def to(self, frame: float, level: float) -> Strip | None:
        """Drag to a scene frame and a height of the row; return the changed strip, or None to find it again."""
        raise NotImplementedError

    def back(self) -> None:
        """Undo the drag."""

    def woven(self) -> Parts:
        return present(self.shown.parts)

    def as_if(self, parts: Parts, **options: Any) -> Strip:
        """Return the strip with other parts, and store the options of the recipe that produce them."""
        self.options = options
        recipe = dataclasses.replace(present(self.shown.recipe), **options)
        return strips.as_if(self.scene, self.armature, self.shown, parts, recipe)


class ContactEdit(Edit):
    """Drag the first or last frame of a contact, up to the neighbouring contact."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        held = self._held()
        self._before = [(row.first, row.last, row.why) for row in held.rows], held.edited

    def _held(self) -> Any:
        return contact_rows.of(self.scene, self._action())

    def _action(self) -> bpy.types.Action:
        return present(properties.of_session(bpy.data.actions, self.shown.action))

    def to(self, frame: float, level: float) -> Strip | None:
        number, end = self.handle.which
        rows = self._held().rows
        row, (low, high) = rows[number], contact_rows.frames_of(self._action())
        others = [one for k, one in enumerate(rows) if k != number and one.foot == row.foot]
        if end:
            high = min([high, *(one.first - 1 for one in others if one.first > row.first)])
            row.last = min(max(round(frame), row.first), high)
        else:
            low = max([low, *(one.last + 1 for one in others if one.first < row.first)])
            row.first = max(min(round(frame), row.last), low)
        return None

    def back(self) -> None:
        held, (rows, edited) = self._held(), self._before
        for row, (first, last, why) in zip(held.rows, rows, strict=True):
            if (row.first, row.last) != (first, last):
                row.first, row.last, row.why = first, last, why
        held.edited = edited


class SeamEdit(Edit):
    """Drag the frame at which the first clip is left, or the length of the overlap."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        chosen = properties.settings_of(self.scene).connect
        self._before = {name: getattr(chosen, name) for name in ("from_frame", "seams", "length")}

    def to(self, frame: float, level: float) -> Strip | None:
        woven = self.woven()
        (number,), at = self.handle.which, frame - self.shown.start
        seam = woven.seams[number]
        options: dict[str, Any]
        if self.handle.kind == FADE:
            reach = max(round(abs(at - seam.at)), 1)
            moved, options = (seam.at - reach, seam.at, seam.at + reach), {"length": round(2.0 * reach / woven.rate, 3)}
        else:
            by = round(at - seam.at)
            moved = seam.first + by, seam.at + by, seam.last + by
            options = self._left_at(number, max(seam.left + round(by * seam.step), 0))
        if not self.shown.action:
            chosen = properties.settings_of(self.scene).connect
            for name, value in options.items():
                value = declared_options(Connect)[name].as_text(value) if name == "seams" else value
                if getattr(chosen, name) != value:
                    setattr(chosen, name, value)
            return None
        tracks = tuple(
            tuple(
                part._replace(last=moved[1])
                if part.last == seam.at
                else part._replace(first=moved[1])
                if part.first == seam.at
                else part
                for part in track
            )
            for track in woven.tracks
        )
        seams = tuple(
            seam._replace(first=moved[0], at=moved[1], last=moved[2]) if one is seam else one for one in woven.seams
        )
        return self.as_if(dataclasses.replace(woven, tracks=tracks, seams=seams), **options)

    def _left_at(self, number: int, frame: int) -> dict[str, Any]:
        """Return the options that leave a clip at a frame: a number for two clips, a row for each seam for more."""
        recipe, count = self.shown.recipe, len(self.woven().seams)
        assert isinstance(recipe, Connect)
        if count == 1 and not recipe.seams:
            return {"from_frame": frame}
        rows = [list(row) for row in recipe.seams] or [[-1.0, -1.0] for _ in range(count)]
        rows[number][0] = float(frame)
        return {"seams": tuple(map(tuple, rows))}

    def back(self) -> None:
        chosen = properties.settings_of(self.scene).connect
        for name, value in self._before.items():
            setattr(chosen, name, value)


class PinEdit(Edit):
    """Drag the time of a pose or a stretch that a variation must play."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._name = strips.PINNED[self.handle.which[1]]
        self._before = getattr(properties.settings_of(self.scene).walk, self._name)

    def to(self, frame: float, level: float) -> Strip | None:
        woven, recipe = self.woven(), self.shown.recipe
        rows = [list(row) for row in getattr(recipe, self._name)]
        row = rows[self.handle.which[0]]
        at = min(max(round(frame - self.shown.start), 0), round(woven.last))
        row[0] = round(at / woven.rate, 4)
        options = {self._name: tuple(map(tuple, rows))}
        if self.shown.action:
            return self.as_if(woven, **options)
        text = declared_options(Walk)[self._name].as_text(options[self._name])
        settings = properties.settings_of(self.scene).walk
        if getattr(settings, self._name) != text:
            setattr(settings, self._name, text)
        return None

    def back(self) -> None:
        setattr(properties.settings_of(self.scene).walk, self._name, self._before)


class GhostWeightEdit(Edit):
    """Drag the weights of the list: their keys, or their constant values without keys."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._weights = [line.weight for line in self._lines()]
        self._keys = weights_over_time.keys(self.scene, self._rig())

    def _rig(self) -> Any:
        return properties.rig_of(self.scene, self.armature)

    def _lines(self) -> list[Any]:
        return lists.ticked_lines(self._rig())

    def to(self, frame: float, level: float) -> Strip | None:
        number, edge = self.handle.which
        if not self._keys:
            lists.set_weights(self._lines(), weight_edges.move_edge(self._weights, edge, level))
            return None
        weights_over_time.put_back(self.scene, self._keys)
        place = self.woven().place_at(frame - self.shown.start)
        weights_over_time.move_key(self.scene, self._rig(), number, place, edge, level)
        self._tell()
        return None

    def back(self) -> None:
        if self._keys:
            weights_over_time.put_back(self.scene, self._keys)
            self._tell()
        else:
            lists.set_weights(self._lines(), self._weights)

    def _tell(self) -> None:
        """Update the ghost after a change of keys, as for the weights themselves."""
        for listener in lists.when_weight_changed:
            listener(self.scene, bpy.context)


class ResultWeightEdit(Edit):
    """Drag a weight key of a result's recipe, or its constant weights."""

    def to(self, frame: float, level: float) -> Strip | None:
        import numpy as np

        from ....core.verbs.blend import weights

        number, edge = self.handle.which
        woven, recipe, count = self.woven(), self.shown.recipe, len(self.shown.names)
        assert isinstance(recipe, Blend)
        rows = [list(row) for row in recipe.weight_keys]
        if not rows:
            shares = weight_edges.move_edge(recipe.weights or (1.0,) * count, edge, level)
            options: dict[str, Any] = {"weights": tuple(round(share, 4) for share in shares)}
        else:
            low = rows[number - 1][0] + APART if number else 0.0
            high = rows[number + 1][0] - APART if number + 1 < len(rows) else 1.0
            place = min(max(woven.place_at(frame - self.shown.start), low), max(high, low))
            rows[number] = [place, *weight_edges.move_edge(rows[number][1:], edge, level)]
            options = {"weight_keys": tuple(tuple(round(value, 4) for value in row) for row in rows)}
        at = weights.of_recipe(dataclasses.replace(recipe, **options), count).at(
            np.array([row[1] for row in woven.shares])
        )
        shared = tuple((*row[:2], *now) for row, now in zip(woven.shares, at.T.tolist(), strict=True))
        return self.as_if(dataclasses.replace(woven, shares=shared), **options)


class BorderEdit(Edit):
    """Drag the first or last frame of a take's row."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._before = take_strip.kept_values(self._rig(), self.handle.which[0])

    def _rig(self) -> Any:
        return properties.rig_of(self.scene, self.armature)

    def to(self, frame: float, level: float) -> Strip | None:
        number, side = self.handle.which
        take_strip.move(self._rig(), number, side, frame)
        return None

    def back(self) -> None:
        take_strip.put_back(self._rig(), self.handle.which[0], self._before)


def begin(scene: bpy.types.Scene, armature: bpy.types.Object, shown: Shown, handle: Handle) -> Edit:
    """Start to drag a handle of a strip."""
    if handle.kind == take_strip.BORDER:
        return BorderEdit(scene, armature, shown, handle)
    if handle.kind == CONTACT:
        return ContactEdit(scene, armature, shown, handle)
    if handle.kind in (SEAM, FADE):
        return SeamEdit(scene, armature, shown, handle)
    if handle.kind == PIN:
        return PinEdit(scene, armature, shown, handle)
    assert handle.kind == WEIGHT
    kind = ResultWeightEdit if shown.action else GhostWeightEdit
    return kind(scene, armature, shown, handle)
