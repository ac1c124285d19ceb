"""Schedules of Programs as code: threads of this machine, or C with a function per processor."""
