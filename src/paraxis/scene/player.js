// -- Time: played, paused, sought. ------------------------------------------------------------------

/** A clock from 0 to `duration` that starts again at its end. `moved(t)` is called when it changes. */
class Player {
  constructor(duration, moved) {
    this.duration = duration;
    this.moved = moved;
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.before = null;
    this.seen = true;  // it stands still where nobody sees it
    this.listeners = new Set();
  }

  play(on = true) {
    if (this.playing === on) return;
    this.playing = on;
    this.before = null;
    if (on) requestAnimationFrame(now => this.tick(now));
    for (const each of this.listeners) each();
  }

  toggle() { this.play(!this.playing); }

  seek(t) {
    this.time = Math.min(Math.max(t, 0), this.duration);
    this.moved(this.time);
  }

  tick(now) {
    if (!this.playing) return;
    if (this.before !== null && this.seen) {
      const passed = Math.min((now - this.before) / 1000, 0.25);  // a hidden tab stands still
      this.paced?.(1000 * passed);
      const t = this.time + passed * this.speed;
      this.seek(t > this.duration ? t % this.duration : t);
    }
    this.before = now;
    requestAnimationFrame(next => this.tick(next));
  }
}
