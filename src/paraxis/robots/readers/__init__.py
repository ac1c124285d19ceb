"""Readers: whole robots from files."""
