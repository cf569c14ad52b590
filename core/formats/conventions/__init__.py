"""Find the up axis, unit, rate and sides of a motion file in its motion."""
