"""The kernel of the `iterate` driver by teams: the warps of a block share the steps of 32 states.

A lane is a state in every warp. Each warp does its part of every stage, as a Division has it
(passes/phases.py), and all steps; all warps wait for each other between phases. Values go from one
warp to another through shared memory: within a stage where the Division has places for them, and
from stage to stage, repetition to repetition or step to step by places of their own. These are
stored after the first barrier of a stage and loaded where the next one begins, so that a barrier is
between any load and the next store.
"""

from dataclasses import replace
from functools import partial

from ....graph.graph import size
from ....graph.operations import LEAVES
from ...source.c import SIZES, SUFFIX, TYPES
from ...source.text import PAIR, Array
from .body import LONG, DeviceStatements, device_language
from .iterate import FORGET, OWN_WORDS, Loop, LoopText, inside, parameters
from .prologue import prologue

LANES = 32
# Bits behind an exponent, the largest exponent, and bits that a first estimate has not
EXPONENTS = {"float64": (52, 2047, 32), "float32": (23, 255, 1)}

# The division of C is a branch, behind which nothing is computed until it is done.
RECIPROCAL = """
#ifdef __CUDA_ARCH__
#define ABOUT_RECIPROCAL(result, x) \\
    asm("rcp.approx.ftz.{type} %0, %1;" : "={constraint}"(result) : "{constraint}"(x))
#else
#define ABOUT_RECIPROCAL(result, x) result = FROM_BITS(BITS(1 / (x)) >> {cut} << {cut})
#endif

/* Within a unit in the last place. Numbers whose reciprocals are not normal are as zero or as
   infinite as the first estimate has them. */
static __device__ __forceinline__ {real} reciprocal({real} x)
{{
    {real} first;
    ABOUT_RECIPROCAL(first, x);
    const {real} error = fma{f}(-x, first, 1), better = fma{f}(first, {correction}, first);
    return (unsigned)(BITS(x) >> {bits} & {largest}) - 1u < {largest}u - 2u ? better : first;
}}
"""
CORRECTIONS = {"float64": "fma(error, error, error)", "float32": "error"}  # of 20 bits, of 23


def team_text(row, plan, dtype, divisions):
    """The text for a Row, the operations of each stage of which are divided among warps."""
    return _Team(row, plan, dtype, divisions).text()


class _Team(Loop):
    own_words = (*OWN_WORDS, "own", "mine", "is_own", "due")

    def __init__(self, row, plan, dtype, divisions):
        super().__init__(row, plan, dtype)
        language = device_language(dtype, "reciprocal error better first")
        divided = {"div": "{0} * reciprocal({1})"}
        self.language = replace(language, operations=language.operations | divided)
        self.stages = [
            _Stage(link, division) for link, division in zip(self.links, divisions, strict=True)
        ]
        self.stage_of = {name: stage for stage in self.stages for name in stage.graph.outputs}
        self.made = {
            (name, k): self._names.new(f"{name}_{k}_made")
            for stage in self.stages
            for name, (shape, _) in stage.graph.outputs.items()
            for k in range(size(shape))
        }
        warps = len(divisions[0].rows)
        self.parts = [_Part(self, k) for k in range(warps)]
        self.inner = max(stage.division.size for stage in self.stages)
        self.exchanged = {}  # (output, entry) -> its place
        for part in self.parts:
            for at in part.received:
                self.exchanged.setdefault(at, self.inner + len(self.exchanged))
        for stage in self.stages:
            sends = any((name, k) in self.exchanged for name, k in stage.entries)
            stage.crosses = bool(sends or stage.division.places)
            stage.phases = max(stage.division.phases, 2 if sends else 1)

    def text(self):
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
            for line in (f"case {part.warp}: {{", *inside(part.lines()), "    break;", "}")
        ]
        code = "\n".join(inside([*start, *parts, "}"]))
        text = f"""{prologue(self.dtype)}{FORGET}{_reciprocal(self.dtype)}
extern "C" __global__ void __launch_bounds__({threads}) {self.name}(
    {parameters(self.called, self.plan, self.real)})
{{
{code}
}}
"""
        nodes = sum(len(line) for s in self.stages for rows in s.division.rows for line in rows)
        return LoopText(
            text,
            self.name,
            threads,
            "long" if nodes > LONG else "usual",
            LANES,
            (self.inner + len(self.exchanged)) * LANES * SIZES[self.dtype],
        )

    def place(self, number):
        return f"own[{number} * LANES]"

    def leaf(self, key, k):
        """("input", name) and entry, or a number, if that is what an output is."""
        kind, name = key
        while kind == "output" and (node := self.stage_of[name].leaf(name, k)) is not None:
            if node.op == "const":
                return node.value
            (input_name, k), stage = node.value, self.stage_of[name]
            kind, name = stage.link.reads[input_name]
        return (kind, name), k


