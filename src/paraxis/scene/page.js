// -- The page: what is drawn, the time line, the curves, and the keys. ------------------------------

const data = JSON.parse(byId("data").textContent);
const bodies = data.robot.joints.length;
const recording = new Recording(data.motion, bodies);
const poses = new Float32Array(recording.width);
const picked = { joint: null };
const page = window.paraxis = { THREE, data, recording, picked, toggle, chooseRobot, plots: [], frames: 0 };

function start() {
  if (framed) document.documentElement.classList.add("framed");
  for (const note of data.notes) byId("notelist").append(make("li", {}, note));
  try {
    page.view = new View(byId("view"), data, recording.robots, data.motion.root);
  } catch (error) {
    return complain(`This browser cannot draw in 3-D here: ${error.message}`);
  }
  const player = page.player = new Player(recording.duration, moveTo);
  new IntersectionObserver(([entry]) => { player.seen = entry.isIntersecting; }).observe(byId("stage"));
  player.paced = passed => page.view.pace(passed);
  page.follows = wander() > 1.5 * data.robot.size;
  frameAll();
  addTools();
  if (recording.moments > 1) { addTimeline(player); addPlots(player); }
  addKeys(player);
  listHelp();
  describe();
  tellTrails();
  player.seek(0);
  page.view.refresh();
  page.view.drawn = () => { page.frames++; page.first ??= performance.now(); placeLabels(); };
  if (recording.moments > 1 && !prefersStill.matches) player.play();
}

function complain(text) {
  byId("trouble").hidden = false;
  byId("trouble").textContent = text;
}

// -- a moment ---------------------------------------------------------------------------------------

/** Everything at time t. */
function moveTo(t) {
  const { view } = page;
  view.setPoses(recording.sample(t, poses));
  const [moment] = recording.place(t);
  if (page.forces) {
    const { points, vectors, count, width, scale } = page.forces;
    const known = view.focus < page.forces.robots;
    view.setForces(points, vectors, moment * width + view.focus * count * 3, known ? count : 0, scale);
  }
  if (view.shown.torque) view.setShares(sharesAt(moment));
  view.setPast(recording.duration > 0 ? t / recording.duration : 1);
  if (data.motion.moving) page.toured = data.motion.moving[moment];
  if (page.follows && view.groups[1].visible) view.follow(view.centreOfMass(new THREE.Vector3()));
  for (const plot of page.plots) plot.mark(t);
  page.tell?.(t);
}

/** Torques as shares of what motors can do, or else of the largest of that joint. */
function sharesAt(moment) {
  const { tau } = page;
  if (!tau || page.view.focus >= tau.robots) return null;
  return tau.limits.map((limit, joint) => {
    let square = 0;
    for (const curve of tau.curves[joint]) square += tau.plot.at(curve, moment) ** 2;
    return tau.curves[joint].length ? Math.sqrt(square) / limit : undefined;
  });
}

// -- the camera, the floor and trails ---------------------------------------------------------------

/** How far the first body goes. */
function wander() {
  if (data.robot.joints[0].kind !== "free") return 0;
  const out = new Float32Array(POSE), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (let k = 0; k < recording.moments; k++) {
    recording.at(k, 0, 0, out);
    for (let e = 0; e < 2; e++) if (Number.isFinite(out[e])) {
      low[e] = Math.min(low[e], out[e]); high[e] = Math.max(high[e], out[e]);
    }
  }
  return Math.max(high[0] - low[0], high[1] - low[1], 0);
}

/** Look at all places where bodies come, of many robots of some, and lay the floor below them. */
function frameAll() {
  const { view } = page, own = new THREE.Box3(), out = new Float32Array(POSE), points = [];
  const corners = view.groups.map(group => {
    own.makeEmpty();
    for (const mesh of group.children) {
      if (mesh.userData.part?.look !== view.look) continue;
      mesh.geometry.computeBoundingBox();
      own.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrix));
    }
    const { min, max } = own.isEmpty() ? new THREE.Box3(new THREE.Vector3(), new THREE.Vector3()) : own;
    return [0, 1, 2, 3, 4, 5, 6, 7].map(k =>
      new THREE.Vector3(k & 1 ? min.x : max.x, k & 2 ? min.y : max.y, k & 4 ? min.z : max.z));
  });
  const matrix = new THREE.Matrix4(), point = new THREE.Vector3();
  let lowest = Infinity;
  const add = (body, pose) => {
    if (!Number.isFinite(pose[0])) return;
    matrixAt(pose, 0, matrix);
    for (const corner of corners[body]) {
      point.copy(corner).applyMatrix4(matrix);
      points.push(point.x, point.y, point.z);
      lowest = Math.min(lowest, point.z);
    }
  };
  add(0, data.motion.root);
  const moments = page.follows ? 1 : recording.moments, skipped = Math.ceil(recording.robots / 40);
  const step = Math.max(1, Math.floor(moments / (recording.robots > 1 ? 15 : 60)));
  for (let robot = 0; robot < recording.robots; robot += skipped) {
    for (let k = 0; k < moments; k += step) {
      for (let body = 0; body < bodies; body++) { recording.at(k, robot, body, out); add(body + 1, out); }
    }
  }
  view.setFloor(view.ground ?? Math.min(lowest, 0));
  view.lookAt(Float32Array.from(points));
}

