// -- Data: the tasks, and one schedule of them at a time. ------------------------------------------

const data = JSON.parse(document.getElementById("data").textContent);
const { names, labels, groups, groupNames, weights, before, unit } = data;
const bars = data.bars.length ? data.bars : names;  // the text on them
const after = names.map(() => []);
before.forEach((firsts, task) => firsts.forEach(first => after[first].push(task)));
const messages = new Map(data.messages.map(([first, then, size]) => [`${first} ${then}`, size]));

let schedule;  // of data.schedules, with rows, chain, busy, shares and waits added

function choose(k) {
  schedule = data.schedules[k];
  if (!schedule.rows) {
    schedule.rows = rowsOf(schedule);
    schedule.chain = chainOf(schedule);
    schedule.busy = busyOf(schedule);
    schedule.shares = schedule.rows.map(
      row => row.reduce((sum, task) => sum + weights[task], 0) / (schedule.makespan || 1));
    schedule.waits = waitsOf(schedule);
  }
}

const start = task => schedule.starts[task];
const end = task => schedule.starts[task] + weights[task];
const place = task => schedule.places[task];  // its row
const processorOf = row => row < schedule.numbers.length ? `P${schedule.numbers[row]}`
  : `P${schedule.senders[row - schedule.numbers.length]} out`;  // its messages
const busyRows = () => schedule.numbers.length + schedule.senders.length;
const idleCount = () => schedule.processors - schedule.numbers.length;  // those without any task

/** When the result of one task is available to another, and the size of its message. */
function arrival(first, then) {
  const size = place(first) === place(then) ? 0 : messages.get(`${first} ${then}`) || 0;
  return { time: end(first) + size, size };
}

/** For each processor that has tasks these in order of time, for each that sends its messages; one
    row more for all that have none. */
function rowsOf({ processors, numbers, senders, starts, places }) {
  const length = numbers.length + senders.length + (processors > numbers.length ? 1 : 0);
  const rows = Array.from({ length }, () => []);
  places.forEach((place, task) => rows[place].push(task));
  rows.forEach(row => row.sort((a, b) => starts[a] - starts[b] || weights[a] - weights[b] || a - b));
  return rows;
}

/** The chain of waits that leads to the task that ends last, in order of time. */
function chainOf({ starts, causes }) {
  let task = -1;
  starts.forEach((_, k) => {
    if (task < 0 || starts[k] + weights[k] >= starts[task] + weights[task]) task = k;
  });
  const chain = [];
  for (; task >= 0; task = causes[task]) chain.push(task);
  return chain.reverse();
}

/** For each task since when its row only waits for a message; its start if it does not. */
function waitsOf({ rows, starts, causes, needs }) {
  const waits = [...starts];
  if (!messages.size) return waits;
  for (const row of rows) {
    let busy = 0;  // until when; a task of zero length may end before
    for (const task of row) {
      if (needs[task] && arrival(causes[task], task).size) {
        waits[task] = Math.min(starts[task], Math.max(end(causes[task]), busy));
      }
      busy = Math.max(busy, end(task));
    }
  }
  return waits;
}

/** How many processors are busy from each moment on, and the sum of that over time until then. */
function busyOf({ starts, places, numbers }) {
  const changes = [];
  starts.forEach((at, k) => {
    if (weights[k] > 0 && places[k] < numbers.length) changes.push([at, 1], [at + weights[k], -1]);
  });
  changes.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const times = [0], counts = [0], sums = [0];
  for (const [time, change] of changes) {
    const last = times.length - 1;
    if (time > times[last]) {
      times.push(time);
      sums.push(sums[last] + counts[last] * (time - times[last]));
      counts.push(counts[last] + change);
    } else {
      counts[last] += change;
    }
  }
  return { times, counts, sums };
}

/** The sum of busy time of all processors from 0 to a moment. */
function busyUntil(time) {
  const { times, counts, sums } = schedule.busy;
  const k = Math.max(0, firstWhere(times.length, k => times[k] > time) - 1);
  return sums[k] + counts[k] * Math.max(0, time - times[k]);
}

function busyAt(time) {
  const { times, counts } = schedule.busy;
  return counts[Math.max(0, firstWhere(times.length, k => times[k] > time) - 1)];
}

/** The first of 0, 1, ..., count - 1 that holds, or count; those that hold come last. */
function firstWhere(count, holds) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle; else low = middle + 1;
  }
  return low;
}

/** The task of a processor at a moment, or the nearest one within a tolerance; -1 if none. */
function taskAt(processor, time, tolerance) {
  const row = schedule.rows[processor] || [];
  const next = firstWhere(row.length, k => start(row[k]) > time);
  let best = -1, distance = tolerance;
  for (const k of [next - 3, next - 2, next - 1, next]) {
    const task = row[k];
    if (task === undefined) continue;
    const off = Math.max(start(task) - time, time - end(task), 0);
    if (off < distance || (off === 0 && distance === 0)) [best, distance] = [task, off];
  }
  return best;
}

/** Tasks whose name or label contains a text, in order of time. */
function search(text) {
  const wanted = text.toLowerCase();
  return names.map((_, k) => k)
    .filter(k => names[k].toLowerCase().includes(wanted) || labels[k].toLowerCase().includes(wanted))
    .sort((a, b) => start(a) - start(b));
}

/** A time with its unit. */
const timeText = value => unit ? `${text(value)} ${unit}` : text(value);

/** Integers in full, others with up to five digits; thousands separated. */
function text(value) {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Math.abs(value) >= 1000 ? value.toLocaleString("en", { maximumFractionDigits: 2 })
    : String(+value.toPrecision(5));
}
