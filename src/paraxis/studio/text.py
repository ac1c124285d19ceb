"""Untrusted text in Markdown: names of robots and files, errors, and Python."""

import re

SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&:$/@^=])")

# addresses become links even where their letters are escaped, unless something is between these
ADDRESS = re.compile(r"(https?:|www|@)", re.IGNORECASE)
BETWEEN = "\N{WORD JOINER}"  # which has no width


def escaped(text):
    """Text that Markdown, and the HTML, formulas and addresses in it, leave as it is."""
    return SPECIAL.sub(r"\\\1", ADDRESS.sub(rf"\1{BETWEEN}", str(text)))


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
