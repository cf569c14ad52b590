"""How plant is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"plant": "walk.bvh"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
# An action whose contacts are marked is made even where nothing moves.
OPERATORS = {"plant": {"sources": ("slow",), "mark_contacts": True}}
# Values that options of this verb might be given, for the fuzzer.
VALUES = (
    "0 1; 1 0",
    "0 0 3 20; 1 1 5 9",
    [[0, 0, 0, 61], [1, 0, 9, 30]],
)
