// -- What interactive pages share: elements, and being framed by another page. ---------------------

const byId = id => document.getElementById(id);

/** An element with text or children. Text is text: names are never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") element.addEventListener("click", value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function press(button, on) { button.setAttribute("aria-pressed", String(on)); }

const framed = window.self !== window.top;  // within another page, whose scrolling goes first

/** Within another page: as plain as it is there, and as high as it needs to be. */
function fitFrame() {
  if (!framed) return;
  document.documentElement.classList.add("framed");
  const grow = () => { if (frameElement) frameElement.style.height = `${document.body.offsetHeight}px`; };
  new ResizeObserver(grow).observe(document.body);
}
