"""Text that is optionally written to a file."""


def written(text, path):
    """The text, also written to the file at `path` unless that is None."""
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text
