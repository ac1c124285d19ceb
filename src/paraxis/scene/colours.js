// -- Colours that people with any colour vision tell apart. -----------------------------------------

// Okabe and Ito's, without the yellow that is lost on white
const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6fd0"];
const AXES = ["#d55e00", "#009e73", "#0072b2"];  // x, y, z
// cividis (Nuñez, Anderton and Renslow, 2018): lightness alone tells more from less
const RAMP = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];  // for curves beyond the colours

const hueOf = index => HUES[index % HUES.length];
const dashOf = index => DASHES[Math.floor(index / HUES.length) % DASHES.length];

/** The colour of a share from 0 to 1, as three numbers. */
function rampAt(share, out) {
  const x = Math.min(Math.max(share || 0, 0), 1) * (RAMP.length - 1);
  const k = Math.min(Math.floor(x), RAMP.length - 2);
  return out.set(RAMP[k]).lerp(rampAt.next.set(RAMP[k + 1]), x - k);
}
rampAt.next = new THREE.Color();

const prefersStill = matchMedia("(prefers-reduced-motion: reduce)");
