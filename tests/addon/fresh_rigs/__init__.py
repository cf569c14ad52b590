"""Control rigs as riggers make them, each with a table of its true answers.

`build(name)` makes a rig in the scene, with bpy alone; `TRUTH[name]` lists the purpose of its bones. They were made
after riggers' practice and the makers' own documentation, before anyone looked at how the add-on finds controls.
"""

from . import auto_rig_pro, blenrig, cartoon_cat, cloudrig, game_biped, manny

_MODULES = {
    "game_biped": game_biped,
    "cartoon_cat": cartoon_cat,
    "cloudrig": cloudrig,
    "blenrig": blenrig,
    "auto_rig_pro": auto_rig_pro,
    "manny": manny,
}
TRUTH = {name: module.TRUTH for name, module in _MODULES.items()}


def build(name):
    """Make a rig in the scene. Returns its armature object."""
    return _MODULES[name].build(name)
