// Kernels in WebAssembly, on typed arrays: Kernel maps a function over states, Iteration repeats a
// step and carries its state. `about` describes a module: its name and the shapes of its arrays by
// name, and for an iteration also which are carried, per step and recorded.

const BYTES = 8; // of a number
const { sin, cos, tan, asin, acos, atan2, exp, log, tanh } = Math;
const ENVIRONMENT = { sin, cos, tan, asin, acos, atan2, exp, log, tanh, fmod: (x, y) => x % y };

const size = (shape) => shape.reduce((product, length) => product * length, 1);
const has = (object, key) => Object.prototype.hasOwnProperty.call(object, key); // not what all objects inherit

async function instance(source) {
  const env = { env: ENVIRONMENT };
  if (source instanceof WebAssembly.Module) return WebAssembly.instantiate(source, env);
  return (await WebAssembly.instantiate(await source, env)).instance;
}

// The memory of a module beyond its own data and stack. Arrays are given out one after another.
class Heap {
  constructor(exports) {
    this.memory = exports.memory;
    this.end = exports.heap.value;
  }

  take(numbers) {
    const begin = this.end;
    this.need(numbers);
    this.end = begin + numbers * BYTES;
    return begin;
  }

  // Grows the memory for so many more numbers, before any of them is taken.
  need(numbers) {
    const missing = this.end + numbers * BYTES - this.memory.buffer.byteLength;
    try {
      if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
    } catch (error) {
      throw new RangeError(`memory: no room for ${numbers} more numbers: ${error.message}`);
    }
  }
}

// An array at a fixed address. The view is made anew when the memory has grown.
class Place {
  constructor(heap, numbers) {
    this.heap = heap;
    this.numbers = numbers;
    this.address = heap.take(numbers);
  }

  get view() {
    const buffer = this.heap.memory.buffer;
    if (this.kept?.buffer !== buffer) this.kept = new Float64Array(buffer, this.address, this.numbers);
    return this.kept;
  }
}

// Places for [name, numbers] by name, and an object whose properties are their views: take each when
// it is needed.
function places(heap, counts) {
  heap.need(counts.reduce((sum, [, numbers]) => sum + numbers, 0));
  const all = new Map(counts.map(([name, numbers]) => [name, new Place(heap, numbers)]));
  const views = Object.create(null);
  for (const [name, place] of all) Object.defineProperty(views, name, { get: () => place.view, enumerable: true });
  return [all, views];
}

function count(value, what, least = 1) {
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`${what}: expected an integer >= ${least}, found ${value}`);
  return value;
}

// A number, nested arrays or a typed array as one flat array.
function flat(value, name) {
  if (ArrayBuffer.isView(value)) return value;
  const numbers = Array.isArray(value) ? value.flat(Infinity) : [value];
  for (const number of numbers)
    if (typeof number !== "number") throw new TypeError(`${name}: expected numbers, found ${typeof number}`);
  return numbers;
}

// Arrays by name, flat; every name must be known and given. A number is that of all entries.
function given(arrays, shapes, name) {
  for (const key of Object.keys(arrays))
    if (!has(shapes, key)) throw new TypeError(`${name}: ${key} is not an input; its inputs are ${Object.keys(shapes).join(", ")}`);
  return Object.fromEntries(
    Object.entries(shapes).map(([key, shape]) => {
      if (!has(arrays, key)) throw new TypeError(`${name}: input ${key} is missing`);
      const one = size(shape), value = arrays[key];
      const values = typeof value === "number" ? new Float64Array(one).fill(value) : flat(value, key);
      if (values.length === 0 || values.length % one !== 0)
        throw new RangeError(`${key}: expected a multiple of ${one} numbers, found ${values.length}`);
      return [key, values];
    }),
  );
}

// Copies an array into a view, repeated if it has the `one` numbers of one state. A number is that
// of all entries.
function fill(view, value, one, name) {
  if (typeof value === "number") return view.fill(value);
  const values = flat(value, name);
  if (values.length === view.length) view.set(values);
  else if (values.length === one)
    for (let at = 0; at < view.length; at += values.length) view.set(values, at);
  else throw new RangeError(`${name}: expected ${view.length} numbers, or those of one state, found ${values.length}`);
}

export class Kernel {
  static async load(about, source) {
    return new Kernel(about, (await instance(source)).exports);
  }

  #room;

  constructor(about, exports) {
    Object.assign(this, { name: about.name, inputs: about.inputs, outputs: about.outputs });
    this.exports = exports;
    this.heap = new Heap(exports);
  }

  // Results of one state or of a batch, by name, as arrays of their own.
  compute(arrays) {
    const values = given(arrays, this.inputs, this.name);
    const states = Math.max(1, ...Object.entries(values).map(([key, each]) => each.length / size(this.inputs[key])));
    const { arrays: room } = this.#roomFor(states);
    for (const [key, each] of Object.entries(values)) {
      const one = size(this.inputs[key]);
      fill(room[key].subarray(0, one * states), each, one, key);
    }
    this.#room.run(states);
    return Object.fromEntries(
      Object.entries(this.outputs).map(([key, shape]) => [key, room[key].slice(0, size(shape) * states)]),
    );
  }

