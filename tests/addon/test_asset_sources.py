"""Add from Asset Library: actions of other files as sources, in every Blender."""

import os
from types import SimpleNamespace

import bpy
import material
import pytest


@pytest.fixture
def shelf(loom, tmp_path):
    """Two asset libraries, Mine and Theirs, with walks and a door; the open file has a character with one action."""
    kept = bpy.context.preferences.filepaths.asset_libraries
    for one in list(kept):
        kept.remove(one)
    rig = material.biped()
    for name, frames in (("slow", 36), ("quick", 24), ("plain", 30)):
        action = material.key_walk(rig, name, frames=frames)
        action["note"] = name
        if name != "plain":
            action.asset_mark()
    door = material.armature(name="Door")
    material.key_by_hand(door, "creak", seed=1).asset_mark()
    (tmp_path / "mine" / "people").mkdir(parents=True)
    (tmp_path / "theirs").mkdir()
    actions = bpy.data.actions
    bpy.data.libraries.write(
        str(tmp_path / "mine" / "people" / "walks.blend"), {actions[n] for n in ("slow", "quick", "plain", "creak")}
    )
    for curve in material.fcurves(actions["quick"]):
        for point in curve.keyframe_points:
            point.co.y *= 0.5
    bpy.data.libraries.write(str(tmp_path / "theirs" / "more.blend"), {actions["quick"]})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    for name in ("mine", "theirs"):
        kept.new(name=name.title(), directory=str(tmp_path / name))
    rig = material.biped()
    material.key_walk(rig, "own", frames=30)
    yield rig
    for one in list(kept):
        kept.remove(one)


def add(action, **options):
    options = {"library": "ALL", **options}
    assert bpy.ops.action_loom.add_asset_sources("EXEC_DEFAULT", True, action=action, **options) == {"FINISHED"}


def refused(action, **options):
    before = set(bpy.data.user_map())
    with pytest.raises(RuntimeError) as reported:
        add(action, **options)
    assert "Traceback" not in str(reported.value)
    assert set(bpy.data.user_map()) == before
    return str(reported.value)


def listed():
    return [line.action.name for rig in bpy.context.scene.action_loom.rigs for line in rig.sources]


def test_an_asset_becomes_a_source_that_can_be_woven(shelf):
    add("slow")
    assert listed() == ["slow"]
    action = bpy.data.actions["slow"]
    assert action.library is None
    assert action.use_fake_user
    assert action.asset_data is None  # it is an asset in its own file only
    assert action["note"] == "slow"
    material.list_all()
    assert bpy.ops.action_loom.blend() == {"FINISHED"}
    assert shelf.animation_data.action.name == "slow + own 50:50"


def test_the_popup_offers_the_assets_of_the_library_that_is_chosen(shelf, loom):
    assets, finds = loom("addon.interface.operators.assets"), loom("addon.services.assets.asset_finds")
    assert finds.look().troubles == ()

    def offered(library, text=""):
        return assets._suggest_labels(SimpleNamespace(library=library), bpy.context, text)

    mine, theirs = "quick (Mine: people/walks)", "quick (Theirs: more)"
    assert sorted(offered("ALL")) == sorted(["creak", "slow", mine, theirs])
    assert sorted(offered("Mine")) == sorted(["creak", "slow", mine])
    assert offered("Theirs") == [theirs]
    assert offered("ALL", "SLO") == ["slow"]
    items = [name for name, *_ in assets._libraries(None, bpy.context)]
    assert items == ["ALL", "Mine", "Theirs"]


def test_of_two_with_one_name_the_label_or_the_library_says_which(shelf):
    message = refused("quick")
    assert "2 assets are named quick: choose quick (Mine: people/walks) or quick (Theirs: more)" in message
    add("quick", library="Theirs")
    add("quick (Mine: people/walks)")
    assert listed() == ["quick", "quick.001"]
    one, other = (material.fingerprint(bpy.data.actions[name]) for name in listed())
    assert one != other


