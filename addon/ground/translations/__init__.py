"""The interface in other languages: texts that Blender translates by itself, and complete sentences (`translated`).

A language is a PO file in this folder, with the English text as its key; `tools/translations.py` lists missing texts.
Only Blender's current language is read, when it is needed: in English no file is read.
"""

from functools import cache
from pathlib import Path

import bpy

from .. import registrar
from .phrasebook import Phrasebook, read_po

# Blender's names of languages, and their files.
LANGUAGES = {"ja_JP": "ja_JP", "zh_HANS": "zh_HANS", "zh_CN": "zh_HANS"}
# Blender looks up labels of operators and their buttons in a separate context.
CONTEXTS = ("*", "Operator")


@cache
def phrasebook(language: str) -> Phrasebook:
    """Return the texts of a language by its file's name, read once."""
    text = (Path(__file__).parent / f"{language}.po").read_text(encoding="utf-8")
    return Phrasebook(read_po(text))


def language() -> str:
    """Return the file of Blender's current language, "" for English and languages without a file."""
    return LANGUAGES.get(bpy.app.translations.locale, "")


def messages(name: str) -> dict[tuple[str, str], str]:
    """Return the texts that Blender looks up by itself in a language: all except templates."""
    return {(context, text): translated for text, translated in phrasebook(name).plain.items() for context in CONTEXTS}


@bpy.app.handlers.persistent
def _give(*_: object) -> None:
    """Register the texts of Blender's current language."""
    bpy.app.translations.unregister(__package__)
    name = language()
    if name:
        served = [locale for locale, file in LANGUAGES.items() if file == name]
        bpy.app.translations.register(__package__, {locale: messages(name) for locale in served})


def register() -> None:
    from . import runtime

    runtime.let_speak()
    registrar.at_end(bpy.app.translations.unregister, __package__)
    registrar.append(bpy.app.handlers.translation_update_post, _give)
    _give()
