
// -- Text beside the picture: the details of a task, groups, search results. -----------------------

const MOST_LINKS = 40;
const panel = byId("panel"), tip = byId("tip"), box = byId("search"), found = byId("found");

/** Why a task starts when it does, as a sentence. */
function reason(task) {
  const cause = schedule.causes[task];
  if (cause < 0) return start(task) > 0 ? "It waits for nothing." : "It starts at once.";
  const { time, size } = arrival(cause, task);
  const ready = schedule.needs[task] ? time : end(cause);
  const what = !schedule.needs[task] ? `${processorOf(place(task))}, which ${names[cause]} occupies until ${timeText(ready)}`
    : size ? `the message from ${names[cause]}, which arrives at ${timeText(ready)}`
      : `${names[cause]}, which ends at ${timeText(ready)}`;
  const late = start(task) - ready;
  return `It waits for ${what}` + (late > 1e-9 * total() ? `, and ${timeText(late)} longer.` : ".");
}

function facts(task) {
  const list = [
    ["start", timeText(start(task))], ["end", timeText(end(task))], ["weight", timeText(weights[task])],
    ["processor", processorOf(place(task))], ["slack", timeText(schedule.slacks[task])],
  ];
  if (groups[task] >= 0) list.push(["group", groupNames[groups[task]]]);
  return list;
}

function links(title, kind, task, others) {
  const line = make("div", { class: "links" }, make("b", {}, `${title} (${others.length})`));
  for (const other of others.slice(0, MOST_LINKS)) {
    const { size } = kind === "in" ? arrival(other, task) : arrival(task, other);
    const words = names[other] + (size ? `, message ${timeText(size)}` : "");
    const about = labels[other] || `${processorOf(place(other))}, ${text(start(other))} to ${timeText(end(other))}`;
    const attributes = { type: "button", class: kind, title: about, click: () => keep(other) };
    line.append(make("button", attributes, words));
  }
  if (others.length > MOST_LINKS) line.append(`and ${text(others.length - MOST_LINKS)} more`);
  return line;
}

function describe() {
  const task = shown.task;
  if (task >= 0) {
    const list = make("dl", {}, ...facts(task).map(
      ([what, value]) => make("div", {}, make("dt", {}, what), make("dd", {}, value))));
    panel.replaceChildren(
      make("h2", {}, names[task]), ...(labels[task] ? [make("p", {}, labels[task])] : []), list,
      make("p", { class: "quiet" }, reason(task)),
      links("Needs", "in", task, before[task]), links("Needed by", "out", task, after[task]));
  } else if (shown.chain && names.length) {
    const { chain, needs } = schedule;
    const waits = chain.slice(1).filter(then => !needs[then]).length;
    panel.replaceChildren(make("p", {}, `The critical chain: ${text(chain.length)} tasks from 0 to `
      + `${timeText(schedule.makespan)}, each waiting for the previous one: ${text(chain.length - 1 - waits)} `
      + `for its result, ${text(waits)} for the processor.`));
  } else {
    const waits = schedule.waits.some((since, task) => since < start(task));
    panel.replaceChildren(make("p", { class: "quiet" }, names.length
      ? "Point at a task to see its predecessors; click to select it. Hatched time is idle"
        + (waits ? ", with a line while only a message is missing." : ".")
      : "There are no tasks."));
  }
}

/** A short text at the pointer. */
function whisper(x, y) {
  const task = shown.hover, row = rowOf(y), time = timeOf(x);
  const inRows = y > AXIS && y < AXIS + view.rowsHeight && row < schedule.rows.length;
  const inStrip = y > AXIS + view.rowsHeight + 12 && y < AXIS + view.rowsHeight + STRIP;
  const known = task >= 0 && task === shown.task;  // shown in the panel
  tip.hidden = known || x < view.left || time > total() || !(task >= 0 || inRows || inStrip);
  if (tip.hidden) return;
  if (task >= 0) {
    const lines = [make("b", {}, names[task])];
    if (labels[task]) lines.push(make("div", {}, labels[task]));
    lines.push(make("div", {}, `${text(start(task))} to ${timeText(end(task))}, weight ${timeText(weights[task])}, `
      + `slack ${timeText(schedule.slacks[task])}`));
    lines.push(make("div", {}, `needs ${before[task].length}, needed by ${after[task].length}`));
    tip.replaceChildren(...lines);
  } else if (inRows) {
    tip.replaceChildren(idleWords(row, time));
  } else {
    tip.replaceChildren(`${busyAt(time)} of ${text(schedule.processors)} busy at ${timeText(+time.toPrecision(4))}`);
  }
  const room = canvas.clientWidth - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
  tip.style.top = `${y + 18}px`;
}

function idleWords(number, time) {
  if (number >= busyRows()) return `${idleName()} always`;
  const row = schedule.rows[number];
  const next = firstWhere(row.length, k => start(row[k]) > time);
  const from = next ? end(row[next - 1]) : 0;
  const to = next < row.length ? start(row[next]) : schedule.makespan;
  const words = `${processorOf(number)} idle from ${text(from)} to ${timeText(to)} (${timeText(to - from)})`;
  const waits = next < row.length && schedule.waits[row[next]] <= time;
  return waits ? `${words}, waiting for a message` : words;
}

function update() {
  describe();
  press(byId("chain"), shown.chain);
  [...byId("groups").children].forEach((button, k) => press(button, shown.group === k));
  redraw();
}

/** Select a task, or none. */
function keep(task) {
  shown.task = task;
  if (task >= 0) bringInSight(task);
  update();
}

function makeGroups() {
  byId("groups").replaceChildren(...groupNames.map((name, k) => {
    const dot = make("i");
    dot.style.background = ink.bars[k % ink.bars.length];
    const toggle = () => { shown.group = shown.group === k ? -1 : k; shown.task = -1; update(); };
    return make("button", { type: "button", "aria-pressed": "false", click: toggle }, dot, name);
  }));
}

function find() {
  const wanted = box.value.trim();
  shown.found = wanted ? search(wanted) : null;
  shown.task = -1;
  found.textContent = wanted ? `${text(shown.found.length)} of ${text(names.length)}` : "";
  update();
}

function findNext(step) {
  if (!shown.found || !shown.found.length) return;
  const at = shown.found.indexOf(shown.task), count = shown.found.length;
  const next = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
  found.textContent = `${text(next + 1)} of ${text(count)}`;
  keep(shown.found[next]);
}
