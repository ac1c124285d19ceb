// -- The robot alive: its own kernels in WebAssembly, stepped in real time. --------------------------
//
// A control step reads the state, computes torques by the chosen law and holds them for one sampling
// period, during which the plant takes steps of RK4. Bodies are numbered from 1: 0 carries the root.

const live = data.live;
const SLOWEST = 0.25;  // s of simulated time that a frame catches up at most
const BUDGET = 50;  // ms that a frame computes at most: a page that is too slow falls behind, and says so
const CHUNK = 16;  // steps between looks at the clock
const LOST = 100;  // rad/s or m/s: what no robot under control does
const ASTRAY = 0.3;  // rad or m from a goal that stands still: what limits and stops may keep from being faster
const SERVOS = [0.25, 0.5, 1, 2];  // stiffness of servos: of what they are made for

class Robot {
  /** Compile all kernels. */
  static async load() {
    const robot = new Robot();
    const bytes = part => Uint8Array.from(atob(part.module), letter => letter.charCodeAt(0));
    robot.plant = await Iteration.load(live.plant.about, bytes(live.plant));
    robot.poses = (await Kernel.load(live.poses.about, bytes(live.poses))).batch(1);
    robot.reach = (await Kernel.load(live.reach.about, bytes(live.reach))).batch(1);
    robot.laws = [];
    for (const law of live.laws) {
      const kernel = (await Kernel.load(law.about, bytes(law))).batch(1);
      robot.laws.push({ ...law, kernel });
    }
    if (live.ground) {
      robot.laws.push({ words: "Servos of the joints", carry: {}, safe: [] });
      robot.forces = (await Kernel.load(live.ground.forces.about, bytes(live.ground.forces))).batch(1);
    }
    robot.rate = await Robot.measured(bytes(live.plant));
    robot.law = 0;
    robot.settings = { period: live.ground ? 1e-3 : 5e-3, frequency: live.ground ? 2 : 1, held: true };
    robot.goal = Float64Array.from(live.home);
    robot.reset();
    return robot;
  }

  /** Steps per second of a batch of robots on this thread: the best of a few short runs. */
  static async measured(module) {
    const robots = 64, steps = 50, plant = await Iteration.load(live.plant.about, module, robots);
    plant.set({ q: live.home, gravity: live.gravity, dt: live.step });
    if (live.ground) plant.set({ friction: live.ground.friction });
    plant.advance(steps);
    let best = Infinity;
    for (let run = 0; run < 8; run++) {
      const begin = performance.now();
      plant.set({ q: live.home, qd: 0 }).advance(steps);
      best = Math.min(best, performance.now() - begin);
    }
    return robots * steps / Math.max(best, 0.1) * 1e3;
  }

  reset() {
    this.plant.set({ q: live.home, qd: 0, tau: 0, push: 0 });
    if (live.ground) this.plant.set({ impulses: 0 });
    this.goal.set(live.home);
    this.restart();
    this.time = this.astray = 0;
    this.lost = null;
  }

  /** Begin a control step now: what is stale becomes as if the robot had long been in its state. */
  restart() {
    this.left = 0;
    this.settled = false;
    for (const law of this.laws)
      for (const name of Object.keys(law.carry)) law.kernel.arrays[name].fill(0);
  }

  get q() { return this.plant.arrays.q; }
  get qd() { return this.plant.arrays.qd; }

  /** The torques of motors in this control step. */
  control() {
    const { tau } = this.plant.arrays, law = this.laws[this.law];
    if (!this.settings.held || !law) return tau.fill(0);
    if (live.ground) this.serve(tau); else this.track(tau, law);
    live.ratios.forEach((ratio, row) => { tau[row] /= ratio; });
  }

