"""Dhanaraj's task streamlining, taken apart and beside what he prints."""
