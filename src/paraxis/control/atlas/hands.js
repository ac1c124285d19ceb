// -- Input: pointer, touch and keys; and the first picture. ----------------------------------------

const same = (a, b) => a?.row === b?.row && a?.column === b?.column;

function keep(cell) {
  chosen.cell = cell;
  update();
}

for (const picture of pictures) {
  const { canvas } = picture;
  const under = event => {
    const edge = canvas.getBoundingClientRect();
    return picture.cellAt(event.clientX - edge.left, event.clientY - edge.top);
  };
  const point = cell => {
    if (same(cell, hover)) return;
    hover = cell;
    redraw();
  };
  canvas.addEventListener("pointermove", event => {
    if (event.pointerType !== "touch") point(under(event));
  });
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("click", event => {
    const cell = under(event);
    keep(same(cell, chosen.cell) ? null : cell);
  });
}

// -- keys ------------------------------------------------------------------------------------------

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };

function arrow(key, far) {
  const [up, right] = ARROWS[key], rows = axis().values.length, columns = periods.length;
  const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
  const from = chosen.cell || usualCell(), by = far ? 5 : 1;
  hover = null;
  keep({ row: within(from.row + by * up, rows), column: within(from.column + by * right, columns) });
}

/** The next or previous one, cyclically. */
const next = (names, name, step) =>
  names[(names.indexOf(name) + step + names.length) % names.length];

function choose(change) {
  Object.assign(chosen, change);
  if (!mapOf(chosen.policy).cells[chosen.cell?.row]) chosen.cell = null;  // axes differ in length
  hover = null;
  update();
}

const KEYS = {
  p: () => choose({ policy: next(policies, chosen.policy, 1) }),
  P: () => choose({ policy: next(policies, chosen.policy, -1) }),
  b: () => choose({ beside: next(["", ...policies], chosen.beside, 1) }),
  B: () => choose({ beside: next(["", ...policies], chosen.beside, -1) }),
  a: () => choose({ axis: next(axisNames, chosen.axis, 1) }),
  Escape: () => keep(null),
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  if (event.key in ARROWS && event.target.tagName === "CANVAS") arrow(event.key, event.shiftKey);
  else if (event.key in KEYS) KEYS[event.key]();
  else return;
  event.preventDefault();
});

byId("policy").addEventListener("change", event => choose({ policy: event.target.value }));
byId("beside").addEventListener("change", event => choose({ beside: event.target.value }));
for (const button of document.querySelectorAll("[data-axis]")) {
  button.addEventListener("click", () => choose({ axis: button.dataset.axis }));
}

// -- beginning -------------------------------------------------------------------------------------

function recolour() {
  mix();
  redraw();
}

fillChoices();
mix();
readAddress();
update();
fitFrame();
addEventListener("hashchange", () => { readAddress(); update(); });
new ResizeObserver(redraw).observe(document.querySelector(".maps"));
prefersDark.addEventListener("change", recolour);
matchMedia("print").addEventListener("change", () => { mix(); draw(); });