def _reciprocal(dtype):
    bits, largest, cut = EXPONENTS[dtype]
    return RECIPROCAL.format(
        real=TYPES[dtype],
        f=SUFFIX[dtype],
        type="f64" if dtype == "float64" else "f32",
        constraint="d" if dtype == "float64" else "f",
        correction=CORRECTIONS[dtype],
        bits=bits,
        largest=largest,
        cut=cut,
    )


class _Stage:
    """A link of the Row with its Division."""

    def __init__(self, link, division):
        self.link, self.division, self.graph = link, division, division.graph
        self.spoilt = {
            name: [spoilt and bool(self.graph.unused) for spoilt in self.graph.poisoned(name)]
            for name in self.graph.outputs
        }
        self.entries = [
            (name, k) for name, (_, nodes) in self.graph.outputs.items() for k in range(len(nodes))
        ]
        self.crosses, self.phases = False, 1

    def node(self, name, k):
        return self.graph.outputs[name][1][k]

    def leaf(self, name, k):
        """The leaf that an output is, unless that has to be computed: as what is repeated has."""
        node = self.node(name, k)
        is_leaf = node.op in LEAVES and not self.spoilt[name][k] and not self.link.repeated
        return node if is_leaf else None

    def home(self, name, k):
        """The warp that makes an output."""
        return self.division.home(self.node(name, k))


