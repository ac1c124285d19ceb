"""Graph to graph, or graph to report."""
