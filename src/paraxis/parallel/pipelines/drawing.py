"""A pipeline as a picture: stages are columns, and registers are drawn on their delay lines.

Simultaneous events have the same position: a tap and its reader are at the same boundary between
two stages, and the wire between them is vertical. Wires at one boundary that would overlap are on
adjacent tracks.
"""

from dataclasses import dataclass

from ...checks import shown
from ...drawing.figure import HUES
from ...drawing.svg import LETTER, Drawing
from .buffers import OUTSIDE

STAGE, ROW, TRACK = 76, 34, 7  # pixels from boundary to boundary, row to row, track to track
BOX, REGISTER = 24, 14  # the height of a task; the side of a register
TOP, MARGIN, PORT = 34, 14, 5  # above the rows; at the sides; between wires to a task
LETTERS = 9  # of a name that fit into a column


def draw(pipeline):
    """The picture as a Drawing of the required size."""
    return _Picture(pipeline).drawing


@dataclass(frozen=True)
class Wire:
    """At one boundary: from the row of a value to the tasks that read it there."""

    line: int  # its index among the pipeline's lines
    row: int
    takers: tuple
    rows: tuple  # all rows it touches


class Layout:
    """The row of each task and of each delay line, and the wires at each boundary."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.task_row, self.line_row = {}, {}
        self.taken = []  # row -> the (from, to) in it, in stages
        behind = {}
        for number, line in enumerate(pipeline.lines):
            if line.length:
                behind.setdefault(line.task, []).append(number)
        for task in sorted(pipeline.tasks.order, key=pipeline.starts.__getitem__):
            self.place(task, behind.get(task, []))
        self.wires = [[] for _ in range(pipeline.stages + 1)]
        for number, line in enumerate(pipeline.lines):
            self.connect(number, line)
        self.tracks = [_tracks(wires) for wires in self.wires]

    def place(self, task, lines):
        """A task as near as possible to its predecessors; its first line is in the same row."""
        before = [self.task_row[first] for first in self.pipeline.tasks.predecessors[task]]
        near = sum(before) / len(before) if before else 0
        begin, ready = self.pipeline.starts[task], self.ready(task)
        end = self.end(lines[0]) if lines else ready
        if begin == ready:  # a task without stages still needs room for its name
            begin, end = (begin, max(end, ready + 1)) if before else (begin - 1, end)
        self.task_row[task] = row = self.free_row(near, begin, end)
        for number in lines:
            self.line_row[number] = row
            if number != lines[0]:
                self.line_row[number] = self.free_row(row, ready, self.end(number))

    def free_row(self, near, begin, end):
        """The nearest row that is free from one stage to another, which is then reserved."""
        rows = sorted(range(len(self.taken) + 1), key=lambda row: abs(row - near))
        self.taken.append([])
        for row in rows:
            if all(to <= begin or end <= start for start, to in self.taken[row]):
                break
        self.taken[row].append((begin, end))
        if not self.taken[-1]:
            self.taken.pop()
        return row

    def connect(self, number, line):
        """The wires after a task for one of its values."""
        ready, task_row = self.ready(line.task), self.task_row[line.task]
        line_row = self.line_row.get(number, task_row)
        takers = {ready: []} if line_row != task_row else {}
        for taker in line.taps:
            there = takers.setdefault(self.boundary(taker), [])
            if taker is not OUTSIDE:
                there.append(taker)
        for boundary, there in takers.items():
            row = task_row if boundary == ready else line_row
            rows = {row, line_row} | {self.task_row[taker] for taker in there}
            self.wires[boundary].append(Wire(number, row, tuple(there), tuple(sorted(rows))))

    def ready(self, task):
        return self.pipeline.starts[task] + self.pipeline.latencies[task]

    def boundary(self, taker):
        return self.pipeline.stages if taker is OUTSIDE else self.pipeline.starts[taker]

    def end(self, number):
        return max(map(self.boundary, self.pipeline.lines[number].taps))


def _tracks(wires):
    """A track for each wire, so that wires on one track have no row in common."""
    tracks, ends = [0] * len(wires), []
    for k in sorted(range(len(wires)), key=lambda k: wires[k].rows[0]):
        free = (t for t, end in enumerate(ends) if end < wires[k].rows[0])
        tracks[k] = next(free, len(ends))
        ends[tracks[k] : tracks[k] + 1] = [wires[k].rows[-1]]
    return tracks


class _Picture:
    """Draws a layout. A task and the values after it are a group, which the page can highlight;
    in it lines and wires come first, and the task on top."""

    def __init__(self, pipeline):
        self.pipeline, self.layout = pipeline, Layout(pipeline)
        self.names = [shown(pipeline.name_of(task)) for task in range(len(pipeline.tasks))]
        margin = MARGIN + LETTER * max(map(len, self.names))
        self.left, self.right, x = [], [], margin  # the sides of every boundary
        for tracks in self.layout.tracks:
            self.left.append(x)
            self.right.append(x + TRACK * (max(tracks, default=0) + 2))
            x = self.right[-1] + STAGE
        height = TOP + ROW * len(self.layout.taken) + MARGIN
        label = f"Pipeline of {shown(pipeline.tasks.name)}"
        self.drawing = Drawing(self.right[-1] + margin, height, label)
        self.ports = self.find_ports()
        for stage in range(pipeline.stages):
            middle = (self.right[stage] + self.left[stage + 1]) / 2
            self.drawing.text(middle, 16, str(stage), "tick", "middle")
        behind = [[] for _ in self.names]
        for number, line in enumerate(pipeline.lines):
            behind[line.task].append(number)
        wires = self.find_wires()
        for task in pipeline.tasks.order:
            self.drawing.parts.append("<g>")
            for number in behind[task]:
                self.draw_line(number, pipeline.lines[number])
                for wire in wires[number]:
                    self.draw_wire(*wire)
            self.draw_task(task)
            self.drawing.parts.append("</g>")

    def y(self, row):
        return TOP + ROW * (row + 0.5)

    def track_x(self, boundary, track):
        return self.left[boundary] + TRACK * (track + 1)

    def hue(self, number):
        return HUES[number % len(HUES)]

    def find_wires(self):
        """For each line its wires: (boundary, wire, position)."""
        found = [[] for _ in self.pipeline.lines]
        for boundary, wires in enumerate(self.layout.wires):
            for wire, track in zip(wires, self.layout.tracks[boundary], strict=True):
                found[wire.line].append((boundary, wire, self.track_x(boundary, track)))
        return found

    def find_ports(self):
        """(task, line) -> the height at which the line's wire enters the task."""
        coming = {}
        for wires in self.layout.wires:
            for wire in wires:
                for taker in wire.takers:
                    coming.setdefault(taker, []).append(wire.line)
        return {
            (task, line): self.y(self.layout.task_row[task])
            + (k - (len(lines) - 1) / 2) * min(PORT, (BOX - 4) / len(lines))
            for task, lines in coming.items()
            for k, line in enumerate(lines)
        }

    def draw_line(self, number, line):
        """The registers of a line, on a wire that goes to its last tap."""
        pipeline, layout = self.pipeline, self.layout
        if not line.length:
            return
        ready, end, y = layout.ready(line.task), layout.end(number), self.y(layout.line_row[number])
        there = [wire.line for wire in layout.wires[end]].index(number)
        same_row = layout.line_row[number] == layout.task_row[line.task]
        start = self.left[ready] if same_row else self.right[ready]
        stop = self.track_x(end, layout.tracks[end][there])
        self.drawing.line(start, y, stop, y, f"wire {self.hue(number)}")
        name = shown(pipeline.line_name(line))
        for k in range(line.length):
            first = ready + k * pipeline.spacing
            last = min(first + pipeline.spacing, end)
            middle = (self.right[first] + self.left[last]) / 2
            self.drawing.add(
                "rect",
                title=f"{name}: register {k + 1} of {line.length}",
                x=middle - REGISTER / 2,
                y=y - REGISTER / 2,
                width=REGISTER,
                height=REGISTER,
                rx=3,
                kind=f"register {self.hue(number)}",
            )

    def draw_wire(self, boundary, wire, x):
        """From a task's side, or from its line, to its readers."""
        layout, line = self.layout, self.pipeline.lines[wire.line]
        y, side = self.y(wire.row), self.right[boundary]
        begins = boundary == layout.ready(line.task)
        path = f"M{self.left[boundary]:.1f} {y}H{x:.1f}" if begins else ""
        heights = [self.ports[taker, wire.line] for taker in wire.takers]
        if begins and layout.line_row.get(wire.line, wire.row) != wire.row:
            heights.append(self.y(layout.line_row[wire.line]))
        if OUTSIDE in line.taps and boundary == self.pipeline.stages:
            heights.append(y)
            self.drawing.text(side + 6, y + 4, self.names[line.task])
        path += "".join(f"M{x:.1f} {y}V{height:.1f}H{side:.1f}" for height in heights)
        self.drawing.add("path", d=path, kind=f"wire {self.hue(wire.line)}")
        goes_on = begins and wire.row == layout.line_row.get(wire.line)
        if not begins or len(heights) + goes_on > 1:
            self.drawing.add("circle", cx=x, cy=y, r=2.5, kind=f"fill {self.hue(wire.line)}")

    def draw_task(self, task):
        """A box from its first boundary to its last; a name or a dot if they are the same."""
        pipeline, name = self.pipeline, self.names[task]
        start, ready = pipeline.starts[task], self.layout.ready(task)
        y, short = self.y(self.layout.task_row[task]), shown(name, LETTERS)
        if start < ready:
            x, end = self.right[start], self.left[ready]
            label = pipeline.tasks.labels.get(pipeline.tasks.names[task])
            title = f"{name}: stage {start}" + (f", {shown(str(label))}" if label else "")
            box = dict(x=x, y=y - BOX / 2, width=end - x, height=BOX, rx=5)
            self.drawing.add("rect", title=title, kind="task", **box)
            self.drawing.text((x + end) / 2, y + 4.5, short, "inside", "middle")
            if pipeline.places is not None:
                place = f"processor {pipeline.places[task]}"
                self.drawing.text((x + end) / 2, y + BOX / 2 + 8, place, "place", "middle")
        elif not pipeline.tasks.predecessors[task]:
            whole = name if start == 0 else short
            self.drawing.text(self.left[start] - 6, y + 4, whole, anchor="end")
        elif not pipeline.tasks.successors[task]:
            if start < pipeline.stages:
                self.drawing.text(self.right[start] + 6, y + 4, short)
        else:
            self.drawing.add("circle", title=name, cx=self.right[start], cy=y, r=4, kind="task")
