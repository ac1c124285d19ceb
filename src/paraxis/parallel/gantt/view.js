
// -- The view: the visible part of time and of rows, and the highlighted tasks. --------------------

const canvas = document.getElementById("canvas");
const AXIS = 26, STRIP = 54, TRACK = 16, PAD = 10;  // pixels: time axis, busy processors, scroll track
const view = {
  from: 0, to: 1,            // the times at the left and right edge
  down: 0,                   // pixels scrolled down the rows
  width: 0, left: 0,         // of the canvas, and of the gutter with the processors' names
  rowHeight: 0, rowsHeight: 0,
};
const shown = { hover: -1, task: -1, chain: false, group: -1, found: null };

const scale = () => (view.width - view.left - PAD) / (view.to - view.from);
const xOf = time => view.left + (time - view.from) * scale();
const timeOf = x => view.from + (x - view.left) / scale();
const yOf = row => AXIS + row * view.rowHeight - view.down;
const rowOf = y => Math.floor((y - AXIS + view.down) / view.rowHeight);
const total = () => schedule.makespan || 1;

/** Sizes for the current window. */
function measure() {
  const room = framed ? 420 : Math.max(180, innerHeight * 0.6);
  view.width = canvas.clientWidth;
  view.left = view.width < 560 ? 38 : 92;
  view.rowHeight = Math.min(42, Math.max(18, Math.floor(room / schedule.rows.length)));
  const all = view.rowHeight * schedule.rows.length;
  view.rowsHeight = Math.min(all, Math.max(room, 10 * view.rowHeight));
  const height = AXIS + view.rowsHeight + STRIP + TRACK;
  const ratio = devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(view.width * ratio);
  canvas.height = Math.round(height * ratio);
  // one finger scrolls the page, unless there are rows to scroll
  canvas.style.touchAction = all > view.rowsHeight ? "none" : "pan-y";
  look(view.from, view.to);
}

/** Show a part of time: within the schedule, and not too fine. */
function look(from, to) {
  const span = Math.min(total(), Math.max(to - from, total() / 1e6));
  view.from = Math.min(Math.max(0, from), total() - span);
  view.to = view.from + span;
  view.down = Math.min(Math.max(0, view.down),
    Math.max(0, view.rowHeight * schedule.rows.length - view.rowsHeight));
  redraw();
}

const fit = () => look(0, total());
const fits = () => view.to - view.from >= total() * (1 - 1e-9);
const pan = pixels => look(view.from + pixels / scale(), view.to + pixels / scale());

function zoom(factor, x = (view.left + view.width) / 2) {
  const still = Math.min(Math.max(timeOf(x), view.from), view.to);
  look(still - (still - view.from) / factor, still + (view.to - still) / factor);
}

/** Make a task visible, wide enough to be seen. */
function bringInSight(task) {
  const least = Math.max(weights[task], total() / 1e5) * (view.width / 8);
  const span = Math.min(view.to - view.from, least);
  if (span < view.to - view.from || start(task) < view.from || end(task) > view.to) {
    const middle = start(task) + weights[task] / 2;
    look(middle - span / 2, middle + span / 2);
  }
  const top = place(task) * view.rowHeight;
  view.down = Math.min(top, Math.max(view.down, top + view.rowHeight - view.rowsHeight));
  redraw();
}

/** Whether anything is highlighted, other than by pointing at it. */
const standsOut = () => shown.task >= 0 || shown.found || shown.chain || shown.group >= 0;

/** The highlighted tasks, or null if all are. */
function bright() {
  const task = shown.task;
  if (task >= 0) return [...before[task], ...after[task], task];
  if (shown.found) return shown.found;
  if (shown.chain) return schedule.chain;
  if (shown.group >= 0) return names.map((_, k) => k).filter(k => groups[k] === shown.group);
  if (shown.hover >= 0) return [...before[shown.hover], ...after[shown.hover], shown.hover];
  return null;
}

let asked = false;

function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}
