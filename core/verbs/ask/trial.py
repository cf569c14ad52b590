"""How ask is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"ask": "walk.bvh sneak.bvh --speed 1"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"ask": {"sources": ("slow", "quick"), "speed": 1.0}}
