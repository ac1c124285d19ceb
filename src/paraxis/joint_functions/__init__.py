"""Functions of a robot computed joint by joint: a robot as tables, and a machine for its rules."""
