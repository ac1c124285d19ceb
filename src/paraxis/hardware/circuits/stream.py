"""Sends items through a circuit's pipeline, one per stage, with its delay lines."""

import numpy as np

from ..cordic import single_integers
from ..cordic.formats import integer_kind
from ..cordic.raw_words import input_words
from ..tasks.tasks import Constant, Result
from .task_graph import input_name, output_name, task_graph, task_name


def stream(circuit, words):
    """The words of the outputs and which items are valid, as returned by `Circuit.run`.

    A validity bit travels with each word: whether all its operands were valid.
    """
    tasks = circuit.tasks
    given, shape = input_words(circuit, words)
    names = [input_name(tasks, source) for source in circuit.inputs]
    items = [
        dict(zip(names, row, strict=True))
        for row in zip(*(row.tolist() for row in given.values()), strict=True)
    ]
    done = circuit.pipeline.simulate(items, _functions(circuit)).results
    valid = [all(right for _, right in item.values()) for item in done]
    found = {}
    for key, operand in circuit.outputs.items():
        name, constant = output_name(tasks, *key), isinstance(operand.source, Constant)
        column = [circuit.output_word(key, None if constant else item[name][0]) for item in done]
        found[key] = np.array(column, integer_kind(circuit.word)).reshape(shape)
    return found, np.array(valid, bool).reshape(shape)[()]


def _functions(circuit):
    """Task of the pipeline -> its results from incoming words."""
    graph, values = task_graph(circuit.tasks)
    functions = {
        input_name(circuit.tasks, source): _entrance(circuit, source) for source in circuit.inputs
    }
    for number in range(len(circuit.units)):
        name = task_name(number)
        before = [graph.names[first] for first in graph.predecessors[graph.index[name]]]
        edges = [(first, values[first, name]) for first in before]
        functions[name] = _processor(circuit, number, edges)
    return functions


def _entrance(circuit, source):
    return lambda word: {"word": (word, bool(circuit.within_limits(source, word)))}


def _processor(circuit, number, edges):
    unit, task = circuit.units[number], circuit.tasks.tasks[number]

    def work(*arguments):
        come, right = {}, True
        for (first, ports), argument in zip(edges, arguments, strict=True):
            several = argument if len(ports) > 1 else {ports[0]: argument}
            for port, (word, so_far) in several.items():
                come[first, port], right = word, right and so_far
        taken = {name: come[_sender(circuit, getattr(task, name).source)] for name in unit.ports}
        given, sound = unit(single_integers, taken)
        return {port: (word, right and bool(sound)) for port, word in given.items()}

    return work


def _sender(circuit, source):
    """The task of the pipeline that computes a source, and which of its values."""
    if isinstance(source, Result):
        return task_name(source.task), source.port
    return input_name(circuit.tasks, source), "word"
