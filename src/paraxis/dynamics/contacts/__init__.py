"""Robots that touch their environment: what a contact is, and how a robot moves with it."""
