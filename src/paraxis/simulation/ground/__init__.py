"""Ground and obstacles: contact that opens and closes, with friction."""
