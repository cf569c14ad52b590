"""Choose a library, add folders, find stretches like an action, and show or import them."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LibraryError, LoomError
from ....core.library.ending import ENDING
from ....core.progress import Progress
from ....core.recipes.reading import Request
from ...ground import rates, steps, troubles
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import preferences, properties, readiness, target_armature
from ...services.library import library_finds
from . import polls, reports
from .background import BackgroundOperator

if TYPE_CHECKING:
    from ....core.library.index import Changes
    from ...services.files.library_clips import Coming, Stretch
    from ...services.files.onto_armature import Moved, Receiver, Solved
    from ...services.library.library_search import Query, Wanted

NO_LIBRARY = "Choose a library first, or make a new one"


def poll_library(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Say whether a library is chosen."""
    if not preferences.library(context):
        cls.poll_message_set(NO_LIBRARY)
        return False
    return True


class LibraryOperator(BackgroundOperator):
    """An operator on the library, whose panel shows an error until the next attempt."""

    library: bpy.props.StringProperty(
        name="Library",
        description="Its folder; the panel's library if empty",
        options={"HIDDEN", "SKIP_SAVE"},
    )

    def path(self, context: bpy.types.Context) -> str:
        """Return the library's folder; raises LibraryError where none is chosen."""
        path = bpy.path.abspath(self.library).rstrip("/\\") or preferences.library(context)
        if not path:
            raise LibraryError(NO_LIBRARY)
        return path

    def fresh_inputs(self, context: bpy.types.Context) -> Any:
        from ...services.library import libraries

        troubles.clear(libraries.TROUBLES[0])
        return self.inputs(context)

    def failed(self, context: bpy.types.Context, error: LoomError) -> OperatorReturn:
        from ...services.library import libraries

        troubles.keep(*libraries.TROUBLES, error, 1.0)
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


