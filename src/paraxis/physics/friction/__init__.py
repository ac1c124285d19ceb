"""Friction of joints and transmissions, both ways between motor and joint."""
