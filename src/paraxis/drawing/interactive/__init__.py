"""Pages with a script: one file each, which fetches nothing and runs no script but its own."""

from .page import file_text, framed, interactive_page

__all__ = ["file_text", "framed", "interactive_page"]
