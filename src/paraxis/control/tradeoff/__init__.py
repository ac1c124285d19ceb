"""Whether stale data are worth it: loop times from schedules, safe periods and tracking errors."""
