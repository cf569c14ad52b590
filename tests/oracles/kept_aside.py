"""Captured clips kept out of tuning, a third of every kind: figures on them are reported separately.

None of them is another conversion of a recording used for tuning.
"""

_NAMES = """
    mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12
    mb_35_22 daz_09_02 mb_49_04 asf_16_19
    mb_05_03 daz_salsa_10 daz_14_27
    mb_06_14 daz_10_03 daz_martial_04 daz_13_39 mb_49_06
"""
KEPT_ASIDE = frozenset(_NAMES.split())

# AMC files by take, including recordings of the list above, and excluding recordings used for tuning.
_TAKES = """
    09_02 09_04 09_10 127_05 127_08 127_11 127_14 127_18 127_21 127_23 127_27 127_30 127_34 127_37
    16_14 16_19 16_22 16_24 16_27 16_30 16_35 16_37 16_40 16_45 16_48 16_51 16_53 16_56
"""
AMC_KEPT_ASIDE = frozenset(_TAKES.split())

# People whose walks (`cmu_mb_*` of data/cmu and data/strides) teach no style used for tuning: about a third of the
# eleven, whose clips of data/cmu are all in the list above.
PEOPLE_KEPT_ASIDE = frozenset({"08", "12", "32"})


# Files of characters as they are shipped, by name: animals, insects, robots and people. No limit of *Plant Feet*
# was chosen on them; the last tuning runs of tools/shipped.py used the characters listed in docs/measured.md.
_CHARACTERS = """
    @ChomperWalkForward Alien Alien_Scolitex Anglerfish Animated_Human arnaud Banana bee_bot Birb
    bird-animations Blue_Demon BrainStem brownbear CesiumMan Character character-soldier Donkey dragon dude
    Enemy_Large equine2 Fish1 Frog gobot Grasshopper horse Husky HVGirl King Leela Mage Manta_ray Michelle
    protagonist Puffer Roach Shark sheeptest Skeleton Soldier Stan Swat TRex Trex Velociraptor Warrior Whale
    ybot Zombunny
    Armabee_Evolved Chicken Dragon_Evolved Enemy_Small Goblin Llama Mushnub MushroomKing Orc Pigeon Pug Reindeer
    Squidle Tribal Yeti Zebra
    Mannequin unreal_rifle Xbot
"""
CHARACTERS_KEPT_ASIDE = frozenset(_CHARACTERS.split())


def is_kept_aside(path):
    """Return whether a file of data/cmu, data/strides or data/amc is kept out of tuning."""
    name = path.stem.removeprefix("cmu_")
    if path.parent.name == "strides":
        return name.removeprefix("mb_").partition("_")[0] in PEOPLE_KEPT_ASIDE
    return name in KEPT_ASIDE | AMC_KEPT_ASIDE