class ACTION_LOOM_OT_new_library(bpy.types.Operator):
    bl_idname = "action_loom.new_library"
    bl_label = "New Library"
    bl_description = "Choose a place for a new library; Add Folder creates it"
    bl_options = {"REGISTER"}

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_glob: bpy.props.StringProperty(default=f"*{ENDING}", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        self.filepath = self.filepath or f"motion{ENDING}"
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        path = bpy.path.abspath(self.filepath).rstrip("/\\")
        kept = preferences.chosen(context)
        if not path or kept is None:
            self.report({"ERROR"}, "Give the new library a name")
            return {"CANCELLED"}
        kept.library = path if path.endswith(ENDING) else f"{path}{ENDING}"
        self.report({"INFO"}, f"Add Folder puts motion files into {kept.library}")
        return {"FINISHED"}


class ACTION_LOOM_OT_read_library(bpy.types.Operator):
    bl_idname = "action_loom.read_library"
    bl_label = "Read Library"
    bl_description = "Reload the library"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return poll_library(cls, context)

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        from ...services.library import libraries, library_search

        path = preferences.library(context)
        library_search.look(path)
        wrong = troubles.of(*libraries.TROUBLES)
        if wrong is not None:
            self.report({"ERROR"}, wrong.text)
            return {"CANCELLED"}
        self.report({"INFO"}, f"{path}: {present(libraries.known(path)).summary}")
        return {"FINISHED"}


class ACTION_LOOM_OT_add_to_library(LibraryOperator, bpy.types.Operator):
    bl_idname = "action_loom.add_to_library"
    bl_label = "Add Folder"
    bl_description = (
        "Add the motion files of a folder and its subfolders to the library; only new and changed files are"
        " read, and none is moved"
    )
    bl_options = {"REGISTER"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    left = "what was kept so far is in the library"
    _browsing = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        why = readiness.busy()
        if why:
            cls.poll_message_set(why)
            return False
        return not target_armature.invoked_from_panel(context) or poll_library(cls, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> OperatorReturn:
        if self.directory:
            return LibraryOperator.invoke(self, context, event)
        self._browsing = True
        present(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> OperatorReturn:
        if not self._browsing:
            return LibraryOperator.execute(self, context)
        # The file browser waits for the operator that opened it, so a second call runs in the background.
        ours: Any = bpy.ops.action_loom  # type: ignore[attr-defined]  # the stubs know Blender's own only
        ours.add_to_library("INVOKE_DEFAULT", directory=self.directory, library=self.library)
        return {"FINISHED"}

    def inputs(self, context: bpy.types.Context) -> tuple[str, str]:
        if not self.directory:
            raise LibraryError("Choose a folder with motion files")
        return self.path(context), bpy.path.abspath(self.directory)

    @staticmethod
    def compute(inputs: tuple[str, str], progress: Progress) -> "Changes":
        from ....core.library import index

        path, folder = inputs
        return index.update(path, [folder], progress=progress)

    def finish(self, context: bpy.types.Context, inputs: tuple[str, str], made: "Changes") -> OperatorReturn:
        from ...services.library import library_search

        library_search.look(inputs[0])
        for trouble in list(made.troubles.values())[:5]:
            self.report({"WARNING"}, trouble)
        if len(made.troubles) > 5:
            self.report({"WARNING"}, f"{len(made.troubles) - 5} more files can't be read")
        counts = {name: len(getattr(made, name)) for name in ("added", "changed", "moved", "removed", "unchanged")}
        summary = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        self.report({"INFO"}, f"Files: {summary}")
        return {"FINISHED"}

    def stopped(self, context: bpy.types.Context) -> None:
        from ...services.library import library_search

        LibraryOperator.stopped(self, context)
        library_search.look(present(self._job).inputs[0])


class ACTION_LOOM_OT_find_like(library_finds.WantedOptions, LibraryOperator, bpy.types.Operator):
    bl_idname = "action_loom.find_like"
    bl_label = "Find like This"
    bl_description = (
        "List stretches of the library that are like the action that plays, at any tempo; a preview range"
        " limits what is searched for"
    )
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_action(cls, context):
            return False
        if target_armature.invoked_from_panel(context) and not poll_library(cls, context):
            return False
        rig = properties.rig_of(scene_of(context), target_armature.armature(context))
        listed = {role.name: role.bone for role in rig.roles} if rig is not None else {}
        lacking = [role for role in ("hips", "thigh.L", "thigh.R") if listed and not listed.get(role)]
        if lacking:
            cls.poll_message_set(f"Searching needs {' and '.join(lacking)}: name them in Body Roles")
        return not lacking

    def from_panel(self, context: bpy.types.Context) -> None:
        finder = library_finds.finder()
        for name in ("part", "mirror", "words", "most"):
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(finder, name))

    def inputs(self, context: bpy.types.Context) -> "steps.Steps[tuple[Query, Wanted]]":
        from ...services.library import library_search
        from ...services.weaving import reading

        if target_armature.invoked_from_panel(context):
            self.from_panel(context)
        path, armature = self.path(context), present(target_armature.armature(context))
        asked = present(library_finds.asked(scene_of(context), armature))
        read = yield from reading.read_in_steps(context, armature, Request(sources=(asked.source,)))
        query = library_search.query(read.sources[0], asked.first, asked.last, path)
        return query, library_search.Wanted(self.part, self.mirror, self.words, self.most)

    @staticmethod
    def compute(inputs: "tuple[Query, Wanted]", progress: Progress) -> Any:
        from ...bitmaps import stretch_bitmap
        from ...services.library import library_search

        known, found = library_search.found(*inputs, progress)
        pictures = [stretch_bitmap.small(library_search.poses(known, one, stretch_bitmap.COUNT)) for one in found]
        return known, found, pictures, library_search.stands(inputs[0])

    def finish(self, context: bpy.types.Context, inputs: "tuple[Query, Wanted]", made: Any) -> OperatorReturn:
        from ...bitmaps import images
        from ...services.library import libraries

        query, wanted = inputs
        known, found, pictures, (place, facing) = made
        libraries.keep(known)
        library_finds.forget()
        finder = library_finds.finder()
        finder.placed, finder.place, finder.facing, finder.frame = True, place, facing, query.frame
        for k, (one, picture) in enumerate(zip(found, pictures, strict=True)):
            row = finder.found.add()
            row.name, row.path, row.label = one.entry.name, one.entry.path, one.entry.label
            row.first, row.last = one.frames
            row.seconds = (row.last - row.first) / one.entry.rate
            row.distance, row.mirrored, row.copies = one.distance, one.mirrored, len(one.copies)
            row.icon = images.preview(f"found {k}", picture)
        if not found:
            among = f" among the clips with {wanted.words!r}" if wanted.words.strip() else ""
            raise LibraryError(f"Nothing was found{among}: choose other words, or add folders to the library")
        self.report({"INFO"}, f"{len(found)} stretches; the closest is {finder.found[0].name}")
        return {"FINISHED"}


class ACTION_LOOM_OT_find_doing(LibraryOperator, bpy.types.Operator):
    bl_idname = "action_loom.find_doing"
    bl_label = "Find by Words"
    bl_description = "List stretches of the library by what is done there; each file is read once"
    bl_options = {"REGISTER"}
    left = "what was found before is still listed"

    doing: bpy.props.StringProperty(
        name="Doing", description="What is done, such as slow walk turning left", options={"SKIP_SAVE"}
    )
    most: bpy.props.IntProperty(
        name="Results",
        description="Number of results, longest first",
        default=12,
        min=1,
        max=100,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        why = readiness.busy()
        if why:
            cls.poll_message_set(why)
            return False
        return poll_library(cls, context)

    def from_panel(self, context: bpy.types.Context) -> None:
        finder = library_finds.finder()
        for name in ("doing", "most"):
            if not self.properties.is_property_set(name):
                setattr(self, name, getattr(finder, name))

    def inputs(self, context: bpy.types.Context) -> tuple[str, str, int]:
        self.from_panel(context)
        return self.path(context), self.doing, self.most

    @staticmethod
    def compute(inputs: tuple[str, str, int], progress: Progress) -> Any:
        from ...bitmaps import stretch_bitmap
        from ...services.library import library_search

        known, found, wrong = library_search.by_words(*inputs, progress)
        pictures = [stretch_bitmap.small(library_search.poses_of(known, one, stretch_bitmap.COUNT)) for one in found]
        return known, found, pictures, wrong

    def finish(self, context: bpy.types.Context, inputs: tuple[str, str, int], made: Any) -> OperatorReturn:
        from ...bitmaps import images
        from ...services.library import libraries

        known, found, pictures, wrong = made
        libraries.keep(known)
        library_finds.forget()
        finder = library_finds.finder()
        for k, (one, picture) in enumerate(zip(found, pictures, strict=True)):
            row = finder.found.add()
            row.name, row.path, row.label, row.done = one.entry.name, one.entry.path, one.entry.label, one.hit.name
            row.first, row.last = one.hit.first, one.hit.last
            row.seconds = (row.last - row.first) / one.entry.rate
            row.icon = images.preview(f"found {k}", picture)
        if not found:
            raise LibraryError(f"Nothing in the library is {inputs[1]!r}: choose other words, or add folders to it")
        reports.report(self, wrong[:5], f"{len(found)} stretches; the longest is of {finder.found[0].name}")
        return {"FINISHED"}


class _FoundOperator(LibraryOperator):
    """An operator that brings found stretches onto the armature."""

    rate: bpy.props.EnumProperty(
        name="Rate",
        description="What becomes of the files' frames per second",
        items=[
            ("SCENE", "Convert to the Scene's", "Play at the original speed in this scene"),
            (
                "KEEP",
                "Keep Every Frame",
                "Each captured frame becomes a frame of the scene; the action remembers its own rate",
            ),
        ],
    )
    plant_feet: bpy.props.BoolProperty(
        name="Plant Feet",
        description="Keep standing feet in place when a clip is put on another body",
        default=True,
    )

    def coming(self, context: bpy.types.Context, *, keep: bool) -> "Coming":
        """Return how stretches come onto the armature: at the place of the searched stretch."""
        from ...services.files.library_clips import Coming

        finder = library_finds.finder()
        place = (finder.place[0], finder.place[1]) if finder.placed else None
        return Coming(0.0 if keep else rates.of_scene(scene_of(context)), self.plant_feet, place, finder.facing)

    @staticmethod
    def compute(inputs: "tuple[list[Stretch], Receiver, Coming]", progress: Progress) -> Any:
        from ...services.files import library_clips

        return library_clips.brought(*inputs, progress)


class ACTION_LOOM_OT_show_found(_FoundOperator, bpy.types.Operator):
    bl_idname = "action_loom.show_found"
    bl_label = "Show Found"
    bl_description = "Show this stretch as a ghost on the character"
    bl_options = {"REGISTER", "INTERNAL"}

    index: bpy.props.IntProperty(
        name="Result",
        description="Its place in the list, from 0; −1 is the active one",
        default=-1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return polls.poll_armature(cls, context) and _poll_found(cls, anything=True)

    def inputs(self, context: bpy.types.Context) -> "tuple[list[Stretch], Receiver, Coming]":
        from ...services.files import onto_armature

        finder = library_finds.finder()
        index = finder.active if self.index < 0 else self.index
        if not 0 <= index < len(finder.found):
            raise LibraryError(f"There is no result {index}; there are {len(finder.found)}, from 0")
        stretches = _stretches([finder.found[index]])
        self._shown = stretches[0]
        armature = present(target_armature.armature(context))
        self._armature = armature.session_uid
        return stretches, onto_armature.receiver(armature), self.coming(context, keep=False)

    def finish(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> OperatorReturn:
        import numpy as np

        from ...bridge.clip import ReadAction
        from ...services.preview import ghosts
        from ...services.weaving import writing

        (moved,) = made
        if isinstance(moved, LoomError):
            raise moved
        armature = writing.found(bpy.data.objects, self._armature, "The armature")
        scene = scene_of(context)
        frames = library_finds.finder().frame + np.arange(len(moved.clip)) * (rates.of_scene(scene) / moved.clip.rate)
        properties.settings_of(scene).solo = False
        ghost = ghosts.found(
            context, armature, moved.clip.name, ReadAction(moved.clip, frames, moved.targets), moved.body
        )
        self.report({"INFO"}, f"{ghost.summary}: {len(moved.clip)} frames from {frames[0]:g}")
        active = library_finds.row(library_finds.finder())
        if self.index < 0 and active is not None and _stretches([active]) != [self._shown]:
            # The user clicked another row while this one was read.
            library_finds.show_active(context)
        return {"FINISHED"}


class ACTION_LOOM_PG_wanted(bpy.types.PropertyGroup):
    """A stretch to import, named after its file: its frames first … last, and whether it is mirrored."""

    path: bpy.props.StringProperty(name="File")
    first: bpy.props.IntProperty(name="First")
    last: bpy.props.IntProperty(name="Last")
    mirrored: bpy.props.BoolProperty(name="Mirrored")


class ACTION_LOOM_OT_import_found(_FoundOperator, bpy.types.Operator):
    bl_idname = "action_loom.import_found"
    bl_label = "Import Found"
    bl_description = (
        "Import the ticked stretches, or the active one, as actions of this character, beginning where and"
        " when the searched part does"
    )
    bl_options = {"REGISTER", "UNDO"}

    stretches: bpy.props.CollectionProperty(type=ACTION_LOOM_PG_wanted, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not polls.poll_armature(cls, context):
            return False
        return not target_armature.invoked_from_panel(context) or _poll_found(cls, anything=False)

    def inputs(self, context: bpy.types.Context) -> "tuple[list[Stretch], Receiver, Coming]":
        from ...services.files import onto_armature

        armature = present(target_armature.armature(context))
        if not len(self.stretches):
            for row in library_finds.chosen(library_finds.finder()):
                one = self.stretches.add()
                one.path, one.first, one.last, one.mirrored = row.path, row.first, row.last, row.mirrored
        if not len(self.stretches):
            raise LibraryError("Tick what to import, or click one")
        present(context.view_layer).update()  # a script may have moved the armature just now
        how = self.coming(context, keep=self.rate == "KEEP")
        self._armature = armature.session_uid
        self._keys: dict[int, Solved] = {}  # of the armature's controls, by the number of the stretch
        return _stretches(self.stretches), onto_armature.receiver(armature), how

    def ready(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> "steps.Steps[None]":
        from ...services.files import onto_armature
        from ...services.weaving import writing

        armature = writing.found(bpy.data.objects, self._armature, "The armature")
        for number, one in enumerate(made):
            if not isinstance(one, LoomError):
                solving = onto_armature.solved_in_steps(armature, one)
                try:
                    self._keys[number] = yield from steps.within(solving, number, len(made))
                except LoomError as error:
                    made[number] = error

    def finish(self, context: bpy.types.Context, inputs: Any, made: "list[Moved | LoomError]") -> OperatorReturn:
        from ...services.files import imported_motion, onto_armature
        from ...services.weaving import writing

        armature = writing.found(bpy.data.objects, self._armature, "The armature")
        refused = list(dict.fromkeys(str(one) for one in made if isinstance(one, LoomError)))
        coming = {number: one for number, one in enumerate(made) if not isinstance(one, LoomError)}
        if not coming:
            raise LibraryError("; ".join(refused))
        actions: list[bpy.types.Action] = []
        notes: list[str] = []
        try:
            for number, one in coming.items():
                rate = 0.0 if self.rate == "SCENE" else one.file.rate
                begin = float(round(library_finds.finder().frame))
                keys = self._keys[number]
                action, others = onto_armature.write(armature, one, keys, first_frame=begin, rate=rate)
                actions.append(action)
                notes += others
        except BaseException:
            for action in actions:
                bpy.data.actions.remove(action)
            raise
        imported_motion.list_actions(scene_of(context), armature, actions)
        summary = dict.fromkeys(one.retargeted for one in coming.values() if one.retargeted)
        names = ", ".join(action.name for action in actions[:3]) + (" …" if len(actions) > 3 else "")
        reports.report(self, dict.fromkeys([*refused, *notes]), *summary, f"{names}: now {armature.name}'s")
        return {"FINISHED"}


def _poll_found(cls: type[bpy.types.Operator], *, anything: bool) -> bool:
    """Say whether there are results, and ticked or active ones unless `anything` will do."""
    finder = library_finds.finder()
    if not len(finder.found):
        cls.poll_message_set("Find something first")
        return False
    if not anything and not library_finds.chosen(finder):
        cls.poll_message_set("Tick what to import, or click one")
        return False
    return True


def _stretches(rows: Any) -> "list[Stretch]":
    from ...services.files.library_clips import Stretch

    return [Stretch(row.path, row.first, row.last, row.mirrored) for row in rows]


register, unregister = bpy.utils.register_classes_factory(
    (
        ACTION_LOOM_OT_new_library,
        ACTION_LOOM_OT_read_library,
        ACTION_LOOM_OT_add_to_library,
        ACTION_LOOM_OT_find_like,
        ACTION_LOOM_OT_find_doing,
        ACTION_LOOM_OT_show_found,
        ACTION_LOOM_PG_wanted,
        ACTION_LOOM_OT_import_found,
    )
)
