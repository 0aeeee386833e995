// The list of cues: the current one is marked and kept in view, words are searched for.

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

// Scrolls the box to an element, until the viewer scrolls by any means at all: then it yields.
class Follower extends EventTarget {
  #moving = 0;
  #target = null;
  yielded = false;
  wanted = true;

  constructor(box) {
    super();
    this.box = box;
    const scrolls = new Set([
      "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", "Tab", " ",
    ]);
    for (const name of ["wheel", "touchmove"]) {
      box.addEventListener(name, () => this.yield(), { passive: true });
    }
    box.addEventListener("keydown", (event) => {
      const presses = event.key === " " && event.target.closest("button");
      if (scrolls.has(event.key) && !presses) this.yield();
    });
    // A scroll bar is pressed on the box itself; a move that we did not begin is the viewer's.
    box.addEventListener("pointerdown", (event) => {
      if (event.target === box) this.yield();
    });
    box.addEventListener("scroll", () => {
      const now = performance.now();
      if (now > this.#moving) this.yield();
      else this.#moving = Math.max(this.#moving, now + 120);
    });
    // A turned phone: the list has moved, and nobody has scrolled.
    window.addEventListener("resize", () => this.rearranged());
    const sizes = new ResizeObserver(() => this.rearranged());
    for (const each of [box, ...box.children]) sizes.observe(each);
  }

  // Called when the list has another shape: what follows from that is no scrolling of the viewer's.
  rearranged() {
    this.#moving = performance.now() + 250;
    this.keep(this.#target);
  }

  get following() {
    return this.wanted && !this.yielded;
  }

  yield() {
    if (!this.following) return;
    this.yielded = true;
    this.dispatchEvent(new Event("change"));
  }

  resume() {
    this.yielded = false;
    this.dispatchEvent(new Event("change"));
    this.keep(this.#target);
  }

  want(wanted) {
    this.wanted = wanted;
    this.resume();
  }

  // Keeps this element in view while following.
  keep(element) {
    this.#target = element;
    if (element && this.following) this.show(element);
  }

  // Scrolls the box alone, never the page: somebody may be reading below.
  show(element) {
    const { box } = this;
    const outer = box.getBoundingClientRect();
    const inner = element.getBoundingClientRect();
    const top = box.scrollTop + inner.top - outer.top - (outer.height - inner.height) / 2.5;
    const goal = Math.max(0, Math.min(top, box.scrollHeight - box.clientHeight));
    if (Math.abs(goal - box.scrollTop) < 2) return;
    const smooth = !calm.matches && Math.abs(goal - box.scrollTop) < 2 * outer.height;
    this.#moving = performance.now() + (smooth ? 900 : 250);
    box.scrollTo({ top: goal, behavior: smooth ? "smooth" : "auto" });
  }
}

// Marks what is searched for in texts that are in sight, and goes from one to the next.
class Search extends EventTarget {
  #texts = new Map();
  hits = [];
  at = -1;
  query = "";

  constructor(elements) {
    super();
    for (const element of elements) this.#texts.set(element, element.textContent);
  }

  // `from` is the element to begin at: the first hit not before it becomes the current one.
  find(query, from) {
    this.query = query.trim();
    this.hits = [];
    const pattern = this.query ? Search.pattern(this.query) : null;
    for (const [element, text] of this.#texts) {
      const pieces = pattern && element.offsetParent ? [...text.matchAll(pattern)] : [];
      if (!pieces.length && !element.firstElementChild) continue;
      const nodes = [];
      let end = 0;
      for (const piece of pieces) {
        const mark = document.createElement("mark");
        mark.textContent = piece[0];
        nodes.push(text.slice(end, piece.index), mark);
        end = piece.index + piece[0].length;
        this.hits.push(mark);
      }
      element.replaceChildren(...nodes, text.slice(end));
    }
    const after = (mark) =>
      from.contains(mark) || from.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING;
    this.at = from ? this.hits.findIndex(after) : 0;
    if (this.at < 0 && this.hits.length) this.at = 0;
    this.#show();
  }

  go(by) {
    if (!this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.#show();
  }

  get current() {
    return this.hits[this.at];
  }

  #show() {
    for (const mark of this.hits) mark.classList.toggle("now", mark === this.current);
    this.dispatchEvent(new Event("change"));
  }

  // Any case, е for ё, any white space for a blank.
  static pattern(query) {
    const escaped = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    const loose = escaped.replace(/[её]/gi, "[её]").replace(/\s+/g, "\\s+");
    return new RegExp(loose, "giu");
  }
}
