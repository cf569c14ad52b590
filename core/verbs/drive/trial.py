"""How drive is tried; see tests/oracles/trials.py."""

_WISHES = "0 0 1.2; 1.5 1 0; 2.5 0 0; 3 0 0"
# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"drive": f"walk.bvh wave.bvh --wishes '{_WISHES}'"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"drive": {"sources": ("slow", "quick"), "wishes": _WISHES}}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"drive": {"wishes": ((0, 0, 1.2), (1, 0, 0), (1.5, 0, 0))}}
# Values that options of this verb might be given, for the fuzzer.
VALUES = (_WISHES, "0 0 0", "0 0 0; 0 4 3", "0 1 1; 1 1 1 90", "5 5 90")
