"""From the pose of a frame to joint positions: closed forms and one step of a search."""
