"""The languages of the interface: every text of the source has its translation, and so have sentences made of them."""

import ast
import importlib
from pathlib import Path

import pytest
from oracles import untranslated

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tools():
    """Return the tools that collect the texts and read the files of the languages."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.syspath_prepend(str(ROOT / "tools"))
        yield importlib.import_module("interface_texts"), importlib.import_module("translations")


@pytest.fixture(scope="module")
def texts(tools):
    return tools[0].collect()


@pytest.fixture(params=["ja_JP", "zh_HANS"])
def language(request):
    return request.param


def phrasebook(tools, language):
    return tools[1].phrasebook().Phrasebook(tools[1].read(language))


def test_every_text_of_the_source_has_its_translation_and_no_other(tools, texts, language):
    known = tools[1].read(language)
    assert len(texts) > 1800
    stale = [text for text in known if text not in texts]
    assert not stale, "python tools/translations.py --write removes them"
    untranslated.report([text for text in texts if text not in known], language)
    # The order of the texts and the files they name are comments, which `--write` brings up to date.
    text = (ROOT / "addon" / "ground" / "translations" / f"{language}.po").read_text(encoding="utf-8")
    assert text.count("\nmsgid ") == 1 + len(known), "a text stands twice"


def test_kinds_of_messages_are_texts_of_the_source(tools):
    """After a change of its text, a message would lose its rank in the tab."""
    module = ast.parse((ROOT / "addon/services/results/message_kinds.py").read_text(encoding="utf-8"))
    (kinds,) = (one.value for one in module.body if isinstance(one, ast.Assign) and one.targets[0].id == "_KINDS")
    templates = [text for kind in ast.literal_eval(kinds) for text in kind]
    assert len(templates) > 20
    assert not set(templates) - set(tools[0].collect())


def test_translations_have_the_fields_of_their_texts(tools, language):
    """A translation has the fields of its text, but may leave out plural fields that its language can't express."""
    field, optional = tools[0].FIELD, tools[0].OPTIONAL
    for text, reported in tools[1].read(language).items():
        ours, theirs = set(field.findall(text)), set(field.findall(reported))
        assert theirs <= ours, text
        assert not [one for one in ours - theirs if "|" not in one and one not in optional], text


def test_no_translation_is_the_english_text(tools, language):
    assert not [text for text, reported in tools[1].read(language).items() if text == reported]


@pytest.mark.parametrize(
    ("english", "japanese", "chinese"),
    [
        ("Walk has no bones", "Walk にはボーンがありません", "Walk 没有骨骼"),
        # A sentence in a field, and a label that is a name of an operator.
        (
            "Blend was cancelled; nothing was changed",
            "ブレンドはキャンセルされました。何も変更されていません",
            "混合已取消；未作任何更改",
        ),
        # Words for one and many are left out, others are not.
        ("Import 3 motion files", "3 個のモーションファイルを読み込み", "导入 3 个动作文件"),
        # Text before a sentence stays unchanged.
        (
            "a.bvh, line 7: expected MOTION; the file ends",
            "a.bvh, line 7: MOTION が必要ですが、ファイルが終わっています",
            "a.bvh, line 7: 应为 MOTION；文件已结束",
        ),
        # Each part after a sentence is translated by itself.
        (
            "one + two: 41 frames made in 0.12 s, keys 1,200 → 34, feet slide 9.0 → 1.2 cm/s",
            "one + two：41 フレーム、0.12 秒、キー 1,200 → 34、足の滑り 9.0 → 1.2 cm/s",
            "one + two：41 帧，用时 0.12 秒，关键帧 1,200 → 34，脚滑动 9.0 → 1.2 厘米/秒",
        ),
        # Two sentences, of which one begins with a name.
        (
            "walk: held from 4 to 9, 7 leaves no time to its end: move and hold events by at most 11 % of that",
            "walk：4～9 に保持すると、7 から終わりまでの時間がなくなります: "
            "移動と保持 のイベントを最大でその 11 % まで",
            "walk：从 4 保持到 9 后，7 到末尾没有剩余时间: 移动和保持 事件，至多为其 11 %",
        ),
        # No half sentences.
        (
            "no frames and no paths were known of it",
            "no frames and no paths were known of it",
            "no frames and no paths were known of it",
        ),
        # A label that begins with a capital where its sentence has none.
        ("Not analysed", "未解析", "未分析"),
        # A user's name of an action is never translated.
        ("Weight has no bones", "Weight にはボーンがありません", "Weight 没有骨骼"),
        (
            "no sentence that anybody wrote, Walk",
            "no sentence that anybody wrote, Walk",
            "no sentence that anybody wrote, Walk",
        ),
    ],
)
def test_a_finished_sentence_is_translated(tools, english, japanese, chinese):
    assert phrasebook(tools, "ja_JP").translated(english) == japanese
    assert phrasebook(tools, "zh_HANS").translated(english) == chinese


