"""How drive is tried; see tests/oracles/trials.py."""

_WISHES = "0 0 1.2; 1.5 1 0; 2.5 0 0; 3 0 0"
# Command-line arguments, with clips of the generated figure; the fuzzer interrupts these runs at random moments.
COMMANDS = {"drive": f"walk.bvh wave.bvh --wishes '{_WISHES}'"}
# Operator calls for the battery of tests in Blender: source actions, the frames that are read, and options.
OPERATORS = {"drive": {"sources": ("slow", "quick"), "wishes": _WISHES}}
# Required options, by verb, for applying its recipe to the figure's clips walk, turn left and wave.
EXAMPLE = {"drive": {"wishes": ((0, 0, 1.2), (1, 0, 0), (1.5, 0, 0))}}
# Values that the fuzzer may try for any option.
VALUES = (_WISHES, "0 0 0", "0 0 0; 0 4 3", "0 1 1; 1 1 1 90", "5 5 90")
