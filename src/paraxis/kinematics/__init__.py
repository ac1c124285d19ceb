"""From where a frame should be to where the joints should stand."""
