// The page: what is played, what is shown at its time, and what the viewer may do.

const data = JSON.parse(document.getElementById("data").textContent);
const { cues, segments, strings } = data;
const element = Object.fromEntries([...document.querySelectorAll("[id]")].map((e) => [e.id, e]));
const cueButtons = [...document.querySelectorAll("#cues button")];
const stepButtons = [...document.querySelectorAll("#steps-list button")];
const panels = [...document.querySelectorAll(".step")];
const details = [...document.querySelectorAll(".step details")];
const scripts = [...document.querySelectorAll(".step > details:first-of-type")];
const SPEEDS = [...element.speed.options].map((option) => Number(option.value));

// Texts

const plural = new Intl.PluralRules(data.language);

// A text with its values; one that depends on a number `n` has a form for each plural.
function say(key, values = {}) {
  const forms = strings[key];
  const text = typeof forms === "string" ? forms : (forms[plural.select(values.n)] ?? forms.other);
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const pair = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours
    ? `${hours}:${pair(minutes)}:${pair(whole % 60)}`
    : `${minutes}:${pair(whole % 60)}`;
}

let toasting;

function tell(text) {
  element.status.textContent = text;
  clearTimeout(toasting);
  toasting = setTimeout(() => (element.status.textContent = ""), 5000);
}

// What is remembered, where a browser lets a page remember

const memory = {
  read(key) {
    try {
      return JSON.parse(localStorage.getItem(`course:${key}`));
    } catch {
      return null;
    }
  },
  write(key, value) {
    try {
      localStorage.setItem(`course:${key}`, JSON.stringify(value));
    } catch {
      // Forbidden, or full: the page works without.
    }
  },
};
const remembered = memory.read("settings");
const settings = {
  theme: "system",
  rate: 1,
  place: "below",
  follow: true,
  shortcuts: true,
  ...(remembered instanceof Object ? remembered : {}),
};

function set(name, value) {
  settings[name] = value;
  memory.write("settings", settings);
}

// Theme

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function showTheme() {
  const system = dark.matches ? "dark" : "light";
  const theme = settings.theme === "system" ? system : settings.theme;
  document.documentElement.dataset.theme = theme;
  element.theme.value = settings.theme;
}

dark.addEventListener("change", showTheme);
element.theme.addEventListener("change", () => {
  set("theme", element.theme.value);
  showTheme();
});
showTheme();

// Languages: one or two at once

const choices = [...document.querySelectorAll(".languages input")];
let shown = data.languages.filter((name) => (settings.languages ?? []).includes(name)).slice(0, 2);
if (!shown.length) shown = [...data.first];

// The texts of a cue in the languages that are shown; in any that it has, where it has none of them.
function said(cue) {
  const wanted = shown.filter((name) => cue.text[name]);
  return wanted.length ? wanted : Object.keys(cue.text).slice(0, 1);
}

function showLanguages() {
  for (const choice of choices) choice.checked = shown.includes(choice.value);
  cueButtons.forEach((button, index) => {
    const names = said(cues[index]);
    for (const text of button.querySelectorAll(".said")) {
      text.hidden = !names.includes(text.dataset.language);
    }
  });
  follower.rearranged();
  element.captions.classList.toggle("two", shown.length > 1);
  find();
  showTracks();
  shownCaptions = null;
  render();
}

for (const choice of choices) {
  choice.addEventListener("change", () => {
    const others = shown.filter((name) => name !== choice.value);
    if (choice.checked) shown = [...others.slice(-1), choice.value];
    else if (others.length) shown = others;
    shown = data.languages.filter((name) => shown.includes(name));
    set("languages", shown);
    showLanguages();
  });
}

// The player

let player;
let ticking;
const aboutClock = element["clock-about"].textContent;

// Changes to another player, at the same time of the video.
function play(make) {
  const time = player?.time ?? 0;
  player?.leave();
  player = make();
  player.addEventListener("change", render);
  if (settings.rate !== 1) player.speed(settings.rate);
  if (time) player.seek(time);
  const film = player instanceof Film;
  element.video.hidden = !film;
  element.embed.hidden = !(player instanceof Embedded);
  element.clock.hidden = !(player instanceof Clock);
  element["clock-about"].textContent = aboutClock;
  element.without.hidden = player instanceof Clock;
  for (const option of element.place.options) {
    option.hidden = option.disabled = option.value === "over" && !film;
  }
  showPlace();
  render();
  return player;
}

