"""Find side and body part in the names of joints (methods: Body roles and retargeting).

Prefixes, namespaces and suffixes added by rigs are ignored.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

# Patterns for names without side and rig prefixes; one name may match several roles. Names of front legs start with
# "front".
LIMBS = (
    {
        "clavicle": r"clavi(cle)?|shoulder|collar(bone)?|scapula|肩膀?|锁骨|鎖骨",
        "upper_arm": r"(upper|up)?arm1?|arm(upper|up|stretch|twist|0*1)|humerus|shldr(bend)?|shoulder|腕|[上大]臂|手?臂"
        r"|front(thigh|(upper|up)?leg|leg(upper|up|0*1))",
        "forearm": r"(fore|lower|low)arm1?|arm(fore|lower|low|0*2)|forearm(bend|stretch)|radius|elbow|ひじ|肘"
        r"|[前下小]臂"
        r"|front(shin|calf|knee|(lower|low)leg|leg(lower|low|0*2))",
        "hand": r"hand|wrist|手[首腕掌]?|front(foot|paw|hoof|ankle|leg0*3)|forefoot",
    },
    {
        "thigh": r"thigh(bend|stretch|twist|1)?|up(per)?leg|leg(up(per)?|0*1)|femur|hip|足d?|もも|大腿|[髋胯]",
        "shin": r"shin|(low(er)?)?leg|leg(low(er)?|stretch|0*2)|calf|tibia|knee1?|ひざd?|すね|小腿|膝盖?",
        "foot": r"foot(0*1)?|ankle|paw|hoof|leg0*3|足(首d?)?|[脚腳][踝腕掌]?|踝",
        "toe": r"toes?|toebase|(foot)?toes?0*1?|toeend|ball|forefoot|foot(0*2)?|つま先|足先ex|[脚腳足][趾尖]",
    },
)
TRUNK = {
    "hips": r"hips?|pelvis|下半身|臀部?|骨盆",
    "chest": r"chest|thorax|upperback|torso|spine\d*|上半身2?|胸[部腔]?|脊[柱椎]",
    "neck": r"(lower)?neck(0*1)?|首|[颈頸]部?|脖子",
    "head": r"head|[頭头]部?",
}
# The lowest matching joint of the trunk gets the role.
_SPINE = {"spine": r"spine\d*|lowerback|abdomen|waist|l5|上半身|脊[柱椎]|腰部?"}
_PARTS = [re.compile(pattern) for part in (*LIMBS, TRUNK) for pattern in part.values()]
_LIMB_PARTS = [re.compile(pattern) for limb in LIMBS for pattern in limb.values()]
_PREFIX = re.compile(r"(?i)^(.*[:|]|mixamorig\d*[_ ]?|(bip\d*|def|org|mch|cc_base|bone|b|j)(?![a-z0-9]))[ _.\-]*(?=.)")
_SIDES = {"l": "L", "left": "L", "左": "L", "r": "R", "right": "R", "右": "R"}
_MIDDLE = {"c", "m", "x"}  # used by some rigs in place of a side
_BEFORE_OR_BEHIND = {"front": "front", "fore": "front", "hind": "", "rear": "", "back": ""}
_OF_LEGS = {"leg", "thigh", "shin", "calf", "knee", "foot", "paw", "hoof", "ankle", "toe", "toes"}
# LTHIGH and leftfoot have no separator, so the side is only recognized by known words.
_SIDE_AND_REST = re.compile(r"(?:(left|right)|([lr]))(.+)")
_VERTEBRA = re.compile(r"[CLT]\d+")  # cervical, lumbar, thoracic: this L is not a side
_WORD = re.compile(r"[左右]|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_左右]+")
# a running number, before the suffix of exporters' additional leaf joints
_RUNNING = re.compile(r"_\d+((?i:_end|_nub)?)$")
_SEPARATORS = " _.:|-"
_MOST = 0.6  # of all names: a prefix or suffix shared by more belongs to the rig
_NUMBERED = 0.8  # share of names that must have a running number
_TECHNICAL = {"bind", "bone", "bn", "def", "jnt", "jt", "skin"}  # words that rigs add
_PADDED = re.compile(r"0\d{2,}$")  # a padded number at the end
_DIFFERENT = 0.9  # of the numbers at the ends of names: if more differ, they are running numbers
_FEWEST = 5  # names; fewer do not reveal the rig's prefix


def split(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return for each joint its side ("L", "R" or "") and the rest of its name, in lower case.

    Example:
        >>> from action_loom.core.motion import role_names
        >>> role_names.split(["LeftUpLeg", "ik_hand_r", "head"])
        [('L', 'upleg'), ('R', 'ikhand'), ('', 'head')]
    """
    return list(_split_all(tuple(names)))


