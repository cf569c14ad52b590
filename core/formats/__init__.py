"""Motion files: read as clips and composed from clips. The only place that converts axes and units."""
