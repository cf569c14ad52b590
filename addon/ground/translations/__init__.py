"""The interface in other languages: what Blender looks up by itself, and finished sentences (`told`).

A language is a PO file beside this one, with the English text as its key; `tools/translations.py` says what is missing.
Only the language that Blender has is read, when it has it: in English nothing is.
"""

from functools import cache
from pathlib import Path

import bpy

from .phrasebook import Phrasebook, read_po

# Blender's names of languages, and the files that serve them.
LANGUAGES = {"ja_JP": "ja_JP", "zh_HANS": "zh_HANS", "zh_CN": "zh_HANS"}
# Names of operators and what their buttons say are looked up in a context of their own.
CONTEXTS = ("*", "Operator")


@cache
def phrasebook(language: str) -> Phrasebook:
    """Return the texts of a language by its file's name, read once."""
    text = (Path(__file__).parent / f"{language}.po").read_text(encoding="utf-8")
    return Phrasebook(read_po(text))


def language() -> str:
    """Return the file of the language that Blender has now, "" for English and those that there is none for."""
    return LANGUAGES.get(bpy.app.translations.locale, "")


def messages(name: str) -> dict[tuple[str, str], str]:
    """Return what Blender looks up by itself in a language: all but the templates."""
    return {(context, text): translated for text, translated in phrasebook(name).plain.items() for context in CONTEXTS}


@bpy.app.handlers.persistent
def _give(*_: object) -> None:
    """Give Blender the texts of the language that it has now."""
    bpy.app.translations.unregister(__package__)
    name = language()
    if name:
        served = [locale for locale, file in LANGUAGES.items() if file == name]
        bpy.app.translations.register(__package__, {locale: messages(name) for locale in served})


def register() -> None:
    from . import runtime

    runtime.let_speak()
    bpy.app.handlers.translation_update_post.append(_give)
    _give()


def unregister() -> None:
    bpy.app.handlers.translation_update_post.remove(_give)
    bpy.app.translations.unregister(__package__)
