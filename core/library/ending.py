"""The ending of a library's folder, in a module of its own because panels need it before numpy is loaded."""

ENDING = ".loomlib"
