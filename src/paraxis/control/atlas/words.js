// -- Text beside the pictures: choices, captions, the numbers of a cell. ---------------------------

const panel = byId("panel");
const pictures = [...document.querySelectorAll(".maps figure")].map(each => new Picture(each));

function fillChoices() {
  const option = name => make("option", { value: name }, name);
  byId("policy").replaceChildren(...policies.map(option));
  byId("beside").replaceChildren(make("option", { value: "" }, "nothing"), ...policies.map(option));
}

function caption(figure, policy) {
  const map = mapOf(policy), cells = map.cells.flat(), lost = cells.filter(value => value < 0).length;
  figure.querySelector("h2").textContent = policy;
  figure.querySelector(".fine").textContent = `${lost} of ${cells.length} runs diverged; `
    + `${(100 * map.agreement).toFixed(1)}% as predicted`;
  figure.querySelector("canvas").setAttribute("aria-label",
    `Map of ${policy}: sampling period across, ${chosen.axis} upwards`);
}

/** The result of the run of a cell, and its prediction. */
function told(policy, cell) {
  const { lost, error, at, boundary, stable } = outcome(policy, cell);
  const edge = boundary === 0 ? `not even at ${milliseconds(periods[0])}`
    : boundary === Infinity ? `at all periods up to ${milliseconds(periods[periods.length - 1])}`
      : `up to ${milliseconds(boundary)}`;
  const odd = lost === stable ? " The two differ here." : "";
  return make("div", {}, make("h3", {}, policy),
    make("p", {}, lost ? `Simulated: diverged at ${text(at)} s.`
      : `Simulated: stayed bounded, worst error ${text(error)} ${data.unit}.`),
    make("p", {}, `Predicted: ${stable ? "stable" : "unstable"}; stable ${edge}.${odd}`));
}

function describe() {
  const cell = lookedAt(), { values, unit, about } = axis(), period = periods[cell.column];
  panel.replaceChildren(
    make("p", {}, `Period ${milliseconds(period)} (${text(1 / period)} Hz), ${chosen.axis} `
      + `${text(values[cell.row])} ${unit}`),
    make("div", { class: "told" }, ...looked().map(policy => told(policy, cell))),
    make("p", { class: "quiet" },
      `Upwards: ${chosen.axis}, ${about}. Point at a cell to see its numbers; click to select it.`));
}

/** Updates everything that depends on the selection. */
function update() {
  byId("policy").value = chosen.policy;
  byId("beside").value = chosen.beside;
  for (const button of document.querySelectorAll("[data-axis]")) {
    press(button, button.dataset.axis === chosen.axis);
  }
  const shown = looked();
  document.querySelector(".maps").classList.toggle("two", shown.length > 1);
  pictures.forEach((picture, k) => {
    picture.figure.hidden = k >= shown.length;
    if (shown[k]) caption(picture.figure, shown[k]);
  });
  byId("stops").replaceChildren(...stopsOf(shown).map(stop => make("span", {}, short(stop))));
  writeAddress();
  redraw();
}

function draw() {
  looked().forEach((policy, k) => pictures[k].draw(policy));
  describe();
}

let asked = false;

function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}