function playClock() {
  play(() => new Clock(data.duration));
}

function playFile(url, name) {
  if (!element.video.textTracks.length) addTracks();
  const film = play(() => new Film(element.video, url, data.duration));
  film.addEventListener("failed", () => {
    playClock();
    tell(say("unplayable", { name }));
  });
  film.addEventListener("ready", () => {
    element.screen.classList.toggle("audio", element.video.videoWidth === 0);
  });
}

function playEmbedded() {
  const { origin, id } = data.embed;
  const frame = document.createElement("iframe");
  const asks = new URLSearchParams({
    enablejsapi: "1",
    origin: location.origin,
    playsinline: "1",
    rel: "0",
  });
  frame.title = say("embedded");
  frame.allow = "autoplay; encrypted-media; picture-in-picture; fullscreen";
  // Without the address of this page YouTube refuses to play.
  frame.referrerPolicy = "strict-origin-when-cross-origin";
  frame.src = `${origin}/embed/${encodeURIComponent(id)}?${asks}`;
  element.embed.replaceChildren(frame);
  const embedded = play(() => new Embedded(frame, origin, data.duration, data.embed.patience));
  // What has not answered yet may never do so: the clock stands in the place of an empty frame.
  const waits = (waiting) => {
    element.embed.classList.toggle("waiting", waiting);
    element.clock.hidden = !waiting;
  };
  waits(true);
  element["clock-about"].textContent = `${say("embedded")} …`;
  embedded.addEventListener("ready", () => waits(false));
  embedded.addEventListener("failed", () => {
    playClock();
    element["clock-about"].textContent = say("blocked");
    tell(say("blocked"));
  });
}

let file;

function pick(chosen) {
  if (!chosen) return;
  if (file) URL.revokeObjectURL(file);
  file = URL.createObjectURL(chosen);
  playFile(file, chosen.name);
}

element.file.addEventListener("change", () => {
  pick(element.file.files[0]);
  element.file.value = "";
});
element.without.addEventListener("click", () => {
  playClock();
  element.play.focus();
});

for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    element.screen.classList.toggle("dropping", name === "dragenter" || name === "dragover");
    if (name === "drop") pick(event.dataTransfer.files[0]);
  });
}

// Captions: below the video as text of the page, or on it as the browser's own text tracks

function addTracks() {
  for (const name of data.languages) {
    const track = element.video.addTextTrack("captions", data.names[name], name);
    for (const cue of cues) {
      const text = cue.text[name];
      if (!text || cue.end <= cue.start) continue;
      const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
      track.addCue(new VTTCue(cue.start / 1000, cue.end / 1000, escaped));
    }
  }
  showTracks();
}

function showTracks() {
  const over = settings.place === "over";
  [...element.video.textTracks].forEach((track, index) => {
    track.mode = over && shown.includes(data.languages[index]) ? "showing" : "hidden";
  });
}

function showPlace() {
  const film = player instanceof Film;
  const place = settings.place === "over" && !film ? "below" : settings.place;
  element.place.value = place;
  element.captions.hidden = place !== "below";
  showTracks();
}

element.place.addEventListener("change", () => {
  set("place", element.place.value);
  showPlace();
});

let shownCaptions = null;

function showCaptions(ms) {
  const now = [];
  // Cues are short: those that began long before are over.
  for (let i = begun(ms); i >= 0 && now.length < 3; i -= 1) {
    const { start, end } = cues[order[i]];
    if (start < ms - 60_000) break;
    if (ms < end) now.unshift(order[i]);
  }
  const key = now.join();
  if (key === shownCaptions) return;
  shownCaptions = key;
  const lines = now.flatMap((index) =>
    said(cues[index]).map((name) => {
      const line = document.createElement("p");
      line.className = "said";
      line.lang = data.tags[name];
      line.textContent = cues[index].text[name];
      return line;
    }),
  );
  element.captions.replaceChildren(...lines);
}

// What belongs to a time

const order = cues.map((_, index) => index).sort((a, b) => cues[a].start - cues[b].start || a - b);

