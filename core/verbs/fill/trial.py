"""How fill is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"fill": "walk.bvh sneak.bvh --key-frames '0 12 30'"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"fill": {"sources": ("slow", "quick"), "key_frames": "0 12 24"}}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"fill": {"key_frames": ((0, 12, 40),)}}
# Values that the fuzzer may try for any option.
VALUES = ([[0, 9, 20]], [[9, 9]], [[0, -1, 0.5]], [[9, 3, 1]])