/** The ways of the tools of the robot in focus. */
function tellTrails() {
  if (recording.moments < 2 || data.motion.moving) return;
  const out = new Float32Array(POSE), matrix = new THREE.Matrix4(), point = new THREE.Vector3();
  const ways = data.robot.tools.slice(0, 8).map(tool => {
    const way = [];
    for (let k = 0; k < recording.moments; k++) {
      if (tool.body === 0) break;
      recording.at(k, page.view.focus, tool.body - 1, out);
      if (!Number.isFinite(out[0])) break;
      point.fromArray(tool.at).applyMatrix4(matrixAt(out, 0, matrix));
      way.push(point.x, point.y, point.z);
    }
    return Float32Array.from(way);
  });
  page.view.setTrails(ways.filter(way => way.length > 3));
}

// -- tools ------------------------------------------------------------------------------------------

const TOOLS = [  // name, words, key, whether there is any
  ["axes", "Joint axes", "a", () => data.robot.joints.some(joint => joint.kind !== "free")],
  ["frames", "Frames", "f", () => data.robot.frames.length > 0],
  ["mass", "Centre of mass", "c", () => data.robot.masses.some(mass => mass > 0)],
  ["trail", "Trail", "t", () => recording.moments > 1 && !data.motion.moving],
  ["torque", "Torque", "q", () => data.motion.curves.some(panel => panel.name === "tau")],
  ["forces", "Forces", "o", () => Boolean(data.motion.arrows || data.live?.ground)],
  ["crowd", "Others", "g", () => recording.robots > 1],
  ["apart", "Side by side", "b", () => recording.robots > 1],
];
const LOOK_WORDS = { visual: "Visual", collision: "Collision", skeleton: "Skeleton", inertia: "Inertia" };

function addTools() {
  const { view } = page, bar = byId("tools");
  page.buttons = {};
  const looks = view.looks.map(look => make("button", { type: "button", "aria-pressed": String(look === view.look),
    click: () => {
      view.setLook(look);
      looks.forEach((each, k) => press(each, view.looks[k] === look));
    } }, LOOK_WORDS[look]));
  bar.append(make("div", { class: "choices", role: "group", "aria-label": "Geometry" }, ...looks));
  const group = make("div", { class: "choices", role: "group", "aria-label": "Signs" });
  for (const [name, words, key, there] of TOOLS) {
    if (!there()) continue;
    const button = make("button", { type: "button", "aria-pressed": String(view.shown[name]),
      "aria-keyshortcuts": key, title: `${words} (${key.toUpperCase()})`, click: () => toggle(name) }, words);
    page.buttons[name] = button;
    group.append(button);
  }
  group.append(make("button", { type: "button", title: "Whole robot (H)", "aria-keyshortcuts": "h",
    click: () => view.goHome() }, "Whole robot"));
  bar.append(group);
  if (recording.robots > 1) {
    const which = make("input", { type: "number", min: "1", max: String(recording.robots), value: "1", id: "which" });
    which.addEventListener("change", () => {
      const number = Math.round(which.valueAsNumber) || 1;
      chooseRobot(Math.min(Math.max(number, 1), recording.robots) - 1);
    });
    bar.append(make("label", { class: "choices" }, "Robot ", which));
    page.which = which;
  }
}

function toggle(name) {
  const { view } = page, on = !view.shown[name];
  view.show(name, on);
  press(page.buttons[name], on);
  if (name === "torque") {
    byId("scale").hidden = !on;
    view.setShares(on ? sharesAt(recording.place(page.player.time)[0]) : null);
  }
  if (name === "crowd") moveTo(page.player.time);
  placeLabels();
}

