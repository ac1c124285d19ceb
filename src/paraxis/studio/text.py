"""Untrusted text in Markdown: names of robots and files, errors, and Python."""

import re

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&:$/@^=])")


def escaped(text):
    """Text that Markdown, and the HTML and formulas in it, leave as it is."""
    return SPECIAL.sub(r"\\\1", str(text))


def as_list(sentences):
    """An item for each sentence."""
    return "\n".join(f"- {escaped(each)}" for each in sentences)


def as_code(text, language="python"):
    """A block of code, whose fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def in_line(text):
    """A few words as code."""
    return escaped(text) if "`" in text else f"`{text}`"
