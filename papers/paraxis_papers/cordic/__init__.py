"""Lee and Chang's CORDIC pipeline for the PUMA beside what they print of it."""
