"""The kernel of the `iterate` driver by lanes: a warp or several for each state, all steps in it.

The numbers of a state are in shared memory from the first step to the last. Inputs that are read
at each step come for the next one while this one is computed: there are two places for them, which
take turns.
"""

from ....graph.graph import size
from ...source.text import Names, function_name
from .iterate import OWN_WORDS, LoopText
from .lane_steps import LANES, LaneSteps, places
from .prologue import prologue

# The lanes of all warps of a block
OF_A_BLOCK = """
#undef LANE
#undef LANES
#undef TOGETHER
#define LANE threadIdx.x
#define LANES {lanes}
#define TOGETHER() ALL_TOGETHER()
"""
WORDS = " now next streams " + " ".join(OWN_WORDS)

ARRIVED = "ARRIVED();", "TOGETHER();"  # the numbers that each lane has asked for


def iterate_lanes_text(steps, plan, dtype="float64", warps=1):
    """The text of a Plan of the `lanes` driver, repeated as a Plan of `iterate` says, by so many
    warps for each state."""
    return _Loop(steps, plan, dtype, warps).text()


def shared_bytes(steps, plan, dtype):
    """Of a block, which has one state."""
    return _Loop(steps, plan, dtype).shared


class _Loop:
    def __init__(self, steps, plan, dtype, warps=1):
        self.steps, self.plan, self.threads = steps, plan, warps * LANES
        kept = [name for name in plan.inputs if name not in plan.per_step]
        self.starts, room = places(steps, kept, plan.per_step)
        streams = 0
        for name in plan.per_step:
            self.starts[name], streams = streams, streams + size(plan.inputs[name])
        self.body = LaneSteps(steps, dtype, self.starts, dict.fromkeys(plan.per_step, "now"), WORDS)
        per = self.body.per
        self.room, self.streams = (-(-count // per) * per for count in (room, streams))
        self.shared = self.body.shared(self.room + 2 * self.streams)
        self.dtype, self.real = dtype, self.body.real
        self.name = function_name(steps, None, self.body.language) + f"_{warps}_warps_loop"
        names = Names(self.body.language, self.name)
        self.arrays = [("input", name) for name in plan.inputs]
        self.arrays += [("record", name) for name in plan.record]
        self.called = {key: names.new("_".join(reversed(key))) for key in self.arrays}

    def text(self):
        body, numbers = self.body, len(self.body.numbers)
        after = numbers + self.room
        streamed = [self.called["input", name] for name in self.plan.per_step]
        others = [("input", name) for name in self.plan.inputs if name not in self.plan.per_step]
        start = [
            "SHARED(memory);",
            f"{self.real} *const numbers = ({self.real} *)memory;",
            f"{self.real} *const own = numbers + {numbers};",
            f"{self.real} *const streams = numbers + {after};",
            f"short *const table = (short *)(numbers + {after + 2 * self.streams});",
            "const long long state = blockIdx.x;",
            *(f"{name} += state * {name}_state;" for name in self.called.values()),
            *body.copied(self.name, self.threads),
            *(self._brought(key, "own") for key in others),
            *(self._brought(("input", name), "streams") for name in self.plan.per_step),
            *ARRIVED,
            *body.first,
        ]
        step = [
            f"{self.real} *const now = streams + (step & 1) * {self.streams};",
            f"{self.real} *const next = streams + (~step & 1) * {self.streams};",
            *(f"{name} += {name}_step;" for name in streamed),
            "if (step + 1 < steps) {",
            *("    " + self._brought(("input", name), "next") for name in self.plan.per_step),
            "}",
            *body.lines,
            *self._after(),
        ]
        end = [
            f"{self._each(self.plan.inputs[name])} "
            f"{self._entry(('input', name))} = own[{self.starts[name]} + k];"
            for name in self.plan.carry
        ]
        of_a_block = OF_A_BLOCK.format(lanes=self.threads) if self.threads > LANES else ""
        text = f"""{prologue(self.dtype)}{of_a_block}
{body.definitions(self.name)}
extern "C" __global__ void __launch_bounds__({self.threads}) {self.name}(
    {self._head()})
{{
{_indented(start, 1)}
#pragma unroll 1
    for (long long step = 0; step < steps; step++) {{
{_indented(step, 2)}
    }}
{_indented(end, 1)}
}}
"""
        return LoopText(text, self.name, self.threads, "usual", 1, self.shared)

    def _after(self):
        """What a step ends with."""
        lines = []
        outputs = {name: (field, first) for name, (_, field, first) in self.steps.outputs.items()}
        for name, output in self.plan.carry.items():
            field, first = outputs[output]
            if (field, first) != (name, 0):
                come = f"own[{self.starts[name]} + k] = own[{self.starts[field] + first} + k];"
                lines.append(f"{self._each(self.plan.inputs[name])} {come}")
        if self.plan.record:
            if lines:
                lines.append("TOGETHER();")
            lines += ["if (++since == every) {", "    since = 0;"]
            for name in self.plan.record:
                field, first = (name, 0) if name in self.plan.carry else outputs[name]
                to, pointer = self._entry(("record", name)), self.called["record", name]
                pointer = f"{pointer} += {pointer}_step;"
                here = f"{self.body.elsewhere.get(field, 'own')}[{self.starts[field] + first} + k]"
                lines.append(f"    {self._each(self.plan.shape_of(name))} {to} = {here};")
                lines.append(f"    {pointer}")
            lines.append("}")
        return [*lines, *ARRIVED]

    def _head(self):
        words = ["long long states, long long steps, long long every, long long since"]
        for (kind, name), called in self.called.items():
            read = kind == "input" and name not in self.plan.carry
            distances = ", ".join(f"long long {called}_{of}" for of in ("step", "state", "entry"))
            words.append(
                f"{'const ' if read else ''}{self.real} *__restrict__ {called}, {distances}"
            )
        return ",\n    ".join(words)

    def _each(self, shape):
        return f"for (int k = LANE; k < {size(shape)}; k += LANES)"

    def _brought(self, key, to):
        """A line that begins to copy an input to shared memory."""
        name = key[1]
        place = f"{to} + {self.starts[name]} + k"
        return f"{self._each(self.plan.inputs[name])} COPY_ITEM({place}, &{self._entry(key)});"

    def _entry(self, key):
        called = self.called[key]
        return f"{called}[k * {called}_entry]"


def _indented(lines, depth):
    return "\n".join("    " * depth + line for line in lines)
