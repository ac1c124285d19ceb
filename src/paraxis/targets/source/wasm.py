"""A graph as WebAssembly: the module, a JavaScript module that loads it, and its types.

In JavaScript arrays are flat, states one after another. The loader is the same text for every
graph (targets/wasm/runtime.js), followed by a description of this one.
"""

import json
from importlib.resources import files

from ...checks import quoted
from ...errors import ArgumentError
from .text import comment_lines

KERNEL, ITERATION = "Kernel", "Iteration"


def runtime():
    """The text of the loader."""
    return files("paraxis.targets.wasm").joinpath("runtime.js").read_text("utf-8")


def runtime_script():
    """The same for a page's own script, which cannot import: it defines the two classes."""
    names = f"{{ {KERNEL}, {ITERATION} }}"
    source = runtime().replace("export class", "class")
    return f"const {names} = (() => {{\n{source}\nreturn {names};\n}})();\n"


def described(graph, name):
    """What the loader knows of a map."""
    outputs = {key: shape for key, (shape, _) in graph.outputs.items()}
    if both := [key for key in outputs if key in graph.inputs]:
        raise ArgumentError(
            f"{quoted(both[0])} is an input and an output; the loader of WebAssembly finds arrays "
            "by name: rename one"
        )
    return {"name": name, "inputs": _shapes(graph.inputs), "outputs": _shapes(outputs)}


def described_iteration(plan, name):
    """What the loader knows of a repeated step."""
    return {
        "name": name,
        "inputs": _shapes(plan.inputs),
        "carry": list(plan.carry),
        "per_step": list(plan.per_step),
        "record": list(plan.record),
        "shapes": _shapes({key: plan.shape_of(key) for key in plan.record}),
        "until": plan.until is not None,
    }


def _shapes(arrays):
    return {name: list(shape) for name, shape in arrays.items()}


def loader(about, notes=()):
    """The text of the JavaScript module; its `load` returns a Kernel or an Iteration."""
    kind, more = (ITERATION, ", states, own") if "carry" in about else (KERNEL, "")
    name = about["name"]
    comment = comment_lines([f"{name} in WebAssembly, written by Paraxis.", *notes])
    return f"""{"".join(f"// {line}".rstrip() + chr(10) for line in comment)}
{runtime()}
const about = {literal(about)};

async function bytes(url) {{
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${{url}}: ${{answer.status}} ${{answer.statusText}}`);
  return answer.arrayBuffer();
}}

// Loads {name}.wasm beside this file, or the given bytes or WebAssembly.Module.
export async function load(source{more}) {{
  const module = source ?? (await bytes(new URL("./{name}.wasm", import.meta.url)));
  return {kind}.load(about, module{more});
}}
"""


def literal(data):
    """Data in JavaScript. Without brackets `__proto__` would be no property."""
    return json.dumps(data).replace('"__proto__":', '["__proto__"]:')


SOURCE = "BufferSource | Promise<BufferSource> | WebAssembly.Module"


def declaration(about):
    """The types of that module, for TypeScript."""
    if "carry" in about:
        return _of_iteration(about)
    every = {**about["inputs"], **about["outputs"]}
    return f"""/** Numbers of one state or of a batch, flat or nested, states one after another. */
export type Numbers = number | ArrayLike<number> | readonly Numbers[];

export interface Batch {{
  readonly states: number;
  /** Arrays in the module's memory: set inputs, run, read outputs. */
  readonly arrays: {_views(every)};
  /** Computes all states, or the first so many. */
  run(states?: number): this;
}}

export class Kernel {{
  readonly name: string;
  readonly inputs: Record<string, number[]>;
  readonly outputs: Record<string, number[]>;
  compute(arrays: {_fields(about["inputs"], "Numbers")}): {_fields(about["outputs"])};
  batch(states: number): Batch;
}}

export function load(source?: {SOURCE}): Promise<Kernel>;
"""


def _of_iteration(about):
    held = [key for key in about["inputs"] if key not in about["per_step"]]
    given = _fields(about["per_step"], "Numbers")
    last = f", perStep: {given}" if about["per_step"] else ""
    every = "every: number | undefined" if about["per_step"] else "every?: number"
    own = " | ".join(json.dumps(key) for key in held if key not in about["carry"]) or "never"
    return f"""/** Numbers of one state or of all, flat or nested, states one after another. */
export type Numbers = number | ArrayLike<number> | readonly Numbers[];

export class Iteration {{
  readonly name: string;
  readonly states: number;
  /** Steps done. */
  readonly done: number;
  /** Inputs in the module's memory; carried ones hold the state after the last step. */
  readonly arrays: {_views(held)};
  /** Nonzero for states that have ended, where they may end early. */
  readonly finished: Float64Array | undefined;
  set(arrays: Partial<{_fields(held, "Numbers")}>): this;
  /** Does steps; returns what is recorded, as views that the next call reuses. */
  advance(steps: number, {every}{last}): {_fields(about["record"])};
}}

export function load(source?: {SOURCE}, states?: number, own?: ({own})[]): Promise<Iteration>;
"""


def _views(names):
    return "{ " + "".join(f"readonly {json.dumps(name)}: Float64Array; " for name in names) + "}"


def _fields(names, kind="Float64Array"):
    return "{ " + "".join(f"{json.dumps(name)}: {kind}; " for name in names) + "}"
