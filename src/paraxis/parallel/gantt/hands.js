
// -- Input: pointer, wheel, touch and keys; and the first picture. ---------------------------------

const fingers = new Map();  // those that are down: id -> position
let moved = 0, grip = null;  // distance since they came down, and what they drag

const where = event => {
  const edge = canvas.getBoundingClientRect();
  return { x: event.clientX - edge.left, y: event.clientY - edge.top };
};

function under({ x, y }) {
  if (x < view.left || y < AXIS || y > AXIS + view.rowsHeight) return -1;
  return taskAt(rowOf(y), timeOf(x), 4 / scale());
}

function onTrack({ x, y }) {
  return !fits() && x >= view.left && y > AXIS + view.rowsHeight + STRIP;
}

/** Centre the visible part where the track is touched. */
function follow(x) {
  const span = view.to - view.from;
  const middle = total() * (x - view.left) / (view.width - view.left - PAD);
  look(middle - span / 2, middle + span / 2);
}

canvas.addEventListener("pointerdown", event => {
  if (event.button) return;
  const at = where(event);
  fingers.set(event.pointerId, at);
  canvas.setPointerCapture(event.pointerId);
  moved = fingers.size > 1 ? Infinity : 0;
  grip = onTrack(at) ? "track" : "time";
  if (grip === "track") follow(at.x);
});

canvas.addEventListener("pointermove", event => {
  const at = where(event), last = fingers.get(event.pointerId);
  if (!last) {
    if (event.pointerType !== "touch") hover(at);
    return;
  }
  fingers.set(event.pointerId, at);
  moved += Math.hypot(at.x - last.x, at.y - last.y);
  if (grip === "track") {
    follow(at.x);
  } else if (fingers.size === 2) {
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    const apart = Math.abs(at.x - other.x), once = Math.abs(last.x - other.x);
    if (apart > 12 && once > 12) zoom(apart / once, other.x);
  } else if (moved > 4) {
    canvas.classList.add("held");
    tip.hidden = true;
    view.down -= at.y - last.y;
    pan(last.x - at.x);
  }
});

function up(event) {
  const held = fingers.delete(event.pointerId);
  canvas.classList.remove("held");
  if (!held || event.type === "pointercancel" || moved > 4 || grip === "track") return;
  const task = under(where(event));
  shown.task = task === shown.task ? -1 : task;  // the visible part does not move
  tip.hidden = true;
  update();
}
canvas.addEventListener("pointerup", up);
canvas.addEventListener("pointercancel", up);

function hover(at) {
  const task = under(at);
  canvas.classList.toggle("over", task >= 0);
  if (task !== shown.hover) {
    shown.hover = task;
    redraw();
  }
  whisper(at.x, at.y);
}

canvas.addEventListener("pointerleave", () => {
  shown.hover = -1;
  tip.hidden = true;
  redraw();
});

canvas.addEventListener("wheel", event => {
  if (framed && !event.ctrlKey && document.activeElement !== canvas) return;
  const at = where(event), unit = event.deltaMode === 1 ? 30 : 1;
  const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
  if (Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) {
    pan(sideways * unit);
  } else if (at.x < view.left) {
    const down = view.down;
    view.down += event.deltaY * unit;
    look(view.from, view.to);
    if (view.down === down) return;
  } else {
    if (event.deltaY > 0 && fits()) return;  // everything is visible: let the page scroll
    zoom(1.0016 ** Math.max(-400, Math.min(400, -event.deltaY * unit)), at.x);
  }
  event.preventDefault();
}, { passive: false });

// -- keys ------------------------------------------------------------------------------------------

/** The next task from the selected one: along its processor, or on an adjacent one. */
function neighbour(along, across) {
  if (shown.task < 0) {
    const middle = (view.from + view.to) / 2, row = Math.floor(view.down / view.rowHeight);
    return taskAt(row, middle, Infinity);
  }
  const { task } = shown, row = schedule.rows[place(task)];
  if (along) return row[row.indexOf(task) + along] ?? task;
  for (let k = place(task) + across; k >= 0 && k < schedule.rows.length; k += across) {
    const other = taskAt(k, start(task) + weights[task] / 2, Infinity);
    if (other >= 0) return other;
  }
  return task;
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function arrow(key, shift) {
  const [along, across] = ARROWS[key];
  if (shift) {
    view.down += across * view.rowHeight;
    pan(along * view.width / 8);
  } else {
    keep(neighbour(along, across));
  }
}

function letGo() {
  if (shown.task >= 0) shown.task = -1;
  else Object.assign(shown, { chain: false, group: -1 });
  update();
}

const toggleChain = () => { shown.chain = !shown.chain; shown.task = -1; update(); };
const KEYS = {
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), "_": () => zoom(1 / 1.5),
  "0": fit, c: toggleChain, Escape: letGo, "/": () => box.focus(),
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === box) return;
  if (event.key in ARROWS && event.target === canvas) arrow(event.key, event.shiftKey);
  else if (event.key in KEYS) KEYS[event.key]();
  else return;
  event.preventDefault();
});

box.addEventListener("input", find);
box.addEventListener("keydown", event => {
  if (event.key === "Enter") findNext(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") { box.value = ""; find(); canvas.focus(); }
});

byId("chain").addEventListener("click", toggleChain);
byId("in").addEventListener("click", () => zoom(1.6));
byId("out").addEventListener("click", () => zoom(1 / 1.6));
byId("fit").addEventListener("click", fit);

// -- beginning -------------------------------------------------------------------------------------

/** Another schedule of the same tasks. */
function turnTo(k) {
  choose(k);
  for (const each of document.querySelectorAll("[data-schedule]")) {
    const own = Number(each.dataset.schedule) === k;
    if (each.tagName === "BUTTON") press(each, own); else each.hidden = !own;
  }
  view.down = 0;
  measure();
  fit();
  update();
}

for (const each of document.querySelectorAll("button[data-schedule]")) {
  each.addEventListener("click", () => turnTo(Number(each.dataset.schedule)));
}

function recolour() {
  mix();
  makeGroups();
  update();
}

choose(data.schedules.length - 1);
recolour();
turnTo(data.schedules.length - 1);
new ResizeObserver(measure).observe(canvas.parentElement);
fitFrame();
prefersDark.addEventListener("change", recolour);
matchMedia("print").addEventListener("change", () => { recolour(); measure(); draw(); });
