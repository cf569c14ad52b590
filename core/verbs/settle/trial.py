"""How settle is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"settle": "walk.bvh sneak.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"settle": {"sources": ("slow",), "towards": "quick"}}