  /** Joint torques of a law: computed torque towards the goal. */
  track(tau, law) {
    const omega = live.frequencies[this.settings.frequency], { arrays } = law.kernel;
    const { q, qd } = this;
    arrays.q.set(q);
    arrays.qd.set(qd);
    for (let row = 0; row < qd.length; row++) arrays.qdd[row] = -2 * omega * qd[row];
    for (const [place, , , , row] of live.ranges)
      arrays.qdd[row] = omega * omega * (this.goal[place] - q[place]) - 2 * omega * qd[row];
    const carry = Object.entries(law.carry), again = carry.length && !this.settled ? 2 * data.robot.joints.length : 0;
    for (let k = 0; k <= again; k++) {  // values go out to the tips and back, one link each time
      law.kernel.run();
      for (const [name, next] of carry) arrays[name].set(arrays[next]);
    }
    this.settled = true;
    tau.set(arrays.tau);
  }

  /** Joint torques of servos, each of which knows its own joint. */
  serve(tau) {
    const factor = SERVOS[this.settings.frequency], { stiffness, damping } = live.ground, { q, qd } = this;
    tau.fill(0);
    for (const [place, , , , row] of live.ranges)
      tau[row] = factor * stiffness[row] * (this.goal[place] - q[place]) - Math.sqrt(factor) * damping[row] * qd[row];
  }

  /** How far it is from its goal, if that stands still since this was asked last and nobody pulls; else 0. */
  strays() {
    const moved = !this.asked?.every((x, k) => x === this.goal[k]) || page.grip || page.sway !== undefined;
    this.asked = this.goal.slice();
    const far = live.ranges.map(([place]) => Math.abs(this.q[place] - this.goal[place]));
    this.astray = moved ? 0 : Math.max(...far, 0.5 * this.astray);  // also while it swings through its goal
  }

  /** The share of its weight that the ground carries, after setting `points` and `forces` of contacts. */
  touch() {
    const { arrays } = this.forces, { gravity } = this.plant.arrays;
    arrays.q.set(this.q);
    arrays.impulses.set(this.plant.arrays.impulses);
    arrays.dt[0] = this.dt || live.step;
    this.forces.run();
    let along = 0;  // against gravity
    for (let k = 0; k < arrays.force.length; k++) along -= arrays.force[k] * gravity[k % 3];
    const square = gravity.reduce((sum, g) => sum + g * g, 0);
    return square && along / (square * data.robot.masses.reduce((sum, each) => sum + each, 0));
  }

  /** At least `owed` seconds, unless the clock passes `until`; how many were simulated. */
  advance(owed, until) {
    let done = 0;
    while (done < owed - 1e-9 && !this.lost && !(done && performance.now() > until)) {
      if (!this.left) this.sample();
      const few = Math.min(this.left, CHUNK, Math.ceil((owed - done) / this.dt - 1e-6));
      this.left -= few;
      done += this.move(few);
    }
    return done;
  }

  /** Begin a sampling period: torques are held while it lasts. */
  sample() {
    const { period } = this.settings;
    this.control();
    this.left = Math.ceil(period / live.step - 1e-9);
    this.plant.set({ dt: this.dt = period / this.left });
  }

  /** So many steps; how many seconds they are. */
  move(steps) {
    const q = this.q.slice(), qd = this.qd.slice();
    this.plant.advance(steps);
    this.time += steps * this.dt;
    if (!this.qd.every(rate => Math.abs(rate) < LOST)) {
      this.lost = this.time;
      this.plant.set({ q, qd });  // the last state that can be drawn
    }
    return steps * this.dt;
  }

  /** Moments and forces on bodies, along their own axes; `force` acts at `point` of the world. */
  push(body, point, force) {
    const { push } = this.plant.arrays;
    push.fill(0);
    if (body < 1) return;
    const matrix = this.matrices.subarray((body - 1) * 16, body * 16);
    const arm = [0, 1, 2].map(k => point[k] - matrix[4 * k + 3]);
    const moment = [arm[1] * force[2] - arm[2] * force[1], arm[2] * force[0] - arm[0] * force[2], arm[0] * force[1] - arm[1] * force[0]];
    for (let k = 0; k < 3; k++) for (let j = 0; j < 3; j++) {
      push[(body - 1) * 6 + k] += matrix[4 * j + k] * moment[j];
      push[(body - 1) * 6 + 3 + k] += matrix[4 * j + k] * force[j];
    }
  }