@lru_cache(maxsize=64)
def _split_all(names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(_split(name) for name in _bare(names))


def says(name: str, role: str) -> bool:
    """Return whether a name, without its side as `split` returns it, fits a role."""
    patterns = LIMBS[0] | LIMBS[1] | TRUNK | _SPINE
    return re.fullmatch(patterns[role.partition(".")[0]], name) is not None


def _bare(names: Sequence[str]) -> list[str]:
    """Return names without running numbers (`_039`), and without the prefix and suffix that most of them share."""
    bare = list(names)
    if len(bare) < _FEWEST:
        return bare
    numbers = [match.group() for match in map(_RUNNING.search, bare) if match]
    if len(numbers) >= _NUMBERED * len(bare) and len(set(numbers)) >= _DIFFERENT * len(numbers):
        bare = [_RUNNING.sub(r"\1", name) or name for name in bare]
    beginning = _find_shared_prefix(bare)
    if not _tells(beginning):
        bare = [name.removeprefix(beginning) or name for name in bare]
    ending = _find_shared_prefix([name[::-1] for name in bare])[::-1]
    if not _tells(ending):
        bare = [name.removesuffix(ending) or name for name in bare]
    return bare


def _find_shared_prefix(names: list[str]) -> str:
    """Return the longest prefix, up to a separator, shared by most names; "" if there is none."""
    middle = sorted(names)[len(names) // 2]  # if most names share a prefix, the middle one has it
    beginnings = (middle[:length] for length in range(len(middle) - 1, 0, -1) if middle[length - 1] in _SEPARATORS)
    fewest = _MOST * len(names)
    return next((text for text in beginnings if sum(name.startswith(text) for name in names) >= fewest), "")


def _tells(text: str) -> bool:
    """Return whether a text contains a side or a part of the body."""
    words = [word.lower() for word in _WORD.findall(text)]
    return any(word in _SIDES or _fits(word, _PARTS) for word in (*words, "".join(words)))


def _fits(name: str, patterns: list[re.Pattern[str]]) -> bool:
    return any(pattern.fullmatch(name) for pattern in patterns)


def _split(name: str) -> tuple[str, str]:
    """Return the side and the rest of one name."""
    while (shorter := _PREFIX.sub("", name, count=1)) != name:
        name = shorter
    if _VERTEBRA.fullmatch(name):
        return "", name.lower()
    words = [word.lower() for word in _WORD.findall(name)]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    words = [word for word in words if word not in _SIDES and word not in _MIDDLE]
    if not side and len(words) == 1 and (within := _SIDE_AND_REST.fullmatch(words[0])):
        whole, letter, rest = within.groups()
        if whole or _fits(rest, _LIMB_PARTS):
            side, words = _SIDES[whole or letter], [rest]
    words = [word for word in words if word not in _TECHNICAL] or words
    whole = "".join(_front_first(words))
    plain = _PADDED.sub("", whole)
    return side, plain if plain and _fits(plain, _PARTS) and not _fits(whole, _PARTS) else whole


def _front_first(words: list[str]) -> list[str]:
    """Return the words of a leg's name with "front" first, without "hind"; a forefoot is a part of any foot."""
    where = next((word for word in words if word in _BEFORE_OR_BEHIND), None)
    if where is None or not _OF_LEGS & set(words) or words == ["fore", "foot"]:
        return words
    rest = [word for word in words if word != where]
    return [_BEFORE_OR_BEHIND[where], *rest]
