"""How follow is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"follow": "walk.bvh turn.bvh --path p.csv"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"follow": {"sources": ("slow", "quick"), "curve": "Path"}}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"follow": {"path": ((0, 0), (0, 4))}}