  /** Where all bodies are: 7 numbers each. */
  place(out) {
    this.poses.arrays.q.set(this.q);
    const m = this.matrices = this.poses.run().arrays.poses, at = Robot.matrix ??= new THREE.Matrix4();
    for (let body = 0; body * POSE < out.length; body++) {
      const k = body * 16;
      at.set(m[k], m[k + 1], m[k + 2], 0, m[k + 4], m[k + 5], m[k + 6], 0, m[k + 8], m[k + 9], m[k + 10], 0, 0, 0, 0, 1);
      const turn = new THREE.Quaternion().setFromRotationMatrix(at);
      out.set([m[k + 3], m[k + 7], m[k + 11], turn.x, turn.y, turn.z, turn.w], body * POSE);
    }
    return out;
  }

  /** Bring the goal to where the tool is at a point of the world. */
  aim(target) {
    const { arrays } = this.reach;
    arrays.q.set(this.q);
    for (const [place] of live.ranges) arrays.q[place] = this.goal[place];
    arrays.target.set(target);
    for (let k = 0; k < 30; k++) {
      this.reach.run();
      arrays.q.set(arrays.q_next);
      for (const [place, , low, high] of live.ranges) arrays.q[place] = Math.min(Math.max(arrays.q[place], low), high);
    }
    if (arrays.q.every(Number.isFinite)) this.goal.set(arrays.q);
  }
}

// -- the panel ---------------------------------------------------------------------------------------

const panel = byId("panel");

function slider(words, low, high, value, told, changed) {
  const id = `s${panel.querySelectorAll("input").length}`;
  const input = make("input", { type: "range", id, min: String(low), max: String(high), step: String((high - low) / 500), value: String(value) });
  const output = make("output", { for: id }, told(value));
  input.addEventListener("input", () => { const now = Number(input.value); output.textContent = told(now); changed(now); });
  const row = make("label", { class: "row", for: id }, make("span", { title: words }, words), input, output);
  panel.append(row);
  return { input, set(now) { input.value = String(now); output.textContent = told(now); } };
}

function heading(words) { panel.append(make("h2", {}, words)); }

const milliseconds = t => t < 0.01 ? `${(t * 1e3).toFixed(2)} ms` : t < 1 ? `${(t * 1e3).toFixed(0)} ms` : `${t.toFixed(1)} s`;

