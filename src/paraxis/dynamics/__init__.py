"""Robots under forces: loads, contacts and friction; identification, and equations written out."""
