
// -- The picture: what is in sight, drawn anew for every change. -----------------------------------

const MOST_ARCS = 150;  // more would only be a blot
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const brush = canvas.getContext("2d");
let ink;  // the colours of the style sheet, light or dark

function mix() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  ink = { bars: Array.from({ length: 10 }, (_, k) => colour(`g${k}`)) };
  for (const name of ["ink", "soft", "line", "card", "idle", "row", "on", "in", "out", "chain", "c3"]) {
    ink[name] = colour(name);
  }
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

const colourOf = task => groups[task] < 0 ? ink.bars[0] : ink.bars[groups[task] % ink.bars.length];

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
  return [first, Math.min(last, schedule.processors)];
}

function drawIdle() {
  const [first, last] = inSight();
  const left = xOf(0), width = xOf(total()) - left;
  for (let p = first; p < last; p++) {
    brush.fillStyle = ink.row;
    brush.fillRect(left, yOf(p) + 2, width, view.rowHeight - 4);
    brush.fillStyle = ink.hatch;
    brush.fillRect(left, yOf(p) + 2, width, view.rowHeight - 4);
  }
}

/** The bars in sight. Neighbours that fall on one pixel are one bar: no more than there are pixels. */
function drawAll(alpha) {
  const [first, last] = inSight();
  for (let p = first; p < last; p++) {
    const row = schedule.rows[p];
    const from = firstWhere(row.length, k => end(row[k]) >= view.from);
    let painted = -1;  // the last pixel that has been painted
    for (let k = from; k < row.length && start(row[k]) <= view.to; k++) {
      const right = xOf(end(row[k]));
      if (right < painted + 1) continue;
      drawBar(row[k], 1, alpha > 0.5, alpha);
      painted = Math.floor(right);
    }
  }
}

function drawBar(task, least, named, alpha = 1) {
  const x = xOf(start(task)), width = Math.max(least, weights[task] * scale());
  const y = yOf(place(task)) + 2, height = view.rowHeight - 4;
  if (x > view.width || x + width < view.left || y > AXIS + view.rowsHeight || y + height < AXIS) return;
  const left = Math.max(x, view.left - 10), right = Math.min(x + width, view.width + 10);
  const paint = width > 8
    ? () => { brush.beginPath(); brush.roundRect(left + 0.5, y, right - left - 1, height, 4); brush.fill(); }
    : () => brush.fillRect(left, y, width > 3 ? width - 1 : width, height);
  if (alpha < 1) {  // a faint bar hides what is idle all the same
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

/** Name and label, or the name, or its beginning: what there is room for. */
function drawText(task, x, y, room) {
  const label = labels[task], name = names[task];
  brush.fillStyle = ink.on;
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

/** Round times, as many as can be read. */
function timeTicks() {
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
  const done = xOf(total()), last = text(schedule.makespan);
  let free = view.width;  // to the left of what is written
  brush.textAlign = "right";
  if (done <= view.width) {  // where all is done
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
  brush.fillText("time", 0, AXIS / 2);
}

function drawNames() {
  const [first, last] = inSight();
  for (let p = first; p < last; p++) {
    const y = yOf(p) + view.rowHeight / 2;
    brush.fillStyle = ink.ink;
    brush.fillText(`P${p}`, 0, y);
    if (view.left > 60) {
      brush.fillStyle = ink.soft;
      brush.textAlign = "right";
      brush.fillText(`${Math.round(100 * schedule.shares[p])}%`, view.left - 10, y);
      brush.textAlign = "left";
    }
  }
}

/** How many processors are busy: for each pixel the average over its time. */
function drawBusy(ticks) {
  const top = AXIS + view.rowsHeight + 12, height = STRIP - 14, floor = top + height;
  const right = Math.min(view.width, xOf(total()));
  const yOfCount = count => floor - height * count / schedule.processors;
  brush.fillStyle = ink.row;
  brush.fillRect(view.left, top, right - view.left, height);
  brush.fillStyle = ink.c3;
  let until = busyUntil(timeOf(view.left));
  for (let x = view.left; x < right; x++) {
    const next = busyUntil(timeOf(x + 1));
    const y = yOfCount((next - until) * scale());
    brush.fillRect(x, y, 1, floor - y);
    until = next;
  }
  brush.fillStyle = ink.line;
  for (const time of ticks) {
    if (xOf(time) >= view.left) brush.fillRect(Math.round(xOf(time)), top, 1, height);
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
  brush.fillText(String(schedule.processors), view.left - 6, top + 5);
  brush.fillText("0", view.left - 6, floor - 5);
  brush.textAlign = "left";
}

/** Which part of the whole is in sight. */
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