function addPanel(robot) {
  document.body.classList.add("live");
  panel.setAttribute("aria-label", "Controls");
  byId("notelist").append(...live.notes.map(text => make("li", {}, text)));
  const { settings } = robot;
  heading("Control");
  const choice = make("select", { "aria-label": "Control law", id: "law" }, ...robot.laws.map((law, k) => make("option", { value: String(k) }, law.words)));
  choice.addEventListener("change", () => { robot.law = Number(choice.value); robot.restart(); judge(robot); });
  if (robot.laws.length) panel.append(choice);
  const missing = [...robot.laws.length < live.policies ? ["control laws"] : [], ...live.schedule || live.ground ? [] : ["the schedule"]];
  page.missing = missing.length ? `Not offered for this robot: ${missing.join(" and ")}. See "About this page".` : "";
  slider("Sampling period", Math.log(5e-4), Math.log(0.6), Math.log(settings.period), x => milliseconds(Math.exp(x)),
    x => { settings.period = Math.exp(x); judge(robot); });
  const stiff = live.ground ? SERVOS.map(x => `${x}\u00d7`) : live.frequencies.map(x => `${x} rad/s`);
  slider("Stiffness", 0, stiff.length - 1, settings.frequency, k => stiff[Math.round(k)],
    k => { settings.frequency = Math.round(k); judge(robot); }).input.step = "1";
  panel.append(make("p", { id: "verdict", role: "status" }));
  const held = make("button", { type: "button", "aria-pressed": "true", click: () => { settings.held = !settings.held; press(held, settings.held); robot.restart(); judge(robot); } }, "Motors on");
  const motion = make("button", { type: "button", "aria-pressed": "false", click: () => { page.sway = page.sway === undefined ? robot.time : undefined; press(motion, page.sway !== undefined); } }, "Sway");
  if (live.sways && !prefersStill.matches) motion.click();
  const again = make("button", { type: "button", click: () => { robot.reset(); if (page.sway !== undefined) page.sway = 0; joints.forEach(([each, place]) => each.set(robot.goal[place])); judge(robot); } }, "Start again");
  panel.append(make("div", { class: "choices" }, held, motion, again));
  heading("Goal: sliders, or drag the ball at the tool");
  const joints = live.ranges.slice(0, live.sliders).map(([place, name, low, high]) =>
    [slider(name, low, high, robot.goal[place], x => x.toFixed(2), x => { robot.goal[place] = x; }), place]);
  page.tellGoal = () => joints.forEach(([each, place]) => each.set(robot.goal[place]));
  heading("World: pull a link with the mouse");
  const mass = data.robot.masses.reduce((sum, each) => sum + each, 0);
  slider(live.ground ? "Load on the base" : "Load at the tool", 0, Math.max(mass / 4, 0.1), 0, x => `${x.toFixed(2)} kg`, x => robot.plant.set({ load: x }));
  const still = !Math.hypot(...live.gravity), down = still ? [0, 0, -9.81] : live.gravity;
  slider("Gravity", 0, 2, still ? 0 : 1, x => `${(x * Math.hypot(...down)).toFixed(1)} m/s\u00b2`, x => robot.plant.set({ gravity: down.map(g => g * x) }));
  slider("Friction", 0, 5, 0, x => `${x.toFixed(1)} /s`, x => robot.plant.set({ damping: live.inertias.map(m => m * x) }));
  if (live.ground) slider("Grip of the ground", 0, 1.5, live.ground.friction, x => x.toFixed(2), x => robot.plant.set({ friction: x }));
  slider("Slow motion", -3, 0, 0, x => `${(2 ** x).toFixed(2)}\u00d7`, x => { page.speed = 2 ** x; });
  if (live.schedule && !live.ground) { heading("One control step on four processors"); panel.append(scheduled()); }
  if (page.missing) panel.append(make("p", { id: "missing" }, page.missing));
  panel.append(make("p", { id: "reading" }));
}

/** What is known of the law at this period: what is predicted, and what happens. */
function judge(robot) {
  const { settings } = robot, law = robot.laws[robot.law], place = byId("verdict");
  const safe = law?.safe[settings.frequency];
  const beyond = settings.held && safe && settings.period > safe;
  const astray = beyond && robot.astray > ASTRAY;
  place.classList.toggle("lost", Boolean(robot.lost) || astray);
  place.classList.toggle("beyond", Boolean(beyond));
  const known = safe ? `Predicted safe: up to ${milliseconds(safe)} at this stiffness. ` : "No safe period is known at this stiffness. ";
  let words = !law ? "There is no control law for this robot: its motors are off."
    : !settings.held ? "The motors are off: nothing holds the joints."
    : live.ground ? "Each servo holds its joint; nothing holds the base. A longer sampling period makes servos shake."
    : !safe ? known
    : beyond ? `${known}This is ${(settings.period / safe).toFixed(1)} times as long: pull the arm, and it is lost.`
    : `${known}This is within it.`;
  if (astray) words = `Lost: ${robot.astray.toFixed(1)} rad or m from its goal. ${known}Shorten the period, or start again.`;
  if (robot.lost) words = settings.held && law ? `Lost after ${robot.lost.toFixed(1)} s. ${known}Start again.`
    : `Stopped after ${robot.lost.toFixed(1)} s: faster than ${LOST} rad/s or m/s. Start again.`;
  if (place.textContent !== words) place.textContent = words;  // which screen readers speak
}

