
// -- The picture: the visible part, redrawn on every change. ---------------------------------------

const MOST_ARCS = 150;  // more would be unreadable
const NARROW = 3;  // pixels of a bar below which a gap beside it cannot be drawn
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const brush = canvas.getContext("2d");
let ink;  // the colours of the style sheet, light or dark

function mix() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  ink = { bars: ["c1", "c2", "c4", "c5", "c6", "c7", "c8"].map(colour) };  // c3 is a grey
  const others = ["ink", "soft", "line", "card", "idle", "row", "other", "in", "out", "chain", "c3"];
  for (const name of others) ink[name] = colour(name);
  ink.on = Object.fromEntries([...ink.bars, ink.other].map(each => [each, readableOn(each)]));
  const tile = document.createElement("canvas");  // idle time is hatched
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.strokeStyle = ink.idle;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const k of [-8, 0, 8]) { pen.moveTo(k - 1, 9); pen.lineTo(k + 9, -1); }
  pen.stroke();
  ink.hatch = brush.createPattern(tile, "repeat");
}

/** Black or white, whichever has the higher contrast on a colour. */
function readableOn(hex) {
  const light = [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16) / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.179 ? "#10141b" : "#ffffff";
}

function colourOf(task) {
  if (groups[task] < 0 && groupNames.length) return ink.other;
  return ink.bars[Math.max(0, groups[task]) % ink.bars.length];
}

function draw() {
  const ratio = devicePixelRatio || 1;
  brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  brush.clearRect(0, 0, view.width, canvas.height);
  brush.font = FONT;
  brush.textBaseline = "middle";
  const ticks = timeTicks();
  clipped(view.left, AXIS, view.width - view.left, view.rowsHeight, () => {
    drawIdle();
    drawGrid(ticks);
    drawWaits();
    const chosen = bright();
    drawAll(!chosen ? 1 : standsOut() ? 0.2 : 0.6);
    if (chosen) for (const task of chosen) drawBar(task, 2, true);
    drawArcs();
    for (const task of [shown.hover, shown.task]) if (task >= 0) drawOutline(task);
  });
  drawAxis(ticks);
  clipped(0, AXIS, view.left, view.rowsHeight, drawNames);
  drawBusy(ticks);
  drawTrack();
}

function clipped(x, y, width, height, paint) {
  brush.save();
  brush.beginPath();
  brush.rect(x, y, width, height);
  brush.clip();
  paint();
  brush.restore();
}

function inSight() {
  const first = Math.floor(view.down / view.rowHeight);
  const last = Math.ceil((view.down + view.rowsHeight) / view.rowHeight);
  return [first, Math.min(last, schedule.rows.length)];
}

function drawIdle() {
  const [first, last] = inSight();
  const left = xOf(0), width = xOf(schedule.makespan) - left;
  for (let p = first; p < last; p++) {
    brush.fillStyle = ink.row;
    brush.fillRect(left, yOf(p) + 2, width, view.rowHeight - 4);
    brush.fillStyle = ink.hatch;
    brush.fillRect(left, yOf(p) + 2, width, view.rowHeight - 4);
  }
}

/** The visible tasks of a row, in order of time. */
function* tasksInSight(row) {
  const from = firstWhere(row.length, k => end(row[k]) >= view.from);
  for (let k = from; k < row.length && start(row[k]) <= view.to; k++) yield row[k];
}

/** Lines while a row waits for a message, if they are visible. */
function drawWaits() {
  const [first, last] = inSight();
  brush.fillStyle = ink.soft;
  for (let p = first; p < last; p++) {
    const y = yOf(p) + view.rowHeight / 2 - 0.75;
    for (const task of messages.size ? tasksInSight(schedule.rows[p]) : []) {
      const left = xOf(schedule.waits[task]), width = xOf(start(task)) - left;
      if (width > 4) brush.fillRect(left + 1, y, width - 2, 1.5);
    }
  }
}

/** The visible bars. Those too narrow to be distinguished shade their pixels. */
function drawAll(alpha) {
  const [first, last] = inSight();
  for (let p = first; p < last; p++) {
    const shade = new Shade(alpha);
    for (const task of tasksInSight(schedule.rows[p])) {
      if (weights[task] * scale() < NARROW) shade.add(task);
      else drawBar(task, NARROW, alpha > 0.5, alpha);
    }
    shade.paint(yOf(p) + 2, view.rowHeight - 4);
  }
}

/** Narrow bars of a row: each pixel as dense as its time is busy, in the colour of most of it. */
class Shade {
  constructor(alpha) {
    const pixels = Math.ceil(view.width) + 1;
    this.alpha = alpha;
    this.busy = new Float32Array(pixels);
    this.most = new Float32Array(pixels);  // the share of the task whose colour it is
    this.task = new Int32Array(pixels);
  }

