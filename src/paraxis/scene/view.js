// -- The view: a robot in 3-D. ---------------------------------------------------------------------
//
// It knows no time. `setPoses` takes where all bodies are, from a recording or from a simulation in
// the page, and `draw` draws them.

const LINK = { light: "#c3cbd8", dark: "#c3ccdb" };
const FEW = 24;  // robots of a crowd that are drawn as the one in focus is, only fainter
const MANY = 256;  // robots of which only the links are drawn
const CROWD_TRIANGLES = 400_000;  // of a larger crowd, whose robots are drawn coarsely
const APART = 1.4;  // robots side by side: of their size
const SLOW = 50;  // ms per frame, beyond which shadows go first and sharpness then

class View {
  /** data: robot, parts, meshes and the pose of the root, as the page has them. */
  constructor(canvas, data, robots, root) {
    this.canvas = canvas;
    this.data = data;
    this.robots = robots;
    this.bodies = data.robot.joints.length;
    this.focus = 0;
    this.size = data.robot.size;
    this.shown = { frames: false, axes: false, mass: false, trail: true, torque: false, forces: true,
      crowd: true, apart: false, floor: true };
    this.poses = new Float32Array(robots * this.bodies * POSE).fill(NaN);
    this.root = root;
    this.shares = null;
    this.software = drawsInSoftware();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(36, 1, this.size / 200, this.size * 200);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.maxPolarAngle = Math.PI * 0.98;
    this.addLights();
    this.addFloor();
    this.addRobot();
    this.addSigns();
    this.setTheme(prefersDark.matches);
    prefersDark.addEventListener("change", event => this.setTheme(event.matches));
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // -- what there is --------------------------------------------------------------------------------

  addLights() {
    this.sky = new THREE.HemisphereLight("#ffffff", "#8d96a8", 1.5);
    this.sun = new THREE.DirectionalLight("#fff4e6", 2.3);
    this.sun.castShadow = true;
    const sharp = this.software ? 1024 : 2048;
    this.sun.shadow.mapSize.set(sharp, sharp);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = this.size / 60;
    const reach = 1.6 * this.size;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach,
      near: this.size / 10, far: 8 * this.size });
    const fill = new THREE.DirectionalLight("#dbe7ff", 0.8);
    fill.position.set(-3, -2, 1.5);
    this.scene.add(this.sky, this.sun, this.sun.target, fill);
  }

  addFloor() {
    const size = 40 * this.size;
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShaderMaterial({
      transparent: true, depthWrite: false,
      uniforms: { cell: { value: roundLength(this.size / 4) }, reach: { value: 5 * this.size },
        centre: { value: new THREE.Vector3() }, colour: { value: new THREE.Color() } },
      vertexShader: `varying vec3 at; void main() { vec4 w = modelMatrix * vec4(position, 1.0);
        at = w.xyz; gl_Position = projectionMatrix * viewMatrix * w; }`,
      fragmentShader: `varying vec3 at; uniform float cell; uniform float reach; uniform vec3 centre;
        uniform vec3 colour;
        float lines(vec2 p, float width) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5);
          vec2 on = 1.0 - smoothstep(w * width * 0.5, w * (width * 0.5 + 1.0), d);
          on *= 1.0 - smoothstep(vec2(0.2), vec2(0.6), w); return max(on.x, on.y); }
        void main() {
          float fade = 1.0 - smoothstep(0.15, 1.0, distance(at.xy, centre.xy) / reach);
          float on = max(0.28 * lines(at.xy / cell, 0.1), 0.6 * lines(at.xy / (5.0 * cell), 0.3));
          gl_FragColor = vec4(colour, on * fade);
          #include <colorspace_fragment>
        }`,
    }));
    this.grid.renderOrder = -2;
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: 0.2 }));
    this.shade.receiveShadow = true;
    this.shade.renderOrder = -1;
    this.shade.material.depthWrite = false;
    this.scene.add(this.grid, this.shade);
  }

  addRobot() {
    const { parts } = this.data;
    this.looks = ["visual", "collision", "skeleton", "inertia"].filter(look => parts.some(part => part.look === look));
    this.look = this.looks[0];
    this.groups = Array.from({ length: this.bodies + 1 }, () => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      this.scene.add(group);
      return group;
    });
    matrixAt(this.root, 0, this.groups[0].matrix);
    this.meshes = parts.map(part => {
      const box = part.look === "inertia";
      const material = new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05,
        side: part.kind === "mesh" || part.kind === "plane" ? THREE.DoubleSide : THREE.FrontSide });
      const mesh = new THREE.Mesh(solidOf(part, this.data.meshes), material);
      matrixAt(part.pose, 0, mesh.matrix);
      mesh.matrixAutoUpdate = false;
      mesh.castShadow = mesh.receiveShadow = !box;
      mesh.userData.part = part;
      if (box || (part.colour && part.colour[3] < 1)) {
        Object.assign(material, { transparent: true, opacity: box ? 0.45 : part.colour[3], depthWrite: !box });
      }
      this.groups[part.body].add(mesh);
      return mesh;
    });
    if (this.robots > 1) this.addCrowd();
    for (const part of this.data.surroundings) this.addGround(part);
  }

  /** What stands still, in the world: no plane at the floor, whose grid is drawn. */
  addGround(part) {
    const endless = part.kind === "plane" && part.size[0] === null;
    if (endless && part.pose[3] === 0 && part.pose[4] === 0) { this.ground = part.pose[2]; return; }
    const material = new THREE.MeshStandardMaterial({ color: "#8d97a8", roughness: 0.9, side: THREE.DoubleSide,
      transparent: endless, opacity: endless ? 0.5 : 1 });
    const mesh = new THREE.Mesh(solidOf(part, this.data.meshes), material);
    matrixAt(part.pose, 0, mesh.matrix);
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = !endless;
    mesh.receiveShadow = true;
    this.scene.add(mesh);
  }

  /** The other robots: for each body one solid, drawn as often as there are robots. */
  addCrowd() {
    for (const each of this.crowds ?? []) { this.scene.remove(each.mesh); each.dispose(); }
    const few = this.robots <= FEW;
    const solids = (look, fine, which = () => true) => Array.from({ length: this.bodies }, (_, body) => this.data.parts
      .filter(part => part.look === look && part.body === body + 1 && which(part))
      .map(part => [solidOf(part, this.data.meshes, fine).applyMatrix4(matrixAt(part.pose, 0)),
        few ? this.colourOf(part) : "#ffffff"]));
    const size = list => this.robots * list.flat().reduce((sum, [geometry]) =>
      sum + (geometry.index ?? geometry.attributes.position).count / 3, 0);
    const links = part => part.joint === undefined;  // a skeleton without its drums
    const ways = few ? [() => solids(this.look, 1)] : [];
    if (this.robots <= MANY) ways.push(() => solids(this.look, 0.2), () => solids("skeleton", 0.2));
    ways.push(() => solids("skeleton", 0, links));
    let chosen;
    for (const way of ways) {
      chosen = way();
      if (size(chosen) <= CROWD_TRIANGLES) break;
    }
    const colour = new THREE.Color();  // along the ramp without its darkest end
    const colourOf = robot => rampAt(0.2 + 0.8 * robot / (this.robots - 1), colour);
    const bodies = chosen.map(pieces => pieces.length ? merged(pieces) : null);
    if (this.robots > MANY) {
      this.crowds = [new Swarm(bodies, this.robots, colourOf, this.scene)];
      return;
    }
    this.crowds = bodies.map(body => {
      const crowd = new Crowd(body ?? new THREE.BufferGeometry(), crowdMaterial(few ? 0.3 : 1), this.robots, this.scene);
      for (let k = 0; !few && k < this.robots; k++) crowd.mesh.setColorAt(k, colourOf(k));
      return crowd;
    });
  }

  addSigns() {
    const { robot } = this.data, plain = { vertexColors: true };
    const above = { ...plain, depthTest: false, transparent: true, opacity: 0.95 };
    this.triads = new Crowd(triadSolid(0.035), new THREE.MeshBasicMaterial(above), Math.max(robot.frames.length, 1), this.scene);
    this.triads.mesh.renderOrder = 5;
    this.frames = robot.frames.map(frame => ({ ...frame, matrix: matrixAt(frame.pose, 0) }));
    const moved = robot.joints.map((joint, k) => ({ joint, k })).filter(({ joint }) => joint.kind !== "free");
    this.axes = moved.map(({ joint, k }) => {
      const arrow = new THREE.Mesh(arrowSolid(0.028, hueOf(k)), new THREE.MeshBasicMaterial(above));
      const length = 0.3 * this.size;
      const turn = new THREE.Quaternion().setFromUnitVectors(UP, new THREE.Vector3(...joint.axis));
      arrow.matrix.compose(new THREE.Vector3(...joint.axis).multiplyScalar(-0.25 * length), turn,
        new THREE.Vector3(length, length, length));
      arrow.matrixAutoUpdate = false;
      arrow.renderOrder = 6;
      this.groups[k + 1].add(arrow);
      return arrow;
    });
    const heavy = robot.masses.filter(mass => mass > 0);
    const ball = new THREE.MeshBasicMaterial({ ...above, opacity: 1 });
    this.centres = new Crowd(centreSolid(), ball, robot.masses.length + 1, this.scene);
    this.centres.mesh.renderOrder = 7;
    this.total = heavy.reduce((sum, mass) => sum + mass, 0);
    this.plumb = new THREE.Line(new THREE.BufferGeometry().setFromPoints([position, position]),
      new THREE.LineDashedMaterial({ dashSize: this.size / 40, gapSize: this.size / 60 }));
    this.plumb.frustumCulled = false;
    this.scene.add(this.plumb);
    this.trails = [];
  }

  // -- how it looks ---------------------------------------------------------------------------------

  colourOf(part) {
    if (part.look === "skeleton" || part.look === "inertia") {
      return part.joint !== undefined ? hueOf(part.joint) : this.dark ? LINK.dark : LINK.light;
    }
    if (part.colour) return new THREE.Color().setRGB(...part.colour.slice(0, 3), THREE.SRGBColorSpace);
    return this.dark ? LINK.dark : LINK.light;
  }

  setTheme(dark) {
    this.dark = dark;
    this.grid.material.uniforms.colour.value.set(dark ? "#6d7a92" : "#9aa5b8");
    this.shade.material.opacity = dark ? 0.42 : 0.2;
    this.sky.intensity = dark ? 1.25 : 1.6;
    this.sky.groundColor.set(dark ? "#3a4356" : "#a8b0c0");
    this.plumb.material.color.set(dark ? "#e8ebf1" : "#1d2330");
    this.recolour();
  }

  /** Shares from 0 to 1 for each body, as the colours of their parts; null for their own colours. */
  setShares(shares) {
    this.shares = shares;
    this.recolour();
  }

  recolour() {
    for (const { material, userData } of this.meshes) {
      const { part } = userData, share = this.shares?.[part.body - 1];
      if (this.shown.torque && share !== undefined) rampAt(share, material.color);
      else material.color.set(this.colourOf(part));
    }
    this.invalidate();
  }

  setLook(look) {
    this.look = look;
    if (this.robots > 1) { this.addCrowd(); this.setPoses(this.poses); }
    this.refresh();
  }

  show(name, on) {
    this.shown[name] = on;
    if (name === "apart") {
      this.setPoses(this.poses);
      this.alone ??= this.home;
      const step = APART * this.size, wide = Math.min(3, Math.sqrt(this.robots) / 2);  // as many as one can tell apart
      const places = [-wide, wide].flatMap(x => [[x, 0], [x, 2 * wide]]);
      const corners = places.flatMap(([x, y]) => [x * step, y * step, 0, x * step, y * step, 0.4 * this.size]);
      this.lookAt(on ? Float32Array.from(corners) : this.alone);
    }
    if (name === "torque") this.recolour();
    this.refresh();
  }

  refresh() {
    for (const mesh of this.meshes) mesh.visible = mesh.userData.part.look === this.look;
    this.grid.visible = this.shade.visible = this.shown.floor;
    this.triads.mesh.visible = this.shown.frames && this.frames.length > 0;
    this.axes.forEach(arrow => { arrow.visible = this.shown.axes; });
    this.centres.mesh.visible = this.plumb.visible = this.shown.mass && this.total > 0;
    for (const each of this.crowds ?? []) each.mesh.visible = this.shown.crowd;
    for (const [past, whole] of this.trails) past.visible = whole.visible = this.shown.trail;
    if (this.arrows) this.arrows.visible = this.shown.forces;
    this.placeSigns();
    this.invalidate();
  }

  // -- where it is ----------------------------------------------------------------------------------

  /** Poses of all bodies of all robots: robots x bodies x 7, Float32Array; NaN hides a body. */
  setPoses(poses) {
    this.poses = poses;
    const own = this.focus * this.bodies;
    for (let body = 0; body < this.bodies; body++) {
      const group = this.groups[body + 1], at = (own + body) * POSE;
      group.visible = Number.isFinite(poses[at]);
      if (group.visible) matrixAt(poses, at, group.matrix);
      group.matrixWorldNeedsUpdate = true;
    }
    if (this.crowds && this.shown.crowd) this.placeCrowd(poses);
    this.placeSigns();
    this.invalidate();
  }

  placeCrowd(poses) {
    const apart = this.shown.apart ? robot => this.placeApart(robot) : null;
    if (this.crowds[0] instanceof Swarm) { this.crowds[0].set(poses, this.focus, apart); return; }
    const matrix = new THREE.Matrix4();
    this.crowds.forEach((crowd, body) => {
      for (let robot = 0; robot < this.robots; robot++) {
        const at = (robot * this.bodies + body) * POSE;
        if (robot === this.focus || !Number.isFinite(poses[at])) { crowd.hide(robot); continue; }
        matrixAt(poses, at, matrix);
        if (apart) {
          const [dx, dy] = apart(robot);
          matrix.elements[12] += dx;
          matrix.elements[13] += dy;
        }
        crowd.set(robot, matrix);
      }
      crowd.done();
    });
  }

  /** How far a robot is moved to its place on a grid, with that in focus in the middle of the first row. */
  placeApart(robot) {
    const columns = Math.ceil(Math.sqrt(this.robots)), rows = Math.ceil(this.robots / columns);
    const column = robot % columns - this.focus % columns + columns + (columns >> 1);
    const row = Math.floor(robot / columns) - Math.floor(this.focus / columns) + rows;
    return [APART * this.size * (column % columns - (columns >> 1)), APART * this.size * (row % rows)];
  }

  /** The robot that is drawn in full; the others are the crowd. */
  setFocus(robot) {
    this.focus = robot;
    this.setPoses(this.poses);
  }

  matrixOf(body) { return this.groups[body].matrix; }

  placeSigns() {
    const matrix = this.scratch ??= new THREE.Matrix4(), scaled = this.scaled ??= new THREE.Matrix4();
    if (this.triads.mesh.visible) {
      scaled.makeScale(...Array(3).fill(0.11 * this.size));
      this.frames.forEach((frame, k) => {
        if (!this.groups[frame.body].visible) return this.triads.hide(k);
        this.triads.set(k, matrix.multiplyMatrices(this.matrixOf(frame.body), frame.matrix).multiply(scaled));
      });
      this.triads.done();
    }
    if (this.centres.mesh.visible) this.placeCentres(matrix);
  }

  /** Where the centre of mass of all bodies is, as far as they are somewhere. */
  centreOfMass(out) {
    out.set(0, 0, 0);
    this.data.robot.masses.forEach((mass, k) => {
      position.fromArray(this.data.robot.centres[k]).applyMatrix4(this.matrixOf(k + 1));
      out.addScaledVector(position, mass / this.total);
    });
    return out;
  }

  placeCentres(matrix) {
    const { masses, centres } = this.data.robot, largest = Math.max(...masses);
    masses.forEach((mass, k) => {
      if (!(mass > 0) || !this.groups[k + 1].visible) return this.centres.hide(k);
      const radius = 0.022 * this.size * Math.cbrt(mass / largest);
      position.fromArray(centres[k]).applyMatrix4(this.matrixOf(k + 1));
      this.centres.set(k, matrix.makeScale(radius, radius, radius).setPosition(position));
    });
    const centre = this.centreOfMass(new THREE.Vector3()), radius = 0.035 * this.size;
    if (masses.length > 1) this.centres.set(masses.length, matrix.makeScale(radius, radius, radius).setPosition(centre));
    else this.centres.hide(masses.length);
    this.centres.done();
    const line = this.plumb.geometry.attributes.position;
    line.setXYZ(0, centre.x, centre.y, centre.z);
    line.setXYZ(1, centre.x, centre.y, this.floor ?? 0);
    line.needsUpdate = true;
    this.plumb.computeLineDistances();
  }

  /** Ways of points, Float32Array of 3 numbers each: all of it faintly, and in full up to now. */
  setTrails(ways) {
    for (const mesh of this.trails.flat()) { this.scene.remove(mesh); mesh.geometry.dispose(); }
    this.trails = ways.map((way, k) => {
      const geometry = ribbon(way, 0.006 * this.size);
      const colour = hueOf(k + 1);
      const past = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: colour }));
      const whole = new THREE.Mesh(geometry.clone(), new THREE.MeshBasicMaterial({ color: colour,
        transparent: true, opacity: 0.22, depthWrite: false }));
      past.userData.points = way.length / 3;
      past.frustumCulled = whole.frustumCulled = false;
      this.scene.add(past, whole);
      return [past, whole];
    });
    this.refresh();
  }

  /** How many points of the trails are past. */
  setPast(share) {
    for (const [past] of this.trails) {
      const pieces = Math.floor(share * (past.userData.points - 1));
      past.geometry.setDrawRange(0, pieces * RIBBON_SIDES * 6);
    }
  }

  /** Forces on the robot: points and vectors of 3 numbers each, from an offset, `scale` in m/N. */
  setForces(points, vectors, at, count, scale) {
    this.arrows ??= new Arrows(count, 0.009 * this.size, this.size, "#cc79a7", this.scene);
    this.arrows.set(points, vectors, at, count, scale);
    this.invalidate();
  }

  // -- the camera -----------------------------------------------------------------------------------

  /** See all of some points, Float32Array of 3 numbers each, from in front and above. */
  lookAt(points) {
    this.home = points;
    const box = new THREE.Box3().setFromArray(points), centre = box.getCenter(new THREE.Vector3());
    const toward = new THREE.Vector3(0.72, -0.95, 0.42).normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, toward).normalize();
    const up = new THREE.Vector3().crossVectors(toward, right);
    const tall = Math.tan(this.camera.fov * Math.PI / 360) * 0.82, wide = tall * this.camera.aspect * 1.1;
    let far = 0.2 * this.size;
    for (let turn = 0; turn < 2; turn++) {  // the second time from where they are in the middle
      const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
      far = 0.2 * this.size;
      for (let k = 0; k < points.length; k += 3) {
        position.fromArray(points, k).sub(centre);
        const at = [position.dot(right), position.dot(up)], near = position.dot(toward);
        far = Math.max(far, near + Math.max(Math.abs(at[0]) / wide, Math.abs(at[1]) / tall));
        for (let e = 0; e < 2; e++) { low[e] = Math.min(low[e], at[e]); high[e] = Math.max(high[e], at[e]); }
      }
      if (turn === 0) centre.addScaledVector(right, (low[0] + high[0]) / 2).addScaledVector(up, (low[1] + high[1]) / 2);
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(toward, far);
    this.controls.minDistance = far / 30;
    this.controls.maxDistance = 20 * far;
    this.controls.update();
    this.placeSun();
  }

  goHome() { if (this.home) this.lookAt(this.home); }

  /** Turn the camera about what it looks at, by angles in rad, and come closer by a factor. */
  orbit(across, up, closer = 1) {
    const { target } = this.controls, way = position.copy(this.camera.position).sub(target);
    const flat = Math.hypot(way.x, way.y), far = way.length() / closer;
    const height = Math.min(Math.max(Math.atan2(way.z, flat) + up, -1.4), 1.5), angle = Math.atan2(way.y, way.x) + across;
    way.set(Math.cos(height) * Math.cos(angle), Math.cos(height) * Math.sin(angle), Math.sin(height));
    this.camera.position.copy(target).addScaledVector(way, far);
    this.controls.update();
    this.invalidate();
  }

  /** Move camera, light and floor with the robot, which walks or flies. */
  follow(point, height = this.controls.target.z) {
    const step = new THREE.Vector3(point.x, point.y, height).sub(this.controls.target);
    this.controls.target.add(step);
    this.camera.position.add(step);
    this.controls.update();
    this.placeSun();
  }

  placeSun() {
    const { target } = this.controls;
    this.sun.target.position.copy(target);
    this.sun.position.set(1.1, -0.7, 2.4).normalize().multiplyScalar(4 * this.size).add(target);
    this.grid.material.uniforms.centre.value.copy(target);
    const middle = [target.x, target.y, this.floor ?? 0];
    this.grid.position.set(...middle);
    this.shade.position.set(...middle);
  }

  setFloor(height) {
    this.floor = height;
    this.placeSun();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    if (!clientWidth || !clientHeight) return;
    const sharp = Math.min(devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(this.quality === 2 ? 0.7 * Math.min(sharp, 1) : sharp);
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  // -- drawing --------------------------------------------------------------------------------------

  /** Draw soon, once, however often this is called before. */
  invalidate() {
    if (this.awaited) return;
    this.awaited = true;
    requestAnimationFrame(() => { this.awaited = false; this.draw(); });
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
    this.drawn?.();
  }

  /** Draw less where frames take long, in ms from one to the next while the robot moves. */
  pace(passed) {
    this.mean = (this.mean ?? passed) + 0.15 * (passed - (this.mean ?? passed));
    this.since = (this.since ?? 0) + 1;
    if (this.mean < SLOW || this.since < 12 || this.quality === 2) return;
    this.quality = (this.quality ?? 0) + 1;
    this.mean = this.since = undefined;
    if (this.quality === 1) this.sun.castShadow = false;
    else this.resize();
  }

  /** Where a point of the scene is on the canvas, in CSS pixels; null if it is behind. */
  project(point) {
    const { clientWidth, clientHeight } = this.canvas;
    const seen = point.project(this.camera);
    if (seen.z > 1 || Math.abs(seen.x) > 1.1 || Math.abs(seen.y) > 1.1) return null;
    return [(seen.x + 1) / 2 * clientWidth, (1 - seen.y) / 2 * clientHeight];
  }
}

/** Whether there is no GPU here, but a program that draws as one. */
function drawsInSoftware() {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** The nearest of ... 0.1, 0.2, 0.5, 1 ... */
function roundLength(length) {
  const decade = 10 ** Math.floor(Math.log10(length));
  return decade * [1, 2, 5, 10].reduce((a, b) => Math.abs(b * decade - length) < Math.abs(a * decade - length) ? b : a);
}

const RIBBON_SIDES = 5;

/** A tube along points. */
function ribbon(way, radius) {
  const count = way.length / 3, at = new Float32Array(count * RIBBON_SIDES * 3), index = [];
  const here = new THREE.Vector3(), along = new THREE.Vector3(), u = new THREE.Vector3(0, 0, 1), v = new THREE.Vector3();
  for (let k = 0; k < count; k++) {
    here.fromArray(way, 3 * k);
    v.fromArray(way, 3 * Math.max(k - 1, 0));
    along.fromArray(way, 3 * Math.min(k + 1, count - 1)).sub(v);
    if (along.lengthSq() > 0) {
      along.normalize();
      u.addScaledVector(along, -u.dot(along));  // carried along, so that it does not spin
      if (u.lengthSq() < 1e-6) {
        u.set(along.y, along.z, along.x);
        u.addScaledVector(along, -u.dot(along));
      }
      u.normalize();
    }
    v.crossVectors(along, u);
    for (let s = 0; s < RIBBON_SIDES; s++) {
      const angle = 2 * Math.PI * s / RIBBON_SIDES, c = radius * Math.cos(angle), d = radius * Math.sin(angle);
      at.set([here.x + c * u.x + d * v.x, here.y + c * u.y + d * v.y, here.z + c * u.z + d * v.z], 3 * (k * RIBBON_SIDES + s));
      if (k + 1 === count) continue;
      const a = k * RIBBON_SIDES + s, b = k * RIBBON_SIDES + (s + 1) % RIBBON_SIDES;
      index.push(a, b, a + RIBBON_SIDES, b, b + RIBBON_SIDES, a + RIBBON_SIDES);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(at, 3));
  geometry.setIndex(index);
  return geometry;
}
