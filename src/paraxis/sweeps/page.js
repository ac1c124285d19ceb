// -- A slice of a result as cells, and its histogram. -----------------------------------------------

const data = JSON.parse(byId("data").textContent);
const ramp = [[43, 26, 90], [125, 42, 138], [217, 98, 43], [246, 211, 74]];
const chosen = { result: 0, across: data.axes.length - 1, up: Math.max(data.axes.length - 2, 0), at: [] };
data.axes.forEach(() => chosen.at.push(0));

function colour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const k = Math.min(Math.floor(place), ramp.length - 2), part = place - k;
  const mixed = ramp[k].map((c, i) => Math.round(c + part * (ramp[k + 1][i] - c)));
  return `rgb(${mixed.join(",")})`;
}

const strides = data.axes.map((_, k) => data.axes.slice(k + 1).reduce((n, a) => n * a.values.length, 1));
const words = (axis, k) => `${axis.name} ${axis.values[k]}${axis.unit ? " " + axis.unit : ""}`;

/** The index of the cell at column x and row y of the slice that is chosen. */
function cellAt(x, y) {
  const at = [...chosen.at];
  at[chosen.up] = y;
  at[chosen.across] = x;
  return at.reduce((sum, k, axis) => sum + k * strides[axis], 0);
}

function prepared(canvas) {
  const scale = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  canvas.width = box.width * scale;
  canvas.height = box.height * scale;
  return canvas.getContext("2d");
}

function size() {
  const columns = data.axes[chosen.across].values.length;
  return [columns, chosen.up === chosen.across ? 1 : data.axes[chosen.up].values.length];
}

function drawCells() {
  const result = data.results[chosen.result];
  byId("slice").hidden = !result.cells;
  if (!result.cells) return;
  const finite = result.cells.filter(x => x !== null);
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const largest = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const wide = least > 0 && largest > 100 * least, measure = wide ? Math.log : x => x;
  const canvas = byId("cells"), context = prepared(canvas), [columns, rows] = size();
  const width = canvas.width / columns, height = canvas.height / rows;
  context.clearRect(0, 0, canvas.width, canvas.height);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const value = result.cells[cellAt(x, y)];
      if (value === null) continue;
      context.fillStyle = colour(largest > least ? (measure(value) - measure(least)) / (measure(largest) - measure(least)) : 0.5);
      context.fillRect(x * width, (rows - 1 - y) * height, Math.ceil(width), Math.ceil(height));
    }
  }
  byId("least").textContent = finite.length ? `${least} ${result.unit}` : "nothing is finite";
  byId("largest").textContent = finite.length ? `${largest}${result.unit && " " + result.unit}${wide ? ", logarithmic" : ""}` : "";
  const ends = axis => `${words(axis, 0)} to ${words(axis, axis.values.length - 1)}`;
  const across = `Across: ${ends(data.axes[chosen.across])}.`;
  byId("axes").textContent = chosen.up === chosen.across ? across : `${across} Up: ${ends(data.axes[chosen.up])}.`;
}

function drawHistogram() {
  const { edges, counts } = data.results[chosen.result].histogram;
  const canvas = byId("histogram"), context = prepared(canvas);
  const most = Math.max(...counts, 1), width = canvas.width / counts.length;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--c1");
  counts.forEach((count, k) => {
    const height = count / most * canvas.height;
    context.fillRect(k * width + 1, canvas.height - height, width - 2, height);
  });
  const unit = data.results[chosen.result].unit;
  byId("bins").textContent = `from ${edges[0]} to ${edges[edges.length - 1]}${unit && " " + unit}; at most ${most} in a bar`;
}

function draw() { drawCells(); drawHistogram(); }

function sliders() {
  byId("sliders").replaceChildren(...data.axes.flatMap((axis, k) => {
    if (k === chosen.across || k === chosen.up || axis.values.length < 2) return [];
    const text = make("span", {}, words(axis, chosen.at[k]));
    const slider = make("input", { type: "range", min: 0, max: axis.values.length - 1, value: chosen.at[k] });
    slider.addEventListener("input", () => {
      chosen.at[k] = Number(slider.value);
      text.textContent = words(axis, chosen.at[k]);
      drawCells();
    });
    return [make("label", {}, slider, text)];
  }));
}

function select(id, names, key) {
  const element = byId(id);
  element.replaceChildren(...names.map((name, k) => make("option", { value: k }, name)));
  element.value = chosen[key];
  element.addEventListener("change", () => { chosen[key] = Number(element.value); sliders(); draw(); });
}

byId("cells").addEventListener("pointermove", event => {
  const box = event.target.getBoundingClientRect(), [columns, rows] = size();
  const x = Math.min(Math.floor((event.clientX - box.left) / box.width * columns), columns - 1);
  const y = rows - 1 - Math.min(Math.floor((event.clientY - box.top) / box.height * rows), rows - 1);
  const result = data.results[chosen.result], at = cellAt(Math.max(x, 0), Math.max(y, 0));
  const where = [words(data.axes[chosen.across], Math.max(x, 0))];
  if (chosen.up !== chosen.across) where.push(words(data.axes[chosen.up], Math.max(y, 0)));
  const value = result.cells[at];
  byId("cell").textContent = `${result.name} ${value === null ? "is not finite" : value + " " + result.unit} at ${where.join(", ")}`;
});

select("result", data.results.map(each => each.name), "result");
const names = data.axes.map(axis => axis.name);
document.querySelector(".axes").hidden = names.length < 2;
select("across", names, "across");
select("up", names, "up");
sliders();
draw();
window.addEventListener("resize", draw);
prefersDark.addEventListener("change", draw);
fitFrame();
