"""Meshes from untrusted files, read within bounds, and made small enough for a page."""
