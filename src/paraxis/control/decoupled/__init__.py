"""Vuskovic's decoupled scheme on real threads: a group of links each, and no synchronisation."""
