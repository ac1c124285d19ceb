"""Friction of joints and transmissions, in both directions between motor and joint."""
