"""What became of Lee and Chang's claims about their CORDIC pipeline."""

from paraxis.hardware import Cordic
from paraxis.hardware.cordic.constants import AFTER, HYPERBOLIC, INTERLEAVED, LINEAR, MODES, gain

from ..document import CONFIRMED, REFUTED, Verdict, judged, text_of
from ..printed import printed
from .adders import additions, synthesised, unit
from .circuits import PAPER, balanced, circuit, printed_tasks
from .joint_errors import ASKED, FAR, brief, fraction
from .word_lengths import ITERATIONS, errors_with


def verdicts():
    """In the order of the paper's text."""
    found = printed("lee_chang")["cordic"]
    return [
        _speedup(found),
        _scale(found),
        _digits(found),
        _no_slower(found),
        _iterations(found),
        _pipeline(found),
        _listed(found),
    ]


def _speedup(found):
    """Of a solution every stage, and of one solution."""
    line = balanced(printed_tasks())
    one, stage = found["one_processor_ms"] * 1000, found["stage_us"]
    rate, solution = one / (stage * line.spacing), one / (stage * line.stages)
    return Verdict(
        PAPER,
        f"a speed-up of {found['speedup']} over one processor",
        judged(round(each) >= found["speedup"] for each in (rate, solution)),
        f"{one / 1000:.0f} ms over a stage of {stage} µs is {text_of(round(rate))}, for a stream "
        f"of solutions; a single one takes {line.stages} stages, which is {solution:.0f} times "
        "faster. Both with the printed times, which were not measured here",
    )


def _scale(found):
    """Within one of the last printed digit."""
    processor = Cordic(iterations=found["iterations"])
    factors = {mode: 1 / processor.table(mode).gain for mode in MODES}
    digit = {mode: 10.0 ** -_places(found["scale"][mode]) for mode in MODES}
    once = sorted(set(processor.table(HYPERBOLIC).shifts))
    plain = 1 / float(gain(HYPERBOLIC, once, 64))
    shown = ", ".join(f"{factor:.4f}" for factor in factors.values())
    return Verdict(
        PAPER,
        "k is about " + ", ".join(str(each) for each in found["scale"].values()),
        judged(abs(factors[mode] - found["scale"][mode]) < digit[mode] for mode in MODES),
        f"{shown} with {found['iterations']} iterations, compared within one of the last printed "
        f"digit; {plain:.4f} is the hyperbolic k without repeated shifts, and then some angles are "
        "out of reach",
    )


def _digits(found):
    """What the digits leave of the gain, in both places."""
    n, left = found["iterations"], {}
    for way in (INTERLEAVED, AFTER):
        tables = [Cordic(n, n, compensation=way).table(mode) for mode in MODES if mode != LINEAR]
        left[way] = max(abs(table.left - 1) for table in tables)
    between, after = (f"{value:.0e}".replace("-", "−") for value in left.values())
    return Verdict(
        PAPER,
        "digits of −1, 0 and 1 undo the gain, between the rotations or after them",
        judged(value < 2.0**-n for value in left.values()),
        f"of {n} bits they leave 1 ± {between} between and 1 ± {after} after them, below 2^−{n}",
    )


def _no_slower(found):
    """Iterations, additions one after another, and gates one after another."""
    rotation, after, serial = (unit(way) for way in (INTERLEAVED, AFTER, "serial"))
    (_, chain), (fewer, short) = additions(rotation), additions(after)
    times = [(each.clocks, each.clocks * additions(each)[1]) for each in (rotation, serial)]
    (clocks, long), (least, least_long) = times
    cases, gates = [clocks <= least, long <= least_long], ""
    paths = {
        row["way"]: row["clocks"] * row["total"]["longest_path"] for row in synthesised()["rows"]
    }
    if paths:
        cases.append(paths[INTERLEAVED] <= paths["serial"])
        gates = (
            f"; as gates one after another {text_of(paths[INTERLEAVED])}, "
            f"{text_of(paths[AFTER])} and {text_of(paths['serial'])}"
        )
    return Verdict(
        PAPER,
        f"with {found['shift_and_add_modules']} shift-and-add modules a rotation takes "
        f"{found['iterations']} iterations, no longer than a serial multiplier",
        judged(cases),
        f"{clocks} iterations for {least}, but in each a digit waits for its micro-rotation: "
        f"{chain} additions in a row, {long} for {least_long} in all. With digits after the "
        f"rotations {fewer} adders take {after.clocks * short}{gates}",
    )


def _iterations(found):
    """The least that keep errors within what is asked."""
    word, least = found["iterations"], found["least_iterations"]
    off = brief(errors_with(word, least).worst(FAR))
    needed = next(count for count in ITERATIONS if errors_with(word, count).worst(FAR) < ASKED)
    return Verdict(
        PAPER,
        f"{least} iterations are the least for {word} bits (quoted from Haviland and Tuszynski)",
        CONFIRMED if needed <= least else REFUTED,
        f"with {least} joint angles are up to {off} rad off; {needed} keep them within "
        f"{brief(ASKED)} rad, {fraction(FAR)} or more from singularities, which decides",
    )


def _pipeline(found):
    line, shorter = balanced(printed_tasks()), circuit().pipeline
    names = ("processors", "stages", "buffer_stages", "tapped_delay_lines")
    made = (line.processors, line.stages, line.buffers, line.tapped_delay_lines)
    ours = (shorter.processors, shorter.stages, shorter.buffers, shorter.tapped_delay_lines)
    claim = "{} processors, {} stages, {} buffer stages with {} tapped delay lines"
    return Verdict(
        PAPER,
        claim.format(*(found[name] for name in names)),
        judged([all(found[name] == value for name, value in zip(names, made, strict=True))]),
        "the printed equations give {}, {}, {} and {}, the fewest buffers of these tasks".format(
            *made
        )
        + "; shorter equations {}, {}, {} and {}".format(*ours),
    )


def _listed(found):
    listed, line = found["buffers_of_figure_3"], balanced(printed_tasks())
    return Verdict(
        PAPER,
        f"the buffers listed under Figure 3 are these {found['buffer_stages']}",
        CONFIRMED if sum(listed) == found["buffer_stages"] else REFUTED,
        f"the list adds up to {sum(listed)}; the balanced pipeline needs {line.buffers}",
    )


def _places(value):
    """The digits behind the point of a printed number."""
    _, _, behind = str(value).partition(".")
    return len(behind)
