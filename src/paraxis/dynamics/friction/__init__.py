"""Robots whose bearings and transmissions take a part of the motor torques."""
