"""Captured clips that nothing is tuned on, a third of every kind: figures on them are reported apart.

None of them is another conversion of a recording that is tuned on.
"""

_NAMES = """
    mb_08_01 mb_12_01 mb_32_01 mb_35_03 mb_08_04 mb_07_12
    mb_35_22 daz_09_02 mb_49_04 asf_16_19
    mb_05_03 daz_salsa_10 daz_14_27
    mb_06_14 daz_10_03 daz_martial_04 daz_13_39 mb_49_06
"""
KEPT_ASIDE = frozenset(_NAMES.split())
