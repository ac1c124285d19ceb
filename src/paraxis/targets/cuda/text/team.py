"""The kernel of the `iterate` driver by teams: the warps of a block share the steps of 32 states.

A lane is a state in every warp. Each warp does its part of a Division (passes/phases.py), all steps
in it; values go from one warp to another through shared memory, and all warps wait for each other
between phases. What is carried is in registers of the warps that use it, and written by the warp
that makes it.
"""

from ....graph.graph import size
from ....graph.operations import LEAVES
from ...source.c import SIZES
from ...source.text import Array
from .body import LONG, DeviceStatements, device_language
from .iterate import FORGET, OWN_WORDS, Loop, LoopText, inside
from .prologue import prologue

LANES = 32


def team_text(row, plan, dtype, division):
    """The text for a Row of one stage, whose operations are divided among warps."""
    return _Team(row, plan, dtype, division).text()


class _Team(Loop):
    own_words = (*OWN_WORDS, "own", "mine", "is_own", "due")

    def __init__(self, row, plan, dtype, division):
        super().__init__(row, plan, dtype)
        self.division, self.graph = division, division.graph
        (self.link,) = self.links
        self.parts = [_Part(self, k) for k in range(len(division.rows))]
        self.exchanged = self._exchanged()
        crosses = bool(division.places or self.exchanged)
        # What is exchanged is stored after the first barrier, and loaded after the last.
        self.phases = max(division.phases, 2 if self.exchanged else 1)
        self.barrier = ["ALL_TOGETHER();"] if crosses else []

    def _exchanged(self):
        """(carried input, entry) -> the place through which it comes to other warps."""
        places = {}
        for name, output in self.plan.carry.items():
            for k, node in enumerate(self.graph.outputs[output][1]):
                home = self.division.home(node)
                if any((name, k) in part.reads for part in self.parts if part.number != home):
                    places[name, k] = self.division.size + len(places)
        return places

    def text(self):
        places = self.division.size + len(self.exchanged)
        threads = LANES * len(self.parts)
        start = [
            "SHARED(memory);",
            f"{self.real} *const own = ({self.real} *)memory + LANE;",
            "const long long mine = blockIdx.x * (long long)LANES + LANE;",
            "const bool is_own = mine < states;",
            "const long long state = is_own ? mine : states - 1;",
            *(f"{name} += state * {name}_state;" for name in self.called.values()),
            "switch (WARP) {",
        ]
        parts = [
            line
            for part in self.parts
            for line in (f"case {part.number}: {{", *inside(part.lines()), "    break;", "}")
        ]
        code = "\n".join(inside([*start, *parts, "}"]))
        text = f"""{prologue(self.dtype)}{FORGET}
extern "C" __global__ void __launch_bounds__({threads}) {self.name}(
    {self.head()})
{{
{code}
}}
"""
        nodes = sum(len(line) for rows in self.division.rows for line in rows)
        return LoopText(
            text,
            self.name,
            threads,
            "long" if nodes > LONG else "usual",
            LANES,
            places * LANES * SIZES[self.dtype],
        )

    def place(self, number):
        return f"own[{number} * LANES]"


