"""Motion of 3D points, as from video or markers: readers, the solver, and the clip on a body (methods: Points)."""
