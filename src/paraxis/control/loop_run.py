"""Runs the compiled loop of a robot under sampled control."""

import numpy as np

from ..body import Body
from ..drivers.iterate import Plan
from ..robots.quaternions import require_unit_quaternions
from ..simulation.names import setting_input
from ..simulation.progress import Progress, in_pieces
from .controller import Motion
from .loop_body import NOT_YET, RECORDED, LoopBody, law_input
from .loop_times import LoopTimes, parties


class LoopRun:
    """Scenarios being run; `record` has the names to record, and `every` is 0 if there are none."""

    def __init__(self, runs, record, every, seed, late=0):
        self.runs, self.record, self.every, self.seed = runs, record, every, seed
        self.target, arrays = runs.target, runs.arrays
        self.body = LoopBody(
            runs.robot,
            runs.controller,
            runs.reference,
            runs.parameters,
            tuple((name, array.shape[1:]) for name, array in runs.settings.items()),
            delayed=bool(arrays["delay"].any()),
            encoded="encoder" in arrays,
            switched=bool(runs.controller.recursion and runs.controller.entries)
            and bool((arrays["switch_at"] > 0).any()),
            late=late,
        )
        self.outputs = tuple(RECORDED[name] for name in record if name in RECORDED)
        self.start = self._start()
        xp = self.target.arrays
        self.finals = {name: xp.empty_like(array) for name, array in self.start.items()}

    def _start(self):
        """The initial carried values, (runs, ...)."""
        runs, arrays, target = self.runs, self.runs.arrays, self.target
        desired = runs.reference.sampled(np.zeros(1), runs.settings, target)
        begin = Motion.of(runs.robot, desired)
        q, qd = arrays.get("q0", begin.q), arrays.get("qd0", begin.qd)
        if runs.robot.nq != runs.robot.nv:
            name = "q0" if "q0" in arrays else "trajectory"
            require_unit_quaternions(runs.robot, target.fetched(q), name)
        measured = q
        if self.body.encoded:
            measured = target.arrays.rint(q / arrays["encoder"]) * arrays["encoder"]
        kernel = target.map(Body(LoopBody.start_graph, self.body))
        given = {"q": measured, "qd": qd, "desired": desired}
        if self.body.law:
            past = target.put(self.body.controller.start)
            given |= {"past": past} if self.body.controller.entries else {}
            given |= {law_input(name): array for name, array in runs.law_settings.items()}
            held = kernel(**given, period=target.put(arrays["period"]))
        else:
            made = kernel(**given, kp=arrays["kp"], kd=arrays["kd"])
            held, past = made if self.body.controller.entries else (made, None)
        first = {"q": q, "qd": qd, "held": held, "pending": held, "past": past}
        first["line"] = held[:, None]
        first |= {"worst": 0.0, "diverged": NOT_YET, "missing": 0.0, "when": 0.0}
        start = {}
        for name, shape in self.body.carried.items():
            start[name] = target.arrays.empty((len(runs.numbers), *shape))
            start[name][...] = first[name]
        return start

    def run(self, plant_step):
        """The final carried values and the records, both by name."""
        runs, recorded, done = self.runs, [], 0
        each = parties(runs, plant_step)
        code = self._compiled(max(len(numbers) for numbers, *_ in each))
        times = [
            LoopTimes(runs.part(numbers), *steps, self.every, self.seed) for numbers, *steps in each
        ]
        with Progress("closed loop", sum(own.steps for own in times)) as progress:
            for own in times:
                recorded.append(self._run_party(code, own, progress, done))
                done += own.steps
        finals = {
            name: array.reshape(runs.batch + array.shape[1:]) for name, array in self.finals.items()
        }
        return finals, self._recorded([numbers for numbers, *_ in each], recorded)

    def _compiled(self, most):
        body = self.body
        plan = Plan(body.inputs, body.outputs, body.carry, tuple(body.changing), self.outputs)
        return self.target.iterate(Body(LoopBody.graph, body), plan, states=most)

    def _run_party(self, code, times, progress, before):
        """Runs all steps of a party; returns its records by their outputs, and `t`.

        `before` is the number of steps done by other parties.
        """
        party, group, target = times.party, times.group, self.target
        which = target.put(party.numbers)
        carried = {name: array[which] for name, array in self.start.items()}
        held = {name: party.arrays[name] for name in self.body.held if name in party.arrays}
        held = {name: target.put(array) for name, array in held.items()}
        held |= {setting_input(name): array for name, array in party.settings.items()}
        held |= {law_input(name): array for name, array in party.law_settings.items()}
        runs = (len(party.numbers),)
        shapes = self.body.outputs
        records = {
            name: target.empty((times.records,), runs, shapes[name]) for name in self.outputs
        }
        t, done = [], 0
        for changing in times.spans(self.body):
            steps = len(changing["t"])
            span = slice(done // group, (done + steps) // group)
            out = {name: array[span] for name, array in records.items()}
            streamed = {name: target.put(array) for name, array in changing.items()}
            iteration = code.start(steps, group, out, **carried, **held, **streamed)
            for _ in in_pieces(iteration, progress):
                progress.at(before + done + iteration.done)
            carried, done = iteration.state, done + steps
            if self.every:
                t.append(streamed["t"][group - 1 :: group])
        for name, array in carried.items():
            self.finals[name][which] = array
        return records | ({"t": target.arrays.concatenate(t)} if t else {})

    def _recorded(self, numbers, recorded):
        """The requested records, of all parties together, with the axes of the batch."""
        if not self.every:
            return {}
        runs, target = self.runs, self.target
        joined = recorded[0] if len(recorded) == 1 else _joined(numbers, recorded, target)
        t = joined["t"]
        kept = {name: joined[RECORDED[name]] for name in self.record if name in RECORDED}
        if "reference" in self.record:
            kept["reference"] = runs.reference.sampled(t, runs.settings, target)
        whole, runs_of_all = (len(t), *runs.batch), (len(t), len(runs.numbers))
        for name, array in kept.items():
            entry = array.shape[2:]
            every_run = target.arrays.broadcast_to(array, runs_of_all + entry)
            kept[name] = every_run.reshape(whole + entry)
        if "reference" in kept:
            kept["reference"] = Motion.of(runs.robot, kept["reference"])
        shared = t.shape[1] == 1
        return kept | {"t": t[:, 0] if shared else t.reshape(whole)}


def _joined(numbers, recorded, target):
    """Records of parties as one array, (records, runs, ...); shorter ones repeat their last."""
    most, runs = max(len(each["t"]) for each in recorded), sum(map(len, numbers))
    joined = {
        name: target.empty((most,), (runs,), array.shape[2:]) for name, array in recorded[0].items()
    }
    for own, each in zip(numbers, recorded, strict=True):
        which = target.put(own)
        for name, array in each.items():
            joined[name][: len(array), which] = array
            if len(array) < most:
                joined[name][len(array) :, which] = array[-1]
    return joined
