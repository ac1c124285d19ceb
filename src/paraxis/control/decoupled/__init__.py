"""Vuskovic's decoupled scheme on real threads: one group of links each, unsynchronised."""
