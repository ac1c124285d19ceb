// -- Arrays that came as base64, and a motion between its recorded moments. ------------------------

const KINDS = { float32: Float32Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array };

/** A typed array of {dtype, shape, data}. */
function unpacked(packed) {
  return new KINDS[packed.dtype](bytesOf(packed.data).buffer);
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);  // browsers since 2025
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

const POSE = 7;  // x, y, z and a quaternion x, y, z, w

/** Poses recorded at moments, and what they are in between. */
class Recording {
  constructor(motion, bodies) {
    this.times = unpacked(motion.times);
    this.robots = motion.robots;
    this.width = motion.robots * bodies * POSE;
    this.poses = unpacked(motion.poses);
    this.small = motion.poses.dtype === "int16" ? motion.poses : null;
    this.duration = this.times[this.times.length - 1];
    this.moments = this.times.length;
    this.bodies = bodies;
  }

  /** [k, share]: t is that share of the way from moment k to the next. */
  place(t) {
    let low = 0, high = this.moments - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle; else high = middle;
    }
    const span = this.times[high] - this.times[low];
    return [low, span > 0 ? Math.min(Math.max((t - this.times[low]) / span, 0), 1) : 0];
  }

  /** All poses at time t, into a Float32Array of robots x bodies x 7; NaN where there is none. */
  sample(t, out) {
    const [k, share] = this.place(t);
    const next = Math.min(k + 1, this.moments - 1);
    for (let j = 0; j < this.width; j += POSE) {
      this.read(k * this.width + j, out, j);
      if (share > 0) this.blend(next * this.width + j, out, j, share);
    }
    return out;
  }

  /** One body of one robot at a recorded moment. */
  at(moment, robot, body, out) {
    this.read(moment * this.width + (robot * this.bodies + body) * POSE, out, 0);
    return out;
  }

  read(from, out, to) {
    const { poses, small } = this;
    if (!small) { for (let e = 0; e < POSE; e++) out[to + e] = poses[from + e]; return; }
    if (poses[from] === -32768) { out.fill(NaN, to, to + POSE); return; }
    for (let e = 0; e < 3; e++) {
      out[to + e] = small.low[e] + (poses[from + e] + 32767) / 65534 * small.span[e];
    }
    for (let e = 3; e < POSE; e++) out[to + e] = poses[from + e] / 32767;
  }

  blend(from, out, to, share) {
    const next = this.next ??= new Float32Array(POSE);
    this.read(from, next, 0);
    let along = 0, square = 0;
    for (let e = 3; e < POSE; e++) along += out[to + e] * next[e];
    const side = along < 0 ? -1 : 1;  // q and -q are one rotation
    for (let e = 0; e < 3; e++) out[to + e] += share * (next[e] - out[to + e]);
    for (let e = 3; e < POSE; e++) {
      out[to + e] += share * (side * next[e] - out[to + e]);
      square += out[to + e] ** 2;
    }
    const scale = 1 / Math.sqrt(square);
    for (let e = 3; e < POSE; e++) out[to + e] *= scale;
  }
}
