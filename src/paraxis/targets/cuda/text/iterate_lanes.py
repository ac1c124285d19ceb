"""The kernel of the `iterate` driver by lanes: a warp or several for each state, all steps in it.

The numbers of a state are in shared memory from the first step to the last. Inputs that are read
at each step come for the next one while this one is computed: there are two places for them, which
take turns.
"""

from ....drivers.lanes import Step
from ....graph.graph import size
from ...source.text import Names, function_name
from .iterate import OWN_WORDS, LoopText, indented, parameters
from .lane_steps import LANES, LaneSteps, aligned, places
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
            self.starts[name] = streams
            streams += aligned(size(plan.inputs[name]))
        self.outputs = {name: (field, at) for name, (_, field, at) in steps.outputs.items()}
        now = dict.fromkeys(plan.per_step, "now")
        options = WORDS, self.threads, self._moved()
        self.body = LaneSteps(steps, dtype, self.starts, now, *options)
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
            *self._with_streams(),
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
    {parameters(self.called, self.plan, self.real)})
{{
{indented(start, 1)}
#pragma unroll 1
    for (long long step = 0; step < steps; step++) {{
{indented(step, 2)}
    }}
{indented(end, 1)}
}}
"""
        return LoopText(text, self.name, self.threads, "usual", 1, self.shared)

    def _with_streams(self):
        """The steps; before the longest that few lanes do, the others ask for what is streamed."""
        few = [k for k, step in enumerate(self.steps.steps) if self._leaves_warps(step)]
        at = max(few, key=lambda k: len(self.steps.steps[k].graph.nodes), default=0)
        first, by = (LANES, self.threads - LANES) if few else (0, self.threads)
        asked = [
            f"    for (int k = (int)LANE - {first}; k < {size(self.plan.inputs[name])}; k += {by}) "
            f"{self._asked(name, 'next')}"
            for name in self.plan.per_step
        ]
        asked = [f"if (step + 1 < steps && LANE >= {first}) {{", *asked, "}"] if asked else []
        each = [*self.body.each[:at], asked, *self.body.each[at:]]
        return [line for lines in each for line in lines]

    def _leaves_warps(self, step):
        return isinstance(step, Step) and step.items <= LANES < self.threads

    def _moved(self):
        """Numbers of results that become inputs, as pairs of where to and where from."""
        pairs = []
        for name, output in self.plan.carry.items():
            field, first = self.outputs[output]
            if (field, first) != (name, 0):
                to, start = self.starts[name], self.starts[field] + first
                pairs += [(to + k, start + k) for k in range(size(self.plan.inputs[name]))]
        return pairs

    def _after(self):
        """What a step ends with."""
        lines = [*self.body.moved]
        if self.plan.record:
            if lines:
                lines.append("TOGETHER();")
            lines += ["if (++since == every) {", "    since = 0;"]
            for name in self.plan.record:
                field, first = (name, 0) if name in self.plan.carry else self.outputs[name]
                to, pointer = self._entry(("record", name)), self.called["record", name]
                pointer = f"{pointer} += {pointer}_step;"
                here = f"{self.body.elsewhere.get(field, 'own')}[{self.starts[field] + first} + k]"
                lines.append(f"    {self._each(self.plan.shape_of(name))} {to} = {here};")
                lines.append(f"    {pointer}")
            lines.append("}")
        return [*lines, *ARRIVED]

    def _each(self, shape):
        return f"for (int k = LANE; k < {size(shape)}; k += LANES)"

    def _brought(self, key, to):
        """A line that begins to copy an input to shared memory."""
        return f"{self._each(self.plan.inputs[key[1]])} {self._asked(key[1], to)}"

    def _asked(self, name, to):
        return f"COPY_ITEM({to} + {self.starts[name]} + k, &{self._entry(('input', name))});"

    def _entry(self, key):
        called = self.called[key]
        return f"{called}[k * {called}_entry]"