  // A batch of at least so many states, kept for the next call. One that cannot be given back, since
  // there are others after it, is followed by one twice as large, so that what is lost stays small.
  #roomFor(states) {
    const kept = this.#room;
    if (kept?.states >= states) return kept;
    const last = kept?.end === this.heap.end;
    this.#room = null;
    if (last) this.heap.end = kept.begin;
    return (this.#room = this.batch(kept && !last ? Math.max(states, 2 * kept.states) : states));
  }

  // Arrays for so many states that stay in the module's memory: set inputs, run, read outputs.
  batch(states) {
    return new Batch(this, count(states, "states"));
  }
}

class Batch {
  #run;

  constructor(kernel, states) {
    this.states = states;
    this.begin = kernel.heap.end;
    const counts = Object.entries({ ...kernel.inputs, ...kernel.outputs }).map(([key, shape]) => [key, size(shape) * states]);
    const [all, arrays] = places(kernel.heap, counts);
    this.end = kernel.heap.end;
    this.arrays = arrays;
    const batch = kernel.exports[`${kernel.name}_batch`], addresses = [...all.values()].map((place) => place.address);
    this.#run = (first) => batch(first, ...addresses);
  }

  // Computes all states, or the first so many.
  run(first = this.states) {
    if (count(first, "states") > this.states) throw new RangeError(`states: expected at most ${this.states}, found ${first}`);
    this.#run(first);
    return this;
  }
}

export class Iteration {
  #about;
  #places;
  #step;
  #rows;
  #finished;

  static async load(about, source, states, own) {
    return new Iteration(about, (await instance(source)).exports, states, own);
  }

  // `arrays` has the inputs by name; carried ones hold the state after the last step. An input that
  // is not carried is shared by all states unless it is named in `own`.
  constructor(about, exports, states = 1, own = []) {
    this.#about = about;
    this.name = about.name;
    this.states = count(states, "states");
    this.heap = new Heap(exports);
    this.done = 0; // steps
    this.#step = exports[`${about.name}_iterate`];
    for (const key of own)
      if (!has(about.inputs, key)) throw new TypeError(`${this.name}: ${key}, named in own, is not an input`);
    const counts = [];
    this.#rows = Object.entries(about.inputs).map(([key, shape]) => {
      const each = about.carry.includes(key) || own.includes(key);
      if (!about.per_step.includes(key)) counts.push([key, size(shape) * (each ? states : 1)]);
      return [key, each ? size(shape) * BYTES : 0];
    });
    [this.#places, this.arrays] = places(this.heap, counts);
    if (about.until) this.#finished = new Place(this.heap, states);
  }

  // Which states have ended, where they may end early: nonzero for those.
  get finished() {
    return this.#finished?.view;
  }

  // Sets inputs by name; one state is repeated for all. States that are given anew have not ended.
  set(arrays) {
    for (const [key, value] of Object.entries(arrays)) {
      if (!this.#places.has(key)) throw new TypeError(`${this.name}: ${key} is not an input that can be set`);
      fill(this.#places.get(key).view, value, size(this.#about.inputs[key]), key);
      if (this.#about.carry.includes(key)) this.finished?.fill(0);
    }
    return this;
  }

  // Does so many steps; `perStep` has arrays (steps, ...) by name. Every `every` steps are recorded:
  // returns the records by name, (steps / every, states, ...), as views that the next call reuses.
  advance(steps, every = steps, perStep = {}) {
    count(steps, "steps");
    count(every, "every");
    for (const key of Object.keys(perStep))
      if (!this.#about.per_step.includes(key)) throw new TypeError(`${this.name}: ${key} has no value per step`);
    const before = this.heap.end;
    try {
      return this.#advance(steps, every, perStep);
    } finally {
      this.heap.end = before; // the next call may write there
    }
  }

  #advance(steps, every, perStep) {
    const { inputs, per_step, record, shapes } = this.#about;
    const { heap, states } = this;
    const addresses = this.#rows.map(([key, row]) => {
      if (!per_step.includes(key)) return [this.#places.get(key).address, row];
      if (!has(perStep, key)) throw new TypeError(`${this.name}: ${key} is missing, which has a value per step`);
      const one = size(inputs[key]), place = new Place(heap, steps * one * (row ? states : 1));
      fill(place.view, perStep[key], one, key);
      return [place.address, row];
    });
    const kept = Math.floor(steps / every);
    const records = record.map((key) => [key, new Place(heap, Math.max(kept, 1) * size(shapes[key]) * states)]);
    const last = [...records.map(([, place]) => place), this.#finished].filter(Boolean);
    this.#step(states, steps, every, 0, ...addresses.flat(), ...last.map((place) => place.address));
    this.done += steps;
    return Object.fromEntries(records.map(([key, place]) => [key, place.view.subarray(0, kept * size(shapes[key]) * states)]));
  }
}
