"""How learning a style is tried; see tests/oracles/trials.py."""

# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"style fit": "walk.bvh sneak.bvh --mirror"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS: dict[str, dict[str, object]] = {}
