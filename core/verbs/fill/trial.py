"""How fill is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"fill": "walk.bvh sneak.bvh --key-frames '0 12 30'"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"fill": {"sources": ("slow", "quick"), "key_frames": "0 12 24"}}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"fill": {"key_frames": ((0, 12, 40),)}}
# Values that options of this verb might be given, for the fuzzer.
VALUES = ([[0, 9, 20]], [[9, 9]], [[0, -1, 0.5]], [[9, 3, 1]])
