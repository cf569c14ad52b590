"""How the name of a library's folder ends; panels ask before numpy is loaded."""

ENDING = ".loomlib"
