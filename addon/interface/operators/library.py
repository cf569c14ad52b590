"""Choose a library, add folders, find stretches like an action, and show or import them."""

from typing import TYPE_CHECKING, Any

import bpy

from ....core.errors import LibraryError
from ....core.library.ending import ENDING
from ....core.progress import Progress
from ....core.recipes.reading import Request
from ...ground import registrar, steps, troubles
from ...ground.blender_types import OperatorReturn, present, scene_of
from ...model import preferences, properties, readiness, target_armature
from ...services.library import library_finds
from . import polls, reports
from .library_operator import LibraryOperator, poll_library

if TYPE_CHECKING:
    from ....core.library.index import Changes
    from ...services.library.library_search import Query, Wanted


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
        kept = preferences.read_preferences(context)
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
        self.report({"INFO"}, f"{path}: {present(libraries.find_known(path)).summary}")
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
        self.call_again(directory=self.directory, library=self.library)
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
        return polls.poll_unless(cls, lacking, f"{cls.bl_label} needs {' and '.join(lacking)}: name them in Body Roles")

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
        asked = present(library_finds.asked_stretch(scene_of(context), armature))
        read = yield from reading.read_in_steps(context, armature, Request(sources=(asked.source,)))
        query = library_search.query(read.sources[0], asked.first, asked.last, path)
        return query, library_search.Wanted(self.part, self.mirror, self.words, self.most)

    @staticmethod
    def compute(inputs: "tuple[Query, Wanted]", progress: Progress) -> Any:
        from ...bitmaps import stretch_bitmap
        from ...services.library import library_search

        known, found = library_search.find_stretches(*inputs, progress)
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
        self.report({"INFO"}, f"{len(found)} found; the closest is {finder.found[0].name}")
        return {"FINISHED"}


class ACTION_LOOM_OT_find_doing(LibraryOperator, bpy.types.Operator):
    bl_idname = "action_loom.find_doing"
    bl_label = "Find by Words"
    bl_description = "List stretches of the library by what is done there; each file is read once"
    bl_options = {"REGISTER"}
    left = "what was found before is still listed"

    doing: bpy.props.StringProperty(name="Doing", description=library_finds.DOING, options={"SKIP_SAVE"})
    most: bpy.props.IntProperty(
        name="Results",
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
            among = f" among the clips with {inputs[1]!r}"
            raise LibraryError(f"Nothing was found{among}: choose other words, or add folders to the library")
        reports.report(self, wrong[:5], f"{len(found)} stretches; the longest is of {finder.found[0].name}")
        return {"FINISHED"}


register = registrar.registration(
    (
        ACTION_LOOM_OT_new_library,
        ACTION_LOOM_OT_read_library,
        ACTION_LOOM_OT_add_to_library,
        ACTION_LOOM_OT_find_like,
        ACTION_LOOM_OT_find_doing,
    )
)
