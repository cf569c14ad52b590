"""How walk is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"walk": "--graph g.npz --seconds 20", "shortest": "--graph g.npz --leave walk:0 --reach walk:30"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {
    "walk": {"sources": ("slow", "quick"), "seconds": 3.0},
    "shortest": {"sources": ("slow", "quick"), "threshold": 0.3, "leave": "slow:3", "reach": "quick:10"},
    "path": {"sources": ("slow", "quick"), "threshold": 0.3, "leave": "slow:3", "reach": "quick:10"},
}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"shortest": {"leave": "walk:5", "reach": "turn left:40"}}
# Values that options of this verb might be given, for the fuzzer.
VALUES = ("walk:" + "9" * 5000,)
