"""Tasks balanced for a stream of states."""
