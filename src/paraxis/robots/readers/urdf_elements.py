"""What elements of a URDF file hold: children, words, numbers and poses."""

import re

from ...checks import quoted
from ...errors import RobotError
from ..pose import HERE
from ..snapping import snapped_rpy
from ..text import number
from .xml_text import MAX_TEXT

WORD = re.compile(r"[^ \t\r\n]+")  # XML's white space, where str.split() takes Unicode's


def child(element, tag, required=False):
    """The one child of that tag, or None when there is none and none is required."""
    count = element.counts.get(tag, 0)
    if count > 1 or (required and not count):
        raise RobotError(f"expected one <{tag}> in <{element.tag}>, found {count or 'none'}")
    return element.children.get(tag)


def text_of(element, attribute):
    """An attribute that must not be empty."""
    text = element.attrib.get(attribute)
    if not text:
        found = "an empty one" if text == "" else "none"
        raise RobotError(f"<{element.tag}>: expected the attribute {attribute!r}, found {found}")
    if len(text) > MAX_TEXT:
        raise RobotError(
            f"<{element.tag}> {attribute}: expected at most {MAX_TEXT:,} characters, "
            f"found {len(text):,}"
        )
    if "${" in text or "$(" in text:
        raise RobotError(
            f"<{element.tag}> {attribute}: found the xacro expression {quoted(text)}; "
            "expand the file with xacro first"
        )
    return text


def numbers(element, attribute, count, default=None):
    """The numbers of an attribute, which may be left out when there is a default."""
    if default is not None and attribute not in element.attrib:
        return default
    text = text_of(element, attribute)
    words = WORD.findall(text)
    plural = "number" if count == 1 else "numbers"
    if len(words) != count:
        raise RobotError(
            f"<{element.tag}> {attribute}: expected {count} {plural}, "
            f"found {len(words)} in {quoted(text)}"
        )
    values = tuple(number(word) for word in words)
    if None in values:
        raise RobotError(
            f"<{element.tag}> {attribute}: expected {count} finite decimal {plural}, "
            f"found {quoted(words[values.index(None)])}"
        )
    return values


def origin(element, snap):
    """The pose that an <origin> in the element has; right angles off by `snap` rad are exact."""
    found = child(element, "origin")
    if found is None:
        return HERE
    if "quat_xyzw" in found.attrib:
        raise RobotError("<origin>: quat_xyzw is not supported; use rpy")
    zero = (0.0, 0.0, 0.0)
    xyz, rpy = numbers(found, "xyz", 3, zero), numbers(found, "rpy", 3, zero)
    if xyz == rpy == zero:
        return HERE
    return snapped_rpy(xyz, rpy, snap, "<origin>")
