"""How follow is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"follow": "walk.bvh turn.bvh --path p.csv"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"follow": {"sources": ("slow", "quick"), "curve": "Path"}}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"follow": {"path": ((0, 0), (0, 4))}}
