"""Robots in contact with their environment: what a contact is, and how a robot moves with it."""
