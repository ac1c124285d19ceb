"""The self-test of WebAssembly, for Node."""

import json


def self_test(about, vectors):
    """A program that compares a Kernel with `vectors`; it exits with 0 if they agree."""
    name = about["name"]
    given = dict(zip(about["inputs"], (_flat(array) for array in vectors.inputs), strict=True))
    outputs = zip(about["outputs"], vectors.outputs, vectors.sizes, strict=True)
    expected = {
        key: {"values": _flat(array), "large": _flat(sizes)} for key, array, sizes in outputs
    }
    return f"""// Compares {name} with results of the interpreter of Paraxis, in a batch and one
// by one. Prints the error and exits with 0 when it is small, else with 1.
import {{ readFile }} from "node:fs/promises";

// As data, so that it is a module to Node whatever the folder's package.json is.
const beside = (ending, code) => readFile(new URL(`./{name}.${{ending}}`, import.meta.url), code);
const {{ load }} = await import(`data:text/javascript;base64,${{await beside("js", "base64")}}`);

const STATES = {vectors.states};
const GIVEN = {json.dumps(given)};
const EXPECTED = {json.dumps(expected)};

const kernel = await load(await beside("wasm"));
let worst = 0;

// The largest difference, each as a share of what is large for its entry.
function compare(found, first) {{
  for (const [name, {{ values, large }}] of Object.entries(EXPECTED))
    found[name].forEach((value, k) => {{
      const error = Math.abs(value - values[first * large.length + k]) / large[k % large.length];
      worst = Math.max(worst, error); // NaN stays
    }});
}}

compare(kernel.compute(GIVEN), 0);
for (let state = 0; state < STATES; state++) {{
  const one = Object.entries(GIVEN).map(([name, values]) => {{
    const entries = values.length / STATES;
    return [name, values.slice(state * entries, (state + 1) * entries)];
  }});
  compare(kernel.compute(Object.fromEntries(one)), state);
}}
const wanted = "at most {vectors.tolerance:.0e} wanted";
console.log(`{name}: error ${{worst.toExponential(1)}} over ${{STATES}} states, ${{wanted}}`);
process.exit(worst <= {vectors.tolerance!r} ? 0 : 1);
"""


def _flat(array):
    return array.reshape(-1).tolist()
