"""Whether stale data are worth it: loop times from schedules, safe periods, tracking errors."""
