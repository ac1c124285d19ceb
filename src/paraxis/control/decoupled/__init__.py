"""Vuskovic's decoupled scheme on real threads: unsynchronised, one group of links per thread."""
