"""XML without its traps: read as a stream, of which only the elements a reader knows are kept.

Files are untrusted. Document types are refused, and with them entities, which can grow without
bound or reach for other files. Namespaces are not expanded, as one long name of a namespace would
be repeated for every element: an element goes by its local name where it has the prefix of the
root, and is foreign where it has another. Whatever else could take memory or time out of proportion
to a file has a bound: see the table in docs/howto/models/robots.md.
"""

from collections import Counter
from xml.parsers import expat

from ...checks import quoted
from ...errors import RobotError

MAX_BYTES = 64 * 2**20  # the largest URDF at hand has 0.2 MB; a chain of 100 000 links has 30 MB
MAX_DEPTH = 100  # elements within elements
MAX_ELEMENTS = 4_000_000
MAX_NAMES = 10_000  # different names of elements and attributes
MAX_TOKEN = 2**20  # bytes of one tag with its attributes, or of one comment
MAX_TEXT = 10_000  # characters of an attribute that is read

CHUNK = 2**18


class Element:
    """A tag, its attributes, and the first child of each tag that a reader knows."""

    __slots__ = ("attrib", "children", "counts", "tag")

    def __init__(self, tag, attrib):
        self.tag, self.attrib, self.children, self.counts = tag, attrib, {}, {}

    def add(self, child):
        self.children.setdefault(child.tag, child)
        self.counts[child.tag] = self.counts.get(child.tag, 0) + 1


def parse_xml(text, known, open_root, close):
    """Read `text`, str or bytes.

    `known` says which elements are kept: {tag: known tags inside it}, of the root to begin with.
    `open_root(element)` is called at the start of the root, whatever its tag. `close` has functions
    by {(tag of the element around it, tag): function}, called with each such element, whole, and
    the one around it; the element is then forgotten. Returns how many elements were not kept,
    {(tag of the element around it, tag): count}; what is inside of these does not count.
    """
    if not isinstance(text, str | bytes):
        raise RobotError(f"XML text: expected str or bytes, found {type(text).__name__}")
    encoding = None
    try:
        if isinstance(text, str):  # whatever encoding it says it had as a file
            text, encoding = text[: MAX_BYTES + 1].encode(), "utf-8"
        if len(text) > MAX_BYTES:
            raise RobotError(f"XML: expected at most {MAX_BYTES // 2**20} MB, found more")
        stream = _Stream(known, open_root, close)
        stream.read(text, encoding)
        return stream.left
    except expat.ExpatError as error:
        reason = quoted(expat.ErrorString(error.code))[1:-1]
        raise RobotError(
            f"XML: invalid at line {error.lineno}, column {error.offset + 1}: {reason}"
        ) from None
    except (ValueError, LookupError) as error:  # what Python's decoders raise
        if isinstance(error, RobotError):
            raise
        raise RobotError(f"XML: the text cannot be decoded: {quoted(str(error))}") from None


class _Stream:
    def __init__(self, known, open_root, close):
        self.open_root, self.close = open_root, close
        self.prefix = ""
        self.foreign = 0  # depth inside an element that is not kept
        self.path, self.known = [], [known]  # the open elements that are, and what is known inside
        self.names, self.elements, self.left = set(), 0, Counter()

    def read(self, data, encoding):
        # no interning: the parser would keep every name it has seen
        self.parser = parser = expat.ParserCreate(encoding, intern=None)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        for begin in range(0, len(data), CHUNK):
            parser.Parse(data[begin : begin + CHUNK], False)
            # twice, as the parser may put off a token until its text has doubled
            if begin + CHUNK - parser.CurrentByteIndex > 2 * MAX_TOKEN + CHUNK:
                raise self._too("tags and comments", f"of at most {MAX_TOKEN // 2**20} MB")
        parser.Parse(b"", True)

    def _too(self, what, most):
        line = self.parser.CurrentLineNumber
        return RobotError(f"XML, line {line}: expected {what} {most}, found more")

    def _doctype(self, *_):
        raise RobotError(
            "XML: a document type (<!DOCTYPE>) is not allowed, because entities declared there can "
            "grow without bound or read other files"
        )

    def _start(self, name, attrib):
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise self._too("at most", f"{MAX_ELEMENTS:,} elements")
        if len(self.path) + self.foreign == MAX_DEPTH:
            raise self._too("elements at most", f"{MAX_DEPTH} deep")
        self.names.add(name)
        self.names.update(attrib)
        if len(self.names) > MAX_NAMES:
            raise self._too("at most", f"{MAX_NAMES:,} names of elements and attributes")
        prefix, _, local = name.rpartition(":")
        self._check_xacro(prefix, local, attrib)
        if not self.path:
            self.prefix = prefix
            self.open_root(root := Element(local, attrib))
            self.path.append(root)
            self.known.append(self.known[0].get(local, {}))
        elif self.foreign or prefix != self.prefix or local not in self.known[-1]:
            if not self.foreign:
                self.left[self.path[-1].tag, name] += 1
            self.foreign += 1
        else:
            self.path.append(Element(local, attrib))
            self.known.append(self.known[-1][local])

    def _end(self, _):
        if self.foreign:
            self.foreign -= 1
            return
        element = self.path.pop()
        self.known.pop()
        if not self.path:
            return
        around = self.path[-1]
        close = self.close.get((around.tag, element.tag))
        if close is None:
            around.add(element)
        else:
            close(element, around)

    def _check_xacro(self, prefix, local, attrib):
        if not self.path:
            self.xacro = {"xacro"} | {
                name.removeprefix("xmlns:")
                for name, value in attrib.items()
                if name.startswith("xmlns:") and "xacro" in value[:MAX_TEXT]
            }
        if prefix in self.xacro:
            tag = quoted(f"xacro:{local}")
            raise RobotError(f"found the xacro element {tag}; expand the file with xacro first")
