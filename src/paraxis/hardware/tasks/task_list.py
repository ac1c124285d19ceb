"""The tasks created so far, without duplicates, each with its stage."""

from .tasks import Constant, Operand, Result, Task

ZERO = Operand(Constant(0.0))


class TaskList:
    """`put` creates a task, or finds an equal one."""

    def __init__(self):
        self.tasks, self._levels, self._known = [], [], {}

    def put(self, kind, port, angle=False, **operands):
        """The operand that is the result of a task at a port."""
        task = Task(kind, angle=angle, **operands)
        if task not in self._known:
            self._known[task] = len(self.tasks)
            self.tasks.append(task)
            self._levels.append(1 + max(self.level(o) for o in operands.values()))
        return Operand(Result(self._known[task], port))

    def level(self, operand):
        """The number of tasks, one after another, for which it waits."""
        return self._levels[operand.source.task] if isinstance(operand.source, Result) else 0


def scaled(operand, sign, shift=0):
    """An operand times a sign and a power of two: wires, or another constant."""
    if isinstance(operand.source, Constant):
        return Operand(Constant(operand.source.value * operand.sign * sign * 2.0**shift + 0.0))
    return Operand(operand.source, operand.sign * sign, operand.shift + shift)
