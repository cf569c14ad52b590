"""How walk is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"walk": "--graph g.npz --seconds 20", "shortest": "--graph g.npz --leave walk:0 --reach walk:30"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {
    "walk": {"sources": ("slow", "quick"), "seconds": 3.0},
    "shortest": {"sources": ("slow", "quick"), "threshold": 0.3, "leave": "slow:3", "reach": "quick:10"},
    "path": {"sources": ("slow", "quick"), "threshold": 0.3, "leave": "slow:3", "reach": "quick:10"},
}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"shortest": {"leave": "walk:5", "reach": "turn left:40"}}
# Values that the fuzzer may try for any option.
VALUES = ("walk:" + "9" * 5000,)
