// -- The picture of a map: cells in colours, the predicted boundary over them. ---------------------

const LEFT = 46, RIGHT = 8, TOP = 24, BOTTOM = 42;  // pixels around the cells
const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
let ink;  // the colours of the style sheet, light or dark

function mix() {
  const style = getComputedStyle(document.documentElement);
  const colour = name => style.getPropertyValue(`--${name}`).trim();
  ink = Object.fromEntries(["ink", "soft", "line", "card", "lost", "stripe"].map(n => [n, colour(n)]));
  const channels = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));
  ink.ramp = [0, 1, 2, 3, 4].map(k => channels(colour(`e${k}`)));
}

function colourOf(error, stops) {
  const at = standing(error, stops), k = Math.min(Math.floor(at), ink.ramp.length - 2);
  const mixed = ink.ramp[k].map((low, c) => Math.round(low + (at - k) * (ink.ramp[k + 1][c] - low)));
  return `rgb(${mixed})`;
}

/** Stripes for diverged runs. */
function stripes(brush) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.fillStyle = ink.lost;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = ink.stripe;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const k of [-8, 0, 8]) { pen.moveTo(k - 1, 9); pen.lineTo(k + 9, -1); }
  pen.stroke();
  return brush.createPattern(tile, "repeat");
}

class Picture {
  constructor(figure) {
    this.figure = figure;
    this.canvas = figure.querySelector("canvas");
    this.brush = this.canvas.getContext("2d");
  }

  /** Sizes for the current page. */
  measure() {
    this.width = this.canvas.clientWidth;
    this.height = Math.round(Math.min(440, Math.max(250, this.width * 0.55)));
    const ratio = devicePixelRatio || 1;
    this.canvas.style.height = `${this.height}px`;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.brush.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  x(column) { return LEFT + column * (this.width - LEFT - RIGHT) / periods.length; }
  y(row) { return this.height - BOTTOM - row * (this.height - TOP - BOTTOM) / axis().values.length; }

  /** The cell at a point of the canvas, or null. */
  cellAt(x, y) {
    const { values } = axis();
    const column = Math.floor(periods.length * (x - LEFT) / (this.width - LEFT - RIGHT));
    const row = Math.floor(values.length * (this.height - BOTTOM - y) / (this.height - TOP - BOTTOM));
    return row in values && column in periods ? { row, column } : null;
  }

  draw(policy) {
    this.measure();
    const { brush } = this, map = mapOf(policy);
    brush.clearRect(0, 0, this.width, this.height);
    brush.font = FONT;
    brush.textBaseline = "middle";
    this.drawCells(map);
    this.drawBoundary(map);
    this.drawAxes();
    for (const cell of [lookedAt(), chosen.cell]) if (cell) this.outline(cell);
  }

  drawCells(map) {
    const lost = stripes(this.brush), stops = stopsOf(looked());
    map.cells.forEach((cells, row) => cells.forEach((value, column) => {
      const left = Math.round(this.x(column)), right = Math.round(this.x(column + 1));
      const top = Math.round(this.y(row + 1)), bottom = Math.round(this.y(row));
      this.brush.fillStyle = value < 0 ? lost : colourOf(value, stops);
      this.brush.fillRect(left, top, right - left, bottom - top);
    }));
  }

  /** From row to row; along the edge where it is beyond the map. */
  drawBoundary(map) {
    const { brush } = this, rows = map.boundary.length;
    const points = map.boundary.map((_, row) => {
      const boundary = boundaryOf(map, row);
      const column = boundary === 0 ? 0 : boundary === Infinity ? periods.length
        : place(periods, boundary, true);
      return [this.x(column), this.y(row + 0.5)];
    });
    points.unshift([points[0][0], this.y(0)]);
    points.push([points[rows][0], this.y(rows)]);
    brush.lineJoin = "round";
    for (const [colour, width] of [[ink.card, 5.5], [ink.ink, 2.5]]) {
      brush.strokeStyle = colour;
      brush.lineWidth = width;
      brush.beginPath();
      for (const [x, y] of points) brush.lineTo(x, y);
      brush.stroke();
    }
  }

  drawAxes() {
    const { brush } = this, { values, log, unit } = axis(), bottom = this.height - BOTTOM;
    brush.fillStyle = ink.soft;
    brush.textAlign = "center";
    for (const tick of ticksOf(periods.map(each => 1000 * each), true, this.width / 45)) {
      const x = this.x(place(periods, tick / 1000, true));
      brush.fillRect(Math.round(x), bottom, 1, 5);
      brush.fillText(text(tick), x, bottom + 15);
    }
    brush.fillText("sampling period (ms)", (LEFT + this.width - RIGHT) / 2, bottom + 34);
    brush.textAlign = "right";
    for (const tick of ticksOf(values, log, 8)) {
      const y = this.y(place(values, tick, log));
      brush.fillRect(LEFT - 5, Math.round(y), 5, 1);
      brush.fillText(text(tick), LEFT - 9, y);
    }
    brush.textAlign = "left";
    brush.fillText(`${chosen.axis} (${unit})`, 0, 9);
  }

  outline({ row, column }) {
    const { brush } = this, x = this.x(column), y = this.y(row + 1);
    const width = this.x(column + 1) - x, height = this.y(row) - y;
    for (const [colour, line] of [[ink.card, 4], [ink.ink, 2]]) {
      brush.strokeStyle = colour;
      brush.lineWidth = line;
      brush.strokeRect(x, y, width, height);
    }
  }
}
