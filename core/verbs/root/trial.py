"""How root is tried; see tests/oracles/trials.py."""

# Arguments on the command line, of clips of the figure; the fuzzer stops these at random moments.
COMMANDS = {"root": "walk.bvh --onto hips"}
# Calls of operators for the battery: the sources, over which frames they are read, and options.
# An action whose contacts are marked is made even where nothing moves.
OPERATORS = {"root": {"sources": ("slow",), "onto": "hips", "mark_contacts": True}}
# Options that a recipe needs before it can be applied, to walk, turn left and wave of the figure, by verb.
EXAMPLE = {"root": {"onto": "hips"}}  # the generated body has only hips
