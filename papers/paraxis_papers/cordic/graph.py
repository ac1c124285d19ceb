"""The tasks of the PUMA's circuit: what each computes, and all of them drawn."""

from dataclasses import replace
from textwrap import wrap

from paraxis import TaskGraph
from paraxis.hardware.circuits.task_graph import NAMES, task_name
from paraxis.parallel.pipelines.page import LEGEND, PICTURE, picture

from ..document import Diagram, Row, Table
from .circuits import HERE, balanced, circuit, printed_tasks

WIDTH = 96  # letters
NO_BREAK = "\xa0"
WORD = "word"  # what an input sends
LEAD = (
    "Each with the stage it starts in. X, Y and Z are what a processor gives, x, y and z what it "
    "takes; `pose` is the hand's matrix. Sign changes and powers of two are wires."
)
MEANINGS = (
    "`rotate`, CIRC1: X = x cos z − y sin z, Y = y cos z + x sin z. `vector`, CIRC2: "
    "X = √(x² + y²), Z = z + atan2(y, x). `root`, HYPE2: X = √(x² − y²). `multiply`, LIN1: "
    "Y = y + x z. `add`, LIN1: Y = y + x.",
)


def tasks_table():
    """One row per task."""
    tasks = circuit().tasks
    rows = []
    for number, (task, stage) in enumerate(zip(tasks.tasks, circuit().stage, strict=True)):
        ports = ", ".join(f"{port} = {tasks.shown(o)}" for port, o in task.operands.items())
        gives = f"; gives {task.note}" if task.note else ""
        name = f"{task_name(number)}: {task.kind}, {NAMES[task.kind]}"
        rows.append(Row(HERE, name, None, stage, ports + gives))
    return Table("The tasks", LEAD, rows, MEANINGS)


def diagrams():
    """The paper's tasks and ours."""
    return [
        _drawn("The paper's task graph, reconstructed", balanced(printed_tasks())),
        _drawn("The shorter task graph", circuit().pipeline),
    ]


def _drawn(title, pipeline):
    """A pipeline as a picture, its processors called by their kind too, and in letters."""
    graph = pipeline.tasks
    called = {
        name: f"{name} {graph.groups[name]}" if name in graph.groups else name
        for name in graph.names
    }
    edges = [
        (called[graph.names[first]], called[graph.names[then]])
        for then, before in enumerate(graph.predecessors)
        for first in before
    ]
    weights = zip(called.values(), graph.weights, strict=True)
    labels = {called[name]: label for name, label in graph.labels.items()}
    named = replace(pipeline, tasks=TaskGraph(dict(weights), edges, graph.name, labels))
    text = "\n".join([*_stages(named), "", *_delays(pipeline)])
    drawn = f"<p>{LEGEND}</p>\n{picture(named)}"  # the legend is of the picture, not of the text
    return Diagram(title, f"{pipeline.summary}.", drawn, PICTURE, text)


def _stages(pipeline):
    """One line per stage."""
    started = {}
    for task in pipeline.tasks.order:
        if pipeline.latencies[task]:
            started.setdefault(pipeline.starts[task], []).append(pipeline.name_of(task))
    return [f"stage {stage:>2}  {', '.join(started[stage])}" for stage in sorted(started)]


def _delays(pipeline):
    """The delay lines and how long they are, in as many lines of text as it takes."""
    found = (
        f"{name.removesuffix(f'.{WORD}')} {length}" for name, length in pipeline.delays.items()
    )
    text = ", ".join(each.replace(" ", NO_BREAK) for each in found)
    return [line.replace(NO_BREAK, " ") for line in wrap(f"delay lines: {text}", WIDTH)]