class _Part:
    """What one warp does."""

    def __init__(self, team, warp):
        self.team, self.warp = team, warp
        self.read = [self._read(stage) for stage in team.stages]  # [stage] (input, entry)
        self.inputs = set()  # (input of the step, entry) that are read
        self.passed = set()  # (output, entry) that are read by stages
        for stage, entries in zip(team.stages, self.read, strict=True):
            for name, k in entries:
                self._note(team.leaf(stage.link.reads[name], k))
                if name in stage.link.carry:
                    self.passed.add((stage.link.carry[name], k))
        for name, output in team.plan.carry.items():
            for k in range(size(team.plan.inputs[name])):
                if (name, k) in self.inputs:
                    self._note(team.leaf(("output", output), k), is_next=True)
        self.carried = [
            (name, k)
            for name, output in team.plan.carry.items()
            for k in range(size(team.plan.inputs[name]))
            if (name, k) in self.inputs or self._is_home(output, k)
        ]
        self.received = {at for at in self.passed | self._next_outputs() if not self._is_home(*at)}

    def _is_home(self, output, k):
        return self.team.stage_of[output].home(output, k) == self.warp

    def _note(self, source, is_next=False):
        if isinstance(source, tuple):
            (kind, name), k = source
            if kind == "input":
                self.inputs.add((name, k))
            elif not is_next:
                self.passed.add((name, k))

    def _next_outputs(self):
        """(output, entry) that become what this warp reads in the next step."""
        plan, found = self.team.plan, set()
        for name, k in self.carried:
            source = self.team.leaf(("output", plan.carry[name]), k)
            if isinstance(source, tuple) and source[0][0] == "output":
                found.add((source[0][1], source[1]))
        return found

    def _read(self, stage):
        """(input, entry) of a stage that this warp needs."""
        nodes = [node for line in stage.division.rows[self.warp] for node in line]
        found = {a.value for node in nodes for a in node.args if a.op == "input"}
        for name, k in stage.entries:
            if stage.home(name, k) == self.warp:
                node = stage.node(name, k)
                found |= {node.value} if node.op == "input" else set()
                if stage.spoilt[name][k]:
                    found |= {(x, j) for x, entries in stage.graph.unused for j in entries}
        return sorted(found)

    # -- lines ------------------------------------------------------------------------------------

    def lines(self):
        team, plan = self.team, self.team.plan
        held = [at for at in sorted(self.inputs) if at[0] in team.held]
        streamed = sorted({name for name, _ in self.inputs if name in plan.per_step})
        kept = [(team.real, at) for at in self.carried]
        before = [f"{team.real} {team.following[name][k]};" for name, k in self.carried]
        before += [f"{team.real} {team.made[at]};" for at in sorted(self._variables())]
        if team.few_held:
            kept += [(f"const {team.real}", at) for at in held]
        else:
            distances = (team.called["input", name] for name in dict.fromkeys(x for x, _ in held))
            before += [f"FORGET({name}_entry);" for name in distances]
        after = [f"{team.kept[name][k]} = {team.following[name][k]};" for name, k in self.carried]
        records = [
            name
            for name in plan.record
            if any(
                self._is_home(plan.carry.get(name, name), k)
                for k in range(size(plan.shape_of(name)))
            )
        ]
        if records:
            before.append("const bool due = ++since == every, recorded = due && is_own;")
            on = [f"{x} += {x}_step;" for x in (team.called["record", name] for name in records)]
            after.append(f"if (due) {{ since = 0; {' '.join(on)} }}")
        after += [f"{x} += {x}_step;" for x in (team.called["input", name] for name in streamed)]
        end = [
            f"{team.entry('input', name, k)} = {team.kept[name][k]};"
            for name, k in self.carried
            if self._is_home(plan.carry[name], k)
        ]
        step = [line for j, _ in enumerate(team.stages) for line in self._stage(j)]
        return [
            *(
                f"{kind} {team.registers[name][k]} = {team.entry('input', name, k)};"
                for kind, (name, k) in kept
            ),
            "#pragma unroll 1",
            "for (long long step = 0; step < steps; step++) {",
            *inside([*before, *step, *self._to_next_step(), *after]),
            "}",
            *(["if (is_own) {", *inside(end), "}"] if end else []),
        ]

    def _variables(self):
        """(output, entry) that have a variable from stage to stage."""
        repeated = {
            (name, k)
            for stage in self.team.stages
            if stage.link.repeated
            for name, k in stage.entries
            if self._is_home(name, k)
        }
        return self.passed | repeated

    def _value(self, key, k):
        """The text of an entry of what a stage reads."""
        source = self.team.leaf(key, k)
        if not isinstance(source, tuple):
            return self.team.language.operand(source)
        (kind, name), k = source
        return self.team.made[name, k] if kind == "output" else self.team.value((kind, name), k)

    def _to_next_step(self):
        """What is carried, as far as it is not there when it is made."""
        team, lines = self.team, []
        for name, k in self.carried:
            output = team.plan.carry[name]
            if self._is_home(output, k):
                continue
            source = team.leaf(("output", output), k)
            if isinstance(source, tuple) and source[0][0] == "output":
                value = team.place(team.exchanged[source[0][1], source[1]])
            else:
                value = self._value(("output", output), k)
            lines.append(f"{team.following[name][k]} = {value};")
        return lines

    def _stage(self, j):
        team, stage, link = self.team, self.team.stages[j], self.team.stages[j].link
        old = {  # what is carried, before it is written
            (name, k): team._names.new(f"{name}_{k}_old")
            for name, k in self.read[j]
            if name in link.carry
        }
        received = dict.fromkeys(
            (source[0][1], source[1])
            for source in (team.leaf(link.reads[name], k) for name, k in self.read[j])
            if isinstance(source, tuple) and source[0][0] == "output"
        )
        first = [
            f"{team.made[at]} = {team.place(team.exchanged[at])};"
            for at in received
            if at in self.received
        ]
        if not link.repeated:
            return [*first, "{", *inside(self._statements(j, old)), "}"]
        first += [
            f"{team.made[link.carry[name], k]} = {self._value(link.reads[name], k)};"
            for name, k in old
        ]
        before = [
            f"const {team.real} {variable} = {team.made[link.carry[name], k]};"
            for (name, k), variable in old.items()
        ]
        between = [
            f"{team.made[at]} = {team.place(team.exchanged[at])};"
            for at in ((link.carry[name], k) for name, k in old)
            if at in self.received
        ]
        after = [
            line
            for name, k in stage.entries
            if stage.home(name, k) == self.warp
            for line in team.stored(name, k, team.made[name, k])
        ]
        count = team._names.new("repetition")
        return [
            *first,
            "#pragma unroll 1",
            f"for (int {count} = 0; {count} < {link.stage.repeat}; {count}++) {{",
            *inside([*before, *self._statements(j, old), *between]),
            "}",
            *after,
        ]

    def _statements(self, j, old):
        """The lines of a stage, or of one repetition, with its barriers."""
        team, stage = self.team, self.team.stages[j]
        graph, division, reads = stage.graph, stage.division, stage.link.reads

        def load(array, k):
            return old.get((array.name, k)) or self._value(reads[array.name], k)

        text = _PartStatements(
            team.language,
            {name: Array(name, shape, False) for name, shape in graph.inputs.items()},
            load,
            {node.index: k for k, node in enumerate(graph.nodes)},
            {index: team.place(place) for index, place in division.places.items()},
            {index for index, k in division.senders.items() if k == self.warp},
        )
        rows, late, results = division.rows[self.warp], [], {}
        for name, k in stage.entries:
            if stage.home(name, k) == self.warp:
                results.setdefault(stage.node(name, k), []).append((name, k))
        text.bring_angles([node for line in rows for node in line], team.dtype)
        poisoned = any(stage.spoilt[name][k] for at in results.values() for name, k in at)
        poison = text.poison(graph.unused) if poisoned else None

        def made(lines, node):
            for name, k in results.get(node, ()):
                value = text.value(node) + (f" + {poison}" if stage.spoilt[name][k] else "")
                if (name, k) in self._variables():
                    text.lines.append(f"{team.made[name, k]} = {value};")
                if not stage.link.repeated:
                    text.lines += team.stored(name, k, value)
                if (name, k) in team.exchanged:
                    lines.append(f"{team.place(team.exchanged[name, k])} = {value};")

        for node in results:
            if node.op in LEAVES:
                made(late, node)
        for phase in range(stage.phases):
            if phase == 1:
                text.lines += late
            if phase < len(rows):
                done = partial(made, text.lines if phase else late)
                angles, before = _angles(rows[phase])
                text.compute(before, done)
                text.bring(angles, team.dtype)
                text.compute(rows[phase], done)
            text.lines += ["ALL_TOGETHER();"] if stage.crosses else []
        return text.lines


def _angles(row):
    """Angles of a phase that no sine of it is needed for, but inputs; and what they are made of."""
    own = {node.index for node in row}
    turned = set()  # sines, and what is made of them
    for node in row:
        if node.op in PAIR or any(a.index in turned for a in node.args):
            turned.add(node.index)
    found = {node.args[0].index: node.args[0] for node in row if node.op in PAIR}
    angles = [a for a in found.values() if a.op not in LEAVES and a.index not in turned]
    needed = {a.index for a in angles}
    for node in reversed(row):
        if node.index in needed:
            needed |= {a.index for a in node.args} & own
    return angles, [node for node in row if node.index in needed]


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
