"""Pages with a script: one file each, which fetches nothing and runs no script but its own."""