// How far into `order` cues have begun at a time; -1 before the first.
function begun(ms) {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cues[order[middle]].start <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

let currentCue = null;
let currentSegment = -1;
let pinned = null;
let lastSecond = -1;

const follower = new Follower(element.cues);

function render() {
  if (!player) return;
  const time = player.time;
  const ms = Math.round(time * 1000);
  const { duration, paused } = player;
  if (!dragging) {
    element.seek.max = duration;
    element.seek.value = time;
  }
  document.documentElement.classList.toggle("playing", !paused);
  const label = say(paused ? "play" : "pause");
  if (element.play.title !== label) {
    element.play.title = label;
    element.play.querySelector("span").textContent = label;
  }
  element.speed.value = String(player.rate);
  const index = begun(ms);
  const cue = index < 0 ? null : order[index];
  if (cue !== currentCue) {
    if (currentCue !== null) cueButtons[currentCue].removeAttribute("aria-current");
    currentCue = cue;
    if (cue !== null) {
      cueButtons[cue].setAttribute("aria-current", "true");
      follower.keep(cueButtons[cue]);
    }
  }
  const segment = cue === null ? (segments.length ? 0 : -1) : cues[cue].segment;
  if (segment !== currentSegment) {
    currentSegment = segment;
    if (pinned === null) showPanel();
    showRail();
  }
  showCaptions(ms);
  const second = Math.floor(time);
  if (second !== lastSecond || element.duration.dataset.of !== String(duration)) {
    lastSecond = second;
    element.duration.dataset.of = String(duration);
    const [now, all] = [clockText(time), clockText(duration)];
    element.time.textContent = element["clock-time"].textContent = now;
    element.duration.textContent = all;
    element.seek.setAttribute("aria-valuetext", say("at", { some: now, all }));
    showLinks(second, now);
  }
  if (!paused && !ticking) ticking = setInterval(render, 100);
  if (paused && ticking) {
    clearInterval(ticking);
    ticking = undefined;
    remember();
  }
}

function showLinks(second, now) {
  for (const name of ["watch", "mirror"]) {
    const address = data.links[name];
    element[name].hidden = !address;
    if (!address) continue;
    element[name].href = address.replace("{seconds}", second);
    element[name].textContent = say(name, { time: now });
  }
}

// Steps

function showRail() {
  [...element.rail.children].forEach((piece, index) => {
    piece.className = index === currentSegment ? "current" : index < currentSegment ? "past" : "";
  });
}

function showPanel() {
  const step = pinned ?? segments[currentSegment]?.step ?? panels[0].dataset.step;
  for (const panel of panels) panel.hidden = panel.dataset.step !== step;
  for (const button of stepButtons) {
    if (button.dataset.step === step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  element.pin.setAttribute("aria-pressed", String(pinned !== null));
}

function pin(step) {
  pinned = step;
  showPanel();
}

function goTo(segment) {
  if (!segments.length) return;
  const { start } = segments[Math.max(0, Math.min(segment, segments.length - 1))];
  pinned = null;
  follower.resume();
  seek(start / 1000);
  showPanel();
}

function nextStep() {
  goTo(currentSegment + (currentCue === null ? 0 : 1));
}

function previousStep() {
  const begunLately = player.time - (segments[currentSegment]?.start ?? 0) / 1000 < 3;
  goTo(currentSegment - (begunLately ? 1 : 0));
}

for (const button of document.querySelectorAll("button[data-step]")) {
  button.addEventListener("click", () => {
    const segment = segments.findIndex((each) => each.step === button.dataset.step);
    if (segment >= 0) goTo(segment);
    else pin(button.dataset.step);
    if (button.closest("table")) element.panel.scrollIntoView({ block: "start" });
  });
}
element.pin.addEventListener("click", () => {
  pin(pinned === null ? panels.find((panel) => !panel.hidden).dataset.step : null);
});
element.next.addEventListener("click", nextStep);
element.previous.addEventListener("click", previousStep);

// Who opens the script at one step wants to see it at the next one too.
for (const one of scripts) {
  one.querySelector("summary").addEventListener("click", () => {
    for (const other of scripts) if (other !== one) other.open = !one.open;
  });
}

// The hall: one step at a time in large type. It is remembered nowhere.

const page = document.documentElement;

function showHall() {
  const at = panels.findIndex((panel) => !panel.hidden);
  element["hall-at"].textContent = say("at", { some: at + 1, all: panels.length });
  element["hall-previous"].disabled = at <= 0;
  element["hall-next"].disabled = at >= panels.length - 1;
  window.scrollTo(0, 0);
}

function enterHall() {
  page.classList.add("hall");
  pin(panels.find((panel) => !panel.hidden).dataset.step);
  showHall();
  element.panel.focus({ preventScroll: true });
}

function hallStep(by) {
  const at = panels.findIndex((panel) => !panel.hidden) + by;
  if (!panels[at]) return;
  pin(panels[at].dataset.step);
  showHall();
  element.panel.focus({ preventScroll: true });
}

// The page goes on at the step that the hall has come to.
function leaveHall() {
  page.classList.remove("hall");
  const segment = segments.findIndex((each) => each.step === pinned);
  if (segment >= 0) goTo(segment);
  element["hall-open"].focus();
}

element["hall-open"].addEventListener("click", enterHall);
element["hall-close"].addEventListener("click", leaveHall);
element["hall-previous"].addEventListener("click", () => hallStep(-1));
element["hall-next"].addEventListener("click", () => hallStep(1));

// Time

let dragging = false;

function seek(time) {
  player.seek(Math.max(0, Math.min(time, player.duration)));
  render();
}

function toggle() {
  if (player.paused) player.play();
  else player.pause();
}

function speed(rate) {
  set("rate", rate);
  player.speed(rate);
  render();
}

function faster(by) {
  const at = SPEEDS.findIndex((rate) => rate >= player.rate);
  const rate = SPEEDS[Math.max(0, Math.min(at + by, SPEEDS.length - 1))];
  speed(rate);
  tell(say("rate", { rate }));
}

element.play.addEventListener("click", toggle);
element.back.addEventListener("click", () => seek(player.time - 10));
element.forward.addEventListener("click", () => seek(player.time + 10));
element.speed.addEventListener("change", () => speed(Number(element.speed.value)));
element.seek.addEventListener("pointerdown", () => (dragging = true));
for (const name of ["pointerup", "pointercancel", "change"]) {
  element.seek.addEventListener(name, () => (dragging = false));
}
element.seek.addEventListener("input", () => seek(Number(element.seek.value)));
cueButtons.forEach((button, index) => {
  button.addEventListener("click", () => {
    seek(cues[index].start / 1000);
    follower.resume();
  });
});

// Following

element.follow.checked = follower.wanted = settings.follow;
element.follow.addEventListener("change", () => {
  set("follow", element.follow.checked);
  follower.want(element.follow.checked);
});
follower.addEventListener("change", () => {
  element.resume.hidden = !(follower.wanted && follower.yielded);
});
element.resume.addEventListener("click", () => {
  const inside = document.activeElement === element.resume;
  follower.resume();
  if (inside) element.cues.focus({ preventScroll: true });
});

// Search

const search = new Search(document.querySelectorAll(".cues .said"));
let searching;

function find() {
  clearTimeout(searching);
  searching = undefined;
  search.find(element.search.value, currentCue === null ? null : cueButtons[currentCue]);
}

search.addEventListener("change", () => {
  const { hits, at, current, query } = search;
  const n = hits.length;
  const found = n ? say("at", { some: at + 1, all: n }) : say("matches", { n });
  element.count.textContent = query ? found : "";
  for (const name of ["hit-previous", "hit-next", "hit-play"]) {
    element[name].disabled = !hits.length;
  }
  if (current) {
    follower.yield();
    follower.show(current);
  }
});
element.search.addEventListener("input", () => {
  clearTimeout(searching);
  searching = setTimeout(find, 150);
});
element["search-form"].addEventListener("submit", (event) => event.preventDefault());
element.search.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  if (searching) find();
  else search.go(event.shiftKey ? -1 : 1);
});
element["hit-next"].addEventListener("click", () => search.go(1));
element["hit-previous"].addEventListener("click", () => search.go(-1));
element["hit-play"].addEventListener("click", () => {
  const button = search.current?.closest("button");
  if (button) button.click();
});

// Links to a moment

function moment(hash) {
  const found = /^#t=(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d+)?)$/.exec(hash);
  if (!found) return null;
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  return hours * 3600 + minutes * 60 + seconds;
}

function goToHash() {
  const time = moment(location.hash);
  if (time === null) return false;
  seek(time);
  follower.resume();
  return true;
}

window.addEventListener("hashchange", goToHash);
element.copy.addEventListener("click", async () => {
  // Rounded up: what began at this moment must have begun in the link too.
  const tenth = Math.ceil(Math.round(player.time * 1000) / 100) / 10;
  const link = `${location.href.split("#")[0]}#t=${tenth}`;
  try {
    await navigator.clipboard.writeText(link);
    tell(say("copied", { time: clockText(player.time) }));
  } catch {
    // No clipboard for this page: the address bar has the link then.
    history.replaceState(null, "", link);
    tell(say("in_address"));
  }
});

// Where the viewer was

let lastRemembered = -1;

function remember() {
  const { time, duration } = player;
  const at = time > duration - 3 ? 0 : Math.round(time * 1000) / 1000;
  if (at === lastRemembered) return;
  lastRemembered = at;
  memory.write(`at:${data.key}`, at);
}

setInterval(() => player.paused || remember(), 5000);
window.addEventListener("pagehide", remember);
document.addEventListener("visibilitychange", remember);

// Keys

const KEYS = new Map([
  [" ", toggle],
  ["k", toggle],
  ["j", () => seek(player.time - 10)],
  ["l", () => seek(player.time + 10)],
  ["ArrowLeft", () => seek(player.time - 5)],
  ["ArrowRight", () => seek(player.time + 5)],
  ["n", nextStep],
  ["p", previousStep],
  ["[", () => faster(-1)],
  ["]", () => faster(1)],
  ["f", () => follower.resume()],
  ["/", () => element.search.focus()],
  ["h", enterHall],
  ["?", openHelp],
]);
const HALL_KEYS = new Map([
  [" ", () => hallStep(1)],
  ["ArrowRight", () => hallStep(1)],
  ["PageDown", () => hallStep(1)],
  ["ArrowLeft", () => hallStep(-1)],
  ["PageUp", () => hallStep(-1)],
  ["Escape", leaveHall],
]);
const CODES = { KeyJ: "j", KeyK: "k", KeyL: "l", KeyN: "n", KeyP: "p", KeyF: "f", KeyH: "h",
  BracketLeft: "[", BracketRight: "]" };

function openHelp() {
  element.help.showModal();
}

document.addEventListener("keydown", (event) => {
  if (element.help.open || event.isComposing || event.defaultPrevented) return;
  const hall = page.classList.contains("hall");
  if (!hall && !settings.shortcuts) return;
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const { target } = event;
  // The native player and the fields have keys of their own, and so has a button that is pressed.
  if (target.closest("input, select, textarea, video, iframe")) return;
  if (event.key === " " && target.closest("button, a, summary")) return;
  // Where a key has a Cyrillic letter on it, its place counts.
  const key = event.key.toLowerCase();
  const action = hall
    ? HALL_KEYS.get(event.key)
    : (KEYS.get(event.key) ?? KEYS.get(key) ?? KEYS.get(CODES[event.code]));
  if (!action) return;
  event.preventDefault();
  action();
});

element["help-open"].addEventListener("click", openHelp);
element["help-close"].addEventListener("click", () => element.help.close());
element.help.addEventListener("click", (event) => {
  if (event.target === element.help) element.help.close();
});
element.shortcuts.checked = settings.shortcuts;
element.shortcuts.addEventListener("change", () => set("shortcuts", element.shortcuts.checked));

// Paper shows every script

const paper = window.matchMedia("print");
let opened = [];

paper.addEventListener("change", () => {
  if (paper.matches) {
    opened = details.filter((one) => !one.open);
    for (const one of opened) one.open = true;
  } else {
    for (const one of opened) one.open = false;
  }
});

// Begin

for (const { start, end } of segments) {
  const piece = document.createElement("span");
  piece.style.flexGrow = Math.max(1, end - start);
  element.rail.append(piece);
}
if (data.embed) playEmbedded();
else if (data.file) playFile(data.file, decodeURIComponent(data.file.split("/").at(-1)));
else playClock();
showLanguages();
if (!goToHash()) {
  const at = memory.read(`at:${data.key}`);
  if (Number.isFinite(at) && at > 0) {
    seek(at);
    tell(say("resumed", { time: clockText(at) }));
  }
}
if (new URLSearchParams(location.search).has("hall")) enterHall();
