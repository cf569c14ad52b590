"""Translations in Blender: registered texts and reported messages are translated.

Blender as a module lacks languages, so the tests compare the texts that it would look up with the files.
"""

from string import ascii_uppercase

import bpy
import material
import pytest
import untranslated

LANGUAGES = ("ja_JP", "zh_HANS")
# These texts are the same in every language.
AXES = {"-X", "-Y", "-Z"}
OWN = {"", "Action Loom", "FK", "IK", "Godot", "Unity", "Unreal", "X (m)", "Y (m)", *AXES, *ascii_uppercase}
BLENDERS = {f"Numpad {k}" for k in range(10)}  # Blender translates its own names of keys
# Blender's base types, whose properties our classes inherit and Blender describes.
INHERITED = {"bpy_struct", "Operator", "Panel", "Menu", "UIList", "PropertyGroup", "AddonPreferences"}


def rna_of(kind):
    if issubclass(kind, bpy.types.Operator):
        module, _, name = kind.bl_idname.partition(".")
        return getattr(getattr(bpy.ops, module), name).get_rna_type()
    return kind.bl_rna


def classes():
    bases = (
        bpy.types.Operator,
        bpy.types.Panel,
        bpy.types.Menu,
        bpy.types.UIList,
        bpy.types.PropertyGroup,
        bpy.types.AddonPreferences,
    )
    found = [kind for base in bases for kind in base.__subclasses__() if ".action_loom.addon" in kind.__module__]
    return [kind for kind in found if kind.is_registered]


def shown_texts():
    """Yield (location, text) for each name, tooltip and enum item of our registered classes."""
    for kind in classes():
        base = next(one for one in kind.__mro__ if one.__name__ in INHERITED)
        inherited = set(base.bl_rna.properties.keys())
        if issubclass(kind, bpy.types.Operator | bpy.types.Panel | bpy.types.Menu):
            yield kind.__name__, kind.bl_label
        if issubclass(kind, bpy.types.Operator):
            yield kind.__name__, rna_of(kind).description
        for about in rna_of(kind).properties:
            if about.identifier in inherited or about.identifier == "rna_type":
                continue
            where = f"{kind.__name__}.{about.identifier}"
            # Blender uses the identifier as the name of a property without one; users never see it.
            yield where, "" if about.name == about.identifier else about.name
            yield where, about.description
            if about.type == "ENUM" and not about.is_hidden:
                for item in about.enum_items:
                    yield where, item.name
                    yield where, item.description


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def test_all_that_blender_shows_of_us_is_translated(loom, language):
    messages = loom("addon.ground.translations").messages(language)
    texts = {text: where for where, text in shown_texts()}
    assert len(texts) > 700
    lacking = {text: where for text, where in texts.items() if ("*", text) not in messages}
    untranslated.report([f"{where}: {text}" for text, where in lacking.items() if text not in OWN | BLENDERS], language)


def test_blender_takes_the_texts_and_lets_them_go(loom, language):
    translations = loom("addon.ground.translations")
    messages = translations.messages(language)
    assert {context for context, _ in messages} == {"*", "Operator"}
    bpy.app.translations.register("test of translations", {language: messages})
    bpy.app.translations.unregister("test of translations")


def test_reports_and_what_keeps_a_button_from_being_pressed_are_told(loom, monkeypatch):
    reported = loom("addon.ground.translations.runtime")
    rig = material.armature()
    assert reported.translate_text("Select an armature") == "Select an armature"  # as a module Blender is English
    monkeypatch.setattr(reported, "language", lambda: "ja_JP")
    view = bpy.context.preferences.view
    for option in ("use_translate_interface", "use_translate_reports"):
        monkeypatch.setattr(view, option, True)
    rig.name = "Bone"  # the name of an object is not translated
    with pytest.raises(RuntimeError, match="Bone にはボーン 'no such bone' がありません"):
        bpy.ops.action_loom.select_bone(bone="no such bone")
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="アーマチュアを選択してください"):
        bpy.ops.action_loom.check()


def test_every_operator_speaks(loom):
    operators = {one for one in classes() if issubclass(one, bpy.types.Operator)}
    assert len(operators) > 60
    reported = loom("addon.ground.translations.runtime")
    assert operators <= set(reported.operators())
    assert all("__getattribute__" in vars(one) and "poll_message_set" in vars(one) for one in operators)


def test_long_texts_without_spaces_are_wrapped(loom):
    panels = loom("addon.interface.panels")
    context = type("Context", (), {"region": type("Region", (), {"width": 140})})
    text = "アーマチュアを選択してください。次に「合成」を押します（Walk + Sneak 50:50）。"
    lines = panels.wrapped(text, context)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert len(lines) > 3
    assert all(panels.width(line) <= 22 for line in lines)
    assert not [line for line in lines if line[0] in "、。）」"]
    words = "one two three four five six seven eight"
    assert " ".join(panels.wrapped(words, context)) == words
