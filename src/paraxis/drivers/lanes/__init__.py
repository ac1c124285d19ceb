"""The `lanes` driver: the joints of one state on the lanes of a warp, a processor for each joint."""