function chooseRobot(robot) {
  page.view.setFocus(robot);
  if (page.which) page.which.value = String(robot + 1);
  for (const plot of page.plots) if (robot < plot.robots) plot.setRobot(robot);
  byId("plots").classList.toggle("other", page.plots.some(plot => robot >= plot.robots));
  tellTrails();
  moveTo(page.player.time);
}

// -- the time line ----------------------------------------------------------------------------------

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

function addTimeline(player) {
  const button = make("button", { type: "button", id: "play", "aria-keyshortcuts": "Space", click: () => player.toggle() });
  const scrub = make("input", { type: "range", id: "scrub", min: "0", max: "1000", step: "1", value: "0", "aria-label": "Time" });
  const clock = make("output", { id: "clock", for: "scrub" });
  const speed = make("select", { id: "speed", "aria-label": "Speed" },
    ...SPEEDS.map(each => make("option", { value: String(each) }, `${each}\u00d7`)));
  // a motion of a moment is played slowly enough to be seen
  player.speed = SPEEDS.filter(each => each <= 1 && player.duration / each >= 1.5).pop() ?? SPEEDS[0];
  speed.value = String(player.speed);
  speed.addEventListener("change", () => { player.speed = Number(speed.value); });
  scrub.addEventListener("input", () => { player.play(false); player.seek(scrub.value / 1000 * player.duration); });
  const digits = player.duration < 10 ? 2 : 1, whole = player.duration.toFixed(digits);
  page.tell = t => {
    scrub.value = String(Math.round(t / player.duration * 1000));
    scrub.style.setProperty("--share", `${t / player.duration * 100}%`);
    clock.textContent = `${t.toFixed(digits)} / ${whole} s`;
    if (!player.playing) scrub.setAttribute("aria-valuetext", `${t.toFixed(digits)} of ${whole} s`);
  };
  const say = () => {
    button.replaceChildren(player.playing ? "\u275a\u275a" : "\u25b6\ufe0e");
    button.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    button.title = `${player.playing ? "Pause" : "Play"} (Space)`;
  };
  player.listeners.add(say);
  say();
  byId("time").append(button, scrub, clock, speed);
  byId("time").hidden = false;
}

// -- curves -----------------------------------------------------------------------------------------

function addPlots(player) {
  const place = byId("plots"), panels = data.motion.curves;
  if (!panels.length) return;
  place.hidden = false;
  const grid = make("div", { class: "grid" });
  for (const panel of panels) {
    const plot = new Plot(panel, recording.times, player, picked);
    plot.robots = panel.values.shape[0];
    page.plots.push(plot);
    grid.append(plot.figure);
    if (panel.name === "tau") {
      const curves = data.robot.joints.map((_, joint) => panel.curves.flatMap((curve, k) => curve.joint === joint ? [k] : []));
      page.tau = { plot, curves, robots: plot.robots, limits: curves.map((own, joint) => limitOf(plot, own, joint)) };
    }
  }
  place.append(legend(), grid);
  prefersDark.addEventListener("change", () => {
    for (const plot of page.plots) plot.redraw();
    tellTrails();
  });
  addScale();
  if (data.motion.arrows) addForces();
}

function limitOf(plot, curves, joint) {
  const { effort } = data.robot.joints[joint];
  if (effort) return effort;
  let most = 0;
  for (const curve of curves) for (let k = 0; k < recording.moments; k++) most = Math.max(most, Math.abs(plot.at(curve, k)) || 0);
  return most || 1;
}

/** The joints beside their colours; each can be picked. */
function legend() {
  const list = make("div", { class: "legend", role: "group", "aria-label": "Joints" });
  const buttons = data.robot.joints.map((joint, k) => {
    const sample = make("i", { class: "sample" }), dash = dashOf(k);
    const paint = () => {
      const hue = hueOf(k), last = dash[0] + dash[1];
      sample.style.background = dash.length
        ? `repeating-linear-gradient(90deg, ${hue} 0 ${dash[0]}px, transparent 0 ${last}px)` : hue;
    };
    paint();
    prefersDark.addEventListener("change", paint);
    const button = make("button", { type: "button", "aria-pressed": "false",
      click: () => page.pick(picked.joint === k ? null : k) }, sample, joint.name);
    list.append(button);
    return button;
  });
  page.pick = joint => {
    picked.joint = joint;
    buttons.forEach((button, k) => press(button, k === joint));
    for (const plot of page.plots) plot.redraw();
    placeLabels();
  };
  return list;
}

