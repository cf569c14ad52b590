"""Mark as Asset: pictures, tags, descriptions and catalogs, from one file to another, in every Blender."""

import uuid

import bpy
import material
import numpy as np
import pytest


@pytest.fixture
def walker(loom):
    """A character with two walks that plays a blend of them, Mixed."""
    rig = material.two_walks()
    bpy.ops.action_loom.blend(sources=material.TWO_WALKS, result_name="Mixed")
    return rig


def mark(**options):
    assert bpy.ops.action_loom.mark_asset("EXEC_DEFAULT", True, **{"catalog": "Action Loom", **options}) == {"FINISHED"}


def saved(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def catalogs(folder):
    """Return {id: path} of the catalogs in a folder's file, parsed as Blender's manual describes."""
    lines = (folder / "blender_assets.cats.txt").read_text(encoding="utf-8").splitlines()
    reported = [line for line in lines if line and not line.startswith("#")]
    assert reported[0] == "VERSION 1"
    found = {}
    for line in reported[1:]:
        known, path, simple = line.split(":")
        assert str(uuid.UUID(known)) == known
        assert simple == path.replace("/", "-")
        assert known not in found
        assert path not in found.values()
        found[known] = path
    return found


def picture_of(action):
    size = tuple(action.preview.image_size)
    pixels = np.empty(4 * size[0] * size[1], dtype=np.float32)
    action.preview.image_pixels_float.foreach_get(pixels)
    return pixels.reshape(size[1], size[0], 4)


def appended(path, name):
    with bpy.data.libraries.load(str(path), assets_only=True) as (there, wanted):
        assert name in there.actions
        wanted.actions = [name]
    return wanted.actions[0]


def test_an_asset_is_found_and_appended_with_all_that_it_knows(walker, tmp_path, loom):
    path = saved(tmp_path / "library" / "walks.blend")
    before = material.fingerprint(bpy.data.actions["Mixed"])
    mark(catalog="Walks/Blended")
    shown = picture_of(bpy.data.actions["Mixed"])
    bpy.ops.wm.save_mainfile()
    recipe = bpy.data.actions["Mixed"]["action_loom"]["recipe"]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    action = appended(path, "Mixed")
    data = action.asset_data
    assert catalogs(path.parent)[data.catalog_id] == "Walks/Blended"
    assert sorted(tag.name for tag in data.tags) == ["Action Loom", "Blend"]
    assert data.description == "Blend of slow, quick"
    assert data.author == ""
    assert material.fingerprint(action) == before
    assert action["action_loom"]["recipe"] == recipe
    assert action.use_fake_user
    assert np.abs(picture_of(action) - shown).max() < 0.01


def test_its_picture_has_three_walkers_side_by_side(walker):
    mark()
    pixels = picture_of(bpy.data.actions["Mixed"])
    assert pixels.shape == (128, 128, 4)
    assert (pixels[..., 3] == 1.0).all()
    inked = np.abs(pixels[..., :3] - pixels[0, 0, :3]).max(axis=-1) > 0.2
    assert 0.05 < inked.mean() < 0.5
    assert inked.any(axis=1).mean() > 0.7  # from the floor to the head
    for third in np.array_split(inked, 3, axis=1):
        assert third.mean() > 0.05
    left, right = (pixels[..., 0] - pixels[..., 2] > 0.3), (pixels[..., 2] - pixels[..., 0] > 0.3)
    assert left.any()
    assert right.any()


def test_a_walker_that_faces_elsewhere_has_the_same_picture(walker):
    bpy.data.objects["Biped"].animation_data.action = bpy.data.actions["slow"]
    mark()
    first = picture_of(bpy.data.actions["slow"])
    walker.rotation_euler.z = 2.0
    walker.location.x = 5.0
    mark()
    assert np.abs(picture_of(bpy.data.actions["slow"]) - first).max() < 0.05


def test_any_chain_of_bones_has_a_picture(loom):
    rig = material.two_actions()
    material.show(rig, bpy.data.actions["one"])
    mark()
    pixels = picture_of(bpy.data.actions["one"])
    inked = np.abs(pixels[..., :3] - pixels[0, 0, :3]).max(axis=-1) > 0.2
    assert 0.01 < inked.mean() < 0.5
    assert [tag.name for tag in bpy.data.actions["one"].asset_data.tags] == []  # Action Loom has not made it
    assert bpy.data.actions["one"].asset_data.description == ""


def test_what_an_artist_has_written_stays(walker, tmp_path):
    saved(tmp_path / "scene.blend")
    action = bpy.data.actions["Mixed"]
    action.asset_mark()
    action.asset_data.description, action.asset_data.author = "a stroll", "an artist"
    action.asset_data.tags.new("street")
    there = "0f7a3f5e-5a5c-4a51-9b2a-3f54b0a1a001"
    action.asset_data.catalog_id = there
    mark(catalog="")
    data = action.asset_data
    assert (data.description, data.author, data.catalog_id) == ("a stroll", "an artist", there)
    assert sorted(tag.name for tag in data.tags) == ["Action Loom", "Blend", "street"]
    assert not (tmp_path / "blender_assets.cats.txt").exists()
    mark()
    mark()
    assert [tag.name for tag in data.tags].count("Blend") == 1
    assert catalogs(tmp_path) == {data.catalog_id: "Action Loom"}


def test_an_action_whose_recipe_was_spoilt_is_marked_all_the_same(walker):
    action = bpy.data.actions["Mixed"]
    action["action_loom"]["recipe"] = "{}"
    mark()
    assert len(action.asset_data.tags) == 0
    assert tuple(action.preview.image_size) == (128, 128)


def test_ticked_actions_are_marked_each_with_its_own_picture(walker):
    bpy.ops.action_loom.add_sources()
    for line in bpy.context.scene.action_loom.rigs[0].sources:
        line.use = line.action.name != "Mixed"
    mark(which="TICKED")
    assert {action.name for action in bpy.data.actions if action.asset_data} == {"slow", "quick"}
    slow, quick = (picture_of(bpy.data.actions[name]) for name in ("slow", "quick"))
    assert np.abs(slow - quick).max() > 0.3


OTHERS = """# A comment: kept
VERSION 1

7d6e6a8e-93f5-4a6e-8f70-6a1d6f3f7b01:Props/Ärmel:Props-Ärmel
not a catalog at all
7d6e6a8e-93f5-4a6e-8f70-6a1d6f3f7b02: Walks / Slow :something else"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_line_of_the_catalogs_that_are_there_stays(walker, tmp_path, end):
    file = tmp_path / "blender_assets.cats.txt"
    content = OTHERS.replace("\n", end).encode("utf-8") + b"\xff"
    file.write_bytes(content)
    saved(tmp_path / "scene.blend")
    mark(catalog="Walks/Slow")
    assert file.read_bytes() == content
    assert bpy.data.actions["Mixed"].asset_data.catalog_id == "7d6e6a8e-93f5-4a6e-8f70-6a1d6f3f7b02"
    mark(catalog="/Walks/ Quick: ones//")
    added = file.read_bytes()
    new = bpy.data.actions["Mixed"].asset_data.catalog_id
    assert added == content + f"{end}{new}:Walks/Quick- ones:Walks-Quick- ones{end}".encode()
    mark(catalog="Walks/Quick- ones")
    assert file.read_bytes() == added


def test_a_catalog_that_was_renamed_keeps_its_id(walker, tmp_path):
    saved(tmp_path / "scene.blend")
    mark()
    first = bpy.data.actions["Mixed"].asset_data.catalog_id
    file = tmp_path / "blender_assets.cats.txt"
    file.write_text(file.read_text().replace(":Action Loom:Action Loom", ":Mine:Mine"))
    mark()
    second = bpy.data.actions["Mixed"].asset_data.catalog_id
    assert catalogs(tmp_path) == {first: "Mine", second: "Action Loom"}


def test_catalogs_are_written_where_blender_looks_for_them(walker, tmp_path):
    saved(tmp_path / "library" / "people" / "walks.blend")
    library = bpy.context.preferences.filepaths.asset_libraries.new(name="Mine", directory=str(tmp_path / "library"))
    try:
        mark()
    finally:
        bpy.context.preferences.filepaths.asset_libraries.remove(library)
    assert list(catalogs(tmp_path / "library").values()) == ["Action Loom"]
    saved(tmp_path / "library" / "people" / "more" / "walks.blend")  # not in a library, below a folder with catalogs
    mark(catalog="More")
    assert list(catalogs(tmp_path / "library").values()) == ["Action Loom", "More"]
    saved(tmp_path / "alone" / "walks.blend")
    mark()
    assert list(catalogs(tmp_path / "alone").values()) == ["Action Loom"]
    assert len(list(tmp_path.rglob("blender_assets.cats.txt"))) == 2


def test_a_file_that_was_never_saved_gets_its_catalog_later(walker, tmp_path, capfd):
    mark()
    data = bpy.data.actions["Mixed"].asset_data
    first = data.catalog_id
    assert uuid.UUID(first).int != 0
    assert "This file was never saved" in "".join(capfd.readouterr())
    saved(tmp_path / "scene.blend")
    mark()
    assert data.catalog_id == first
    assert catalogs(tmp_path) == {first: "Action Loom"}


def test_catalogs_that_cannot_be_written_are_said_and_the_asset_stays(walker, tmp_path, capfd):
    saved(tmp_path / "scene.blend")
    (tmp_path / "blender_assets.cats.txt").write_text("VERSION 2\n")
    mark()
    assert "is not of version 1, so no catalog was added" in "".join(capfd.readouterr())
    assert (tmp_path / "blender_assets.cats.txt").read_text() == "VERSION 2\n"
    assert bpy.data.actions["Mixed"].asset_data is not None


def test_what_is_not_this_files_is_refused_by_name(walker, tmp_path):
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {bpy.data.actions["slow"]})
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.actions = ["slow"]
    material.show(walker, wanted.actions[0])
    with pytest.raises(RuntimeError, match=r"slow is linked: make it local first"):
        bpy.ops.action_loom.mark_asset()
    walker.animation_data.action = None
    with pytest.raises(RuntimeError, match="Biped has no action"):
        bpy.ops.action_loom.mark_asset()
