// -- Data: maps by policy and axis; and which of them are shown. -----------------------------------

const data = JSON.parse(document.getElementById("data").textContent);
const { periods, axes, maps } = data;
const policies = Object.keys(maps), axisNames = Object.keys(axes);
const chosen = { policy: policies[0], beside: bestOthers()[0] || "", axis: axisNames[0], cell: null };
let hover = null;  // the cell under the pointer, as chosen.cell: { row, column }

const axis = () => axes[chosen.axis];
const looked = () => [chosen.policy, ...(chosen.beside ? [chosen.beside] : [])];
const mapOf = policy => maps[policy][chosen.axis];
const boundaryOf = (map, row) => map.boundary[row] ?? Infinity;  // beyond the map

/** All policies but the first, the largest safe period at usual conditions first. */
function bestOthers() {
  const axis = axisNames[0], row = usualRow(axes[axis]);
  const safe = policy => maps[policy][axis].boundary[row] ?? Infinity;
  return policies.slice(1).sort((a, b) => safe(b) - safe(a));
}

/** The row of an axis that is nearest to usual conditions. */
function usualRow({ values, usual }) {
  const far = value => Math.abs(value - usual);
  return values.reduce((best, value, k) => far(value) < far(values[best]) ? k : best, 0);
}

/** The result of a run, and its prediction. */
function outcome(policy, { row, column }) {
  const map = mapOf(policy), value = map.cells[row][column], boundary = boundaryOf(map, row);
  const lost = value < 0;
  return { lost, error: value, at: -value, boundary, stable: periods[column] <= boundary };
}

const trifle = data.bound * 1e-6;  // smaller errors count as equal

/** The errors at the colour stops: a quarter of the bounded runs shown is between any two. */
function stopsOf(policies) {
  const errors = policies.flatMap(policy => mapOf(policy).cells.flat()).filter(value => value >= 0)
    .map(error => Math.max(error, trifle)).sort((a, b) => a - b);
  if (!errors.length) errors.push(trifle);
  return [0, 1, 2, 3, 4].map(quarter => errors[Math.round(quarter * (errors.length - 1) / 4)]);
}

/** The position of an error among the stops: 0 is the first, 4 the last. */
function standing(error, stops) {
  let k = 0;
  while (k < 3 && error > stops[k + 1]) k++;
  const share = Math.log(Math.max(error, trifle) / stops[k]) / Math.log(stops[k + 1] / stops[k]);
  return k + Math.min(Math.max(share || 0, 0), 1);  // 0 / 0 if two stops are equal
}

/** The initial selection: usual conditions, the last period predicted safe. */
function usualCell() {
  const row = usualRow(axis());
  const boundary = boundaryOf(mapOf(chosen.policy), row);
  return { row, column: Math.max(periods.findLastIndex(period => period <= boundary), 0) };
}

const lookedAt = () => hover || chosen.cell || usualCell();

/** The position of a value among those of an axis: 0.5 is the middle of the first cell. */
function place(values, value, log) {
  const count = values.length, measure = log ? Math.log : x => x;
  if (count < 2) return 0.5;
  let k = values.findIndex(each => each >= value);
  k = Math.min(Math.max(k < 0 ? count - 1 : k, 1), count - 1);
  const [low, high] = [measure(values[k - 1]), measure(values[k])];
  return k - 0.5 + (measure(value) - low) / (high - low);
}

/** Round numbers from the least to the largest of an axis, at most `most` of them. */
function ticksOf(values, log, most) {
  const low = values[0], high = values[values.length - 1], slack = 1e-9;
  if (low === high) return [low];
  if (!log) {
    let step = 10 ** Math.floor(Math.log10((high - low) / most));
    step *= [1, 2, 5, 10].find(k => (high - low) / (k * step) <= most);
    const first = Math.ceil(low / step - slack), last = Math.floor(high / step + slack);
    return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
  }
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) {
      ticks.push(...steps.map(step => step * 10 ** k));
    }
    const inside = ticks.filter(tick => tick >= low * (1 - slack) && tick <= high * (1 + slack));
    if (inside.length <= most && inside.length) return inside;
  }
  return [low, high];
}

const text = value => String(+value.toPrecision(3));
const short = value => value < 1e-3 ? value.toExponential(0) : String(+value.toPrecision(2));
const milliseconds = seconds => `${text(1000 * seconds)} ms`;

// -- the address contains the selection, so that it can be shared ----------------------------------

function readAddress() {
  if (!location.hash) return;
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get("policy") in maps) chosen.policy = asked.get("policy");
  chosen.beside = asked.get("beside") in maps ? asked.get("beside") : "";
  if (asked.get("axis") in axes) chosen.axis = asked.get("axis");
  const [row, column] = (asked.get("cell") || "").split(",").map(Number);
  const there = mapOf(chosen.policy).cells[row]?.[column] !== undefined;
  chosen.cell = there ? { row, column } : null;
}

function writeAddress() {
  if (framed) return;
  const { policy, beside, cell } = chosen, said = new URLSearchParams({ policy, axis: chosen.axis });
  if (beside) said.set("beside", beside);
  if (cell) said.set("cell", `${cell.row},${cell.column}`);
  history.replaceState(null, "", `#${said}`);
}
