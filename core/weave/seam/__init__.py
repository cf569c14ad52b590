"""Repairs of the seam where one motion goes over into the next."""
