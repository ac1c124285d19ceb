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

/** Whether the page is dark: as the page around it, where that has a theme, else as the system is.
    Dispatches "change", with `matches`, as a MediaQueryList does. */
const prefersDark = new class extends EventTarget {
  constructor() {
    super();
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.system.addEventListener("change", () => this.tell());
    this.around = framed ? this.rootsAround() : [];
    const watch = new MutationObserver(() => this.tell());
    for (const root of this.around) watch.observe(root, { attributes: true });
    this.read();
  }

  /** The elements on which pages such as documentation and notebooks note their theme. */
  rootsAround() {
    try {
      const { documentElement, body } = window.parent.document;
      return [documentElement, body].filter(Boolean);
    } catch {
      return [];  // of another origin
    }
  }

  /** "dark", "light", or nothing where the system decides. */
  themeAround() {
    for (const { dataset } of this.around) {
      const { theme, jpThemeLight, vscodeThemeKind } = dataset;
      if (theme === "dark" || theme === "light") return theme;
      if (jpThemeLight) return jpThemeLight === "true" ? "light" : "dark";
      if (vscodeThemeKind) return vscodeThemeKind.includes("dark") ? "dark" : "light";
    }
    return "";
  }

  read() {
    const theme = this.themeAround(), root = document.documentElement;
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    this.matches = theme ? theme === "dark" : this.system.matches;
  }

  tell() {
    const before = this.matches;
    this.read();
    if (this.matches === before) return;
    this.dispatchEvent(Object.assign(new Event("change"), { matches: this.matches }));
  }
}();

/** Within another page: as plain as it is there, and as high as it needs to be. */
function fitFrame() {
  if (!framed) return;
  document.documentElement.classList.add("framed");
  const grow = () => { if (frameElement) frameElement.style.height = `${document.body.offsetHeight}px`; };
  new ResizeObserver(grow).observe(document.body);
}
