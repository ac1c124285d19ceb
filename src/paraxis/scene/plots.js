// -- Curves over time, one panel per quantity, with the same moment marked in all. ------------------

const EDGE = { left: 46, right: 10, top: 8, bottom: 20 };

/** One panel: the curves of one robot. */
class Plot {
  constructor(panel, times, player, picked) {
    this.panel = panel;
    this.times = times;
    this.player = player;
    this.values = unpacked(panel.values);
    this.count = panel.curves.length;
    this.robot = 0;
    this.still = document.createElement("canvas");  // the curves, drawn once
    this.canvas = make("canvas", { class: "plot-canvas", role: "img" });
    this.readout = make("output", { class: "readout" });
    this.figure = make("figure", {},
      make("figcaption", {}, make("b", {}, panel.title), make("span", {}, ` ${panel.unit}`), this.readout),
      this.canvas);
    this.picked = picked;
    this.canvas.addEventListener("pointerdown", event => {
      this.canvas.setPointerCapture(event.pointerId);
      this.scrub(event);
    });
    this.canvas.addEventListener("pointermove", event => { if (event.buttons) this.scrub(event); });
    new ResizeObserver(() => this.redraw()).observe(this.canvas);
  }

  scrub(event) {
    const { left, width } = this.canvas.getBoundingClientRect();
    const share = (event.clientX - left - EDGE.left) / (width - EDGE.left - EDGE.right);
    this.player.play(false);
    this.player.seek(share * this.player.duration);
    event.preventDefault();
  }

  at(curve, moment) {
    return this.values[(this.robot * this.count + curve) * this.times.length + moment];
  }

  setRobot(robot) { this.robot = robot; this.redraw(); }

  shownCurves() {
    const all = [...Array(this.count).keys()];
    return all.filter(c => all.length <= 40 || this.isPicked(c));
  }

  isPicked(curve) {
    const joint = this.panel.curves[curve].joint;
    return this.picked.joint === null || joint === undefined || joint === this.picked.joint;
  }

  /** Draw the curves again: another size, robot or theme. */
  redraw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height) return;
    const sharp = Math.min(devicePixelRatio || 1, 3);
    for (const canvas of [this.still, this.canvas]) { canvas.width = width * sharp; canvas.height = height * sharp; }
    const pen = this.still.getContext("2d"), style = getComputedStyle(document.documentElement);
    pen.scale(sharp, sharp);
    this.ink = style.getPropertyValue("--ink");
    const soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
    let low = Infinity, high = -Infinity;
    const curves = this.shownCurves();
    for (const c of curves) {
      for (let k = 0; k < this.times.length; k++) {
        const value = this.at(c, k);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (low > high) { low = 0; high = 1; }
    const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= least) { low -= 0.5 || least; high += 0.5; }
    const ticks = roundTicks(low, high, Math.max(2, Math.floor(height / 34)));
    low = Math.min(low, ticks[0]); high = Math.max(high, ticks[ticks.length - 1]);
    const x = t => EDGE.left + t / this.player.duration * (width - EDGE.left - EDGE.right);
    const y = v => height - EDGE.bottom - (v - low) / (high - low) * (height - EDGE.top - EDGE.bottom);
    this.x = x; this.y = y; this.sharp = sharp; this.high = height;
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle"; pen.textAlign = "right";
    for (const tick of ticks) {
      pen.fillStyle = soft; pen.fillText(short(tick), EDGE.left - 6, y(tick));
      pen.fillStyle = line; pen.fillRect(EDGE.left, Math.round(y(tick)), width - EDGE.left - EDGE.right, 1);
    }
    pen.textAlign = "center"; pen.fillStyle = soft;
    for (const tick of roundTicks(0, this.player.duration, Math.max(2, Math.floor(width / 70)))) {
      pen.fillText(`${short(tick)} s`, Math.min(x(tick), width - 14), height - 8);
    }
    pen.lineJoin = "round";
    for (const c of curves) {
      const picked = this.isPicked(c);
      pen.globalAlpha = picked ? 1 : 0.14;
      pen.lineWidth = picked && this.picked.joint !== null ? 2.4 : 1.6;
      pen.strokeStyle = this.hue(c); pen.setLineDash(dashOf(this.order(c)));
      pen.beginPath();
      let down = false;
      for (let k = 0; k < this.times.length; k++) {
        const value = this.at(c, k);
        if (!Number.isFinite(value)) { down = false; continue; }
        if (down) pen.lineTo(x(this.times[k]), y(value)); else pen.moveTo(x(this.times[k]), y(value));
        down = true;
      }
      pen.stroke();
    }
    pen.globalAlpha = 1;
    const names = this.panel.curves.slice(0, 12).map(curve => curve.name).join(", ");
    this.canvas.setAttribute("aria-label", `${this.panel.title} in ${this.panel.unit} over ` +
      `${short(this.player.duration)} s, from ${short(low)} to ${short(high)}: ${names}` +
      (this.count > 12 ? ` and ${this.count - 12} more` : ""));
    this.mark(this.player.time);
  }

  order(curve) { return this.panel.curves[curve].joint ?? curve; }
  hue(curve) { return hueOf(this.order(curve)); }

  /** Mark a moment. */
  mark(t) {
    const pen = this.canvas.getContext("2d");
    if (!this.x) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    pen.scale(this.sharp, this.sharp);
    pen.fillStyle = this.ink;
    pen.globalAlpha = 0.55;
    pen.fillRect(this.x(t) - 0.75, EDGE.top, 1.5, this.high - EDGE.top - EDGE.bottom);
    pen.globalAlpha = 1;
    const moment = this.momentAt(t), said = [];
    for (const c of this.shownCurves()) {
      if (!this.isPicked(c)) continue;
      const value = this.at(c, moment);
      if (!Number.isFinite(value)) continue;
      pen.fillStyle = this.hue(c);
      pen.beginPath(); pen.arc(this.x(t), this.y(value), 3, 0, 7); pen.fill();
      said.push([c, value]);
    }
    this.say(said.length <= 3 ? said : []);
  }

  /** The values of a few curves, beside their colours. */
  say(values) {
    while (this.readout.children.length > values.length) this.readout.lastChild.remove();
    while (this.readout.children.length < values.length) {
      this.readout.append(make("span", {}, make("i", { class: "sample" }), ""));
    }
    const named = this.panel.curves[0].joint === undefined;
    values.forEach(([c, value], k) => {
      const [sample, text] = this.readout.children[k].childNodes;
      sample.style.background = this.hue(c);
      text.data = `${named ? `${this.panel.curves[c].name} ` : ""}${short(value, 3)}`;
    });
  }

  momentAt(t) {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.times[middle] <= t) low = middle; else high = middle; }
    return t - this.times[low] < this.times[high] - t ? low : high;
  }
}

/** Round numbers from low to high. */
function roundTicks(low, high, most) {
  const least = (high - low) / most || 1, decade = 10 ** Math.floor(Math.log10(least));
  const step = decade * [1, 2, 5, 10].find(k => k * decade >= least * (1 - 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks.length ? ticks : [low];
}

/** A number in a few characters. */
function short(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "\u2212");
}
