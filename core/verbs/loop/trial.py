"""How loop is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"loop": "walk.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"loop": {"sources": ("slow",), "spans": {"slow": (1, 73)}}}