// -- the schedule -----------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function scheduled() {
  const { tasks, makespan, processors } = live.schedule, high = 18;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 300 ${processors * high}`);
  svg.setAttribute("id", "schedule");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Schedule of inverse dynamics on ${processors} processors: ${makespan} operations one after another`);
  const groups = [...new Set(tasks.map(task => task[3]))];
  page.tasks = tasks.map(([start, length, processor, group]) => {
    const rect = document.createElementNS(SVG, "rect");
    const at = { x: start / makespan * 300, y: processor * high + 1, width: Math.max(length / makespan * 300 - 0.4, 0.5), height: high - 2 };
    for (const [name, value] of Object.entries(at)) rect.setAttribute(name, String(value));
    rect.setAttribute("fill", hueOf(groups.indexOf(group)));
    svg.append(rect);
    return [rect, start, start + length];
  });
  return svg;
}

function lightTasks(now) {
  if (!page.tasks) return;
  const at = now / 4000 % 1 * live.schedule.makespan;
  for (const [rect, begin, end] of page.tasks) rect.classList.toggle("on", begin <= at && at < end);
}

// -- pulling links and dragging the tool --------------------------------------------------------------

function addPointer(robot) {
  const { view } = page, caster = new THREE.Raycaster(), at = new THREE.Vector2(), plane = new THREE.Plane();
  const ball = page.ball = new THREE.Mesh(new THREE.SphereGeometry(0.03 * view.size, 24, 12),
    new THREE.MeshStandardMaterial({ color: "#e69f00", transparent: true, opacity: 0.75, depthTest: false }));
  ball.renderOrder = 8;
  const band = page.band = new THREE.Line(new THREE.BufferGeometry().setFromPoints([position, position]), new THREE.LineBasicMaterial({ color: "#cc79a7", depthTest: false }));
  band.renderOrder = 8;
  band.frustumCulled = false;
  band.visible = false;
  view.scene.add(ball, band);
  const cast = event => {
    const box = view.canvas.getBoundingClientRect();
    at.set((event.clientX - box.left) / box.width * 2 - 1, 1 - (event.clientY - box.top) / box.height * 2);
    caster.setFromCamera(at, view.camera);
  };
  const follow = event => {
    cast(event);
    const hit = caster.ray.intersectPlane(plane, new THREE.Vector3());
    if (!hit) return;
    if (page.grip.body === 0) { robot.aim(hit.toArray()); page.tellGoal(); } else page.grip.target = hit;
  };
  view.canvas.addEventListener("pointerdown", event => {
    if (event.button !== 0) return;
    cast(event);
    const [onBall] = caster.intersectObject(ball);
    const own = view.meshes.filter(mesh => mesh.visible && mesh.userData.part.body > 0);
    const [hit] = onBall ? [onBall] : caster.intersectObjects(own);
    if (!hit) return;
    plane.setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    const body = onBall ? 0 : hit.object.userData.part.body;
    page.grip = { body, target: hit.point.clone(), local: hit.point.clone().applyMatrix4(view.matrixOf(body).clone().invert()) };
    view.controls.enabled = false;
    view.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
  }, { capture: true });
  view.canvas.addEventListener("pointermove", event => { if (page.grip) follow(event); });
  const release = () => { page.grip = null; view.controls.enabled = true; band.visible = false; robot.push(0); };
  view.canvas.addEventListener("pointerup", release);
  view.canvas.addEventListener("pointercancel", release);
}

/** The pull of the mouse: a spring, as stiff as the robot is heavy. */
function pull(robot) {
  const { grip, view } = page;
  if (!grip?.body) return;
  const point = grip.local.clone().applyMatrix4(view.matrixOf(grip.body));
  const weight = data.robot.masses.reduce((sum, each) => sum + each, 0) * 9.81;
  const force = grip.target.clone().sub(point).multiplyScalar(4 * weight / data.robot.size).clampLength(0, 2 * weight);
  robot.push(grip.body, point.toArray(), force.toArray());
  page.band.geometry.setFromPoints([point, grip.target]);
  page.band.visible = true;
}


