"""Control rigs as riggers make them, each with a table of its true answers.

`build(name)` makes a rig in the scene, with bpy alone; `TRUTH[name]` lists the purpose of its bones. They were made
after riggers' practice and the makers' own documentation, before anyone looked at how the add-on finds controls.
"""

from . import auto_rig_pro, blenrig, broken, cartoon_cat, cloudrig, game_biped, manny, mixamo, mmd

_MODULES = {
    "game_biped": game_biped,
    "cartoon_cat": cartoon_cat,
    "cloudrig": cloudrig,
    "blenrig": blenrig,
    "auto_rig_pro": auto_rig_pro,
    "mmd": mmd,
    "manny": manny,
    "mixamo": mixamo,
}
TRUTH = {**{name: module.TRUTH for name, module in _MODULES.items()}, **broken.TRUTH}
SOUND, BROKEN = tuple(_MODULES), tuple(broken.TRUTH)


def build(name):
    """Make a rig in the scene. Returns its armature object."""
    return _MODULES.get(name, broken).build(name)
