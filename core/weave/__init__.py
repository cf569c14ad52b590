"""New clips out of clips."""
