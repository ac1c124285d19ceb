"""The properties under which tests report what tests/conftest.py sums up at the end."""

SOAK = "soak"  # (what was tried, how often)
URDF = "urdf"  # (a real robot, why it was not checked or "")