class _Part:
    """What one warp does."""

    def __init__(self, team, number):
        self.team, self.number = team, number
        graph, division = team.graph, team.division
        self.results = {}  # node index -> (output, entry) of which the node is the value
        for name, (_, nodes) in graph.outputs.items():
            for k, node in enumerate(nodes):
                if division.home(node) == number:
                    self.results.setdefault(node.index, (node, []))[1].append((name, k))
        self.outputs = {at for _, made in self.results.values() for at in made}
        self.reads = self._reads()

    def _reads(self):
        """(input, entry) that it needs."""
        team = self.team
        nodes = [node for line in team.division.rows[self.number] for node in line]
        found = {a.value for node in nodes for a in node.args if a.op == "input"}
        found |= {node.value for node, _ in self.results.values() if node.op == "input"}
        if any(team.graph.poisoned(name)[k] for name, k in self.outputs):
            found |= {(name, k) for name, entries in team.graph.unused for k in entries}
        return found

    def lines(self):
        team, plan = self.team, self.team.plan
        carried = [
            (name, k)
            for name, output in plan.carry.items()
            for k in range(size(plan.inputs[name]))
            if (name, k) in self.reads or (output, k) in self.outputs
        ]
        made = [(name, k) for name, k in carried if (plan.carry[name], k) in self.outputs]
        held = [at for at in sorted(self.reads) if at[0] in team.held]
        arrays = {("input", name) for name, _ in self.reads if name in plan.per_step}
        before = [f"{team.real} {team.following[name][k]};" for name, k in made]
        if team.few_held:
            start = [(f"const {team.real}", at) for at in held]
        else:
            start = []
            distances = (team.called["input", name] for name in dict.fromkeys(x for x, _ in held))
            before += [f"FORGET({name}_entry);" for name in distances]
        records = [
            name
            for name in plan.record
            if any(output == plan.carry.get(name, name) for output, _ in self.outputs)
        ]
        after = [f"{team.kept[name][k]} = {self._next(name, k)};" for name, k in carried]
        if records:
            before.append("const bool due = ++since == every, recorded = due && is_own;")
            on = [f"{x} += {x}_step;" for x in (team.called["record", name] for name in records)]
            after.append(f"if (due) {{ since = 0; {' '.join(on)} }}")
        after += [f"{x} += {x}_step;" for x in sorted(team.called[key] for key in arrays)]
        end = [f"{team.entry('input', name, k)} = {team.kept[name][k]};" for name, k in made]
        return [
            *(
                f"{kind} {team.registers[name][k]} = {team.entry('input', name, k)};"
                for kind, (name, k) in [*((team.real, at) for at in carried), *start]
            ),
            "#pragma unroll 1",
            "for (long long step = 0; step < steps; step++) {",
            *inside([*before, *self._step(), *after]),
            "}",
            *(["if (is_own) {", *inside(end), "}"] if end else []),
        ]

    def _next(self, name, k):
        """What an entry is in the next step."""
        team = self.team
        if (team.plan.carry[name], k) in self.outputs:
            return team.following[name][k]
        return team.place(team.exchanged[name, k])

    def _step(self):
        team, graph = self.team, self.team.graph
        language = device_language(team.dtype)
        numbers = {node.index: k for k, node in enumerate(graph.nodes)}
        inputs = {name: Array(name, shape, False) for name, shape in graph.inputs.items()}
        text = _PartStatements(
            language,
            inputs,
            lambda array, k: team.value(team.link.reads[array.name], k),
            numbers,
            {index: team.place(place) for index, place in team.division.places.items()},
            {index for index, k in team.division.senders.items() if k == self.number},
        )
        rows = team.division.rows[self.number]
        text.bring_angles([node for line in rows for node in line], team.dtype)
        spoilt = {name: graph.poisoned(name) for name in graph.outputs}
        poison = None
        if any(spoilt[name][k] for name, k in self.outputs):
            poison = text.poison(graph.unused)
        late = []  # what is stored after the first barrier

        def made(node):
            for name, k in self.results.get(node.index, (None, ()))[1]:
                value = text.value(node)
                value = f"{value} + {poison}" if poison and spoilt[name][k] else value
                text.lines += team.stored(name, k, value)
                place = team.exchanged.get((team.becomes.get(name), k))
                if place is not None:
                    line = f"{team.place(place)} = {value};"
                    (late if is_first else text.lines).append(line)

        is_first = True
        for node, _ in self.results.values():
            if node.op in LEAVES:
                made(node)
        for phase in range(team.phases):
            if phase == 1:
                text.lines += late
                is_first = False
            if phase < len(rows):
                text.compute(rows[phase], made)
            text.lines += team.barrier
        return text.lines


class _PartStatements(DeviceStatements):
    """Statements of one warp: values of others are loaded where they are first used, and its own
    that others need are stored as soon as they are made."""

    def __init__(self, language, inputs, entry, numbers, places, sent):
        super().__init__(language, inputs, entry, numbers)
        self._shared, self._sent = places, sent

    def _place(self, node):
        return self._shared[node.index]

    def _keep(self, *nodes):
        for node in nodes:
            if node.index in self._sent:
                self.lines.append(f"{self._place(node)} = {self.value(node)};")
