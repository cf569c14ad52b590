"""Lists missing translations of the interface, or writes the PO files again: new texts come in empty, old ones go.

A text whose fields were renamed keeps its translation.

    python tools/translations.py            lists missing translations, and translations without a text in the source
    python tools/translations.py --write    writes the PO files again, in the order of the source

It needs no Blender. A translator needs no more than a PO file and docs/development/translations.md.
"""

import argparse
import importlib.util
import json
import re
import sys
from types import ModuleType

import interface_texts

ROOT = interface_texts.ROOT
FOLDER = ROOT / "addon" / "ground" / "translations"
LANGUAGES = {"ja_JP": "Japanese", "zh_HANS": "Simplified Chinese"}
FIELD = re.compile(r"\{\w+\}")
HEAD = """# {language} texts of Action Loom's interface; see docs/development/translations.md.
msgid ""
msgstr ""
"Project-Id-Version: Action Loom\\n"
"Language: {code}\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def phrasebook() -> ModuleType:
    """Return the module that reads the files in Blender; the package around it needs Blender."""
    spec = importlib.util.spec_from_file_location("phrasebook", FOLDER / "phrasebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read(code: str) -> dict[str, str]:
    """Return the translations of a language."""
    path = FOLDER / f"{code}.po"
    return dict(phrasebook().read_po(path.read_text(encoding="utf-8"))) if path.exists() else {}


def follow_renames(texts: dict[str, list[str]], translations: dict[str, str]) -> None:
    """Reuse the translation of a text whose fields alone were renamed."""
    stale = {FIELD.sub("{}", text): text for text in translations if text not in texts}
    for text in texts:
        before = stale.get(FIELD.sub("{}", text))
        if text not in translations and before is not None:
            names = dict(zip(FIELD.findall(before), FIELD.findall(text), strict=True))
            translations[text] = FIELD.sub(lambda found, names=names: names[found.group()], translations[before])


def compose(code: str, texts: dict[str, list[str]], reported: dict[str, str]) -> str:
    """Return the PO file of a language: every text with the files that contain it."""
    entries = [HEAD.format(language=LANGUAGES[code], code=code)]
    for text, where in texts.items():
        entries.append(f"#: {' '.join(where)}\nmsgid {quoted(text)}\nmsgstr {quoted(reported.get(text, ''))}\n")
    return "\n".join(entries)


def quoted(text: str) -> str:
    """Return a text as PO files have it."""
    return json.dumps(text, ensure_ascii=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the PO files anew")
    write = parser.parse_args().write
    texts, lacking = interface_texts.collect(), 0
    for code, language in LANGUAGES.items():
        reported = read(code)
        follow_renames(texts, reported)
        missing = [text for text in texts if text not in reported]
        stale = [text for text in reported if text not in texts]
        print(f"{language}: {len(texts) - len(missing)} of {len(texts)} texts, {len(stale)} stale")
        for title, some in (("missing", missing), ("stale", stale)):
            for text in some:
                print(f"  {title}: {text}")
        if write:
            (FOLDER / f"{code}.po").write_text(compose(code, texts, reported), encoding="utf-8")
        lacking += len(missing) + len(stale)
    sys.exit(1 if lacking and not write else 0)


if __name__ == "__main__":
    main()
