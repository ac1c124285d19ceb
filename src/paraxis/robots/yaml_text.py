"""YAML without its traps: mappings whose keys are text, lists, numbers and text.

A bare word is a number where it is one in decimal, and text otherwise; YAML 1.1 would read `1e-4`
as text, `010` as 8, `1:30` as 90 and `on` as true. Nothing is what is left empty: the text ''.

Files are untrusted. Their size and depth are bounded, a key may appear once, tags and aliases,
by which a line makes objects or grows without bound, are refused.
"""

import yaml

from ..checks import quoted
from ..errors import RobotError
from .text import number

MAX_BYTES = 2**20  # a joint takes 0.3 kB
MAX_DEPTH = 20


def parse_yaml(text):
    """What a YAML text, str or bytes, says."""
    if len(text) > MAX_BYTES:
        raise RobotError(f"YAML: expected at most {MAX_BYTES // 2**20} MB, found more")
    events = _events(text)
    next(events)  # the stream begins
    if isinstance(next(events), yaml.StreamEndEvent):
        return ""
    value = _value(next(events), events, depth=0)
    next(events)  # the document ends
    after = next(events)
    if not isinstance(after, yaml.StreamEndEvent):
        raise RobotError(f"{_line(after)}: expected one YAML document, found a second")
    return value


def _events(text):
    """The parser's events one by one, so that a check may stop it before it has read all."""
    try:
        yield from yaml.parse(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        mark, reason = error.problem_mark, quoted(error.problem)[1:-1]
        raise RobotError(
            f"YAML: invalid at line {mark.line + 1}, column {mark.column + 1}: {reason}"
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # the latter of "\UFFFFFFFF"
        reason = quoted(str(error).splitlines()[0])[1:-1]
        raise RobotError(f"YAML: the text cannot be decoded: {reason}") from None


def _value(event, events, depth):
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise RobotError(
            f"{_line(event)}: anchors (&) and aliases (*) are not allowed, found "
            f"{quoted(event.anchor)}; a few of them can grow without bound"
        )
    if event.tag is not None:
        raise RobotError(f"{_line(event)}: tags (!) are not allowed, found {quoted(event.tag)}")
    if isinstance(event, yaml.ScalarEvent):
        value = number(event.value) if event.style is None else None  # a style: quotation marks
        return event.value if value is None else value
    if depth == MAX_DEPTH:
        raise RobotError(f"{_line(event)}: expected at most {MAX_DEPTH} levels, found more")
    inside = _items if isinstance(event, yaml.SequenceStartEvent) else _pairs
    return inside(events, depth + 1)


def _items(events, depth):
    items = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        items.append(_value(event, events, depth))
    return items


def _pairs(events, depth):
    pairs = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent):
            raise RobotError(f"{_line(event)}: keys must be plain words")
        if event.value in pairs:
            raise RobotError(f"{_line(event)}: the key {quoted(event.value)} appears twice")
        _value(event, events, depth)  # a key has no anchor and no tag either
        pairs[event.value] = _value(next(events), events, depth)
    return pairs


def _line(event):
    return f"line {event.start_mark.line + 1}"
