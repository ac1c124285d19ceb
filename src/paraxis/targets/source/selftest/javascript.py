"""The self-test of JavaScript, for Node."""

from ..c import block_comment
from ..javascript import LANGUAGE, Function
from ..text import listed


def self_test(graph, vectors, name=None):
    """A program that compares both functions with `vectors`; it exits with 0 if they agree."""
    function = Function(graph, name)
    name = function.name
    wanted = f"at most {vectors.tolerance:.0e} wanted"
    comment = block_comment(
        [
            f"Compares {name} with results of the interpreter of Paraxis. "
            "Prints the error and exits with 0 when it is small, else with 1."
        ]
    )

    def literal(arrays):
        rows = [
            listed("    [", [LANGUAGE.literal(v) for v in array.ravel()], "],", "     ")
            for array in arrays
        ]
        return "\n".join(["[", *rows, "]"])

    return f"""{comment}

import {{ readFile }} from "node:fs/promises";

// As data, so that it is a module to Node whatever the folder's package.json is.
const text = await readFile(new URL("./{name}.js", import.meta.url), "base64");
const tested = await import(`data:text/javascript;base64,${{text}}`);

const states = {vectors.states};

const given = {literal(vectors.inputs)};

const expected = {literal(vectors.outputs)};

const large = {literal(vectors.sizes)}; // for each entry, over all states

const several = (found) => (expected.length === 1 ? [found] : Object.values(found));

/* The largest difference, each as a share of what is large for its entry; NaN if there is one. */
function error(found, wanted, size) {{
    let worst = found.length === wanted.length ? 0 : NaN;
    wanted.forEach((value, k) => {{
        worst = Math.max(worst, Math.abs(found[k] - value) / size[k % size.length]);
    }});
    return worst;
}}

const together = several(tested.{name}_batch(states, ...given));
const errors = together.map((found, k) => error(found, expected[k], large[k]));
for (let state = 0; state < states; state++) {{
    const own = (array) => {{
        const entries = array.length / states;
        return array.slice(entries * state, entries * (state + 1));
    }};
    const found = several(tested.{name}(...given.map(own)));
    errors.push(...found.map((array, k) => error(array, own(expected[k]), large[k])));
}}
const worst = Math.max(0, ...errors);
console.log(`{name}: error ${{worst.toExponential(1)}} over ${{states}} states, {wanted}`);
process.exitCode = worst <= {vectors.tolerance!r} ? 0 : 1;
"""