def test_what_moves_no_bone_of_the_armature_is_refused_and_nothing_of_it_is_left(shelf):
    assert "creak moves no bone of Biped, so it was not added" in refused("creak")


def test_what_is_here_already_is_not_appended_again(shelf):
    add("slow")
    before = set(bpy.data.user_map())
    assert "slow is in the list already" in refused("slow")
    bpy.ops.action_loom.remove_source()
    add("slow")
    assert (listed(), set(bpy.data.user_map())) == (["slow"], before)
    material.fcurves(bpy.data.actions["slow"])[0].keyframe_points[0].co.y += 1.0
    add("slow")  # the action in the open file has changed
    assert listed() == ["slow", "slow.001"]


def test_folders_and_files_that_cannot_be_read_are_named_and_passed_over(shelf, tmp_path, loom):
    kept = bpy.context.preferences.filepaths.asset_libraries
    gone = kept.new(name="Gone", directory=str(tmp_path / "gone"))
    gone.path = str(tmp_path / "gone")
    (tmp_path / "theirs" / "broken.blend").write_bytes(b"no file of Blender's")
    listing = loom("addon.services.assets.asset_finds").look()
    assert len(listing.assets) == 4
    reported = sorted(listing.troubles)
    assert any("The folder of the asset library Gone is not there" in one for one in reported)
    assert any("broken.blend: can't be read" in one for one in reported)
    assert len(reported) == 2
    add("slow")
    assert "There is no action named 'nothing' among the assets of the asset libraries" in refused("nothing")
    assert "Choose an action of the asset libraries" in refused("")


def test_files_are_read_again_only_when_they_have_changed(shelf, tmp_path, loom, monkeypatch):
    finds, read = loom("addon.services.assets.asset_finds"), []
    opened = finds._open_file
    monkeypatch.setattr(finds, "_open_file", lambda file: read.append(file) or opened(file))
    finds.look()
    finds.look()
    assert len(read) <= 2
    read.clear()
    file = tmp_path / "theirs" / "more.blend"
    os.utime(file, ns=(1, 1))
    assert len(finds.look().assets) == 4
    assert read == [str(file)]
    file.unlink()
    assert len(finds.look().assets) == 3


def test_those_that_are_selected_in_an_asset_browser_are_added(shelf, tmp_path, loom):
    """Scripts can't select in an asset browser, so objects with the same members replace its assets."""
    file = str(tmp_path / "mine" / "people" / "walks.blend")

    def asset(name, local=None, kind="ACTION"):
        return SimpleNamespace(name=name, full_library_path=file, local_id=local, id_type=kind)

    own = bpy.data.actions["own"]
    chosen = [asset("slow"), asset("creak"), asset("own", own), asset("Hat", kind="OBJECT")]
    assets = loom("addon.interface.operators.assets")
    asking = SimpleNamespace(selected_assets=chosen)
    found, why = assets._append_actions("", "ALL", asking, shelf)
    assert [action.name for action in found] == ["slow", "own"]
    assert why == ["creak moves no bone of Biped, so it was not added"]


def test_a_file_that_lies_in_a_library_offers_its_own_actions_without_appending_them(shelf, tmp_path, loom):
    bpy.data.actions["own"].asset_mark()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "mine" / "scene.blend"))
    assert loom("addon.services.assets.asset_finds").look().troubles == ()
    before = set(bpy.data.user_map())
    add("own")
    assert set(bpy.data.user_map()) == before
    assert listed() == ["own"]
    assert bpy.data.actions["own"].asset_data is not None
    add("slow")
    assert listed() == ["own", "slow"]


def test_without_asset_libraries_it_says_what_to_do(shelf):
    kept = bpy.context.preferences.filepaths.asset_libraries
    for one in list(kept):
        kept.remove(one)
    assert "There is no asset library: add one in the Preferences" in refused("slow", library="ALL")


def test_the_menu_of_the_asset_browser_has_it(shelf):
    drawn = bpy.types.ASSETBROWSER_MT_context_menu._dyn_ui_initialize()
    assert any(draw.__module__.endswith(".operators.assets") for draw in drawn)
