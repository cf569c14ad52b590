"""Mark actions as assets, with a preview of their poses, the recipe as description, tags and a catalog."""

from contextlib import suppress
from pathlib import Path

import bpy

from ....core.errors import LoomError
from ....core.recipes.reading import Request, Source
from ...bitmaps import asset_bitmap
from ...bridge import result_mark
from ...ground.blender_types import as_array, by_full_name, present
from ...model import storage
from ..weaving import reading
from . import asset_catalogs, asset_finds

TAG = "Action Loom"


def mark(context: bpy.types.Context, armature: bpy.types.Object, source: Source) -> tuple[bpy.types.Action, str]:
    """Mark an action of an armature as an asset; return it, and the reason for a missing pose preview or "".

    The artist's own description, author and tags remain. Raises LoomError for a missing action or one of another file.
    """
    action = by_full_name(bpy.data.actions, source.name)
    if action is None:
        raise LoomError(f"There is no action named {source.name!r}")
    result_mark.check_writable(action)
    if action.asset_data is None:
        action.asset_mark()
    data = present(action.asset_data)
    with suppress(LoomError):  # an unreadable recipe must not prevent sharing
        _describe_recipe(action, data)
    try:
        (read,) = reading.read(context, armature, Request(sources=(source,))).sources
    except LoomError as error:
        return action, f"{action.name} has no picture of its poses: {error}"
    _show(action, asset_bitmap.picture(read.clip))
    return action, ""


def _describe_recipe(action: bpy.types.Action, data: bpy.types.AssetMetaData) -> None:
    kept = storage.read_stored(action)
    if kept is None:
        return
    for tag in (TAG, kept.recipe.label):
        data.tags.new(tag, skip_if_exists=True)
    if not data.description:
        made_of = dict.fromkeys(one.name for one in kept.sources)
        data.description = f"{kept.recipe.label} of {', '.join(made_of)}"


def _show(action: bpy.types.Action, pixels: asset_bitmap.Pixels) -> None:
    import numpy as np

    height, width = pixels.shape[:2]
    opaque = np.ones((height, width, 4), dtype=np.float32)
    opaque[..., :3] = pixels / np.float32(255.0)
    preview = present(action.preview_ensure())
    preview.image_size = as_array((width, height))
    preview.image_pixels_float.foreach_set(opaque.ravel())  # type: ignore[arg-type]  # buffers are accepted too


def put_in_catalog(actions: list[bpy.types.Action], path: str) -> str:
    """Put assets into a catalog, written to the catalog file that Blender uses; returns a notice for the user.

    Raises LoomError if the file can't be written; the assets are not moved then.
    """
    path = asset_catalogs.clean_path(path)
    if not path:
        return ""
    note, blend = "", bpy.data.filepath
    if blend:
        roots = [folder for _, folder in asset_finds.libraries()]
        catalog = asset_catalogs.ensure(asset_catalogs.folder_of(Path(blend), roots), path)
    else:
        catalog = asset_catalogs.id_of(path)
        note = f"This file was never saved: save it, then mark again, and the catalog {path} is written beside it"
    for action in actions:
        present(action.asset_data).catalog_id = catalog
    return note
