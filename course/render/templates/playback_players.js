// What keeps the time: a clock, a video's file, or YouTube's embedded player. Each has `time`,
// `duration` (seconds), `paused` and `rate` to read, `play()`, `pause()`, `seek(time)`,
// `speed(rate)` and, for good, `leave()` to call, and fires "change" when anything but the passing of time happened.

class Clock extends EventTarget {
  #at = 0;
  #since = 0;
  paused = true;
  rate = 1;

  constructor(duration) {
    super();
    this.duration = duration;
  }

  get time() {
    if (this.paused) return this.#at;
    const time = this.#at + ((performance.now() - this.#since) / 1000) * this.rate;
    if (time < this.duration) return time;
    this.#at = this.duration;
    this.paused = true;
    queueMicrotask(() => this.#changed());
    return this.duration;
  }

  play() {
    if (this.#at >= this.duration) this.#at = 0;
    this.#since = performance.now();
    this.paused = false;
    this.#changed();
  }

  pause() {
    this.#at = this.time;
    this.paused = true;
    this.#changed();
  }

  seek(time) {
    this.#at = Math.min(time, this.duration);
    this.#since = performance.now();
    this.#changed();
  }

  speed(rate) {
    this.#at = this.time;
    this.#since = performance.now();
    this.rate = rate;
    this.#changed();
  }

  leave() {
    this.paused = true;
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

class Film extends EventTarget {
  #wanted = 0;

  constructor(element, address, duration) {
    super();
    this.element = element;
    element.src = address;
    this.guess = duration;
    this.ending = new AbortController();
    const { signal } = this.ending;
    for (const name of ["play", "pause", "seeked", "seeking", "ratechange", "ended"]) {
      element.addEventListener(name, () => this.dispatchEvent(new Event("change")), { signal });
    }
    element.addEventListener(
      "loadedmetadata",
      () => {
        if (this.#wanted) element.currentTime = this.#wanted;
        element.playbackRate = element.defaultPlaybackRate;
        this.dispatchEvent(new Event("ready"));
        this.dispatchEvent(new Event("change"));
      },
      { signal },
    );
    element.addEventListener("error", () => this.dispatchEvent(new Event("failed")), { signal });
  }

  get #known() {
    return this.element.readyState > 0;
  }

  get time() {
    return this.#known ? this.element.currentTime : this.#wanted;
  }

  get duration() {
    return this.#known && Number.isFinite(this.element.duration)
      ? this.element.duration
      : this.guess;
  }

  get paused() {
    return this.element.paused;
  }

  get rate() {
    return this.element.playbackRate;
  }

  play() {
    // Refused by a browser's rules or stopped by another command: the button shows it.
    this.element.play().catch(() => this.dispatchEvent(new Event("change")));
  }

  pause() {
    this.element.pause();
  }

  seek(time) {
    this.#wanted = time;
    if (this.#known) this.element.currentTime = Math.min(time, this.duration);
    this.dispatchEvent(new Event("change"));
  }

  speed(rate) {
    this.element.defaultPlaybackRate = rate;
    this.element.playbackRate = rate;
  }

  leave() {
    this.ending.abort();
    this.element.pause();
    this.element.removeAttribute("src");
    this.element.load();
  }
}

// Talks to the frame in messages, so that none of YouTube's scripts runs in this page.
class Embedded extends EventTarget {
  #at = 0;
  #since = performance.now();
  #wanted;
  #heard = false;
  #settled = 0;
  paused = true;
  rate = 1;

  constructor(frame, origin, duration, patience) {
    super();
    this.frame = frame;
    this.origin = origin;
    this.duration = duration;
    this.ending = new AbortController();
    window.addEventListener("message", (event) => this.#listen(event), {
      signal: this.ending.signal,
    });
    // It answers once it has been told that somebody listens; nobody says when it can hear that.
    this.calling = setInterval(() => this.#send({ event: "listening" }), 250);
    this.waiting = setTimeout(() => this.dispatchEvent(new Event("failed")), patience);
  }

  // Whether it has answered: until then there may be nothing in the frame but an error.
  get heard() {
    return this.#heard;
  }

  get time() {
    if (this.paused) return this.#at;
    const time = this.#at + ((performance.now() - this.#since) / 1000) * this.rate;
    return Math.min(time, this.duration);
  }

  play() {
    this.#command("playVideo");
  }

  pause() {
    this.#command("pauseVideo");
  }

  seek(time) {
    this.#at = time;
    this.#since = performance.now();
    this.#settled = this.#since + 700;
    if (this.#heard) this.#command("seekTo", time, true);
    else this.#wanted = time;
    this.dispatchEvent(new Event("change"));
  }

  speed(rate) {
    this.rate = rate;
    this.#command("setPlaybackRate", rate);
  }

  leave() {
    this.ending.abort();
    clearInterval(this.calling);
    clearTimeout(this.waiting);
    this.frame.remove();
  }

  #command(func, ...args) {
    this.#send({ event: "command", func, args });
  }

  #send(message) {
    const whole = JSON.stringify({ ...message, id: 1, channel: "widget" });
    // Until it answers, the frame may still be empty, and then a browser complains of an origin
    // that is not there yet. Nothing in these messages is a secret.
    this.frame.contentWindow?.postMessage(whole, this.#heard ? this.origin : "*");
  }

  #listen(event) {
    if (event.origin !== this.origin || event.source !== this.frame.contentWindow) return;
    let message;
    try {
      message = JSON.parse(event.data);
    } catch {
      return;
    }
    if (message?.event === "onError") {
      this.dispatchEvent(new Event("failed"));
    } else if (message?.event === "onReady" || message?.info instanceof Object) {
      this.#learn(message.info instanceof Object ? message.info : {});
    }
  }

  #learn(info) {
    const first = !this.#heard;
    this.#heard = true;
    clearInterval(this.calling);
    clearTimeout(this.waiting);
    // For a moment after a leap it still tells the time before the leap.
    const stale =
      performance.now() < this.#settled && Math.abs(info.currentTime - this.time) > 2;
    if (Number.isFinite(info.currentTime) && this.#wanted === undefined && !stale) {
      this.#at = info.currentTime;
      this.#since = performance.now();
    }
    if (info.duration > 0) this.duration = info.duration;
    if (info.playbackRate > 0) this.rate = info.playbackRate;
    // 1 is playing; 3, filling its buffer, comes and goes in between.
    if (Number.isInteger(info.playerState) && info.playerState !== 3) {
      if (this.paused === (info.playerState === 1)) {
        this.#at = this.time;
        this.#since = performance.now();
        this.paused = info.playerState !== 1;
      }
    }
    if (this.#wanted !== undefined) {
      const time = this.#wanted;
      this.#wanted = undefined;
      // A video that was never begun would begin by being sought in.
      if (time > 0) this.#command("seekTo", time, true);
      if (time > 0 && this.paused) this.#command("pauseVideo");
    }
    if (first) this.dispatchEvent(new Event("ready"));
    this.dispatchEvent(new Event("change"));
  }
}
