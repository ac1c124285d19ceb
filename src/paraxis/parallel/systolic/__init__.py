"""Arrays of matrix-vector processors that compute inverse dynamics (Lathrop, 1985)."""
