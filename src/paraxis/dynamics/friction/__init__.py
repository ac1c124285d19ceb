"""Robots whose bearings and transmissions take a part of what their motors give."""
