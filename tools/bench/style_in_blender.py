"""What characters' actions teach of style, in the Blender that runs this; prints a line of JSON for each character.

Arguments: the extension's zip, the folder of captures whose walks are restyled with, and glTF files.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import characters_in_blender
import in_blender
from telling import MARK

RATE = 30
TAKES = ("02_01", "05_01", "06_01", "07_01", "10_04", "16_15", "26_01", "35_01")


def main(zip_path: str, captures: str, files: list[str]) -> None:
    with in_blender.extension(zip_path) as loom:
        walks = [loom("core.formats.motion_file").read(Path(captures) / f"cmu_mb_{take}.bvh").clip for take in TAKES]
        style = loom("core.style.fit").fit(walks, loom("core.recipes.style").StyleOptions())
        for file in files:
            print(MARK + json.dumps({"file": Path(file).stem} | tried(loom, Path(file), style)), flush=True)


def tried(loom: Any, path: Path, walks: Any) -> dict[str, Any]:
    """What is learnt of all actions of a character, and what captured walks do to each of them."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = RATE
    characters_in_blender.load(path)
    rig = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    bpy.context.view_layer.objects.active = rig
    listed = loom("addon.services.sources.source_list")
    names = sorted(action.name for action in bpy.data.actions if listed.moves(action, rig).bones)
    clips = read(loom, rig, names)
    learnt = tuple(
        loom("core.recipes.style").StyleOptions(basis="clips", cycles=cycles) for cycles in ("auto", "repeats")
    )
    reported = {"actions": names}
    for key, options in zip(("auto", "repeats"), learnt, strict=True):
        reported[key] = message(
            loom, lambda options=options: loom("core.style.fit").fit(clips, options).report["style"]
        )
    reported["restyled"] = {clip.name: message(loom, lambda clip=clip: restyled(loom, clip, walks)) for clip in clips}
    gaits = [
        clip
        for clip in clips
        if any(word in clip.name.lower() for word in ("walk", "run")) and "jump" not in clip.name.lower()
    ]
    reported["given travel"] = {clip.name: message(loom, lambda clip=clip: going(loom, clip, walks)) for clip in gaits}
    return reported


def read(loom: Any, rig: Any, names: list[str]) -> list[Any]:
    import bpy

    reading = loom("core.recipes.reading")
    asked = reading.Request(
        sources=tuple(reading.Source(name=name) for name in names), reading=reading.ReadingOptions()
    )
    return list(loom("addon.services.weaving.reading").read(bpy.context, rig, asked).clips)


def restyled(loom: Any, clip: Any, style: Any) -> dict[str, Any]:
    """What sliders learnt from captured walks come to on a clip."""
    recipe = loom("core.verbs").Restyle(stride=-1.0, lean=1.0)
    report = loom("core.verbs").apply(recipe, [clip], prepared=style).report
    reported = {name: [one["asked"], one["after"] - one["before"]] for name, one in report["style"]["sliders"].items()}
    return {"sliders": reported, "held": report["style"]["held"], "knees": report["style"]["knees"]}


def going(loom: Any, clip: Any, style: Any) -> dict[str, Any]:
    """The same of an action that is given the travel that its feet tell of, and a last pose like its first one."""
    apply, cycles = loom("core.verbs").apply, loom("core.motion.cycles")
    made = apply(loom("core.verbs").Travel(), [clip]).clip
    if not cycles.closes(made):
        made = apply(loom("core.verbs").Loop(whole="yes"), [made]).clip
    return restyled(loom, made, style)


def message(loom: Any, work: Any) -> Any:
    """What work gives, or the sentence that it refuses with."""
    try:
        return work()
    except loom("core.errors").LoomError as error:
        return {"refused": str(error)}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
