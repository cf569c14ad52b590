"""How key poses is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"key_poses": "walk.bvh sneak.bvh"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"key_poses": {"sources": ("slow", "quick")}}
