"""Every test recorded as slow, which the short run leaves out, exists in the whole run."""

import bpy
import durations

if bpy.app.version[:2] == (5, 2):  # the Blender whose tests are recorded

    def test_every_slow_test_that_is_recorded_exists(request):
        """Rename or remove it in tests/durations.json, too, or write the file: `make test ALL=1 RECORD=1`."""
        assert durations.gone(request.config, "addon") == []
