"""Where the parallelism is: tasks, schedules, pipelines, arrays of processors, networks."""
