"""How travel is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"travel": "spot.bvh", "in_place": "walk.bvh"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
# An action whose contacts are marked is made even where nothing moves.
OPERATORS = {"travel": {"sources": ("slow",), "mark_contacts": True}, "in_place": {"sources": ("slow",)}}
