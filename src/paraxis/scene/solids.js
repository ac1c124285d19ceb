// -- Solids of the page: geometry of parts, and signs for frames, axes, masses and forces. ----------

/** The geometry of a part; `fine` is 1 for what is looked at closely, less for crowds, and 0 for large ones. */
function solidOf(part, meshes, fine = 1) {
  const sides = (n, least = 5) => Math.max(least, Math.round(n * fine));
  const [a, b, c] = part.size || [];
  switch (part.kind) {
    case "box": return new THREE.BoxGeometry(a, b, c);
    case "sphere": return new THREE.SphereGeometry(a, sides(32), sides(16, 4));
    case "ellipsoid": return new THREE.SphereGeometry(1, sides(32), sides(16, 4)).scale(a, b, c);
    case "cylinder": return new THREE.CylinderGeometry(a, a, b, sides(36)).rotateX(Math.PI / 2);
    case "capsule":
      if (!fine) return new THREE.CylinderGeometry(a, a, b + a, 4, 1, true).rotateX(Math.PI / 2);
      return new THREE.CapsuleGeometry(a, b, sides(8, 1), sides(24)).rotateX(Math.PI / 2);
    case "plane": return new THREE.PlaneGeometry(a ?? FAR, b ?? FAR);
    default: return meshOf(part, meshes);
  }
}

const FAR = 100;  // m: what an endless plane is drawn as
const CREASE = Math.cos(35 * Math.PI / 180);  // edges sharper than this stay edges

function meshOf(part, meshes) {
  const mesh = meshes[part.mesh];
  mesh.geometry ??= creased(mesh);
  return mesh.geometry.clone().scale(...(part.scale || [1, 1, 1]));
}

