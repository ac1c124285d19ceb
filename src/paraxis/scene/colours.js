// -- Colours that people with any colour vision tell apart. -----------------------------------------

const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");

// Okabe and Ito's, without the yellow that is lost on white; on dark the same hues, lighter
const HUES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6fd0"],
  dark: ["#4aa3df", "#f5803e", "#2fc496", "#e29cc5", "#f3b83a", "#8fd0f5", "#a79eec"],
};
const AXES = ["#d55e00", "#009e73", "#0072b2"];  // x, y, z
// cividis (Nuñez, Anderton and Renslow, 2018): lightness alone tells more from less
const RAMP = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];  // for curves beyond the colours

const hueOf = index => HUES[prefersDark.matches ? "dark" : "light"][index % HUES.light.length];
const dashOf = index => DASHES[Math.floor(index / HUES.light.length) % DASHES.length];

/** Where the ramp begins: its darkest end is lost on dark. */
const rampStart = () => prefersDark.matches ? 0.3 : 0;

/** The colour of a share from 0 to 1, as three numbers. */
function rampAt(share, out) {
  const first = rampStart();
  const x = (first + (1 - first) * Math.min(Math.max(share || 0, 0), 1)) * (RAMP.length - 1);
  const k = Math.min(Math.floor(x), RAMP.length - 2);
  return out.set(RAMP[k]).lerp(rampAt.next.set(RAMP[k + 1]), x - k);
}
rampAt.next = new THREE.Color();
