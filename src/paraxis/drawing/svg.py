"""Inline SVG: no script, nothing to fetch, colours from the page's style sheet.

A picture is drawn for a width in CSS pixels, so that its letters keep their size; a page holds
one drawing for wide screens and one for phones. Hovering shows <title>s.
"""

from html import escape

LETTER = 7.4  # pixels a letter is wide, on average and generously
LINE = 22  # pixels a line of a legend is high


class Drawing:
    """SVG elements in pixels, y downwards."""

    def __init__(self, width, height, label):
        self.width, self.height, self.label, self.parts = width, height, label, []

    def add(self, tag, content="", title=None, **attributes):
        """One element; `kind` is its class. Content and title are text."""
        inner = escape(content)
        if title is not None:
            inner += f"<title>{escape(title)}</title>"
        words = {"class" if k == "kind" else k.replace("_", "-"): v for k, v in attributes.items()}
        listed = "".join(f' {k}="{_number(v)}"' for k, v in words.items())
        self.parts.append(f"<{tag}{listed}>{inner}</{tag}>")

    def moving(self, tag, values, moment, **attributes):
        """An element that moves: `values` of attributes, by name, at the times of `moment`."""
        self.add(tag, **{name: each[0] for name, each in values.items()}, **attributes)
        begin, end = self.parts.pop().rsplit("</", 1)
        for name, each in values.items():
            listed = ";".join(str(_number(value)) for value in each)
            words = {"attributeName": name, "values": listed} | moment
            begin += "<animate" + "".join(f' {k}="{v}"' for k, v in words.items()) + "/>"
        self.parts.append(f"{begin}</{end}")

    def text(self, x, y, content, kind="", anchor="start"):
        self.add("text", content, x=x, y=y, kind=kind, text_anchor=anchor)

    def line(self, x1, y1, x2, y2, kind):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, kind=kind)

    def legend(self, entries):
        """Names beside the colour of what they stand for; on as many lines as they need."""
        for (kind, name), (x, y) in zip(entries, legend_places(entries, self.width), strict=True):
            if "dashed" in kind:
                self.line(x, y + 10, x + 13, y + 10, f"curve {kind}")
            else:
                self.add("rect", x=x, y=y + 4, width=12, height=12, rx=3, kind=f"fill {kind}")
            self.text(x + 18, y + 15, name)

    def svg(self, kind):
        box = f"0 0 {self.width} {self.height}"
        label = escape(self.label)
        body = "\n".join(self.parts)
        return (
            f'<svg class="{kind}" viewBox="{box}" role="img" aria-label="{label}">\n{body}\n</svg>'
        )


def legend_places(entries, width):
    """Where each entry of a legend begins: from the left, then on the next line."""
    x = y = 0
    places = []
    for _, name in entries:
        needed = 18 + LETTER * len(name)
        if x and x + needed > width:
            x, y = 0, y + LINE
        places.append((x, y))
        x += needed + LINE
    return places


def _number(value):
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else escape(str(value))
