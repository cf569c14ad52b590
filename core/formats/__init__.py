"""Motion files: what they say as clips, and clips as files. The only place that turns axes and units."""
