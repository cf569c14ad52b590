"""A reader for each kind of points file; `registry` lists them."""
