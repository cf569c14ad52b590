"""The suffix of a library's folder, in a separate module because panels need it before numpy is loaded."""

ENDING = ".loomlib"