  add(task) {
    const left = xOf(start(task));
    const right = left + (weights[task] * scale() || 0.25);  // a task of zero length is still drawn
    for (let x = Math.max(0, Math.floor(left)); x < right && x < this.busy.length; x++) {
      const share = Math.min(right, x + 1) - Math.max(left, x);
      this.busy[x] += share;
      if (share > this.most[x]) [this.most[x], this.task[x]] = [share, task];
    }
  }

  paint(y, height) {
    for (let x = 0; x < this.busy.length; x++) {
      const busy = Math.min(1, this.busy[x]);
      if (!busy) continue;
      if (this.alpha < 1) {
        brush.globalAlpha = busy;
        brush.fillStyle = ink.card;
        brush.fillRect(x, y, 1, height);
      }
      brush.globalAlpha = busy * this.alpha;
      brush.fillStyle = colourOf(this.task[x]);
      brush.fillRect(x, y, 1, height);
    }
    brush.globalAlpha = 1;
  }
}

function drawBar(task, least, named, alpha = 1) {
  const x = xOf(start(task)), width = Math.max(least, weights[task] * scale());
  const y = yOf(place(task)) + 2, height = view.rowHeight - 4;
  if (x > view.width || x + width < view.left || y > AXIS + view.rowsHeight || y + height < AXIS) return;
  const left = Math.max(x, view.left - 10), right = Math.min(x + width, view.width + 10);
  const paint = width > 8
    ? () => { brush.beginPath(); brush.roundRect(left + 0.5, y, right - left - 1, height, 4); brush.fill(); }
    : () => brush.fillRect(left, y, width > NARROW ? width - 1 : width, height);
  if (alpha < 1) {  // a faint bar still hides the hatching
    brush.fillStyle = ink.card;
    paint();
  }
  brush.globalAlpha = alpha;
  brush.fillStyle = colourOf(task);
  paint();
  const from = Math.max(x, view.left), room = Math.min(x + width, view.width) - from;
  if (named && room > 10 && height >= 12) drawText(task, from, y + height / 2 + 0.5, room);
  brush.globalAlpha = 1;
}

/** Name and label, or the name, or its beginning, whichever fits. */
function drawText(task, x, y, room) {
  const label = labels[task], name = bars[task];
  brush.fillStyle = ink.on[colourOf(task)];
  for (const words of label ? [`${name}  ${label}`, name] : [name]) {
    const width = words.length * 4 <= room ? brush.measureText(words).width : Infinity;
    if (width <= room - 3) {
      brush.fillText(words, x + Math.min(4, (room - width) / 2), y);
      return;
    }
  }
  const letters = Math.floor((room - 8) / 7.5) - 1;
  if (letters >= 4) brush.fillText(`${name.slice(0, letters).trimEnd()}…`, x + 4, y);
}

function drawOutline(task) {
  const x = xOf(start(task)), width = Math.max(2, weights[task] * scale());
  brush.strokeStyle = ink.ink;
  brush.lineWidth = 2;
  brush.beginPath();
  brush.roundRect(x, yOf(place(task)) + 1, width, view.rowHeight - 2, 4);
  brush.stroke();
}

/** From the end of one task to the start of another that waits for it. */
function drawArc(first, then, colour) {
  const x = xOf(end(first)), y = yOf(place(first)) + view.rowHeight / 2;
  const toX = xOf(start(then)), toY = yOf(place(then)) + view.rowHeight / 2;
  const bend = Math.max(14, Math.min(60, Math.abs(toX - x) / 2));
  brush.strokeStyle = brush.fillStyle = colour;
  brush.lineWidth = 1.8;
  brush.beginPath();
  brush.moveTo(x, y);
  brush.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
  brush.stroke();
  brush.beginPath();
  brush.moveTo(toX, toY);
  brush.lineTo(toX - 7, toY - 4);
  brush.lineTo(toX - 7, toY + 4);
  brush.fill();
}

function drawArcs() {
  const task = shown.task >= 0 ? shown.task : shown.hover;
  if (shown.chain && shown.task < 0) {
    const { chain, causes } = schedule;
    const crossings = chain.slice(1).filter(then => place(then) !== place(causes[then])
      && end(then) >= view.from && start(causes[then]) <= view.to);
    if (crossings.length < MOST_ARCS) {
      for (const then of crossings) drawArc(causes[then], then, ink.chain);
    }
  }
  if (task < 0) return;
  for (const first of before[task].slice(0, MOST_ARCS)) drawArc(first, task, ink.in);
  for (const then of after[task].slice(0, MOST_ARCS)) drawArc(task, then, ink.out);
}

// -- axes ------------------------------------------------------------------------------------------