/** Triangles with a normal at each corner: the mean of those around it that are nearly its own. */
function creased(mesh) {
  const small = unpacked(mesh.vertices), faces = unpacked(mesh.faces);
  const points = new Float32Array(small.length);
  for (let k = 0; k < small.length; k++) {
    points[k] = mesh.low[k % 3] + small[k] / 65535 * mesh.span[k % 3];
  }
  const count = faces.length / 3, own = new Float32Array(faces.length);
  const around = Array.from({ length: points.length / 3 }, () => []);
  for (let f = 0; f < count; f++) {
    const [i, j, k] = [faces[3 * f] * 3, faces[3 * f + 1] * 3, faces[3 * f + 2] * 3];
    const u = [0, 1, 2].map(e => points[j + e] - points[i + e]);
    const v = [0, 1, 2].map(e => points[k + e] - points[i + e]);
    for (let e = 0; e < 3; e++) {  // as long as twice its area: large faces count more
      own[3 * f + e] = u[(e + 1) % 3] * v[(e + 2) % 3] - u[(e + 2) % 3] * v[(e + 1) % 3];
      around[faces[3 * f + e]].push(f);
    }
  }
  const at = new Float32Array(9 * count), normals = new Float32Array(9 * count);
  for (let f = 0; f < count; f++) {
    const x = own[3 * f], y = own[3 * f + 1], z = own[3 * f + 2], length = Math.hypot(x, y, z);
    for (let e = 0; e < 3; e++) {
      const corner = faces[3 * f + e], to = 9 * f + 3 * e, sum = [0, 0, 0];
      for (const g of around[corner]) {
        const [p, q, r] = [own[3 * g], own[3 * g + 1], own[3 * g + 2]];
        if (p * x + q * y + r * z >= CREASE * length * Math.hypot(p, q, r)) {
          sum[0] += p; sum[1] += q; sum[2] += r;
        }
      }
      const scale = 1 / (Math.hypot(...sum) || 1);
      for (let d = 0; d < 3; d++) {
        at[to + d] = points[3 * corner + d];
        normals[to + d] = sum[d] * scale;
      }
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(at, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return geometry;
}

/** Several [geometry, colour] as one geometry with colours. */
function merged(pieces) {
  const total = pieces.reduce((sum, [geometry]) => sum + geometry.attributes.position.count, 0);
  const arrays = { position: new Float32Array(3 * total), normal: new Float32Array(3 * total),
    color: new Float32Array(3 * total) };
  const index = [];
  let at = 0;
  for (const [geometry, colour] of pieces) {
    const first = at / 3, own = geometry.index?.array, { count } = geometry.attributes.position;
    for (let k = 0; k < (own?.length ?? count); k++) index.push(first + (own ? own[k] : k));
    arrays.position.set(geometry.attributes.position.array, at);
    arrays.normal.set(geometry.attributes.normal.array, at);
    const { r, g, b } = new THREE.Color(colour), end = at + 3 * count;
    for (; at < end; at += 3) arrays.color.set([r, g, b], at);
  }
  const whole = new THREE.BufferGeometry();
  for (const [name, array] of Object.entries(arrays)) {
    whole.setAttribute(name, new THREE.BufferAttribute(array, 3));
  }
  whole.setIndex(index);
  return whole;
}

/** A pose, from an array at an offset, as a matrix. */
function matrixAt(poses, at, out = new THREE.Matrix4()) {
  position.set(poses[at], poses[at + 1], poses[at + 2]);
  turn.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
  return out.compose(position, turn, one);
}
const position = new THREE.Vector3(), turn = new THREE.Quaternion(), one = new THREE.Vector3(1, 1, 1);

const UP = new THREE.Vector3(0, 1, 0);

/** An arrow along y of length 1, for axes. */
function arrowSolid(thick, colour) {
  const shaft = new THREE.CylinderGeometry(thick, thick, 0.8, 10).translate(0, 0.4, 0);
  const head = new THREE.ConeGeometry(2.6 * thick, 0.24, 14).translate(0, 0.88, 0);
  return merged([[shaft, colour], [head, colour]]);
}

/** Three arrows along x, y and z. */
function triadSolid(thick) {
  const [x, y, z] = AXES.map(colour => arrowSolid(thick, colour));
  x.rotateZ(-Math.PI / 2);
  z.rotateX(Math.PI / 2);
  return merged([[x, AXES[0]], [y, AXES[1]], [z, AXES[2]]]);
}

/** The sign of a centre of mass: a ball in black and white quarters. */
function centreSolid() {
  const pieces = [];
  for (let k = 0; k < 8; k++) {
    const quarter = new THREE.SphereGeometry(1, 8, 8, (k % 4) * Math.PI / 2, Math.PI / 2,
      k < 4 ? 0 : Math.PI / 2, Math.PI / 2);
    pieces.push([quarter, (k + (k >> 2)) % 2 ? "#111418" : "#ffffff"]);
  }
  return merged(pieces);
}

/** Instances of one solid that share a colour or have one each. */
class Crowd {
  constructor(geometry, material, count, scene) {
    this.mesh = new THREE.InstancedMesh(geometry, material, count);
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
  }

  set(k, matrix) { this.mesh.setMatrixAt(k, matrix); }
  hide(k) { this.mesh.setMatrixAt(k, Crowd.nowhere); }
  dispose() { this.mesh.dispose(); this.mesh.geometry.dispose(); }
  done() { this.mesh.instanceMatrix.needsUpdate = true; }
}
Crowd.nowhere = new THREE.Matrix4().makeScale(0, 0, 0);

/**
 * A crowd of whole robots in one draw: corners know their robot and body, and find the pose in a
 * texture. What draws without a GPU takes instances one by one, and for thousands too long.
 */
class Swarm {
  /** solids: one geometry with colours for each body, or null. */
  constructor(solids, robots, colourOf, scene) {
    this.bodies = solids.length;
    this.poses = new Float32Array(8 * robots * this.bodies);
    this.texture = new THREE.DataTexture(this.poses, 2 * this.bodies, robots, THREE.RGBAFormat, THREE.FloatType);
    const each = solids.reduce((sum, solid) => sum + (solid?.attributes.position.count ?? 0), 0);
    const at = new Float32Array(3 * each * robots), normals = new Float32Array(3 * each * robots);
    const slots = new Uint16Array(2 * each * robots), colours = new Uint8Array(3 * each * robots), index = [];
    let k = 0;
    for (let robot = 0; robot < robots; robot++) {
      const { r, g, b } = colourOf(robot);
      solids.forEach((solid, body) => {
        if (!solid) return;
        const { position, normal } = solid.attributes;
        for (const corner of solid.index.array) index.push(k + corner);
        at.set(position.array, 3 * k);
        normals.set(normal.array, 3 * k);
        for (const end = k + position.count; k < end; k++) {
          slots.set([2 * body, robot], 2 * k);
          colours.set([255 * r, 255 * g, 255 * b], 3 * k);
        }
      });
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(at, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
    geometry.setAttribute("slot", new THREE.BufferAttribute(slots, 2));
    geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3, true));
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({
      vertexColors: true, uniforms: { poses: { value: this.texture }, opacity: { value: 1 } },
      vertexShader: `uniform highp sampler2D poses; attribute vec2 slot; varying vec3 shade;
        vec3 turned(vec3 v, vec4 q) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
        void main() {
          ivec2 place = ivec2(slot);
          vec4 there = texelFetch(poses, place, 0), turn = texelFetch(poses, place + ivec2(1, 0), 0);
          ${LIGHT("turned(normal, turn)")}
          gl_Position = there.w > 0.0 ? projectionMatrix * viewMatrix * vec4(there.xyz + turned(position, turn), 1.0)
            : vec4(2.0, 2.0, 2.0, 1.0);
        }`,
      fragmentShader: SHADED,
    }));
    this.mesh.frustumCulled = false;
    scene.add(this.mesh);
  }

  /** Poses of all bodies, robots x bodies x 7; `apart(robot)` is how far a robot is moved, or null. */
  set(poses, hidden, apart) {
    for (let robot = 0, from = 0, to = 0; robot < this.texture.image.height; robot++) {
      const [dx, dy] = apart ? apart(robot) : [0, 0];
      for (let body = 0; body < this.bodies; body++, from += POSE, to += 8) {
        const there = robot !== hidden && Number.isFinite(poses[from]);
        this.poses[to + 3] = there ? 1 : 0;
        if (!there) continue;
        this.poses[to] = poses[from] + dx;
        this.poses[to + 1] = poses[from + 1] + dy;
        this.poses[to + 2] = poses[from + 2];
        for (let e = 0; e < 4; e++) this.poses[to + 4 + e] = poses[from + 3 + e];
      }
    }
    this.texture.needsUpdate = true;
  }

  dispose() { this.mesh.geometry.dispose(); this.texture.dispose(); }
}

// Light, and colours as screens want them, at the corners and not at each pixel, which crowds have too many of.
const LIGHT = (normal, own = "") => `vec3 n = normalize(${normal});
  shade = color * (0.5 + 0.16 * n.z + 0.4 * max(dot(n, vec3(0.40, -0.26, 0.88)), 0.0));
  ${own}
  shade = mix(12.92 * shade, 1.055 * pow(shade, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, shade));`;
const SHADED = `varying vec3 shade; uniform float opacity; void main() { gl_FragColor = vec4(shade, opacity); }`;

/** The material of a Crowd. */
function crowdMaterial(opacity) {
  return new THREE.ShaderMaterial({
    vertexColors: true, transparent: opacity < 1, side: THREE.DoubleSide,
    uniforms: { opacity: { value: opacity } },
    vertexShader: `varying vec3 shade; void main() {
      mat4 there = modelMatrix * instanceMatrix;
      ${LIGHT("mat3(there) * normal", `
      #ifdef USE_INSTANCING_COLOR
      shade *= instanceColor;
      #endif`)}
      gl_Position = projectionMatrix * viewMatrix * there * vec4(position, 1.0);
    }`,
    fragmentShader: SHADED,
  });
}

/** Arrows from points along vectors, of any number up to `count`. */
class Arrows {
  constructor(count, thick, longest, colour, scene) {
    this.longest = longest;
    const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5, depthTest: false, transparent: true });
    this.thick = thick;
    this.shafts = new Crowd(new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material, count, scene);
    this.heads = new Crowd(new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0), material, count, scene);
    this.shafts.mesh.renderOrder = this.heads.mesh.renderOrder = 8;  // what is pushed hides no arrow
    this.count = count;
    this.from = new THREE.Vector3(); this.along = new THREE.Vector3(); this.tip = new THREE.Vector3();
    this.turn = new THREE.Quaternion(); this.scale = new THREE.Vector3(); this.matrix = new THREE.Matrix4();
  }

  /** points and vectors: 3 numbers each, `count` from offset `at`; vectors times `scale` are lengths in m. */
  set(points, vectors, at, count, scale) {
    for (let k = 0; k < this.count; k++) {
      if (k >= count) { this.shafts.hide(k); this.heads.hide(k); continue; }
      this.from.fromArray(points, at + 3 * k);
      this.along.fromArray(vectors, at + 3 * k);
      const length = Math.min(this.along.length() * scale, this.longest);
      if (!(length > 2 * this.thick)) { this.shafts.hide(k); this.heads.hide(k); continue; }
      this.turn.setFromUnitVectors(UP, this.along.normalize());
      const head = Math.min(7 * this.thick, 0.5 * length);
      this.scale.set(this.thick, length - head, this.thick);
      this.shafts.set(k, this.matrix.compose(this.from, this.turn, this.scale));
      this.tip.copy(this.from).addScaledVector(this.along, length - head);
      this.scale.set(head * 0.42, head, head * 0.42);
      this.heads.set(k, this.matrix.compose(this.tip, this.turn, this.scale));
    }
    this.shafts.done();
    this.heads.done();
  }

  set visible(on) { this.shafts.mesh.visible = this.heads.mesh.visible = on; }
}
