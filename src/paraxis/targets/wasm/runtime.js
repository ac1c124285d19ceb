// Kernels in WebAssembly, on typed arrays: Kernel maps a function over states, Iteration repeats a
// step and carries its state. `about` describes a module: its name and the shapes of its arrays by
// name, and for an iteration also which are carried, per step and recorded.

const BYTES = 8; // of a number
const { sin, cos, tan, asin, acos, atan2, exp, log, tanh } = Math;
const ENVIRONMENT = { sin, cos, tan, asin, acos, atan2, exp, log, tanh, fmod: (x, y) => x % y };

const size = (shape) => shape.reduce((product, length) => product * length, 1);

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
    const begin = this.end, end = begin + numbers * BYTES;
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536)); // RangeError if there is no more
    this.end = end;
    return begin;
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

// Places by name, and an object whose properties are their views: take each when it is needed.
function places(heap, counts) {
  const all = new Map(Object.entries(counts).map(([name, numbers]) => [name, new Place(heap, numbers)]));
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

// Arrays by name, flat; every name must be known and given.
function given(arrays, shapes, name) {
  for (const key of Object.keys(arrays))
    if (!(key in shapes)) throw new TypeError(`${name}: ${key} is not an input; its inputs are ${Object.keys(shapes).join(", ")}`);
  return Object.fromEntries(
    Object.entries(shapes).map(([key, shape]) => {
      if (!(key in arrays)) throw new TypeError(`${name}: input ${key} is missing`);
      const values = flat(arrays[key], key);
      if (values.length === 0 || values.length % size(shape) !== 0)
        throw new RangeError(`${key}: expected a multiple of ${size(shape)} numbers, found ${values.length}`);
      return [key, values];
    }),
  );
}

// Copies an array into a view, repeated if it is one state for all.
function fill(view, values, name) {
  if (values.length === view.length) view.set(values);
  else if (view.length % values.length === 0)
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
    if (this.#room?.states !== states) {
      if (this.#room?.end === this.heap.end) this.heap.end = this.#room.begin;
      this.#room = this.batch(states);
    }
    const room = this.#room;
    for (const [key, each] of Object.entries(values)) fill(room.arrays[key], each, key);
    room.run();
    return Object.fromEntries(Object.keys(this.outputs).map((key) => [key, room.arrays[key].slice()]));
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
    const [all, arrays] = places(kernel.heap, Object.fromEntries(counts));
    this.end = kernel.heap.end;
    this.arrays = arrays;
    const batch = kernel.exports[`${kernel.name}_batch`], addresses = [...all.values()].map((place) => place.address);
    this.#run = () => batch(states, ...addresses);
  }

  run() {
    this.#run();
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
    const counts = {};
    this.#rows = Object.entries(about.inputs).map(([key, shape]) => {
      const each = about.carry.includes(key) || own.includes(key);
      if (!about.per_step.includes(key)) counts[key] = size(shape) * (each ? states : 1);
      return [key, each ? size(shape) * BYTES : 0];
    });
    [this.#places, this.arrays] = places(this.heap, counts);
    if (about.until) this.#finished = new Place(this.heap, states);
  }

  // Which states have ended, where they may end early: nonzero for those.
  get finished() {
    return this.#finished?.view;
  }

  // Sets inputs by name; one state is repeated for all.
  set(arrays) {
    for (const [key, value] of Object.entries(arrays)) {
      if (!this.#places.has(key)) throw new TypeError(`${this.name}: ${key} is not an input that can be set`);
      fill(this.#places.get(key).view, flat(value, key), key);
    }
    return this;
  }

  // Does so many steps; `perStep` has arrays (steps, ...) by name. Every `every` steps are recorded:
  // returns the records by name, (steps / every, states, ...), as views that the next call reuses.
  advance(steps, every = steps, perStep = {}) {
    count(steps, "steps");
    count(every, "every");
    const { inputs, per_step, record, shapes } = this.#about;
    const { heap, states } = this, before = heap.end;
    const addresses = this.#rows.map(([key, row]) => {
      if (!per_step.includes(key)) return [this.#places.get(key).address, row];
      if (!(key in perStep)) throw new TypeError(`${this.name}: ${key} is missing, which has a value per step`);
      const place = new Place(heap, steps * size(inputs[key]) * (row ? states : 1));
      fill(place.view, flat(perStep[key], key), key);
      return [place.address, row];
    });
    const kept = Math.floor(steps / every);
    const records = record.map((key) => [key, new Place(heap, Math.max(kept, 1) * size(shapes[key]) * states)]);
    const last = [...records.map(([, place]) => place), this.#finished].filter(Boolean);
    this.#step(states, steps, every, 0, ...addresses.flat(), ...last.map((place) => place.address));
    this.done += steps;
    heap.end = before; // the next call may write there
    return Object.fromEntries(records.map(([key, place]) => [key, place.view.subarray(0, kept * size(shapes[key]) * states)]));
  }
}