/** Round times, as many as are readable. */
function timeTicks() {
  if (!schedule.makespan) return [];
  const least = 78 / scale();
  let step = 10 ** Math.floor(Math.log10(least));
  step *= [1, 2, 5, 10].find(k => k * step >= least);
  const ticks = [];
  for (let k = Math.ceil(view.from / step - 1e-9); k * step <= view.to; k++) ticks.push(k * step);
  return ticks;
}

function drawGrid(ticks) {
  brush.fillStyle = ink.line;
  for (const time of ticks) brush.fillRect(Math.round(xOf(time)), AXIS, 1, view.rowsHeight);
}

function drawAxis(ticks) {
  const done = xOf(schedule.makespan), last = text(schedule.makespan);
  let free = view.width;  // to the left of the text
  brush.textAlign = "right";
  if (done <= view.width) {  // the end of all tasks
    brush.fillStyle = ink.ink;
    brush.font = `600 ${FONT}`;
    const right = Math.min(done + brush.measureText(last).width / 2, view.width);
    brush.fillText(last, right, AXIS / 2);
    brush.fillRect(Math.round(done), AXIS, 1.5, view.rowsHeight);
    free = right - brush.measureText(last).width - 10;
    brush.font = FONT;
  }
  brush.fillStyle = ink.soft;
  brush.textAlign = "center";
  for (const time of ticks) {
    const x = xOf(time), words = text(+time.toPrecision(12));
    const fits = x + brush.measureText(words).width / 2 <= free;
    if (x >= view.left - 1 && fits) brush.fillText(words, x, AXIS / 2);
  }
  brush.textAlign = "left";
  const words = !unit ? "time" : view.left > 60 ? `time, ${unit}` : unit;
  brush.fillText(words, 0, AXIS / 2, view.left - 4);
}

function drawNames() {
  const [first, last] = inSight();
  for (let p = first; p < last; p++) {
    const y = yOf(p) + view.rowHeight / 2;
    if (p >= busyRows()) {
      brush.fillStyle = ink.soft;
      brush.fillText(view.left > 60 ? idleName() : "idle", 0, y, view.left - 8);
      continue;
    }
    brush.fillStyle = ink.ink;
    brush.fillText(processorOf(p), 0, y);
    if (view.left > 60) {
      brush.fillStyle = ink.soft;
      brush.textAlign = "right";
      brush.fillText(`${Math.round(100 * schedule.shares[p])}%`, view.left - 10, y);
      brush.textAlign = "left";
    }
  }
}

/** The processors that have no task. */
function idleName() {
  const count = idleCount();
  return count < 1e6 ? `${text(count)} idle` : `${count.toLocaleString("en", { notation: "compact" })} idle`;
}

/** How many processors are busy, of those with tasks: for each pixel the average over its time. */
function drawBusy(ticks) {
  const top = AXIS + view.rowsHeight + 12, height = STRIP - 14, floor = top + height;
  const right = Math.min(view.width, xOf(schedule.makespan)), most = schedule.numbers.length;
  const yOfCount = count => floor - height * count / (most || 1);
  brush.fillStyle = ink.row;
  brush.fillRect(view.left, top, right - view.left, height);
  brush.fillStyle = ink.line;
  for (const time of ticks) {
    if (xOf(time) >= view.left) brush.fillRect(Math.round(xOf(time)), top, 1, height);
  }
  brush.fillStyle = ink.c3;
  let until = busyUntil(timeOf(view.left));
  for (let x = view.left; x < right; x++) {
    const next = busyUntil(timeOf(x + 1));
    const y = yOfCount((next - until) * scale());
    brush.fillRect(x, y, 1, floor - y);
    until = next;
  }
  const average = busyUntil(total()) / total();
  brush.strokeStyle = ink.ink;
  brush.lineWidth = 1;
  brush.setLineDash([4, 4]);
  brush.beginPath();
  brush.moveTo(view.left, yOfCount(average));
  brush.lineTo(right, yOfCount(average));
  brush.stroke();
  brush.setLineDash([]);
  brush.fillStyle = ink.soft;
  if (view.left > 60) {
    brush.fillText("busy", 0, floor - height / 2 - 8);
    brush.fillText(`⌀ ${average.toFixed(1)}`, 0, floor - height / 2 + 8);
  }
  brush.textAlign = "right";
  if (most) brush.fillText(String(most), view.left - 6, top + 5);
  brush.fillText("0", view.left - 6, floor - 5);
  brush.textAlign = "left";
}

/** Which part of the whole is visible. */
function drawTrack() {
  if (fits()) return;
  const top = AXIS + view.rowsHeight + STRIP + 6, width = view.width - view.left - PAD;
  brush.fillStyle = ink.line;
  brush.fillRect(view.left, top, width, 4);
  brush.fillStyle = ink.soft;
  const from = view.left + width * view.from / total();
  const length = Math.max(14, width * (view.to - view.from) / total());
  brush.fillRect(Math.min(from, view.left + width - length), top - 1, length, 6);
}
