"""The report `depth`: how long things take with a processor for every operation."""
