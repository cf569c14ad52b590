"""How restyle is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"restyle": "walk.bvh sneak.bvh --mirror --cadence 0.5"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
OPERATORS = {"restyle": {"sources": ("slow", "quick"), "spans": {"slow": (1, 181), "quick": (1, 121)}, "cadence": 0.5}}
