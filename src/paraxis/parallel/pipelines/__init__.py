"""Pipelines: tasks balanced for a stream of states."""
