"""The preferences: remembered data and its deletion, defaults of new scenes, colours, and a problem report."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from drawing import Layout


@pytest.fixture
def chosen(extension):
    """Yield the extension's preferences, and reset them afterwards."""
    found = bpy.context.preferences.addons[extension].preferences
    yield found
    for group in (found, found.defaults, found.colors):
        for name in group.bl_rna.properties.keys():  # noqa: SIM118  (going through it gives properties)
            if name not in ("rna_type", "name", "bl_idname", "defaults", "colors"):
                group.property_unset(name)
    found.memory = 1024


@pytest.fixture
def rig(extension):
    bpy.ops.action_loom.add_demo()
    return bpy.context.object


def drawn(chosen):
    """Return (kind, arguments, options) of each element that the preferences draw."""
    elements = []

    class Page(Layout):
        def panel(self, name, **_):
            self.drawn.append(("panel", (name,), {}))
            return Page(self.drawn), Page(self.drawn)

    class Drawn:
        layout = Page(elements)

        def __getattr__(self, name):
            value = getattr(type(chosen), name, None)
            return value.__get__(self) if callable(value) else getattr(chosen, name)

    type(chosen).draw(Drawn(), bpy.context)
    return elements


def test_everything_is_drawn_and_what_is_remembered_is_said(chosen, rig):
    bpy.ops.action_loom.blend(sources=[{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}])
    elements = drawn(chosen)
    message = [options["text"] for name, _, options in elements if name == "label"]
    (remembered,) = [text for text in message if "analyses" in text]
    assert 0.0 < float(remembered.split()[0]) < 200.0
    assert {name for name, _, _ in elements} >= {"panel", "prop", "operator", "label"}
    shown = {given[1] for name, given, _ in elements if name == "prop"}
    assert {"memory", "library", "interpolation", "play", "result", "good", "bad"} <= shown


def test_an_engine_is_spoken_of_only_where_there_is_more_than_one(chosen, rig, tmp_path, monkeypatch):
    def words():
        labels = [options.get("text", "") for name, _, options in drawn(chosen) if name == "label"]
        return [given[1] for name, given, _ in drawn(chosen) if name == "prop"], " ".join(labels)

    props, labels = words()
    assert "engine" not in props
    assert not {"numba", "compiled", "Compiled"} & set(labels.split())
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").touch()  # like an installed speed pack
    monkeypatch.syspath_prepend(tmp_path)
    props, labels = words()
    assert "engine" in props
    assert "of compiled code are on disk" in labels


def test_what_is_remembered_is_forgotten_and_made_anew(loom, rig):
    memory, prepared = loom("addon.ground.memory"), loom("addon.services.weaving.prepared")
    sources = [{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}]
    bpy.ops.action_loom.clear_cache(what="ANALYSED")  # that the first ticks were tried with
    bpy.ops.action_loom.blend(sources=sources, quick=False)
    assert memory.size() > 10_000
    assert len(prepared._REGISTERED) == 1
    bpy.ops.action_loom.clear_cache(what="ANALYSED")
    assert len(prepared._REGISTERED) == 0
    assert bpy.ops.action_loom.blend(sources=sources) == {"FINISHED"}


def test_no_more_is_remembered_than_the_preferences_say_but_the_last(chosen, loom):
    memory = loom("addon.ground.memory")
    memory.forget()
    held = memory.cache(6, large=True), memory.cache(6, large=True)
    chosen.memory = 2
    for k in range(4):
        memory.keep(held[0], k, np.zeros(2**17))  # a megabyte each
    assert list(held[0]._values) == [2, 3]
    memory.keep(held[1], 0, (np.zeros(2**20), {"twice": held[0]}))
    assert [len(one) for one in held] == [1, 1]
    assert chosen.memory * memory.MEGABYTE == memory.most_bytes


def test_compiled_code_is_deleted_and_what_is_not_there_is_no_error(loom):
    folder = Path(loom("addon.model.preferences").compiled_folder())
    (folder / "numba-0").mkdir(parents=True, exist_ok=True)
    (folder / "numba-0" / "some.nbc").write_bytes(b"code")
    assert loom("addon.model.preferences")._on_disk(str(folder)) >= 4
    for _ in range(2):
        assert bpy.ops.action_loom.clear_cache(what="COMPILED") == {"FINISHED"}
        assert not folder.exists()


def test_a_new_scene_gets_the_defaults_and_one_with_a_list_keeps_its_own(chosen):
    chosen.defaults.interpolation, chosen.defaults.assign, chosen.play = "BEZIER", False, True
    bpy.ops.action_loom.add_demo()
    settings = bpy.context.scene.action_loom
    assert (settings.result.interpolation, settings.result.assign, settings.play) == ("BEZIER", False, True)
    assert not settings.result.is_property_set("travel")
    settings.result.interpolation = "CONSTANT"
    bpy.ops.action_loom.add_demo()
    assert settings.result.interpolation == "CONSTANT"


def test_what_a_scene_says_already_is_not_changed_and_scripts_get_what_they_ask_for(chosen, rig):
    settings = bpy.context.scene.action_loom
    settings.rigs.clear()
    settings.result.interpolation = "LINEAR"
    chosen.defaults.interpolation = "CONSTANT"
    bpy.ops.action_loom.add_sources()
    assert settings.result.interpolation == "LINEAR"
    bpy.ops.action_loom.mirror(sources=[{"name": "Walk", "weight": 1.0}])
    assert '"interpolation": "linear"' in rig.animation_data.action["action_loom"]["request"]


def test_a_colour_is_what_the_preferences_say_and_a_preview_takes_it_over(chosen, loom, rig):
    colors, previews = loom("addon.ground.colors"), loom("addon.services.preview.previews")
    bpy.ops.action_loom.blend(sources=[{"name": "Walk", "weight": 1.0}, {"name": "Sneak", "weight": 1.0}], preview=True)
    usual = colors.MEANINGS["result"].usual
    assert previews.of(rig.session_uid).figures[-1].color == pytest.approx((*usual, 1.0))
    chosen.colors.result = (0.1, 0.2, 0.9)
    assert previews.of(rig.session_uid).figures[-1].color == pytest.approx((0.1, 0.2, 0.9, 1.0))
    assert {trail.color for trail in previews.of(rig.session_uid).trails} <= set(colors.MEANINGS)


def test_between_good_and_bad_no_colour_is_darker_than_both(chosen, loom):
    colors = loom("addon.ground.colors")
    chosen.colors.good, chosen.colors.bad = (0.0, 0.4, 1.0), (1.0, 0.5, 0.0)
    assert colors.between(0.0) == pytest.approx((0.0, 0.4, 1.0, 1.0))
    assert colors.between(1.0) == pytest.approx((1.0, 0.5, 0.0, 1.0))
    assert all(max(colors.between(share)[:3]) == pytest.approx(1.0) for share in np.linspace(0, 1, 11))


def test_a_report_has_versions_figures_and_what_went_wrong_and_no_names(rig, loom):
    rig.name = "Secret Heroine"
    with pytest.raises(RuntimeError):
        bpy.ops.action_loom.add_source(action="none")
    assert bpy.ops.action_loom.report_problem() == {"FINISHED"}
    text = bpy.data.texts["Action Loom Problem"].as_string()
    assert text.startswith("What did you do?")
    assert f"Blender {bpy.app.version_string}" in text
    assert f"Action Loom {loom('core.version').VERSION}" in text
    assert f"Armature: {len(rig.pose.bones)} bones" in text
    assert "Secret" not in text
    bpy.ops.action_loom.report_problem()
    assert len(bpy.data.texts) == 1
