"""How blend is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"blend": "walk.bvh sneak.bvh --picture out/p.png"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"blend": {"sources": ("slow", "quick")}}
# Values that options of this verb might be given, for the fuzzer.
VALUES = (
    [[0, 1], [1, 0]],
    [[0, 1, 2], [1]],
)