function addScale() {
  if (!page.tau) return;
  const limited = data.robot.joints.every(joint => joint.effort || joint.kind === "free");
  const bar = make("i", { class: "ramp" });
  const colour = new THREE.Color();
  const paint = () => {
    const stops = RAMP.map((_, k) => `#${rampAt(k / (RAMP.length - 1), colour).getHexString()}`);
    bar.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  };
  paint();
  prefersDark.addEventListener("change", paint);
  byId("scale").append(make("span", {}, "Torque: 0"), bar, make("span", {}, limited ? "effort limit" : "each joint's largest"));
}

function addForces() {
  const { points, forces } = data.motion.arrows, [, robots, count] = points.shape;
  const vectors = unpacked(forces);
  const scale = 0.5 * data.robot.size / (data.robot.weight || 1);  // m/N
  page.forces = { points: unpacked(points), vectors, count, robots, width: robots * count * 3, scale };
}

// -- names beside what they name --------------------------------------------------------------------

const MOST_LABELS = 60;

function placeLabels() {
  const { view } = page, wanted = [];
  if (view.shown.frames) {
    for (const frame of data.robot.frames.slice(0, MOST_LABELS)) wanted.push([frame.name, frame.body, frame.pose]);
  }
  if (view.shown.axes || picked.joint !== null || page.toured !== undefined) {
    data.robot.joints.slice(0, MOST_LABELS).forEach((joint, k) => {
      const named = view.shown.axes || k === picked.joint || k === page.toured;
      if (joint.kind !== "free" && named) wanted.push([joint.name, k + 1, null]);
    });
  }
  const box = byId("labels");
  while (box.children.length > wanted.length) box.lastChild.remove();
  while (box.children.length < wanted.length) box.append(make("span"));
  const point = new THREE.Vector3(), taken = [];
  wanted.forEach(([name, body, pose], k) => {
    const label = box.children[k];
    if (label.textContent !== name) label.textContent = name;
    if (pose) point.set(pose[0], pose[1], pose[2]); else point.set(0, 0, 0);
    const at = view.groups[body].visible ? view.project(point.applyMatrix4(view.matrixOf(body))) : null;
    const wide = 10 + 6.3 * Math.min(name.length, 32);  // about, as to ask for it would take long
    const covered = at && taken.some(([x, y, width]) => Math.abs(y - at[1]) < 15 && at[0] < x + width && x < at[0] + wide);
    label.hidden = !at || covered;
    if (!label.hidden) taken.push([...at, wide]);
    if (at) label.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
  });
}

// -- keys and words ---------------------------------------------------------------------------------

const ORBITS = { j: [-0.1, 0], l: [0.1, 0], i: [0, 0.1], k: [0, -0.1], "+": [0, 0, 1.15], "-": [0, 0, 1 / 1.15] };

function addKeys(player) {
  const moving = recording.moments > 1;
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event, typing = target.matches("input[type=number], select, textarea");
    const presses = target.matches("button, summary, a");
    if (typing) return;
    const step = (event.shiftKey ? 10 : 1) * Math.max(player.duration / 100, 1 / 60);
    const moves = { ArrowLeft: -step, ArrowRight: step };
    if (key === " " && !presses && moving) player.toggle();
    else if (key in moves && moving) { player.play(false); player.seek(player.time + moves[key]); }
    else if (key === "Home" && moving) player.seek(0);
    else if (key === "End" && moving) player.seek(player.duration);
    else if (key === "h") page.view.goHome();
    else if (key in ORBITS) page.view.orbit(...ORBITS[key]);
    else {
      const tool = TOOLS.find(([name, , letter]) => letter === key && page.buttons[name]);
      if (!tool) return;
      toggle(tool[0]);
    }
    event.preventDefault();
  });
}

function listHelp() {
  const words = ["Drag to turn, scroll or pinch to come closer, drag with the right button or two fingers to move."];
  if (recording.moments > 1) {
    words.push("Space plays and pauses. The arrow keys step through time, ten times as far with Shift; dragging in a curve does, too.");
  }
  const keys = TOOLS.filter(([name]) => page.buttons[name]).map(([, name, key]) => `${key.toUpperCase()} ${name.toLowerCase()}`);
  words.push(`Keys: ${[...keys, "H whole robot"].join(", ")}; J, L, I and K turn the camera, + and \u2212 move it.`);
  byId("notelist").prepend(...words.map(text => make("li", {}, text)));
}

function describe() {
  byId("view").setAttribute("aria-label", `${data.robot.name} in 3-D: ${byId("lead").textContent}` +
    `; joints ${data.robot.joints.slice(0, 12).map(joint => joint.name).join(", ")}` +
    (bodies > 12 ? ` and ${bodies - 12} more` : ""));
}

start();
