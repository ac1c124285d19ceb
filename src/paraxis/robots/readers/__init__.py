"""From a description to a Robot: URDF, Denavit-Hartenberg tables, drives."""