// -- time -------------------------------------------------------------------------------------------

async function begin() {
  if (!page.view) return;  // the page has said why
  const robot = page.live = await Robot.load(), { view } = page;
  robot.plant.set({ gravity: live.gravity, load: 0, damping: 0 });
  if (live.ground) robot.plant.set({ friction: live.ground.friction });
  addPanel(robot);
  addPointer(robot);
  judge(robot);
  page.speed = 1;
  let before = null, owed = 0, told = null, wanted = 0, simulated = 0;
  const tool = new THREE.Vector3(), centre = new THREE.Vector3(), perForce = 0.5 * data.robot.size / (data.robot.weight || 1);
  let carried = 0;
  robot.place(poses);
  view.setPoses(poses);
  const space = new THREE.Box3().setFromArray(view.home).expandByScalar(0.12 * data.robot.size);  // room to move
  if (data.robot.joints[0].kind !== "free") {  // and all round what it is fixed to
    const root = new THREE.Vector3().fromArray(data.motion.root), far = 0.45 * data.robot.size;
    space.expandByPoint(root.clone().addScalar(far)).expandByPoint(root.clone().addScalar(-far));
  }
  const { min, max } = space;
  view.lookAt(Float32Array.of(min.x, min.y, min.z, max.x, min.y, max.z, min.x, max.y, max.z, max.x, max.y, min.z));
  const frame = now => {
    requestAnimationFrame(frame);
    owed += Math.min((now - (before ?? now)) / 1000 * page.speed, SLOWEST);
    before = now;
    told ??= now;
    if (!robot.lost) {
      if (page.sway !== undefined) {
        for (const [place, , low, high] of live.ranges) {
          const reach = Math.min(high - live.home[place], live.home[place] - low, 0.6);
          robot.goal[place] = live.home[place] + Math.max(reach, 0) * Math.sin(2 * (robot.time - page.sway) + place);
        }
        page.tellGoal();
      }
      const begin = performance.now();
      pull(robot);
      const done = owed > 0 ? robot.advance(owed, begin + BUDGET) : 0, late = performance.now() > begin + BUDGET;
      wanted += Math.max(owed, 0);
      simulated += done;
      owed = late ? Math.min(owed - done, 0) : owed - done;
      if (robot.lost) judge(robot);
      robot.place(poses);
      view.setPoses(poses);
      if (live.ground) {
        carried = robot.touch();
        const { point, force } = robot.forces.arrays;
        view.setForces(point, force, 0, point.length / 3, perForce);
        if (!page.grip) view.follow(view.centreOfMass(centre), centre.z);
      }
    } else owed = 0;
    tool.fromArray(live.tool.at).applyMatrix4(view.matrixOf(live.tool.body + 1));
    if (!page.grip) page.ball.position.copy(tool);
    else if (page.grip.body === 0) page.ball.position.copy(page.grip.target);
    lightTasks(now);
    if (now - told > 500) {
      robot.strays();
      judge(robot);
      const share = simulated / Math.max(wanted, 1e-9);
      const ground = live.ground ? ` The ground carries ${(100 * carried).toFixed(0)} % of the weight.` : "";
      byId("reading").textContent = `${robot.time.toFixed(1)} s simulated.${ground} In a batch, this page takes ${(robot.rate / 1e6).toPrecision(2)} million ${live.order === 4 ? "RK4 " : ""}steps per second.`
        + (wanted > 0 && share < 0.9 ? ` That is too slow for real time here: ${share.toFixed(2)}\u00d7.` : "");
      told = now; wanted = simulated = 0;
    }
  };
  requestAnimationFrame(frame);
}

begin().catch(error => complain(`The kernels of this page could not start: ${error.message}`));
