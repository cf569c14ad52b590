"""How splice is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"splice": "walk.bvh wave.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"splice": {"sources": ("slow", "quick")}}