def filled(field, text):
    """Return a template as a sentence, and the texts in its fields: unique marks, or the first of a few words."""
    marks = []

    def fill(found):
        if "|" in found[0]:
            return found[0][1:-1].split("|")[0]
        marks.append(f"q{len(marks)}z")
        return marks[-1]

    return field.sub(fill, text), marks


def test_every_template_is_found_again_in_its_sentences(tools, language):
    """And all that was in the fields is in the translation."""
    book, (field, optional) = phrasebook(tools, language), (tools[0].FIELD, tools[0].OPTIONAL)
    for text in tools[1].read(language):
        if field.search(text) and not optional & set(field.findall(text)):
            sentence, marks = filled(field, text)
            reported = book.translated(sentence)
            assert reported != sentence, text
            assert not [mark for mark in marks if mark not in reported], text


def test_a_file_as_a_translator_leaves_it_is_read(tools):
    """Long texts in several strings, comments, fuzzy and obsolete entries, quotes and line ends."""
    text = """# a comment
msgid ""
msgstr ""
"Language: ja\\n"

#: addon/interface/menus.py
msgid ""
"Feet, "
"\\"both\\""
msgstr ""
"足 "
"\\"両方\\""

#, fuzzy
msgid "Walk"
msgstr "走る"

msgid "Arms"
msgstr ""

msgid "Legs"
msgstr "脚"

#~ msgid "Old"
#~ msgstr "古い"
"""
    assert tools[1].phrasebook().read_po(text) == {'Feet, "both"': '足 "両方"', "Legs": "脚"}


def test_what_is_written_is_read_again(tools):
    texts = {'a "quote" and a \\ backslash': ["addon/a.py"], "{name} has {count} — Bézier": ["addon/b.py", "core/c.py"]}
    reported = {text: f"「{text}」" for text in texts}
    assert tools[1].phrasebook().read_po(tools[1].compose("ja_JP", texts, reported)) == reported


def test_texts_are_collected_from_where_they_stand(tools, tmp_path):
    """Labels, tooltips, items, sentences with fields and choices; no docstrings, annotations or names."""
    path = tmp_path / "panel.py"
    path.write_text(
        '''"""A docstring of words."""
class ACTION_LOOM_OT_do(Operator):
    """Do it"""
    bl_idname = "action_loom.do"
    bl_label = "Do"
    how: EnumProperty(name="How", items=[("A", "Well", "As well as can be")])
def draw(layout, found: "list of things", many):
    """Draw all of it."""
    layout.label(text="Old" if found else "New")
    raise LoomError(f"{found.name!r} has {len(many):,} leg{'' if len(many) == 1 else 's'}: cut {many[0].name}")
''',
        encoding="utf-8",
    )
    found = [text for text in tools[0].texts_of(path) if tools[0].is_text(text)]
    assert sorted(found) == [
        "As well as can be",
        "Do",
        "Do it",
        "How",
        "New",
        "Old",
        "Well",
        "{name} has {count} leg{|s}: cut {name2}",
    ]
