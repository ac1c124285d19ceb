"""Parts shared by several algorithms."""
