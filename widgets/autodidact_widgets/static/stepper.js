// src/dom.ts
var SVG = "http://www.w3.org/2000/svg";
function fill(element2, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === void 0 || value === false) continue;
    element2.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === void 0 || child === false) continue;
    element2.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}
function h(tag, attributes = {}, ...children) {
  const element2 = document.createElement(tag);
  fill(element2, attributes, children);
  return element2;
}
function s(tag, attributes = {}, ...children) {
  const element2 = document.createElementNS(SVG, tag);
  fill(element2, attributes, children);
  return element2;
}
var UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
function spelled(character) {
  const point = character.codePointAt(0);
  return point < 65536 ? "\\u" + point.toString(16).padStart(4, "0") : "\\U" + point.toString(16).padStart(8, "0");
}
function visible(text) {
  return text.replace(/\s+/g, " ").replace(UNSEEN, spelled);
}
function shorten(text, limit) {
  const letters = Array.from(
    text.length > 4 * limit ? text.slice(0, 2 * limit) + text.slice(-2 * limit) : text
  );
  if (letters.length <= limit) return text;
  const tail2 = Math.floor((limit - 1) / 3);
  return letters.slice(0, limit - 1 - tail2).join("") + "…" + letters.slice(letters.length - tail2).join("");
}
function code(text, limit = 60) {
  const shown = visible(text);
  const short2 = shorten(shown, limit);
  return h("b", { class: "code", title: short2 === shown ? null : shorten(shown, 600) }, short2);
}
function quietCode(text, limit = 60) {
  const element2 = code(text, limit);
  element2.classList.add("plain");
  return element2;
}
function reachableWhenWide(element2) {
  let name = "";
  const look = () => {
    const wide = element2.scrollWidth > element2.clientWidth;
    for (const [key, value] of Object.entries({ role: "group", tabindex: "0", "aria-label": name })) {
      if (wide) element2.setAttribute(key, value);
      else element2.removeAttribute(key);
    }
  };
  new ResizeObserver(look).observe(element2);
  return (named) => {
    name = named;
    requestAnimationFrame(look);
  };
}
function set(element2, ...children) {
  element2.replaceChildren(
    ...children.filter((c) => c !== null && c !== void 0 && c !== false).map(
      (c) => c instanceof Node ? c : String(c)
    )
  );
}

// src/icons.ts
var DASH = "2.6 2.3";
var ICONS = {
  done: [
    ["circle", 8, 8, 6.25],
    ["path", "M5.2 8.2l2 2 3.7-4.2"]
  ],
  next: [
    ["circle", 8, 8, 7, "f"],
    ["path", "M6.3 4.9v6.2l5-3.1z", "s"]
  ],
  ready: [
    ["circle", 8, 8, 6.25],
    ["circle", 8, 8, 3, "f"]
  ],
  wait0: [["circle", 8, 8, 6.25, "dash"]],
  wait1: [
    ["circle", 8, 8, 6.25, "dash"],
    ["path", "M8 4a4 4 0 0 1 0 8z", "f"]
  ],
  failed: [
    ["path", "M5 1h6l4 4v6l-4 4H5l-4-4V5z", "f"],
    ["path", "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8", "sl"]
  ],
  skipped: [
    ["circle", 8, 8, 6.25],
    ["path", "M5 8h6"]
  ],
  kept: [["rect", 3, 3, 10, 10, 1.5, "f"]],
  freed: [
    ["rect", 3.25, 3.25, 9.5, 9.5, 1.5, "dash"],
    ["path", "M2 14L14 2"]
  ],
  stale: [
    ["path", "M8 1.6L15 14H1z"],
    ["path", "M8 6v4M8 12v.01"]
  ],
  packed: [
    ["rect", 2.25, 2.25, 11.5, 11.5, 1.5],
    ["rect", 5.5, 5.5, 5, 5, 0, "f"]
  ],
  none: [["path", "M4.5 8h7"]],
  unpack: [["path", "M4 7v6h8V7M8 10V2.5M5.5 4.8L8 2.3l2.5 2.5"]],
  send: [["path", "M8 3l5.5 9.5h-11z", "f"]],
  accumulate: [
    ["circle", 8, 8, 5.75],
    ["path", "M8 5.2v5.6M5.2 8h5.6"]
  ],
  hook: [["path", "M8 1.8L14.2 8 8 14.2 1.8 8z"]],
  reset: [["path", "M4 3v10M13 3.5v9L6.5 8z"]],
  back: [["path", "M10 3.5L5.5 8l4.5 4.5"]],
  run: [["path", "M3.5 3.5L8 8l-4.5 4.5M9 3.5L13.5 8 9 12.5"]],
  pause: [["path", "M5.5 3.5v9M10.5 3.5v9"]],
  text: [["path", "M2.5 4h11M2.5 8h11M2.5 12h7"]],
  more: [
    ["circle", 3.5, 8, 1.4, "f"],
    ["circle", 8, 8, 1.4, "f"],
    ["circle", 12.5, 8, 1.4, "f"]
  ],
  ask: [
    ["circle", 8, 8, 6.25],
    ["path", "M6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.2M8 11.4v.01"]
  ],
  memory: [["path", "M1.5 13.5h13M2.5 11V8.5h3V5h3v3h2.5v3h2.5"]],
  save: [["path", "M8 2v8M4.8 7L8 10.2 11.2 7M2.5 11.5v2h11v-2"]],
  find: [
    ["circle", 7, 7, 4.5],
    ["path", "M10.4 10.4L14 14"]
  ],
  edit: [["path", "M3 13l.7-3L10.6 3l2.4 2.4L6 12.3z"]],
  guess: [
    ["path", "M2.5 3h11v7.5h-6l-3 2.8v-2.8h-2z"],
    ["path", "M6.7 5.6a1.4 1.4 0 1 1 1.9 1.3c-.5.2-.6.4-.6.8M8 9.1v.01"]
  ],
  into: [["path", "M8 2v8M4.8 7L8 10.2 11.2 7M3 13.5h10"]],
  point: [["circle", 8, 8, 5, "f"]],
  breaks: [
    ["circle", 5, 8, 3, "f"],
    ["path", "M10 4.5h4M10 8h4M10 11.5h4"]
  ],
  open: [["path", "M4 6l4 4 4-4"]],
  shut: [["path", "M6 4l4 4-4 4"]],
  plus: [["path", "M8 3.5v9M3.5 8h9"]],
  minus: [["path", "M3.5 8h9"]],
  fit: [["path", "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"]]
};
function shape(part) {
  if (part[0] === "circle") return dashed(s("circle", { cx: part[1], cy: part[2], r: part[3] }), part[4]);
  if (part[0] === "path") return dashed(s("path", { d: part[1] }), part[2]);
  return dashed(s("rect", { x: part[1], y: part[2], width: part[3], height: part[4], rx: part[5] }), part[6]);
}
function dashed(element2, style) {
  if (style === "dash") element2.setAttribute("stroke-dasharray", DASH);
  else if (style) element2.setAttribute("class", style);
  return element2;
}
function iconGroup(name, x, y, size, tone) {
  const group = s("g", { class: `ic ${tone}`, transform: `translate(${x} ${y}) scale(${size / 16})` });
  for (const part of ICONS[name]) group.append(shape(part));
  return group;
}
function icon(name, tone = "c-ink") {
  return s(
    "svg",
    { class: `i ${tone}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    iconGroup(name, 0, 0, 16, "")
  );
}
var STATUS_ICON = {
  done: ["done", "c-2"],
  next: ["next", "c-grad"],
  ready: ["ready", "c-ink"],
  waiting: ["wait0", "c-2"],
  partly: ["wait1", "c-ink"],
  failed: ["failed", "c-bad"],
  skipped: ["skipped", "c-2"]
};
var SAVED_ICON = {
  kept: ["kept", "c-ink"],
  freed: ["freed", "c-2"],
  stale: ["stale", "c-bad"],
  packed: ["packed", "c-ink"],
  absent: ["freed", "c-2"],
  none: ["none", "c-2"]
};
var EVENT_ICON = {
  unpack: ["unpack", "c-ink"],
  again: ["back", "c-ink"],
  forward: ["run", "c-ink"],
  hook: ["hook", "c-ink"],
  line: ["into", "c-ink"],
  return: ["text", "c-ink"],
  send: ["send", "c-grad"],
  free: ["freed", "c-ink"],
  transfer: ["into", "c-ink"],
  accumulate: ["accumulate", "c-ink"],
  error: ["failed", "c-bad"]
};

// src/mode_switch.ts
var ModeSwitch = class {
  element;
  node;
  event;
  constructor(catalogue, onChoose) {
    const half = (name, events) => {
      const title = catalogue.text(`ui.mode.${name}.is`);
      const button2 = h(
        "button",
        { type: "button", class: "mode-half", title },
        catalogue.text(`ui.mode.${name}`)
      );
      button2.addEventListener("click", () => onChoose(events));
      return button2;
    };
    this.node = half("node", false);
    this.event = half("event", true);
    const label = catalogue.text("ui.mode");
    this.element = h("span", { class: "modes", role: "group", "aria-label": label }, this.node, this.event);
  }
  update(events) {
    this.node.setAttribute("aria-pressed", String(!events));
    this.event.setAttribute("aria-pressed", String(events));
  }
};

// src/toolbar.ts
var SPEEDS = [1, 2, 4, 8, 0];
var Toolbar = class {
  element;
  menuButton;
  breaksButton;
  reset;
  back;
  step;
  run;
  count = h("span", { class: "count num" });
  modeSwitch;
  textButton;
  tourButton;
  constructor(catalogue, actions, speed) {
    const iconButton = (name, action) => {
      const label = catalogue.text(`ui.button.${name}`);
      return button({ class: "btn icon", "aria-label": label, title: label }, action, icon(name));
    };
    const arrow2 = h("kbd", { "aria-hidden": "true" }, "→");
    this.reset = iconButton("reset", actions.reset);
    this.back = iconButton("back", actions.back);
    this.step = button({ class: "btn main" }, actions.step, catalogue.text("ui.step"), " ", arrow2);
    this.run = iconButton("run", actions.run);
    this.tourButton = iconButton("ask", actions.tour);
    this.breaksButton = iconButton("breaks", actions.breaks);
    this.textButton = iconButton("text", actions.text);
    this.menuButton = iconButton("more", actions.menu);
    this.modeSwitch = new ModeSwitch(catalogue, actions.mode);
    this.element = h(
      "div",
      { class: "bar", role: "toolbar", "aria-label": catalogue.text("ui.toolbar") },
      this.reset,
      this.back,
      this.step,
      this.run,
      speedChoice(catalogue, actions, speed),
      this.modeSwitch.element,
      h("span", { class: "gap" }),
      this.count,
      this.breaksButton,
      this.tourButton,
      this.textButton,
      this.menuButton
    );
  }
  /** Buttons of further views, before those that every bar has. */
  add(...buttons) {
    this.tourButton.before(...buttons);
  }
  focusStep() {
    this.step.focus();
  }
  update(frame, how) {
    const atEnd = frame.done && frame.position >= frame.count - 1 && frame.event < 0;
    disable(this.reset, frame.position === 0);
    disable(this.back, frame.position === 0);
    disable(this.step, atEnd || how.asked);
    disable(this.run, atEnd || how.asked);
    this.step.classList.toggle("main", !atEnd && !how.asked);
    this.step.classList.toggle("line", atEnd || how.asked);
    const name = frame.catalogue.text(how.running ? "ui.pause" : "ui.run");
    set(this.run, icon(how.running ? "pause" : "run"), name);
    this.run.setAttribute("aria-label", name);
    this.textButton.setAttribute("aria-pressed", String(how.text));
    this.tourButton.setAttribute("aria-pressed", String(how.tour));
    this.breaksButton.setAttribute("aria-expanded", String(how.breaks));
    this.menuButton.setAttribute("aria-expanded", String(how.menu));
    this.modeSwitch.update(how.events);
    this.count.textContent = [how.tally, countText(frame)].filter(Boolean).join(", ");
  }
};
function button(attributes, action, ...children) {
  const element2 = h("button", { type: "button", ...attributes }, ...children);
  element2.addEventListener("click", () => element2.getAttribute("aria-disabled") !== "true" && action());
  return element2;
}
function countText(frame) {
  const { catalogue, position, total, count } = frame;
  const { part } = frame.state;
  if (part) return catalogue.text("ui.count.event", { step: position, total, done: part.done, of: part.of });
  if (frame.state.end === "error") return catalogue.text("title.error", { done: position, total });
  const text = catalogue.text("ui.count", { done: position, total });
  return position < count - 1 ? `${text}, ${catalogue.text("ui.count.ahead", { at: count - 1 })}` : text;
}
function speedChoice(catalogue, actions, speed) {
  const choice = h("select", {
    class: "speed",
    "aria-label": catalogue.text("ui.speed"),
    title: catalogue.text("ui.speed")
  });
  for (const each of SPEEDS) {
    const text = each === 0 ? catalogue.text("ui.speed.all") : catalogue.text("ui.speed.each", { n: each });
    choice.append(h("option", { value: each, selected: each === speed }, text));
  }
  choice.addEventListener("change", () => actions.speed(Number(choice.value)));
  return choice;
}
function disable(button2, off) {
  button2.setAttribute("aria-disabled", String(off));
}

// src/compare_bar.ts
var CompareBar = class {
  element;
  buttons;
  count = h("span", { class: "count num" });
  constructor(catalogue, actions) {
    const button2 = (kind, action, label, ...children) => {
      const made = h(
        "button",
        { type: "button", class: `btn ${kind}`, "aria-label": label, title: label },
        ...children
      );
      made.addEventListener("click", () => made.getAttribute("aria-disabled") !== "true" && action());
      return made;
    };
    const sign2 = (name, action) => button2("icon", action, catalogue.text(`ui.button.${name}`), icon(name));
    const arrow2 = h("kbd", { "aria-hidden": "true" }, "→");
    this.buttons = {
      reset: sign2("reset", actions.reset),
      back: sign2("back", actions.back),
      step: button2("main", actions.step, null, catalogue.text("ui.step"), " ", arrow2),
      run: sign2("run", actions.run),
      text: sign2("text", actions.text)
    };
    const { reset, back, step, run, text } = this.buttons;
    const gap = h("span", { class: "gap" });
    this.element = h(
      "div",
      { class: "bar", role: "toolbar", "aria-label": catalogue.text("ui.toolbar") },
      reset,
      back,
      step,
      run,
      gap,
      this.count,
      text
    );
  }
  /** Puts further buttons at the end of the bar. */
  add(...buttons) {
    this.element.append(...buttons);
  }
  update(catalogue, now) {
    const { reset, back, step, run, text } = this.buttons;
    disable(reset, now.start);
    disable(back, now.start);
    disable(step, now.end);
    disable(run, now.end);
    step.classList.toggle("main", !now.end);
    step.classList.toggle("line", now.end);
    set(run, icon(now.running ? "pause" : "run"), catalogue.text(now.running ? "ui.pause" : "ui.run"));
    run.setAttribute("aria-label", catalogue.text(now.running ? "ui.pause" : "ui.run"));
    text.setAttribute("aria-pressed", String(now.text));
    this.count.textContent = now.count;
  }
};

// src/catalogue.ts
function form(count, entry, language) {
  const n = Math.abs(Math.trunc(Number(Array.isArray(count) ? count.length : count ?? NaN)));
  const pick = (name) => entry[name] ?? entry.other;
  if (Number.isNaN(n)) return entry.other;
  if (language !== "ru" || !entry.few) return pick(n === 1 ? "one" : "other");
  if (n % 10 === 1 && n % 100 !== 11) return pick("one");
  return pick(n % 10 >= 2 && n % 10 <= 4 && !(n % 100 >= 12 && n % 100 <= 14) ? "few" : "other");
}
var Catalogue = class {
  /** @param names names and pieces of source of this record: an argument that equals one is shown as code */
  constructor(entries, language, names) {
    this.entries = entries;
    this.language = language;
    this.names = names;
  }
  entries;
  language;
  names;
  has(id) {
    return Object.prototype.hasOwnProperty.call(this.entries, id);
  }
  /** The sentence as plain text, for labels and the text form. */
  text(id, args = {}) {
    return this.tokens(id, args).map((token) => token.text).join("");
  }
  /** The sentence as text and code elements. An unknown id comes back in brackets, a missing argument as "-". */
  pieces(id, args = {}) {
    return this.tokens(id, args).map((token) => token.name ? code(token.text) : token.text);
  }
  sentences(list) {
    return list.flatMap((each, k) => [k > 0 && " ", ...this.pieces(each.id, each.args ?? {})]);
  }
  tokens(id, args) {
    const words2 = {};
    for (const [name, value] of Object.entries(args)) words2[name] = this.word(id, value);
    return this.fill(id, words2, args);
  }
  fill(id, words2, args = {}) {
    let entry = this.has(id) ? this.entries[id] : void 0;
    if (entry === void 0) return [{ text: `[${id}]` }];
    if (typeof entry !== "string") entry = form(args[entry.count], entry, this.language);
    return entry.split(/(\{\w+\}(?:\.grad)?)/).flatMap((part) => {
      const field = /^\{(\w+)\}(\.grad)?$/.exec(part);
      if (!field) return part === "" ? [] : [{ text: part }];
      const found = Object.prototype.hasOwnProperty.call(words2, field[1]) ? words2[field[1]] : [{ text: "-" }];
      if (!field[2]) return found;
      return found.length === 1 && found[0].name ? [{ text: found[0].text + field[2], name: true }] : [...found, { text: field[2] }];
    });
  }
  word(id, value) {
    if (Array.isArray(value)) return this.joined(value.map((each) => this.item(id, each)));
    if (value === null) return this.fill("value.none", {});
    if (typeof value === "object") return this.tokens(value.id, value.args ?? {});
    const text = String(value);
    return [{ text: visible(text), name: this.names.has(text) }];
  }
  item(id, value) {
    if (!Array.isArray(value)) return this.word(id, value);
    return this.tokens(`${id}.item`, Object.fromEntries(value.map((each, k) => [String(k), each])));
  }
  /** "a", "a and b", "a, b and c". */
  joined(words2) {
    const first = words2[0] ?? [];
    if (words2.length < 2) return first;
    if (words2.length === 2) return this.fill("list.two", { 0: first, 1: words2[1] });
    const front = words2.slice(1, -1).reduce((before2, each) => this.fill("list.comma", { 0: before2, 1: each }), first);
    return this.fill("list.last", { 0: front, 1: words2[words2.length - 1] });
  }
};

// src/fold.ts
var KEYED = [
  "status",
  "received",
  "total",
  "saved",
  "grads",
  "sent",
  "wrong",
  "hooks",
  "second",
  "versions",
  "cuts",
  "silent"
];
var OWN = { predicted: {}, events: [], say: [], outside: [], error: null };
var EMPTY = {
  step: 0,
  ran: null,
  next: null,
  end: null,
  status: {},
  received: {},
  total: {},
  saved: {},
  bytes: 0,
  grads: {},
  predicted: {},
  sent: {},
  events: [],
  say: [],
  error: null,
  outside: []
};
function foldOne(before2, delta) {
  const after2 = { ...before2, ...OWN, clinic: void 0, ...delta };
  for (const key of KEYED) {
    after2[key] = { ...before2[key] ?? {}, ...delta[key] ?? {} };
  }
  return after2;
}
var Folder = class {
  deltas = [];
  at = -1;
  folded = EMPTY;
  before = null;
  start = null;
  get length() {
    return this.deltas.length;
  }
  /** Takes states `from`, `from + 1`, ... as the kernel sent them. Anything that does not fit on is left out. */
  put(from, states) {
    if (from < 0 || from > this.deltas.length) return;
    this.deltas.splice(from, states.length, ...states);
    if (from === 0) this.deltas.length = states.length;
    if (this.at >= from) this.rewind();
  }
  /** The state that the pass started from. */
  first() {
    const delta = this.deltas[0] ?? {};
    if (this.start?.of !== delta) this.start = { of: delta, state: foldOne(EMPTY, delta) };
    return this.start.state;
  }
  raw(index) {
    return this.deltas[index];
  }
  state(index) {
    if (index === this.at - 1 && this.before) return this.before;
    if (index < this.at) this.rewind();
    for (let k = this.at + 1; k <= index && k < this.deltas.length; k++) {
      this.before = k > 0 ? this.folded : null;
      this.folded = foldOne(this.folded, this.deltas[k] ?? {});
      this.at = k;
    }
    return this.folded;
  }
  rewind() {
    this.at = -1;
    this.folded = EMPTY;
    this.before = null;
  }
};

// src/scene.ts
var SHORT_SOURCE = 16;
function who(node) {
  if (node.var) return visible(node.var);
  if (node.kind === "leaf") return visible(node.label);
  const words2 = visible(node.source ?? "");
  const name = words2 && [...words2].length <= SHORT_SOURCE ? words2 : visible(node.name);
  return name + (node.number === null ? "" : ` #${node.number}`);
}
var Scene = class {
  constructor(head) {
    this.head = head;
    for (const node of head.nodes) this.nodes.set(node.id, node);
    for (const edge of head.edges) {
      this.edges.set(edge.id, edge);
      push(this.edgesFrom, edge.from, edge);
      push(this.edgesTo, edge.to, edge);
    }
    for (const lane of head.layout?.lanes ?? []) this.boxOf.set(lane.edge, lane.box);
    this.leaves = head.nodes.filter((node) => node.kind === "leaf").length;
    for (const storage of head.storages) this.storageBytes.set(storage.id, storage.bytes);
  }
  head;
  nodes = /* @__PURE__ */ new Map();
  edges = /* @__PURE__ */ new Map();
  edgesFrom = /* @__PURE__ */ new Map();
  edgesTo = /* @__PURE__ */ new Map();
  /** The box where an edge's gradient lands (a leaf has several). */
  boxOf = /* @__PURE__ */ new Map();
  /** How many leaves there are. */
  leaves;
  storageBytes = /* @__PURE__ */ new Map();
  /** The same with the picture of a part. */
  part(layout) {
    const scene = Object.create(this);
    scene.head = { ...this.head, layout };
    scene.boxOf = new Map(layout.lanes.map((lane) => [lane.edge, lane.box]));
    return scene;
  }
  /** What a sentence calls a node: the learner's variable, else the node's own name. */
  name(id) {
    const node = id === null ? void 0 : this.nodes.get(id);
    if (!node) return "?";
    return who(node);
  }
  /** The headline of a node: its source line, else the variable, else "-". A leaf goes by its name. */
  title(id) {
    const node = this.nodes.get(id);
    if (!node) return "?";
    return node.kind === "leaf" ? this.name(id) : visible(node.source || node.var || "-");
  }
  /** Every name and piece of source that a sentence may mention. */
  names() {
    const all = this.head.nodes.flatMap((node) => [
      node.var,
      node.source,
      node.label,
      this.className(node),
      who(node),
      ...node.saved.map((entry) => entry.var)
    ]);
    const names = [this.head.root, ...all].filter(
      (name) => typeof name === "string" && name !== ""
    );
    return new Set(names.flatMap((name) => [name, visible(name), `${name}.grad`]));
  }
  /** Was `grad()` asked for this node's tensor? Then what comes there is returned. */
  isResult(id) {
    const { returns, inputs } = this.head.options;
    const name = this.nodes.get(id)?.var;
    return Boolean(returns) && typeof name === "string" && (inputs ?? []).includes(name);
  }
  /** The state of a node as a word's id: of one that is not asked for, whether it is a result. */
  status(state, id) {
    const status = state.status[id] ?? "waiting";
    return status === "skipped" && this.isResult(id) ? "result" : status;
  }
  expected(id) {
    return (this.nodes.get(id)?.outputs ?? []).reduce((sum, slot) => sum + slot.expected, 0);
  }
  /** "AddBackward0 #1"; a leaf has no number. */
  className(node) {
    return visible(node.name) + (node.number === null ? "" : ` #${node.number}`);
  }
};
function arrived(state, id) {
  return (state.received[id] ?? []).reduce((sum, slot) => sum + slot.length, 0);
}
function fineStatus(state, id) {
  const status = state.status[id] ?? "waiting";
  return status === "waiting" && arrived(state, id) > 0 ? "partly" : status;
}
function currentNode(scene, state) {
  return state.error?.node ?? state.next ?? state.ran ?? scene.head.roots[0] ?? scene.head.nodes[0]?.id ?? null;
}
function runningOrder(scene, ran) {
  const seen = new Set(ran);
  return [...ran, ...scene.head.nodes.map((node) => node.id).filter((id) => !seen.has(id))];
}
function shapeText(shape2) {
  if (!shape2) return "-";
  return shape2.length === 1 ? `(${shape2[0]},)` : `(${shape2.join(", ")})`;
}
function shortNumber(text, room) {
  if (text.length <= room) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) return room < 2 ? text : text.slice(0, room - 1) + "…";
  let short2 = text;
  for (let digits = 5; digits >= 1 && short2.length > room; digits--) short2 = general(value, digits);
  return short2;
}
function general(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const plain = (number) => number.includes(".") ? number.replace(/\.?0+$/, "") : number;
  if (power < -4 || power >= digits) return `${plain(mantissa)}e${power}`;
  return plain(value.toFixed(digits - 1 - power));
}
function isScalar(value) {
  return !!value && value.shape.reduce((product, size) => product * size, 1) === 1;
}
function push(map, key, value) {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

// src/compare_session.ts
var PATIENCE = 2e4;
var CompareSession = class {
  constructor(model, onChange) {
    this.model = model;
    this.onChange = onChange;
    const head = model.get("_head") ?? {};
    this.labels = Array.isArray(head.labels) ? head.labels.map((label) => visible(String(label))) : [];
    this.runs = this.labels.map(() => []);
    this.catalogue = this.makeCatalogue();
    for (const name of ["position", "count", "done"])
      this.listen(`change:${name}`, () => this.onChange("state"));
    this.listen("change:messages", () => {
      this.catalogue = this.makeCatalogue();
      this.onChange("words");
    });
    this.listen(
      "msg:custom",
      (message) => this.receive(message)
    );
    model.send({ type: "hello" });
  }
  model;
  onChange;
  labels;
  catalogue;
  places = [];
  runs;
  /** place -> for each run [pass, state, moved] */
  map = [];
  /** place -> for each run what its step was */
  told = [];
  asked = null;
  listeners = [];
  get ready() {
    return this.places.length > this.position;
  }
  get count() {
    return Math.max(Number(this.model.get("count") ?? 0), this.places.length, 1);
  }
  get position() {
    return Math.max(0, Math.min(Number(this.model.get("position") ?? 0), this.count - 1));
  }
  get done() {
    return Boolean(this.model.get("done"));
  }
  get atEnd() {
    return this.position >= this.count - 1 && this.done;
  }
  /** Where a run is at a place. */
  here(run, position = this.position) {
    const [pass, index, moved] = this.map[position][run];
    return { pass: this.runs[run][pass], index, moved };
  }
  state(run, position = this.position) {
    const { pass, index } = this.here(run, position);
    return pass.folder.state(index);
  }
  /** The differences up to a place. */
  rows(position = this.position) {
    return this.places.slice(0, position + 1).flatMap((place2) => place2.rows);
  }
  step() {
    if (this.position < this.count - 1) this.jump(this.position + 1);
    else this.request("step");
  }
  jump(position) {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position) return;
    this.model.set("position", to);
    this.model.save_changes();
  }
  runToEnd() {
    if (this.done) this.jump(this.count - 1);
    else this.request("run");
  }
  close() {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
  }
  request(type) {
    const now = Date.now();
    const open = this.asked && this.asked.count === this.count && now - this.asked.at < PATIENCE;
    if (this.done || open) return;
    this.asked = { count: this.count, at: now };
    this.model.send({ type });
  }
  listen(event, listener) {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }
  receive(message) {
    if (message?.type === "refused") this.asked = null;
    if (message?.type !== "states" || !Array.isArray(message.states)) return;
    const from = Number(message.from);
    if (from === 0) {
      this.places = [];
      this.told.length = 0;
      this.map = [];
      this.runs = this.labels.map(() => []);
    }
    if (from !== this.places.length) return;
    for (const place2 of message.states) this.add(place2);
    this.onChange("state");
  }
  add(place2) {
    place2.heads?.forEach((head, run) => {
      if (head) this.runs[run].push({ scene: new Scene(head), folder: new Folder() });
    });
    if (place2.heads) this.catalogue = this.makeCatalogue();
    this.map.push(
      this.runs.map((passes, run) => {
        const pass = passes[passes.length - 1];
        const state = place2.states[run];
        if (state) pass.folder.put(pass.folder.length, [state]);
        return [passes.length - 1, pass.folder.length - 1, Boolean(state)];
      })
    );
    this.told.push(this.runs.map((passes) => stepOf(passes[passes.length - 1])));
    this.places.push(place2);
  }
  makeCatalogue() {
    const messages = this.model.get("messages") ?? {};
    const names = /* @__PURE__ */ new Set([...this.labels, ...this.runs.flat().flatMap((pass) => [...pass.scene.names()])]);
    return new Catalogue(messages, String(this.model.get("language") ?? "en"), names);
  }
};
function stepOf({ scene, folder }) {
  const state = folder.state(folder.length - 1);
  const words2 = (scene.nodes.get(state.ran ?? "")?.saved ?? []).map((entry) => state.saved[entry.key]?.state);
  const saved = ["stale", "kept", "packed", "freed"].find((word) => words2.includes(word));
  return { ran: state.ran, failed: state.error !== null, saved: !state.error && saved || null };
}
function differenceWords(row4, catalogue) {
  return [row4.at, ...row4.cells].map(
    (each) => catalogue.text(each.id, each.args ?? {})
  );
}

// src/values.ts
var MOST_COLUMNS = 20;
function valuePieces(value, catalogue) {
  if (value === null) return [h("span", { class: "none" }, catalogue.text("value.none"))];
  if (value.label === "value") return [visible(value.text)];
  const all = allNumbers(value, MOST_COLUMNS);
  if (all !== null) return [all];
  return [h("span", { class: "quiet small" }, `${catalogue.text("ui.norm")} `), visible(value.text)];
}
function numberText(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string")
    return { NaN: "nan", Infinity: "inf", "-Infinity": "-inf" }[value] ?? visible(value);
  if (typeof value !== "number") return "-";
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : general(value, 6);
}
function allNumbers(value, most) {
  if (value.label === "value" || !Array.isArray(value.values)) return null;
  const text = listText(value.values);
  return text.length <= most ? text : null;
}
function listText(values) {
  return Array.isArray(values) ? `[${values.map(listText).join(", ")}]` : numberText(values);
}
function heatMap(value, size) {
  const rows2 = value?.heat ?? [];
  const height = rows2.length || 1;
  const width2 = Math.max(1, ...rows2.map((row4) => row4.length));
  const largest = Math.max(
    ...rows2.flat().map((each) => typeof each === "number" ? Math.abs(each) : 0),
    1e-300
  );
  const cells2 = rows2.flatMap(
    (row4, y) => row4.map((each, x) => {
      if (typeof each !== "number") return s("path", { class: "not-finite", d: `M${x} ${y}l1 1m0 -1l-1 1` });
      const opacity = Math.max(
        each === 0 ? 0 : 0.08,
        Math.abs(each) / largest * (rows2.flat().length === 1 ? 0.75 : 1)
      );
      return s("rect", {
        x,
        y,
        width: 1,
        height: 1,
        class: each < 0 ? "below" : "above",
        "fill-opacity": opacity.toFixed(3)
      });
    })
  );
  return s(
    "svg",
    {
      class: "heat",
      width: size,
      height: size,
      viewBox: `0 0 ${width2} ${height}`,
      preserveAspectRatio: "none",
      "shape-rendering": "crispEdges",
      "aria-hidden": "true"
    },
    ...cells2
  );
}
function valueTable(value, name, catalogue) {
  if (value.values === null || value.values === void 0) return null;
  const blocks = matrices(value.values, value.shape.length);
  const tables = blocks.map(
    (rows2) => h(
      "table",
      {},
      h(
        "tbody",
        {},
        ...rows2.map((row4) => h("tr", {}, ...row4.map((each) => h("td", { class: "num" }, numberText(each)))))
      )
    )
  );
  const label = catalogue.text("ui.values_of", {
    name: visible(name).slice(0, 80),
    shape: shapeText(value.shape)
  });
  return h("div", { class: "values", role: "group", tabindex: 0, "aria-label": label }, ...tables);
}
function matrices(values, depth) {
  if (depth === 0 || !Array.isArray(values)) return [[[values]]];
  if (depth === 1) return [[values]];
  let blocks = [values];
  for (let k = depth; k > 2; k--) blocks = blocks.flatMap((block) => Array.isArray(block) ? block : []);
  return blocks;
}
function statistics(value, catalogue) {
  const facts2 = { "ui.min": value.min, "ui.max": value.max, "ui.mean": value.mean, "ui.norm": value.norm };
  const known = Object.entries(facts2).filter(([, number]) => number !== null);
  const words2 = known.map(([word, number]) => `${catalogue.text(word)} ${numberText(number)}`);
  return h("p", { class: "quiet small" }, words2.join(", "));
}

// src/text_words.ts
var WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\u33ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua000-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}]",
  "u"
);
function columns(text) {
  let sum = 0;
  for (const character of text) sum += new RegExp("\\p{Mn}", "u").test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return sum;
}
function cutTo(text, room) {
  if (columns(text) <= room) return text;
  let out = "";
  let used = 1;
  for (const character of text) {
    used += columns(character);
    if (used > room) break;
    out += character;
  }
  return out.trimEnd() + "…";
}
function aligned(rows2, gap = 3) {
  const widths = [];
  for (const row4 of rows2) row4.forEach((cell, i) => widths[i] = Math.max(widths[i] ?? 0, columns(cell)));
  return rows2.map(
    (row4) => row4.map((cell, i) => cell + " ".repeat(widths[i] - columns(cell))).join(" ".repeat(gap)).trimEnd()
  );
}
function callsText(node, catalogue) {
  const names = (node.calls ?? []).map(([, name]) => visible(name));
  return names.length > 0 ? catalogue.text("text.in_calls", { what: names.join(", ") }) : "";
}
function headline(node) {
  return node.kind === "leaf" ? who(node) : visible(node.source || node.var || "-");
}
function place(node, catalogue) {
  if (!node.where) return "";
  const { cell, line, file } = node.where;
  if (cell !== null) return catalogue.text("text.place.cell", { cell: String(cell), line: String(line) });
  return catalogue.text("text.place.file", { file: file ?? "-", line: String(line) });
}
function valueText(value, most, catalogue) {
  if (!value) return catalogue.text("value.none");
  if (value.label === "value") return visible(value.text);
  return allNumbers(value, most) ?? `${catalogue.text("text.norm", { value: value.text })} ${shapeText(value.shape)}`;
}
function overText(node, edge, catalogue) {
  const over = node.rules.find((each) => each.edge === edge)?.over ?? [];
  const axes = node.outputs[0]?.shape?.length ?? 0;
  if (over.length === 0) return null;
  if (over.length === axes) return catalogue.text("ui.over.all");
  if (axes === 2) return catalogue.text(over[0] === 0 ? "ui.over.rows" : "ui.over.columns");
  return catalogue.text("ui.over.dims", { dims: over.join(", ") });
}
function stridesText({ own, leaf }, catalogue) {
  const args = { own: shapeText(own), leaf: shapeText(leaf) };
  return catalogue.text(args.own === args.leaf ? "grad.strides.same" : "grad.strides.own", args);
}
function savedName(entry) {
  const name = visible(entry.name);
  return entry.var && entry.var !== name ? `${name} ${visible(entry.var)}` : name;
}
function plainValues(node, state) {
  const isPlain = (entry) => state.saved[entry.key]?.state === "none";
  return [node.saved.filter((entry) => !isPlain(entry)), node.saved.filter(isPlain)];
}
function tangentText(node, catalogue) {
  const [value, tangent] = [node.value, node.tangent].map((each) => valueText(each, 28, catalogue));
  return catalogue.text("ui.tangent", { value: value ?? "-", tangent: tangent ?? "-" });
}

// src/compare_text.ts
var TITLE_COLUMN = 53;
var MOST_LABEL = 40;
var MOST_ROWS = 24;
function compareText(session) {
  const { catalogue, position } = session;
  const labels = session.labels.map((label) => cutTo(visible(label), MOST_LABEL));
  const place2 = session.places[position];
  const told = session.rows().map((row4) => differenceWords(row4, catalogue));
  const left = catalogue.text("compare.title", { runs: labels.join(" | ") });
  const count = catalogue.text("ui.count", { done: place2.steps, total: place2.total });
  const parts2 = [
    [left + " ".repeat(Math.max(3, TITLE_COLUMN - columns(left))) + count, firstLine(session, told)],
    table(session, labels),
    leaves(session, labels),
    differences(session, told)
  ];
  return parts2.filter((part) => part.length).map((part) => part.join("\n")).join("\n\n") + "\n";
}
function firstLine({ catalogue }, told) {
  if (told.length === 0) return catalogue.text("compare.alike");
  const [where, ...cells2] = told[0];
  return catalogue.text("compare.first", { where, what: cells2.join(" | ") });
}
function table(session, labels) {
  const { catalogue, position } = session;
  const lines2 = session.places.slice(0, position + 1).map((place2) => place2.line);
  const step = ["  " + catalogue.text("compare.step"), ...lines2.map((line) => line[0])];
  const nodes = lines2.map((line) => [...new Set(labels.map((_, run) => line[1 + 3 * run]))].filter(Boolean));
  const together = nodes.every((names) => names.length < 2);
  const cells2 = [step];
  if (together) cells2.push([catalogue.text("text.node"), ...nodes.map((names) => names.join(""))]);
  labels.forEach((label, run) => {
    const own = lines2.map((line) => line.slice(1 + 3 * run + (together ? 1 : 0), 4 + 3 * run));
    cells2.push([label, ...aligned(own)]);
  });
  return aligned(step.map((_, k) => cells2.map((column) => column[k])));
}
function leaves(session, labels) {
  const { catalogue } = session;
  const rows2 = leafRows(session).map(([name, grads]) => [`${name}.grad`, ...grads]);
  return rows2.length ? aligned([[catalogue.text("text.leaf"), ...labels], ...rows2]) : [];
}
function leafRows(session, only = null) {
  const found = /* @__PURE__ */ new Map();
  session.labels.forEach((_, run) => {
    const { pass } = session.here(run);
    const state = session.state(run);
    const asked = only && [...only[run]].map((id) => pass.scene.nodes.get(id));
    for (const node of asked ?? pass.scene.head.nodes) {
      if (node.kind !== "leaf") continue;
      if (!found.has(who(node)))
        found.set(
          who(node),
          session.labels.map(() => "-")
        );
      found.get(who(node))[run] = valueText(state.grads[node.id]?.value, 28, session.catalogue);
    }
  });
  return [...found];
}
function differences({ catalogue }, told) {
  if (told.length === 0) return [];
  const more = told.length - MOST_ROWS;
  return [
    catalogue.text("compare.differences"),
    ...aligned(told.slice(0, MOST_ROWS).map(([where, ...cells2]) => ["  " + where, ...cells2])),
    ...more > 0 ? ["  " + catalogue.text("compare.more", { n: more })] : []
  ];
}

// src/compare_tables.ts
var MOST_ROWS2 = 12;
var MOST_LEAVES = 20;
var MOST_LOOKED = 100;
function titles(session, id) {
  const runs2 = session.labels.map((label) => h("th", { scope: "col" }, code(label, 30)));
  return h("thead", {}, h("tr", {}, h("th", { scope: "col" }, session.catalogue.text(id)), ...runs2));
}
function drawGrads(element2, session) {
  const late = latest(session);
  const rows2 = leafRows(session, late).map(
    ([name, grads]) => h(
      "tr",
      { class: new Set(grads).size > 1 ? "differs" : null },
      h("th", { scope: "row" }, code(`${name}.grad`, 24)),
      ...grads.map((grad) => h("td", {}, grad))
    )
  );
  const caption = h("caption", { class: "unseen" }, session.catalogue.text("ui.leaves"));
  set(
    element2,
    rows2.length > 0 && h("table", {}, caption, titles(session, "ui.leaf"), h("tbody", {}, ...rows2)),
    late && h("p", { class: "quiet small" }, session.catalogue.text("ui.compare.leaves", { n: MOST_LEAVES }))
  );
}
function latest(session) {
  const leaf = (run, id) => session.here(run).pass.scene.nodes.get(id ?? "")?.kind === "leaf";
  const count = session.here(0).pass.scene.leaves;
  if (count <= MOST_LEAVES) return null;
  const found = session.labels.map(() => /* @__PURE__ */ new Set());
  const { position } = session;
  const { pass } = session.places[position];
  for (let k = position; k > position - MOST_LOOKED && session.places[k]?.pass === pass; k--) {
    session.told[k].forEach(({ ran }, run) => {
      if (found[run].size < MOST_LEAVES && leaf(run, ran)) found[run].add(ran);
    });
  }
  return found;
}
function drawDifferences(element2, session, rows2) {
  const { catalogue } = session;
  if (rows2.length === 0) return set(element2);
  const body = rows2.slice(0, MOST_ROWS2).map((row4, k) => differenceRow(session, row4, k === 0));
  const caption = h("caption", { class: "unseen" }, catalogue.text("ui.compare.differences"));
  const more = rows2.length - MOST_ROWS2;
  set(
    element2,
    h("table", {}, caption, titles(session, "ui.compare.differences"), h("tbody", {}, ...body)),
    more > 0 && h("p", { class: "quiet small" }, catalogue.text("compare.more", { n: more }))
  );
}
function differenceRow(session, row4, first) {
  const { catalogue, position } = session;
  const words2 = (each) => catalogue.pieces(each.id, each.args ?? {});
  const kind = [first && "is-first", row4.place === position && "is-here"].filter(Boolean).join(" ");
  return h(
    "tr",
    { class: kind || null },
    h(
      "th",
      { scope: "row" },
      first && h("b", {}, catalogue.text("compare.first_short"), ", "),
      ...words2(row4.at)
    ),
    ...row4.cells.map(
      (cell) => h("td", { class: cell.id === "compare.stopped" ? "bad" : null }, sign(cell), ...words2(cell))
    )
  );
}
function sign(cell) {
  const states = cell.id === "compare.saved" ? cell.args?.state : null;
  const id = Array.isArray(states) && states.length === 1 ? states[0].id : void 0;
  const found = id ? SAVED_ICON[id.replace("saved.", "")] : void 0;
  return found ? h("span", { class: "sign" }, icon(...found)) : null;
}

// src/compare_tracks.ts
var MOST_COLUMNS2 = 14;
var Tracks = class {
  constructor(onJump) {
    this.onJump = onJump;
  }
  onJump;
  element = h("div", { class: "tracks" });
  update(session) {
    const { places, position } = session;
    const first = places.find((place2) => place2.rows.length > 0)?.step;
    const steps = places.map((_, k) => k).filter((k) => !places[k].heads);
    const coming = Math.max(0, places[places.length - 1].total - steps.length);
    const length = steps.length + Math.min(coming, MOST_COLUMNS2);
    const at2 = Math.max(0, steps.filter((k) => k <= position).length - 1);
    const from = Math.max(0, Math.min(at2 - MOST_COLUMNS2 + 4, length - MOST_COLUMNS2));
    const seen = steps.slice(from, from + MOST_COLUMNS2);
    const columns2 = seen.map((k) => this.column(session, k, k === first, k === position));
    const start = Math.max(0, from - steps.length);
    columns2.push(...this.future(session, start, Math.min(length - from, MOST_COLUMNS2) - seen.length));
    const names = h("div", { class: "names" }, ...session.labels.map((label) => code(label, 18)));
    const list = h("ol", { "aria-label": session.catalogue.text("ui.time") }, ...columns2);
    set(this.element, names, list);
  }
  column(session, k, first, now) {
    const { catalogue, places } = session;
    const begins = places[k - 1]?.heads;
    const name = this.name(session, k);
    const told = session.labels.map((each, run) => `${each}: ${this.words(session, run, k)}`);
    const label = shorten([name, ...told].join(", "), 200);
    const button2 = h(
      "button",
      {
        type: "button",
        tabindex: -1,
        "aria-label": label,
        title: label,
        "aria-current": now ? "step" : null
      },
      ...session.labels.map((_, run) => this.cell(session, run, k)),
      h("span", { class: "word", "aria-hidden": "true" }, code(name))
    );
    button2.addEventListener("click", () => this.onJump(k));
    const over = h(
      "span",
      { class: "over" },
      begins ? h("small", {}, catalogue.text("compare.pass", { n: places[k].pass + 1 })) : null,
      first ? h("small", { class: "first" }, catalogue.text("compare.first_short")) : null
    );
    const kind = [
      k <= session.position ? "past" : "todo",
      now && "now",
      first && "is-first",
      begins && "begins"
    ];
    return h("li", { class: kind.filter(Boolean).join(" ") }, over, button2);
  }
  /** Steps that are still to come; in the running pass their nodes are known. */
  future(session, start, count) {
    if (count <= 0) return [];
    const { pass, index } = session.here(0, session.places.length - 1);
    const first = pass.folder.raw(0)?.status ?? {};
    const nodes = pass.scene.head.nodes.filter((each) => first[each.id] !== "skipped");
    return Array.from({ length: count }, (_, k) => {
      const node = nodes[index + start + k];
      const cells2 = session.labels.map(() => h("span", { class: "track-cell" }, icon("wait0", "c-2")));
      const word = h("span", { class: "word" }, node ? code(pass.scene.name(node.id)) : " ");
      const over = h("span", { class: "over" });
      return h("li", { class: "todo", "aria-hidden": "true" }, over, h("div", {}, ...cells2, word));
    });
  }
  cell(session, run, k) {
    const here = session.here(run, k);
    if (!here.moved) return h("span", { class: "track-cell held" }, icon("skipped", "c-2"));
    const { failed, saved } = session.told[k][run];
    return h(
      "span",
      { class: "track-cell" },
      failed ? icon(...STATUS_ICON.failed) : icon("done", "c-grad"),
      saved && icon(...SAVED_ICON[saved])
    );
  }
  words(session, run, k) {
    if (!session.here(run, k).moved) return "-";
    return session.places[k].line.slice(2 + 3 * run, 4 + 3 * run).join(" ");
  }
  name(session, k) {
    for (let run = 0; run < session.labels.length; run++) {
      const { pass, moved } = session.here(run, k);
      if (moved) return pass.scene.name(session.told[k][run].ran);
    }
    return "-";
  }
};

// src/cuts.ts
function cutRows(scene, state, catalogue) {
  return Object.entries(state.cuts ?? {}).flatMap(([key, cut]) => {
    const edge = scene.edges.get(key);
    if (!edge) return [];
    const why = catalogue.text(cut.why.id, cut.why.args ?? {});
    return [[scene.name(edge.from), scene.name(edge.to), catalogue.text(`cut.${cut.kind}`), why]];
  });
}
function silentlyOnce(state) {
  if (state.clinic?.rule?.id === "rule.once") return false;
  return Object.values(state.cuts ?? {}).some(({ kind, why }) => why.id === "cut.once" && kind !== "error");
}
function warnings(scene, state, catalogue) {
  const names = Object.entries(state.cuts ?? {}).filter(([, cut]) => cut.kind !== "error").map(([key]) => scene.name(scene.edges.get(key)?.from ?? null));
  return [...new Set(names)].map((who2) => catalogue.text("cut.warning", { who: who2 }));
}
function cutMarks(lanes, frame) {
  const { cuts } = frame.state;
  if (!cuts) return [];
  return lanes.filter((lane) => cuts[lane.edge]).flatMap((lane) => {
    const x = lane.dock[0];
    const y = (lane.dock[1] + lane.chip[1]) / 2 + 4;
    return [
      s("path", {
        class: "cut-mark",
        d: `M${x - 9} ${y + 5}L${x + 5} ${y - 5}M${x - 5} ${y + 9}L${x + 9} ${y - 1}`
      }),
      s("text", { class: "cap cut-word", x: x + 14, y: y + 6 }, frame.catalogue.text("ui.cuts.mark"))
    ];
  });
}
var CutPanel = class {
  constructor(session) {
    this.session = session;
  }
  session;
  element = h("div", { class: "leaves families cuts", hidden: true });
  /** Stands above the body: the warning, where it is switched on. */
  badge = h("div");
  drawn = "";
  update(frame) {
    const { catalogue, scene, state } = frame;
    const rows2 = cutRows(scene, state, catalogue);
    const key = JSON.stringify([rows2, this.session.warns, catalogue.text("ui.cuts")]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = rows2.length === 0;
    const rule2 = silentlyOnce(state) && h("p", { class: "rule-said" }, ...catalogue.pieces("rule.once", {}));
    set(this.element, ...rows2.length ? [this.table(rows2, catalogue), rule2, this.toggle(catalogue)] : []);
    if (focused) this.element.querySelector("button")?.focus();
    const words2 = this.session.warns ? warnings(scene, state, catalogue) : [];
    const notice = h(
      "div",
      { class: "notice warn", role: "status" },
      icon("stale", "c-warn"),
      h("p", {}, words2.join(" "))
    );
    set(this.badge, words2.length > 0 && notice);
  }
  table(rows2, catalogue) {
    const titles2 = ["sent_by", "sent_to", "its_graph", "why"].map(
      (id) => h("th", { scope: "col" }, catalogue.text(`text.${id}`))
    );
    const body = rows2.map(
      ([by, to, graph, why]) => h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, by)),
        h("td", {}, h("b", { class: "code" }, to)),
        h("td", {}, icon("stale", "c-warn"), " ", graph),
        h("td", {}, why)
      )
    );
    const caption = h("caption", {}, catalogue.text("ui.cuts"));
    return h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles2)), h("tbody", {}, ...body));
  }
  toggle(catalogue) {
    const { warns } = this.session;
    const button2 = h(
      "button",
      { type: "button", class: "btn line", "aria-pressed": String(warns) },
      icon("stale", "c-warn"),
      catalogue.text("ui.cuts.warn")
    );
    button2.addEventListener("click", () => this.session.warn(!warns));
    return h("div", { class: "cut-switch" }, button2);
  }
};

// src/ends.ts
function endRows(scene, catalogue, most) {
  return scene.head.nodes.flatMap(
    (node) => (node.ends ?? []).map((end) => [
      cutTo(headline(node), most),
      visible(end.var ?? "-"),
      catalogue.text(`end.${end.how}`),
      cutTo(visible(end.source ?? "-"), most),
      place(end, catalogue)
    ])
  );
}
function endMarks(layout, frame) {
  const captions = new Set(layout.texts.map((text) => text.node));
  return layout.boxes.flatMap((box) => {
    const ends2 = frame.scene.nodes.get(box.node)?.ends;
    if (!ends2) return [];
    const names = [...new Set(ends2.map((end) => end.var ?? frame.catalogue.text("text.input")))];
    const words2 = frame.catalogue.text("ui.ends.mark", { var: shorten(visible(names.join(", ")), 12) });
    const left = captions.has(box.node);
    const x = box.x + (left ? 72 : box.w - 14);
    const y = box.y + box.h + 9;
    return [
      s("path", {
        class: "end-mark",
        d: `M${x - 7} ${y + 3}L${x + 5} ${y - 5}M${x - 4} ${y + 7}L${x + 8} ${y - 1}`
      }),
      s("text", { class: `cap end-word${left ? " end" : ""}`, x: x + (left ? -12 : 12), y: y + 6 }, words2)
    ];
  });
}
var EndPanel = class {
  element = h("div", { class: "leaves families ends", hidden: true });
  drawn = "";
  update({ scene, catalogue }) {
    const rows2 = endRows(scene, catalogue, 60);
    const key = JSON.stringify([rows2, catalogue.text("ui.ends")]);
    if (key === this.drawn) return;
    this.drawn = key;
    this.element.hidden = rows2.length === 0;
    set(this.element, ...rows2.length ? [this.table(rows2, catalogue)] : []);
  }
  table(rows2, catalogue) {
    const titles2 = ["node", "input", "ended_by", "program"].map(
      (id) => h("th", { scope: "col" }, catalogue.text(`text.${id}`))
    );
    const body = rows2.map(
      ([node, input, how, source, line]) => h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, node)),
        h("td", {}, h("b", { class: "code" }, input)),
        h("td", {}, how),
        h("td", {}, h("code", {}, source), " ", h("span", { class: "quiet" }, line))
      )
    );
    const caption = h("caption", {}, catalogue.text("ui.ends"));
    return h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles2)), h("tbody", {}, ...body));
  }
};

// src/measure.ts
var canvas;
function width(text, font) {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 8;
  canvas.font = font;
  return canvas.measureText(text).width;
}
function fit(text, font, room) {
  const letters = Array.from(visible(text.slice(0, 200)));
  if (text.length <= 200 && width(letters.join(""), font) <= room) return letters.join("");
  const cut = (length) => letters.slice(0, length).join("").trimEnd() + "…";
  let low = 1;
  let high = letters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (width(cut(middle), font) <= room) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}
function fonts(root) {
  const style = getComputedStyle(root);
  const ui = style.getPropertyValue("--ad-ui") || "sans-serif";
  const face = style.getPropertyValue("--ad-code") || "monospace";
  return {
    source: `600 13px ${face}`,
    value: `400 13px ${ui}`,
    sub: `400 11.5px ${ui}`,
    chip: `600 12.5px ${ui}`
  };
}

// src/graph_lane.ts
var HEAD = { sent: "back", soon: "back", later: "later", cut: "cut" };
function laneState(lane, frame) {
  const from = frame.scene.edges.get(lane.edge)?.from ?? "";
  if (lane.edge in frame.state.sent) return "sent";
  if (frame.state.status[from] === "failed") return "cut";
  return frame.state.next === from ? "soon" : "later";
}
function laneTitle(lane, now, frame) {
  const { scene, state, catalogue } = frame;
  const edge = scene.edges.get(lane.edge);
  const value = now === "sent" ? state.sent[lane.edge] : state.predicted[lane.edge]?.value;
  const shown = now === "sent" || value ? valueText(value, 60, catalogue) : catalogue.text("text.unknown");
  const args = { who: scene.name(edge?.from ?? null), to: scene.name(edge?.to ?? null), value: shown };
  const said = catalogue.text(now === "sent" ? "event.send" : `ui.lane.${now}`, args);
  const over = summed(lane, frame);
  return over ? `${said}: ${over}` : said;
}
function summed(lane, { scene, catalogue }) {
  const sender2 = scene.nodes.get(scene.edges.get(lane.edge)?.from ?? "");
  return sender2 ? overText(sender2, lane.edge, catalogue) : null;
}
function sumMark(lane, frame) {
  const over = summed(lane, frame);
  const [x, y] = [(lane.chip[0] + 2 * lane.dock[0]) / 3, (lane.chip[1] + 2 * lane.dock[1]) / 3];
  return over ? [s("text", { class: "sum-mark", x, y: y + 5 }, s("title", {}, over), "Σ")] : [];
}
function chip(x, y, text, kind, frame) {
  const w = Math.max(34, Math.ceil(width(text, frame.fonts.chip)) + 10);
  return [
    s("rect", { class: `slot ${kind}`, x: x - w / 2, y: y - 10, width: w, height: 20, rx: 3 }),
    s("text", { class: `n${kind === "full" ? " on" : ""}`, x, y: y + 4.5 }, text)
  ];
}
function chipText(value, room, frame) {
  if (value === null) return frame.catalogue.text("value.none");
  const all = allNumbers(value, 12);
  if (all !== null && width(all, frame.fonts.chip) <= room - 10) return all;
  return shortNumber(value.text, Math.max(3, Math.floor((room - 10) / (width("0", frame.fonts.chip) || 8))));
}
function makeLane(lane, prefix) {
  const forward = s("path", { class: "fwd", d: lane.forward, "marker-end": `url(#${prefix}fwd)` });
  const back = s("path", { d: lane.back });
  const title = s("title");
  const lines2 = s("g", { "data-edge": lane.edge }, title, forward, back);
  const standing = s("g");
  let drawn = [];
  const update = (frame) => {
    const now = laneState(lane, frame);
    const facts2 = [now, frame.scene, frame.state.predicted[lane.edge], frame.state.sent[lane.edge]];
    if (drawn.length > 0 && facts2.every((each, k) => each === drawn[k])) return;
    drawn = facts2;
    lines2.setAttribute("class", `lane lane-${now}`);
    back.setAttribute("class", `back ${now}`);
    back.setAttribute("marker-end", `url(#${prefix}${HEAD[now]})`);
    title.textContent = laneTitle(lane, now, frame);
    const predicted = frame.state.predicted[lane.edge];
    const text = predicted ? chipText(predicted.value, lane.room, frame) : frame.catalogue.text("text.unknown");
    standing.replaceChildren(
      ...sumMark(lane, frame),
      ...now === "soon" ? chip(lane.chip[0], lane.chip[1], text, "soon", frame) : []
    );
  };
  return { lane, lines: lines2, chip: standing, back, update };
}
function markers(prefix) {
  const marker = (name, size, refX, path) => s(
    "marker",
    {
      id: prefix + name,
      viewBox: `0 0 ${size} ${size}`,
      refX,
      refY: size / 2,
      markerWidth: size,
      markerHeight: size,
      orient: "auto",
      markerUnits: "userSpaceOnUse"
    },
    path
  );
  return s(
    "defs",
    {},
    marker("fwd", 8, 7, s("path", { d: "M1 1l6 3-6 3", class: "fwd" })),
    marker("back", 9, 8, s("path", { d: "M0 .5l9 4-9 4z", class: "head-back" })),
    marker("later", 8, 7, s("path", { d: "M1 1l6 3-6 3z", class: "head-later" })),
    marker("cut", 8, 7, s("path", { d: "M1 1l6 3-6 3z", class: "head-cut" }))
  );
}

// src/breaks.ts
var KINDS = ["op", "leaf", "line", "norm", "nan"];
function choices(kind, head) {
  const nodes = head.nodes;
  const all = kind === "op" ? nodes.filter((node) => node.kind !== "leaf").map((node) => node.name) : kind === "leaf" ? nodes.filter((node) => node.kind === "leaf").map((node) => node.var ?? "") : kind === "line" ? nodes.map((node) => node.where?.line ?? 0).sort((a, b) => a - b) : null;
  return all && [...new Set(all)].filter((each) => each !== "" && each !== 0);
}
var BreakPanel = class {
  constructor(actions) {
    this.actions = actions;
  }
  actions;
  element = h("div", { class: "breaks", hidden: true });
  kind = "op";
  key = "";
  get open() {
    return !this.element.hidden;
  }
  show(open, frame, points) {
    this.element.hidden = !open;
    this.key = "";
    this.update(frame, points);
    if (open) this.element.querySelector("select")?.focus();
  }
  update(frame, points) {
    const key = JSON.stringify([points, this.kind, frame.scene.head.root, frame.scene.head.nodes.length]);
    if (!this.open || key === this.key) return;
    this.key = key;
    const { catalogue } = frame;
    const held = this.element.contains(this.element.ownerDocument.activeElement);
    set(
      this.element,
      h("h4", {}, catalogue.text("ui.breaks")),
      points.length ? h("ul", {}, ...points.map((point, k) => this.item(point, k, frame))) : h("p", { class: "quiet small" }, catalogue.text("ui.breaks.none")),
      this.form(frame, points)
    );
    if (held) this.element.querySelector("select")?.focus();
  }
  item(point, k, frame) {
    const { catalogue } = frame;
    const what = point.say ? catalogue.text(point.say.id, point.say.args ?? {}) : point.kind;
    const label = catalogue.text("ui.breaks.remove", { what });
    const button2 = h(
      "button",
      { class: "btn icon small", type: "button", "aria-label": label, title: label },
      icon("minus")
    );
    button2.addEventListener("click", () => this.actions.remove(k));
    return h("li", {}, icon("point", "c-bad"), h("span", {}, what), button2);
  }
  /** Kind, value, Add. */
  form(frame, points) {
    const { catalogue, scene } = frame;
    const kinds = h("select", { class: "speed", "aria-label": catalogue.text("ui.breaks.kind") });
    for (const kind of KINDS)
      kinds.append(
        h("option", { value: kind, selected: kind === this.kind }, catalogue.text(`ui.breaks.kind.${kind}`))
      );
    kinds.addEventListener("change", () => {
      this.kind = kinds.value;
      this.key = "";
      this.update(frame, points);
    });
    const value = this.valueField(scene.head, catalogue.text("ui.breaks.value"));
    const add = h("button", { class: "btn line", type: "submit" }, catalogue.text("ui.breaks.add"));
    const form2 = h("form", {}, kinds, value, add);
    form2.addEventListener("submit", (event) => {
      event.preventDefault();
      this.actions.toggle({ kind: this.kind, value: this.read(value?.value ?? "") });
    });
    return form2;
  }
  valueField(head, label) {
    if (this.kind === "nan") return null;
    const found = choices(this.kind, head);
    if (found === null)
      return h("input", {
        type: "number",
        class: "speed",
        step: "any",
        value: 100,
        required: true,
        "aria-label": label
      });
    const field = h("select", { class: "speed code", "aria-label": label });
    for (const each of found) field.append(h("option", { value: each }, String(each).slice(0, 60)));
    return field;
  }
  read(text) {
    if (this.kind === "nan") return null;
    return this.kind === "line" || this.kind === "norm" ? Number(text) : text;
  }
};
function breakLines(frame, points, halted) {
  if (points.length === 0) return "";
  const say = (id, args) => frame.catalogue.text(id, args);
  const what = points.map((point) => point.say ?? point.kind);
  const lines2 = [say("break.list", { what }), ...halted.map((each) => say(each.id, each.args ?? {}))];
  return ["", ...lines2, ""].join("\n");
}
function stopsBefore(frame) {
  const meant = frame.scene.head.nodes.filter((node) => frame.breaks.some((point) => meets(point, node)));
  return new Set(meant.map((node) => node.id));
}
function meets({ kind, value }, node) {
  if (kind === "node") return node.id === value;
  if (kind === "leaf") return node.kind === "leaf" && node.var === value;
  if (kind === "line") return node.where?.line === value;
  return kind === "op" && node.kind !== "leaf" && (value === node.name || value === node.name.replace(/\d+$/, ""));
}
function breakMark(box, frame) {
  if (!stopsBefore(frame).has(box.node)) return [];
  return [s("circle", { class: "break-mark", cx: box.x - 9, cy: box.y + box.h / 2, r: 5 })];
}

// src/hooks.ts
var SHORT = 20;
function hooksOf(frame, id) {
  return frame.state.hooks?.[id] ?? [];
}
function hookWords(frame, id) {
  return hooksOf(frame, id).map((hook) => frame.catalogue.text(hook.id, hook.args ?? {})).join(", ");
}
function hookMark(box, frame) {
  if (hooksOf(frame, box.node).length === 0) return [];
  const x = box.x + box.w - 7;
  const y = box.y + (box.h - 14) / 2;
  const ground = s("path", { class: "hook-ground", d: `M${x + 7} ${y}l7 7l-7 7l-7 -7z` });
  return [ground, iconGroup("hook", x, y, 14, "c-ink")];
}
function hooksSection(node, frame) {
  const hooks = hooksOf(frame, node.id);
  if (hooks.length === 0) return null;
  const { catalogue, state } = frame;
  const ran = state.ran === node.id ? state.events.filter((event) => event.kind === "hook") : [];
  const rows2 = hooks.map((hook) => {
    const at2 = ran.findIndex((event) => JSON.stringify(event.args?.hook) === JSON.stringify(hook));
    const args = at2 < 0 ? void 0 : ran.splice(at2, 1)[0].args;
    const did = args && "after" in args ? catalogue.text("ui.hook.changed", args) : args && catalogue.text("ui.hook.ran");
    return h(
      "div",
      { class: did && did.length > SHORT ? "gets long" : "gets" },
      icon("hook"),
      h("span", {}, ...catalogue.pieces(hook.id, hook.args ?? {})),
      h("b", { class: "num" }, did ?? "")
    );
  });
  return h("section", {}, h("h4", {}, catalogue.text("ui.hooks"), h("small")), ...rows2);
}

// src/whatif.ts
var FACTORS = [10, 0.1, 0, -1];
var WhatIf = class {
  constructor(session, onChange, prefix) {
    this.session = session;
    this.onChange = onChange;
    this.prefix = prefix;
  }
  session;
  onChange;
  prefix;
  element = h("div");
  open = false;
  chosen = 0;
  get editing() {
    return this.open;
  }
  toggle() {
    this.open = !this.open;
    this.chosen = 0;
    this.onChange();
    if (this.open) this.element.querySelector("select, button, input")?.focus();
  }
  update(frame) {
    if (this.open && this.element.contains(document.activeElement) && this.element.dataset.at === at(frame))
      return;
    this.element.dataset.at = at(frame);
    set(this.element, this.banner(frame), this.open && this.editor(frame));
  }
  /** Every edit of this copy in a sentence, and the way back. */
  banner(frame) {
    const edits = frame.scene.head.edits ?? [];
    if (edits.length === 0) return null;
    const undo = h("button", { type: "button", class: "btn line" }, frame.catalogue.text("ui.whatif.undo"));
    undo.addEventListener("click", () => this.session.undo());
    const said = new Set(edits.map((edit) => sentence(edit, frame)));
    const words2 = [...said].flatMap((each) => [each, ". "]);
    const text = h(
      "p",
      {},
      h("strong", {}, frame.catalogue.text("ui.whatif.title"), " "),
      ...words2,
      frame.catalogue.text("ui.whatif.copy")
    );
    return h("div", { class: "notice warn", role: "status" }, icon("edit", "c-warn"), text, undo);
  }
  editor(frame) {
    const { catalogue } = frame;
    const node = frame.shown === null ? void 0 : frame.scene.nodes.get(frame.shown);
    const places = node && frame.position === frame.count - 1 && !frame.done ? this.places(node, frame) : [];
    const title = h(
      "h4",
      {},
      catalogue.text("ui.whatif.edit", { who: node ? frame.scene.name(node.id) : "-" })
    );
    if (!node || places.length === 0)
      return h(
        "div",
        { class: "panel whatif" },
        title,
        h("p", { class: "quiet" }, catalogue.text("ui.whatif.nothing"))
      );
    const place2 = places[Math.min(this.chosen, places.length - 1)];
    const what = h("select", { "aria-label": catalogue.text("ui.whatif.place") });
    places.forEach(
      (each, k) => what.append(h("option", { value: k, selected: k === this.chosen }, each.words))
    );
    what.addEventListener("change", () => {
      this.chosen = Number(what.value);
      set(this.element, this.banner(frame), this.editor(frame));
      this.element.querySelector("select")?.focus();
    });
    const warning2 = place2.key !== null && h("p", { class: "warn-text" }, icon("stale", "c-warn"), " ", catalogue.text("ui.whatif.warning"));
    return h(
      "div",
      { class: "panel whatif" },
      title,
      h("div", { class: "line" }, what, ...this.controls(node, place2, catalogue)),
      warning2
    );
  }
  /** Times a factor, or a number of one's own. */
  controls(node, place2, catalogue) {
    const send = (how, value) => {
      this.open = false;
      this.session.edit({ node: node.id, slot: place2.slot, key: place2.key, how, value });
    };
    const factors = FACTORS.map((factor) => {
      const button2 = h(
        "button",
        { type: "button", class: "btn line" },
        catalogue.text("ui.whatif.times", { n: factor })
      );
      button2.addEventListener("click", () => send("times", factor));
      return button2;
    });
    const id = `${this.prefix}number`;
    const input = h("input", { id, type: "text", inputmode: "decimal", size: 8, autocomplete: "off" });
    const go = h("button", { type: "submit", class: "btn line" }, catalogue.text("ui.whatif.set"));
    const form2 = h("form", {}, h("label", { for: id }, catalogue.text("ui.whatif.number")), input, go);
    form2.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = Number(input.value.trim().replace(",", "."));
      const good = input.value.trim() !== "" && Number.isFinite(value);
      input.setAttribute("aria-invalid", String(!good));
      if (good) send("value", value);
    });
    return [...factors, form2];
  }
  /** What of a node can be changed: sums that it holds, and what it has saved and still keeps. */
  places(node, frame) {
    const { state, catalogue } = frame;
    if (state.status[node.id] === "done" || state.status[node.id] === "failed") return [];
    const sums = (state.total[node.id] ?? []).flatMap((total, slot) => {
      if (total === null) return [];
      const value = valueText(total, 24, catalogue);
      return [{ slot, key: null, words: catalogue.text("ui.whatif.received", { value }) }];
    });
    const saved = node.saved.flatMap((entry) => {
      if (state.saved[entry.key]?.state !== "kept" || entry.role === "scalar") return [];
      const value = valueText(entry.value, 24, catalogue);
      return [
        {
          slot: null,
          key: entry.key,
          words: catalogue.text("ui.whatif.saved", { name: entry.var ?? entry.name, value })
        }
      ];
    });
    return [...sums, ...saved];
  }
};
function at(frame) {
  return `${frame.position}/${frame.count} ${frame.shown} ${frame.scene.head.edits?.length ?? 0}`;
}
function sentence(edit, frame) {
  const { catalogue } = frame;
  return catalogue.text(
    edit.repair ? "text.repaired" : edit.key === null ? "text.edited" : "text.edited_saved",
    {
      step: edit.step,
      who: frame.scene.name(edit.node),
      before: valueText(edit.before, 28, catalogue),
      after: valueText(edit.after, 28, catalogue)
    }
  );
}
function editsSoFar(frame) {
  return (frame.scene.head.edits ?? []).filter((edit) => edit.step <= frame.state.step);
}

// src/graph_edited.ts
function isEdited(box, frame) {
  return editsSoFar(frame).some((edit) => edit.node === box.node);
}
function editedMark(box, frame) {
  if (!isEdited(box, frame)) return [];
  const word = frame.catalogue.text("ui.whatif.edited");
  return [s("text", { class: "edited-word end", x: box.x + box.w - 4, y: box.y - 5 }, word)];
}

// src/saved_count.ts
function savedWord(status, catalogue) {
  const place2 = status.packed?.place;
  if (place2 && status.state !== "freed") return catalogue.text(`saved.${place2}`);
  const n = status.packed?.reads ?? 0;
  return n > 0 ? catalogue.text(`saved.${status.state}_read`, { n }) : catalogue.text(`saved.${status.state}`);
}
function packedWords(status, catalogue) {
  const { what, hook } = status.packed;
  return catalogue.text("text.packed", { what: visible(what), hook: visible(hook) });
}
function wrongText(state, id, catalogue) {
  const mark = state.wrong?.[id];
  if (!mark) return "";
  return catalogue.text("text.instead", {
    got: mark.got?.text ?? null,
    expected: mark.expected?.text ?? null
  });
}
var LOUDEST = ["stale", "kept", "packed", "freed"];
function savedCount(node, state, catalogue, head) {
  if (head.engine === "own") return { state: null, text: wrongText(state, node.id, catalogue) };
  const states = node.saved.map((entry) => state.saved[entry.key]?.state ?? "none");
  const loudest = LOUDEST.find((each) => states.includes(each));
  if (!loudest) return { state: null, text: catalogue.text("text.saves_none") };
  const absent = node.saved.filter((entry) => state.saved[entry.key]?.packed?.place === "absent").length;
  if (loudest === "packed" && absent > 0)
    return { state: "freed", text: catalogue.text("count.absent", { n: absent }) };
  return {
    state: loudest,
    text: catalogue.text(`count.${loudest}`, { n: states.filter((each) => each === loudest).length })
  };
}

// src/graph_slots.ts
function cellParts(rect, kind, text, tone, title) {
  const place2 = { x: rect.x, y: rect.y, width: rect.w, height: rect.h, rx: 3 };
  const body = s("rect", { class: `slot ${kind}`, ...place2 }, s("title", {}, title));
  if (text === "") return [body];
  return [
    body,
    s("text", { class: `n ${tone}`, x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 + 4.5 }, text)
  ];
}
function numberIn(value, room, frame) {
  const all = allNumbers(value, 12);
  if (all !== null && width(all, frame.fonts.chip) <= room - 4) return all;
  return shortNumber(value.text, Math.max(2, Math.floor((room - 4) / (width("0", frame.fonts.chip) || 8))));
}
function sender(edge, frame) {
  if (edge === null) return frame.catalogue.text("text.start");
  return frame.scene.name(frame.scene.edges.get(edge)?.from ?? null);
}
function emptyCell(box, expected, cell, frame) {
  const none = frame.catalogue.text("value.none");
  const runs2 = ["next", "done", "failed"].includes(frame.state.status[box.node] ?? "");
  if (cell.edge === null && expected === 0 && runs2) {
    return cellParts(cell, "ghost", none, "nil", frame.catalogue.text("ui.slot.unused"));
  }
  const who2 = sender(cell.edge, frame);
  return cellParts(cell, "empty", "", "", frame.catalogue.text("ui.slot.empty", { who: who2 }));
}
function arrivedCell(box, cell, here, frame) {
  const { catalogue } = frame;
  const args = { value: valueText(here.value, 60, catalogue), who: sender(here.edge, frame) };
  const title = catalogue.text("text.receives_from", args);
  if (here.value === null) return cellParts(cell, "ghost", catalogue.text("value.none"), "nil", title);
  const own = cell.edge === null || (frame.scene.boxOf.get(cell.edge) ?? box.id) === box.id;
  return cellParts(cell, own ? "full" : "ghost", numberIn(here.value, cell.w, frame), own ? "on" : "", title);
}
function countingCell(cell, got, expected, frame) {
  const title = frame.catalogue.text("text.of_received", { got, of: expected });
  const text = frame.catalogue.text("text.of", { got, of: expected });
  return cellParts(cell, got ? "ghost" : "empty", text, "", title);
}
function drawSlot(box, place2, frame) {
  const got = frame.state.received[box.node]?.[place2.slot] ?? [];
  const total = frame.state.total[box.node]?.[place2.slot] ?? null;
  const expected = frame.scene.nodes.get(box.node)?.outputs[place2.slot]?.expected ?? 0;
  const parts2 = place2.cells.flatMap((cell) => {
    if (place2.folded) return countingCell(cell, got.length, expected, frame);
    const here = got.find((each) => each.edge === cell.edge);
    return here ? arrivedCell(box, cell, here, frame) : emptyCell(box, expected, cell, frame);
  });
  if (!place2.sum || !total || got.length < 2 && !place2.folded) return parts2;
  const text = `= ${numberIn(total, place2.sum.w - 16, frame)}`;
  const room = { ...place2.sum, w: Math.max(place2.sum.w, width(text, frame.fonts.chip) + 12) };
  const title = `${frame.catalogue.text("ui.sum")}: ${valueText(total, 60, frame.catalogue)}`;
  return [...parts2, ...cellParts(room, "sum", text, "", title)];
}

// src/graph_box.ts
function firstLine2(box, left, right, y, frame) {
  const node = frame.scene.nodes.get(box.node);
  const room = right - left;
  const leaf = node.kind === "leaf";
  const title = leaf ? tail(frame.scene.title(box.node), room, frame.fonts.source) : frame.scene.title(box.node);
  const wanted = Math.min(width(visible(title).slice(0, 80), frame.fonts.source), room * 0.55);
  const alone = node.value === null ? "-" : node.value.label === "value" ? shortNumber(node.value.text, 7) : shapeText(node.value.shape);
  const both = dual(alone, node, frame);
  const beside = room - width(visible(title), frame.fonts.source) - 8;
  const value = both !== "" && width(both, frame.fonts.value) <= beside ? both : alone;
  const fitted = fit(value, frame.fonts.value, value === both ? beside : room - wanted - 8);
  const shown = leaf && fitted.endsWith("…") ? "" : fitted;
  return [
    s(
      "text",
      { class: "src", x: left, y },
      fit(title, frame.fonts.source, room - 8 - width(shown, frame.fonts.value))
    ),
    s("text", { class: "val", x: right, y }, shown)
  ];
}
function dual(value, { tangent }, { catalogue }) {
  if (tangent?.label !== "value") return "";
  return catalogue.text("text.tangent.short", { value, tangent: shortNumber(tangent.text, 7) });
}
function tail(path, room, font) {
  let rest = path;
  while (rest.includes(".") && width(rest, font) > room) rest = rest.slice(rest.indexOf(".") + 1);
  return rest;
}
function drawLeaf(box, frame) {
  const [name, tone] = STATUS_ICON[fineStatus(frame.state, box.node)];
  const wrong2 = wrongText(frame.state, box.node, frame.catalogue);
  const received2 = frame.catalogue.text("text.of_received", {
    got: arrived(frame.state, box.node),
    of: frame.scene.expected(box.node)
  });
  return [
    iconGroup(name, box.x + 14, box.y + 7, 16, tone),
    ...firstLine2(box, box.x + 36, box.x + box.w - 18, box.y + 19, frame),
    s(
      "text",
      { class: wrong2 ? "sub mid bad" : "sub mid", x: box.x + box.w / 2, y: box.y + 35 },
      fit(wrong2 || received2, frame.fonts.sub, box.w - 16)
    )
  ];
}
function drawCard(box, frame) {
  const node = frame.scene.nodes.get(box.node);
  const [name, tone] = STATUS_ICON[fineStatus(frame.state, box.node)];
  const saved = savedCount(node, frame.state, frame.catalogue, frame.scene.head);
  const wrong2 = wrongText(frame.state, box.node, frame.catalogue) !== "";
  const savedWidth = width(saved.text, frame.fonts.sub);
  const where = node.device ? ` · ${visible(node.device)}` : "";
  const number = (node.number === null ? "" : ` #${node.number}`) + where;
  const room = box.w - 52 - savedWidth - (saved.state ? 18 : 0) - width(number, frame.fonts.sub);
  const right = box.x + box.w - 12;
  const parts2 = [
    iconGroup(name, box.x + 10, box.y + 7, 16, tone),
    ...firstLine2(box, box.x + 32, right, box.y + 20, frame),
    s("text", { class: "sub", x: box.x + 32, y: box.y + 36 }, fit(node.name, frame.fonts.sub, room) + number),
    s("text", { class: wrong2 ? "sub end bad" : "sub end", x: right, y: box.y + 36 }, saved.text)
  ];
  if (saved.state)
    parts2.push(
      iconGroup(
        SAVED_ICON[saved.state][0],
        right - savedWidth - 17,
        box.y + 26,
        12,
        SAVED_ICON[saved.state][1]
      )
    );
  return parts2;
}
function boxLabel(box, frame) {
  const { scene, state, catalogue } = frame;
  const node = scene.nodes.get(box.node);
  const received2 = catalogue.text("text.of_received", {
    got: arrived(state, box.node),
    of: scene.expected(box.node)
  });
  const words2 = [
    scene.title(box.node),
    scene.className(node),
    catalogue.text(`status.${scene.status(state, box.node)}`),
    received2
  ];
  if (node.kind === "leaf") words2.push(wrongText(state, node.id, catalogue));
  else words2.push(savedCount(node, state, catalogue, scene.head).text);
  if (node.tangent) words2.push(tangentText(node, catalogue));
  words2.push(hookWords(frame, node.id));
  const silent = state.silent?.[node.id];
  if (silent) words2.push(catalogue.text(silent.id, silent.args ?? {}));
  if (stopsBefore(frame).has(node.id))
    words2.push(catalogue.text("ui.breaks.here", { who: scene.name(node.id) }));
  return words2.filter(Boolean).join(", ").slice(0, 400);
}
function outline(box, kind, out, radius) {
  const size = { x: box.x - out, y: box.y - out, width: box.w + 2 * out, height: box.h + 2 * out };
  return s("rect", { class: kind, ...size, rx: radius });
}
function shownFacts(box, frame) {
  const { state, scene } = frame;
  const saved = scene.nodes.get(box.node).saved.map((entry) => state.saved[entry.key]);
  const facts2 = [
    state.status[box.node],
    state.received[box.node],
    state.total[box.node],
    state.wrong?.[box.node],
    state.silent?.[box.node],
    state.hooks?.[box.node],
    frame.breaks,
    ...saved
  ];
  return [scene, isEdited(box, frame), frame.selected === box.node, frame.shown === box.node, ...facts2];
}
function makeBox(box, places, leaf) {
  const words2 = s("g", { "data-words": box.node });
  const element2 = s(
    "g",
    { role: "option", tabindex: -1, "data-node": box.node, "data-box": box.id, "data-leaf": leaf },
    outline(box, "outer", 4, leaf ? 26 : 7),
    outline(box, "body", 0, leaf ? 22 : 4)
  );
  const title = s("title");
  element2.prepend(title);
  let drawn = [];
  const update = (frame) => {
    const now = shownFacts(box, frame);
    if (now.length === drawn.length && now.every((each, k) => each === drawn[k])) return;
    drawn = now;
    const status = `is-${frame.state.status[box.node] ?? "waiting"}`;
    const silent = frame.state.silent?.[box.node] ? " is-silent" : "";
    const wrong2 = (frame.state.wrong?.[box.node] ? " is-wrong" : "") + silent;
    element2.setAttribute(
      "class",
      `box ${status}${wrong2}${frame.selected === box.node ? " is-selected" : ""}`
    );
    element2.setAttribute("aria-selected", String(frame.shown === box.node));
    const label = boxLabel(box, frame);
    element2.setAttribute("aria-label", label);
    title.textContent = label;
    words2.setAttribute("class", `words ${status}`);
    words2.replaceChildren(
      ...leaf ? drawLeaf(box, frame) : drawCard(box, frame),
      ...hookMark(box, frame),
      ...breakMark(box, frame),
      ...places.flatMap((place2) => drawSlot(box, place2, frame)),
      ...editedMark(box, frame)
    );
  };
  return { box, element: element2, words: words2, update };
}

// src/panzoom.ts
var MIN = 0.25;
var MAX = 3;
var MARGIN = 28;
var PanZoom = class {
  constructor(svg, layer, size) {
    this.svg = svg;
    this.layer = layer;
    this.size = size;
    svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", () => this.drag = null);
    svg.addEventListener("pointercancel", () => this.drag = null);
    svg.addEventListener("click", (event) => this.swallowDragClick(event), true);
  }
  svg;
  layer;
  size;
  x = 0;
  y = 0;
  scale = 1;
  drag = null;
  touched = false;
  dragged = false;
  view() {
    return { w: this.svg.clientWidth || this.size.width, h: this.svg.clientHeight || this.size.height };
  }
  /** Natural size, centred; what does not fit begins at the root's end. Leaves a picture alone that the learner has moved. */
  home(force = false) {
    if (this.touched && !force) return;
    const { w, h: h2 } = this.view();
    this.scale = 1;
    this.x = (w - (w < this.size.width ? this.size.first : this.size.width)) / 2;
    const low = h2 - this.size.height;
    this.y = low < 0 ? low : this.size.above > 0 ? low - MARGIN / 2 : low / 2;
    this.touched = false;
    this.apply();
  }
  /** The whole picture, however small. */
  fit() {
    const { w, h: h2 } = this.view();
    this.scale = Math.max(MIN, Math.min(1, w / this.size.width, h2 / this.size.height));
    this.x = (w - this.size.width * this.scale) / 2;
    this.y = (h2 - this.size.height * this.scale) / 2;
    this.touched = false;
    this.apply();
  }
  zoom(factor, cx = this.view().w / 2, cy = this.view().h / 2) {
    const scale = Math.max(MIN, Math.min(MAX, this.scale * factor));
    this.x = cx - (cx - this.x) * scale / this.scale;
    this.y = cy - (cy - this.y) * scale / this.scale;
    this.scale = scale;
    this.touched = true;
    this.apply();
  }
  /** Moves just as far as needed for a box to be seen whole, with its neighbours if they fit: a jump, not a film. */
  reveal(rect, ...others) {
    const { w, h: h2 } = this.view();
    const all = union([rect, ...others]);
    const fits = all.w * this.scale < w - 2 * MARGIN && all.h * this.scale < h2 - 2 * MARGIN;
    const { x, y, w: width2, h: height } = fits ? all : rect;
    const inside = (at2, length, room) => at2 >= 0 && at2 + length * this.scale <= room;
    const dx = inside(this.x, this.size.width, w) ? 0 : distance(x * this.scale + this.x, width2 * this.scale, w);
    const dy = inside(this.y, this.size.height, h2) ? 0 : distance(y * this.scale + this.y, height * this.scale, h2);
    if (dx === 0 && dy === 0) return;
    this.x += dx;
    this.y += dy;
    this.apply();
  }
  apply() {
    this.layer.setAttribute(
      "transform",
      `translate(${round(this.x)} ${round(this.y)}) scale(${round(this.scale)})`
    );
  }
  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    } else if (event.shiftKey) {
      this.x -= event.deltaX || event.deltaY;
      if (event.deltaX) this.y -= event.deltaY;
      this.touched = true;
      this.apply();
    } else return;
    event.preventDefault();
  }
  down(event) {
    this.dragged = false;
    if (event.button === 0)
      this.drag = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  }
  move(event) {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id) return;
    const dx = event.clientX - drag.x;
    const dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) this.svg.setPointerCapture(drag.id);
    this.drag = { id: drag.id, x: event.clientX, y: event.clientY, moved: true };
    this.x += dx;
    this.y += dy;
    this.touched = true;
    this.dragged = true;
    this.apply();
  }
  /** The click that ends a drag chooses no node. */
  swallowDragClick(event) {
    if (this.dragged) event.stopPropagation();
    this.dragged = false;
  }
};
function round(value) {
  return Math.round(value * 1e3) / 1e3;
}
function union(rects) {
  const x = Math.min(...rects.map((each) => each.x));
  const y = Math.min(...rects.map((each) => each.y));
  const right = Math.max(...rects.map((each) => each.x + each.w));
  const low = Math.max(...rects.map((each) => each.y + each.h));
  return { x, y, w: right - x, h: low - y };
}
function distance(at2, length, room) {
  if (at2 < MARGIN && at2 + length + MARGIN < room) return MARGIN - at2;
  if (at2 + length > room - MARGIN && at2 > MARGIN) return Math.max(room - MARGIN - at2 - length, MARGIN - at2);
  return 0;
}

// src/second_graph.ts
var CARD = { w: 176, h: 38 };
var GAP = 12;
var AWAY = 64;
var LABEL = 24;
var TITLE = 60;
var OUT = 40;
function besideX(layout) {
  const boxes = Math.max(...layout.boxes.map((box) => box.x + box.w));
  return Math.min(layout.width, boxes + LABEL) + AWAY;
}
function wholeWidth(layout, frame) {
  if (!frame.scene.head.options.create_graph) return layout.width;
  return Math.max(layout.width, besideX(layout) + CARD.w + OUT);
}
function secondHeight(frame) {
  if (!frame.scene.head.options.create_graph) return 0;
  const known = Object.keys(frame.state.second ?? {}).length;
  const operations = frame.scene.head.nodes.filter((node) => node.kind !== "leaf").length;
  return Math.max(known, frame.done ? 0 : 3 * operations) * (CARD.h + GAP) + TITLE;
}
var SecondGraph = class {
  constructor(layout, prefix) {
    this.layout = layout;
    this.prefix = prefix;
  }
  layout;
  prefix;
  element = s("g", { class: "second" });
  drawn = null;
  update(frame) {
    const { second } = frame.state;
    const key = `${Object.keys(second ?? {}).length} ${frame.state.ran} ${frame.shown}`;
    if (this.drawn === key) return;
    this.drawn = key;
    const places = this.places(frame);
    if (places.length === 0) {
      this.element.replaceChildren();
      return;
    }
    const label = frame.catalogue.text("ui.second");
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", label);
    const top = Math.min(...places.map((place2) => place2.y));
    const title = s("text", { class: "cap", x: places[0].x, y: top - 10, "aria-hidden": "true" }, label);
    this.element.replaceChildren(
      title,
      ...places.map((place2) => this.link(place2)),
      ...places.flatMap((place2) => this.edges(place2, places)),
      ...places.map((place2) => this.card(place2, frame))
    );
  }
  /** From below upwards, each maker's cards beside it or above those that are there. */
  places(frame) {
    const x = besideX(this.layout);
    const places = [];
    let floor = Infinity;
    let maker = "";
    for (const [key, made] of Object.entries(frame.state.second ?? {})) {
      const box = this.box(made.by);
      const beside = box && made.by !== maker ? box.y + box.h : Infinity;
      floor = Math.min(floor, beside, this.layout.height);
      maker = made.by;
      places.push({ key, made, x, y: floor - CARD.h, ...CARD });
      floor -= CARD.h + GAP;
    }
    return places;
  }
  box(node) {
    return this.layout.boxes.find((box) => box.node === node);
  }
  /** A dotted tie from a made node to the node whose backward made it. */
  link(place2) {
    const box = this.box(place2.made.by);
    if (!box) return s("path");
    const right = box.x + box.w;
    const to = { x: place2.x - 2, y: place2.y + place2.h / 2 };
    const free = this.layout.boxes.every(
      (each) => each.x <= box.x || each.y > box.y + box.h || each.y + each.h < box.y
    );
    const [start, x, y] = free ? [`M${right + 2} ${box.y + box.h / 2}`, right + 2, box.y + box.h / 2] : [`M${right - 10} ${box.y}q0 -14 14 -14`, besideX(this.layout) - AWAY, box.y - 14];
    const middle = (x + to.x) / 2;
    const d = `${start}L${x} ${y}C${middle} ${y} ${middle} ${to.y} ${to.x} ${to.y}`;
    return s("path", { class: "tie", d, "aria-hidden": "true" });
  }
  /** Forward lines from what a made node takes, where that is a made node, too. */
  edges(place2, places) {
    return place2.made.to.flatMap((key) => {
      const from = places.find((each) => each.key === key);
      return from ? [this.edge(from, place2)] : [];
    });
  }
  edge(from, to) {
    const steps = Math.round((from.y - to.y) / (CARD.h + GAP));
    const middle = from.x + CARD.w / 2;
    const out = from.x + CARD.w + Math.min(OUT - 6, 8 + 6 * steps);
    const side = from.x + CARD.w;
    const d = steps === 1 ? `M${middle} ${from.y}V${to.y + CARD.h + 2}` : `M${side} ${from.y + 12}C${out} ${from.y + 12} ${out} ${to.y + 26} ${side + 2} ${to.y + 26}`;
    return s("path", { class: "fwd", d, "marker-end": `url(#${this.prefix}fwd)`, "aria-hidden": "true" });
  }
  card(place2, frame) {
    const { made, x, y } = place2;
    const { fonts: fonts2, catalogue, state, scene } = frame;
    const value = made.value ? made.value.label === "value" ? shortNumber(made.value.text, 7) : shapeText(made.value.shape) : "-";
    const room = CARD.w - 20 - width(value, fonts2.value) - 8;
    const words2 = catalogue.text("ui.second.node", {
      text: visible(made.text),
      name: visible(made.name),
      who: scene.name(made.by),
      value
    });
    const fresh = made.by === state.ran ? " is-fresh" : "";
    const lit = made.by === frame.shown ? " is-mine" : "";
    return s(
      "g",
      { class: `made${fresh}${lit}`, role: "img", "aria-label": words2, "data-words": made.by },
      s("title", {}, words2),
      s("rect", { class: "body", x, y, width: CARD.w, height: CARD.h, rx: 4 }),
      s("text", { class: "src", x: x + 10, y: y + 16 }, fit(visible(made.text), fonts2.source, room)),
      s("text", { class: "val", x: x + CARD.w - 10, y: y + 16 }, value),
      s("text", { class: "sub", x: x + 10, y: y + 31 }, fit(visible(made.name), fonts2.sub, CARD.w - 20))
    );
  }
};

// src/motion.ts
var DURATION = 240;
function ease(t) {
  return 1 - (1 - t) ** 3;
}
function reducedMotion() {
  return typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
}
var Ride = class {
  constructor(riders, onEnd) {
    this.riders = riders;
    this.onEnd = onEnd;
    const lengths = riders.map(({ lane }) => lane.back.getTotalLength());
    const start = performance.now();
    const tick = (now) => {
      const t = Math.min(1, Math.max(0, (now - start) / DURATION));
      riders.forEach(({ lane, element: element2 }, k) => {
        const point = lane.back.getPointAtLength(lengths[k] * ease(t));
        element2.setAttribute("transform", `translate(${point.x} ${point.y})`);
      });
      if (t < 1) this.frame = requestAnimationFrame(tick);
      else this.finish();
    };
    tick(start);
  }
  riders;
  onEnd;
  frame = 0;
  over = false;
  finish() {
    if (this.over) return;
    this.over = true;
    cancelAnimationFrame(this.frame);
    for (const { element: element2 } of this.riders) element2.remove();
    this.onEnd();
  }
};

// src/graph.ts
var TALLEST = 620;
var PADDING = 10;
var ROOM = 540;
var GraphPane = class {
  constructor(prefix, onSelect) {
    this.prefix = prefix;
    this.onSelect = onSelect;
    this.element.addEventListener("focusin", (event) => this.focused(event.target));
  }
  prefix;
  onSelect;
  element = h("div", { class: "picture" });
  /** Buttons for the picture's size; they stand in the line above it. */
  zoom = h("div", { class: "zoom", role: "group" });
  boxes = [];
  lanes = [];
  captions = s("g", { "aria-hidden": "true" });
  riders = s("g", { "aria-hidden": "true" });
  view = null;
  ride = null;
  last = null;
  layout = null;
  second = null;
  /** Draws a record's graph from scratch. */
  build(frame) {
    this.ride?.finish();
    const layout = this.layout = frame.scene.head.layout;
    if (!layout) {
      this.element.replaceChildren(h("p", { class: "quiet" }, frame.catalogue.text("ui.graph.too_large")));
      return;
    }
    this.lanes = layout.lanes.map((lane) => makeLane(lane, this.prefix));
    const isLeaf = (id) => frame.scene.nodes.get(id)?.kind === "leaf";
    this.boxes = layout.boxes.filter((box) => frame.scene.nodes.has(box.node)).map((box) => makeBox(box, layout.slots[box.id] ?? [], isLeaf(box.node)));
    this.second = new SecondGraph(layout, this.prefix);
    const layer = this.layers(layout, frame);
    const size = {
      width: wholeWidth(layout, frame),
      height: layout.height,
      first: layout.width,
      above: Math.max(0, secondHeight(frame) - layout.height)
    };
    this.element.classList.toggle("is-wide", size.width > layout.width && size.width > ROOM);
    const svg = s(
      "svg",
      {
        class: "g",
        height: Math.min(TALLEST, size.height + size.above + 2 * PADDING),
        role: "group",
        "aria-label": frame.catalogue.text("text.picture")
      },
      markers(this.prefix),
      layer
    );
    layer.addEventListener("click", (event) => this.clicked(event.target));
    this.element.replaceChildren(svg);
    set(this.zoom, ...this.zoomButtons(frame));
    this.view = new PanZoom(svg, layer, size);
    this.view.home();
  }
  /** From back to front: lanes, bodies, words and slots, captions, standing chips, riding chips. */
  layers(layout, frame) {
    const hidden = { class: "labels", "aria-hidden": "true" };
    const list = {
      role: "listbox",
      "aria-label": frame.catalogue.text("ui.graph.nodes"),
      "aria-orientation": "vertical"
    };
    this.riders = s("g", hidden);
    return s(
      "g",
      {},
      this.still(layout),
      this.second.element,
      s("g", list, ...this.inOrder(frame)),
      s("g", hidden, ...this.boxes.map((box) => box.words)),
      this.captions,
      s("g", hidden, ...this.lanes.map((lane) => lane.chip)),
      this.riders
    );
  }
  /** The width has changed. */
  resize() {
    this.view?.home();
    if (this.last) this.look(this.last);
  }
  update(frame) {
    this.last = frame;
    for (const lane of this.lanes) lane.update(frame);
    for (const box of this.boxes) box.update(frame);
    this.second?.update(frame);
    this.updateTabStop(frame);
    this.drawCaptions(frame);
    this.look(frame);
  }
  /** At the start the root's end is seen; later the shown node. */
  look(frame) {
    if (frame.state.step > 0 || frame.selected !== null) this.revealShown(frame);
  }
  /** Brings the shown node into view, with the boxes it sends to where both fit. */
  revealShown(frame) {
    const boxes = this.layout?.boxes ?? [];
    const shown = boxes.find((box) => box.node === frame.shown);
    if (!shown) return;
    const edges = new Set(frame.scene.edgesFrom.get(shown.node)?.map((edge) => edge.id));
    const targets = new Set(
      this.lanes.filter(({ lane }) => edges.has(lane.edge)).map(({ lane }) => lane.box)
    );
    this.view?.reveal(shown, ...boxes.filter((box) => targets.has(box.id)));
  }
  /** Lets the gradients of a step ride from the state before it to the state after it, then shows the latter. */
  play(before2, after2) {
    this.finish();
    const sent = new Set(Object.keys(after2.state.sent).filter((edge) => !(edge in before2.state.sent)));
    const lanes = this.lanes.filter((lane) => sent.has(lane.lane.edge));
    if (lanes.length === 0 || reducedMotion()) return this.update(after2);
    const ran = after2.state.ran ?? "";
    const status = { ...before2.state.status, [ran]: after2.state.status[ran] ?? "done" };
    this.update({
      ...before2,
      shown: after2.shown,
      state: { ...before2.state, status, sent: after2.state.sent, next: null }
    });
    const riders = lanes.map((lane) => {
      const text = chipText(after2.state.sent[lane.lane.edge] ?? null, lane.lane.room, after2);
      const element2 = s("g", { class: "rides" }, ...chip(0, 0, text, "full", after2));
      this.riders.append(element2);
      return { lane, element: element2 };
    });
    this.ride = new Ride(riders, () => {
      this.ride = null;
      this.update(after2);
    });
  }
  /** Ends a ride at once (the learner stepped again). */
  finish() {
    this.ride?.finish();
  }
  /** Arrow keys in the picture: the node that runs earlier (-1) or later (+1). False when focus is not on a node. */
  moveFocus(by) {
    const at2 = this.boxes.findIndex((box) => box.element === this.element.querySelector(".box:focus"));
    if (at2 < 0) return false;
    const to = this.boxes[Math.max(0, Math.min(this.boxes.length - 1, at2 + by))];
    to.element.focus();
    return true;
  }
  zoomKey(key) {
    if (key === "+" || key === "=") this.view?.zoom(1.2);
    else if (key === "-") this.view?.zoom(1 / 1.2);
    else if (key === "0") this.view?.home(true);
    else return false;
    return true;
  }
  inOrder(frame) {
    const rank = new Map(frame.scene.head.nodes.map((node, k) => [node.id, k]));
    this.boxes.sort((a, b) => (rank.get(a.box.node) ?? 0) - (rank.get(b.box.node) ?? 0));
    return this.boxes.map((box) => box.element);
  }
  still(layout) {
    const seeds = Object.entries(layout.seed).map(
      ([, d]) => s("path", { class: "back sent", d, "marker-end": `url(#${this.prefix}back)` })
    );
    const ties = layout.ties.map((d) => s("path", { class: "tie", d }));
    return s("g", { "aria-hidden": "true" }, ...this.lanes.map((lane) => lane.lines), ...seeds, ...ties);
  }
  drawCaptions(frame) {
    const texts = (this.layout?.texts ?? []).map((text) => {
      const seed = frame.state.received[text.node ?? ""]?.flat().find((each) => each.edge === null);
      if (text.node !== null && text.id === "text.starts" && !seed?.value) return null;
      const root = frame.scene.head.roots.length === 1 ? frame.scene.head.root : frame.scene.name(text.node);
      const args = {
        n: frame.scene.head.options.directions ?? 0,
        root: shorten(visible(root ?? frame.catalogue.text("title.output")), 8),
        value: seed?.value ? valueText(seed.value, 20, frame.catalogue) : "-",
        who: text.edges ? this.others(text.id, text.edges, frame) : "-"
      };
      return s(
        "text",
        { class: "cap", x: text.x, y: text.y },
        frame.catalogue.text(captionId(text.id, seed?.value, frame), args).slice(0, 60)
      );
    });
    const captions = texts.filter((text) => text !== null);
    const cut = this.lanes.filter((lane) => lane.back.classList.contains("cut"));
    const last = cut.reduce(
      (best, lane) => !best || lane.lane.dock[0] > best.lane.dock[0] ? lane : best,
      null
    );
    if (last)
      captions.push(
        s(
          "text",
          { class: "cap", x: last.lane.dock[0] + 14, y: (last.lane.dock[1] + last.lane.chip[1]) / 2 + 6 },
          frame.catalogue.text("text.nothing_sent")
        )
      );
    const marks = cutMarks(
      this.lanes.map((each) => each.lane),
      frame
    );
    const ends2 = this.layout ? endMarks(this.layout, frame) : [];
    this.captions.replaceChildren(...captions, ...marks, ...ends2);
  }
  /** At the border of a part: who sends to it, and to whom it sends. */
  others(id, edges, frame) {
    const end = id === "text.part.from" ? "from" : "to";
    const names = edges.map((edge) => frame.scene.name(frame.scene.edges.get(edge)?.[end] ?? null));
    return shorten([...new Set(names)].join(", "), 28);
  }
  /** One tab stop for the whole picture: the node that is shown. */
  updateTabStop(frame) {
    const stop = this.boxes.find((box) => box.element.matches(":focus")) ?? this.boxes.find((box) => box.box.node === frame.shown) ?? this.boxes[0];
    for (const box of this.boxes) box.element.setAttribute("tabindex", box === stop ? "0" : "-1");
  }
  focused(target) {
    const box = this.boxes.find((each) => each.element === target);
    if (!box || !target.matches(":focus-visible")) return;
    this.view?.reveal(box.box);
    this.onSelect(box.box.node);
  }
  clicked(target) {
    const part = target.closest("[data-node], [data-words]");
    const node = part?.getAttribute("data-node") ?? part?.getAttribute("data-words") ?? null;
    if (node) this.onSelect(node);
  }
  zoomButtons(frame) {
    this.zoom.setAttribute("aria-label", frame.catalogue.text("ui.zoom"));
    const button2 = (name, action) => {
      const label = frame.catalogue.text(`ui.zoom.${name}`);
      const element2 = h(
        "button",
        { class: "btn icon small", type: "button", "aria-label": label, title: label },
        icon(name)
      );
      element2.addEventListener("click", action);
      return element2;
    };
    return [
      button2("minus", () => this.view?.zoom(1 / 1.2)),
      button2("plus", () => this.view?.zoom(1.2)),
      button2("fit", () => this.view?.fit())
    ];
  }
};
function captionId(id, seed, frame) {
  if (id !== "text.starts") return id;
  if (frame.scene.head.options.directions !== void 0) return "text.starts_directions";
  return seed?.label === "norm" ? "text.starts_many" : id;
}

// src/keys.ts
var KEYS = {
  ArrowRight: (actions) => actions.forward(),
  ArrowLeft: (actions) => actions.back(),
  ArrowUp: (actions) => actions.node(1),
  ArrowDown: (actions) => actions.node(-1),
  " ": (actions) => actions.run(),
  r: (actions) => actions.reset(),
  b: (actions) => actions.break ? actions.break() : false,
  n: (actions) => actions.mode ? actions.mode() : false,
  t: (actions) => actions.text(),
  m: (actions, key) => actions.other?.(key) ?? false,
  e: (actions, key) => actions.other?.(key) ?? false,
  "/": (actions, key) => actions.other?.(key) ?? false,
  Home: (actions) => actions.first(),
  End: (actions) => actions.last(),
  Escape: (actions) => actions.escape(),
  "+": (actions, key) => actions.zoom(key),
  "=": (actions, key) => actions.zoom(key),
  "-": (actions, key) => actions.zoom(key),
  "0": (actions, key) => actions.zoom(key)
};
function belongsToControl(target, key) {
  if (target.matches("select, input, textarea")) return key !== "Escape";
  return (key === " " || key === "Enter") && target.matches("button, [role=switch]");
}
function listenToKeys(root, actions) {
  const onKey = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const target = event.composedPath()[0];
    if (!(target instanceof Element) || !root.matches(":focus-within") || !root.contains(target)) return;
    if (belongsToControl(target, event.key)) return event.stopImmediatePropagation();
    const handler = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!handler || event.repeat && event.key === " ") return;
    if (handler(actions, event.key) === false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

// src/runner.ts
var Runner = class {
  constructor(session, onChange) {
    this.session = session;
    this.onChange = onChange;
  }
  session;
  onChange;
  /** Steps a second; 0: to the end in one request. */
  speed = 2;
  timer = null;
  get running() {
    return this.timer !== null;
  }
  toggle() {
    if (this.running) this.pause();
    else if (this.session.atEnd) return;
    else if (this.speed === 0) this.session.runToEnd();
    else this.tick(true);
    this.onChange();
  }
  pause() {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.onChange();
  }
  tick(first = false) {
    if (this.session.atEnd || this.session.halted && !first) {
      this.pause();
      return;
    }
    if (this.speed === 0) {
      this.session.runToEnd();
      this.pause();
      return;
    }
    this.session.step();
    this.timer = setTimeout(() => this.tick(), 1e3 / this.speed);
  }
};

// src/compare_view.ts
var CompareView = class {
  element = h("div", { class: "ad compare", tabindex: -1, role: "region" });
  session;
  runner;
  tracks;
  halves;
  say = h("div", { class: "say", "aria-live": "polite" });
  grads = h("div", { class: "leaves" });
  list = h("div", { class: "leaves differences" });
  text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  voice = h("div", { class: "unseen", "aria-live": "polite" });
  body = h("div", { class: "body" });
  bar;
  selected = null;
  stopKeys;
  resized;
  constructor(model, prefix) {
    this.tracks = new Tracks((position) => this.jump(position));
    this.session = new CompareSession(model, (what) => this.changed(what));
    this.runner = new Runner(this.session, () => this.redraw());
    this.halves = this.session.labels.map((_, run) => ({
      heading: h("div", { class: "half-head" }),
      graph: new GraphPane(`${prefix}${run}-`, (node) => this.select(node)),
      last: null
    }));
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.resized = new ResizeObserver(() => this.halves.forEach((half) => half.graph.resize()));
    this.resized.observe(this.element);
    this.redraw();
  }
  destroy() {
    this.runner.pause();
    this.halves.forEach((half) => half.graph.finish());
    this.resized.disconnect();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }
  assemble() {
    const { catalogue } = this.session;
    this.element.setAttribute("aria-label", catalogue.text("ui.compare.view"));
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.bar = new CompareBar(catalogue, {
      reset: () => this.jump(0),
      back: () => this.back(),
      step: () => this.step(),
      run: () => this.runner.toggle(),
      text: () => this.toggleText()
    });
    const halves = this.halves.map((half) => h("div", { class: "half" }, half.heading, half.graph.element));
    set(
      this.body,
      this.tracks.element,
      this.say,
      h("div", { class: "halves" }, ...halves),
      this.grads,
      this.list
    );
    set(this.element, this.bar.element, this.body, this.text, this.voice);
  }
  changed(what) {
    if (what === "words" && this.bar) this.assemble();
    this.redraw();
  }
  redraw() {
    const { session } = this;
    if (!session?.ready || !this.bar) return;
    const { catalogue, position } = session;
    const place2 = session.places[position];
    this.bar.update(catalogue, {
      start: position === 0,
      end: session.atEnd,
      running: this.runner.running,
      text: !this.text.hidden,
      count: catalogue.text("ui.count", { done: place2.steps, total: place2.total })
    });
    this.tracks.update(session);
    this.halves.forEach((half, run) => this.draw(half, run));
    const rows2 = session.rows();
    this.sentence(rows2);
    drawGrads(this.grads, this.session);
    drawDifferences(this.list, this.session, rows2);
    if (!this.text.hidden) this.text.textContent = compareText(session);
  }
  draw(half, run) {
    const frame = this.frame(run);
    const before2 = half.last;
    half.last = frame;
    if (before2?.scene !== frame.scene) half.graph.build(frame);
    else if (frame.position === before2.position + 1 && this.motion())
      return this.ride(half, run, before2, frame);
    half.graph.finish();
    half.graph.update(frame);
    this.head(half, run, frame);
  }
  ride(half, run, before2, frame) {
    half.graph.play(before2, frame);
    this.head(half, run, frame);
  }
  head(half, run, frame) {
    const { catalogue } = frame;
    const { state } = frame;
    const failed = state.error?.node ?? null;
    const [name, tone] = STATUS_ICON[failed ? "failed" : state.end ? "done" : "next"];
    const word = failed ? catalogue.text("ui.compare.stopped", { who: frame.scene.name(failed) }) : state.end ? catalogue.text("ui.compare.finished") : catalogue.text("ui.compare.next", { who: frame.scene.name(state.next) });
    set(
      half.heading,
      code(this.session.labels[run], 40),
      h(
        "span",
        { class: "quiet" },
        catalogue.text("title.pass", { root: frame.scene.head.root ?? catalogue.text("title.output") })
      ),
      h("span", { class: "gap" }),
      h("span", { class: failed ? "how bad" : "how" }, icon(name, tone), word)
    );
  }
  frame(run) {
    const { session } = this;
    const { pass, index } = session.here(run);
    const state = session.state(run);
    const known = this.selected !== null && pass.scene.nodes.has(this.selected);
    return {
      scene: pass.scene,
      catalogue: session.catalogue,
      fonts: fonts(this.element),
      state,
      event: -1,
      breaks: [],
      first: pass.folder.raw(0),
      position: index,
      count: pass.folder.length,
      total: pass.scene.head.nodes.length,
      done: session.done,
      selected: known ? this.selected : null,
      shown: known ? this.selected : state.error?.node ?? state.next ?? state.ran,
      near: null,
      ran: []
    };
  }
  /** What differs here; where nothing new does, what the first difference was. */
  sentence(rows2) {
    const { catalogue, position } = this.session;
    const here = rows2.filter((row4) => row4.place === position);
    const pieces = (row4, id) => catalogue.pieces(id, {
      where: row4.at,
      what: row4.cells.map((cell, run) => [this.session.labels[run], cell])
    });
    const first = rows2[0];
    const words2 = here.length ? here.flatMap((row4, k) => [
      k > 0 && " ",
      ...pieces(row4, row4 === first ? "ui.compare.first" : "ui.compare.here")
    ]) : first ? pieces(first, "ui.compare.before") : [catalogue.text("compare.alike")];
    set(this.say, h("p", {}, ...words2));
    this.voice.textContent = this.text.hidden ? "" : this.say.textContent;
  }
  motion() {
    return this.text.hidden && !(this.runner.running && (this.runner.speed === 0 || this.runner.speed > 4));
  }
  step() {
    this.runner.pause();
    this.halves.forEach((half) => half.graph.finish());
    this.session.step();
  }
  back() {
    this.jump(this.session.position - 1);
  }
  jump(position) {
    this.runner.pause();
    this.session.jump(position);
  }
  select(node) {
    if (node === this.selected) return;
    this.selected = node;
    this.redraw();
  }
  toggleText() {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }
  keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.back(),
      run: () => this.runner.toggle(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by) => this.halves.some((half) => half.graph.moveFocus(by)),
      zoom: (key) => this.halves.map((half) => half.graph.zoomKey(key)).some(Boolean),
      mode: () => void 0,
      escape: () => {
        if (this.selected === null) return false;
        this.select(null);
        return true;
      }
    };
  }
};

// src/save.ts
var KINDS2 = ["html", "svg", "json"];
var SavePanel = class {
  constructor(onAsk) {
    this.onAsk = onAsk;
  }
  onAsk;
  element = h("div", { class: "panel save", hidden: true });
  get open() {
    return !this.element.hidden;
  }
  show(open, catalogue) {
    this.element.hidden = !open;
    if (!open) return;
    const buttons = KINDS2.map((kind) => {
      const button2 = h("button", { type: "button", class: "btn line" }, catalogue.text(`ui.save.${kind}`));
      button2.addEventListener("click", () => this.onAsk(kind));
      return button2;
    });
    set(this.element, h("h4", {}, catalogue.text("ui.save.title")), h("div", { class: "line" }, ...buttons));
    buttons[0].focus();
  }
};
function download(name, mime, text) {
  const url = URL.createObjectURL(new Blob([text], { type: mime }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1e4);
}

// src/film_session.ts
var PARTS = ["forward", "loss", "backward", "optimizer"];
var FilmSession = class {
  constructor(model, onChange) {
    this.model = model;
    this.onChange = onChange;
    this.catalogue = this.makeCatalogue();
    this.listen("change:position", () => this.onChange("state"));
    this.listen("change:_head", () => this.onChange("state"));
    this.listen("change:messages", () => {
      this.catalogue = this.makeCatalogue();
      this.onChange("words");
    });
    this.listen("msg:custom", (message) => {
      if (message?.type === "file")
        download(String(message.name), String(message.mime), String(message.text));
      if (message?.type !== "states" || !Array.isArray(message.states)) return;
      this.places = message.states;
      this.catalogue = this.makeCatalogue();
      this.onChange("state");
    });
    model.send({ type: "hello" });
  }
  model;
  onChange;
  catalogue;
  places = [];
  listeners = [];
  get head() {
    return this.model.get("_head");
  }
  /** Whether this is a page without a kernel. */
  get onPage() {
    return Boolean(this.model.get("page"));
  }
  /** Asks for the film as a page; it comes as a message of its own. */
  save() {
    this.model.send({ type: "save", what: "html" });
  }
  get ready() {
    return this.places.length > this.position;
  }
  get count() {
    return Math.max(Number(this.model.get("count") ?? 0), this.places.length, 1);
  }
  get position() {
    return Math.max(0, Math.min(Number(this.model.get("position") ?? 0), this.count - 1));
  }
  get atEnd() {
    return this.position >= this.count - 1;
  }
  get place() {
    return this.places[this.position];
  }
  get frame() {
    return this.head.frames[this.place.frame];
  }
  step() {
    this.jump(this.position + 1);
  }
  runToEnd() {
    this.jump(this.count - 1);
  }
  jump(position) {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position) return;
    this.model.set("position", to);
    this.model.save_changes();
  }
  /** To a training step; in the same part, where it was recorded whole. */
  toFrame(index) {
    const frame = this.head.frames[Math.max(0, Math.min(index, this.head.frames.length - 1))];
    if (!frame) return;
    const part = this.place.part;
    const at2 = part === null ? -1 : frame.parts.indexOf(part);
    this.jump(frame.first + Math.max(0, at2));
  }
  /** To the beginning of a part of this training step. */
  toPart(part) {
    const at2 = this.frame.parts.indexOf(part);
    if (at2 >= 0) this.jump(this.frame.first + at2);
  }
  close() {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
  }
  /** The text form, put together from the kernel's lines. */
  text() {
    const { place: place2, frame, head } = this;
    const rows2 = frame.rows.map(
      (row4, k) => place2.moment !== null && k === place2.moment + 1 ? `> ${row4.slice(2)}` : row4
    );
    const parts2 = [[place2.title], rows2, frame.table, head.course].filter((part) => part.length > 0);
    return parts2.map((part) => part.join("\n")).join("\n\n") + "\n";
  }
  listen(event, listener) {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }
  makeCatalogue() {
    const messages = this.model.get("messages") ?? {};
    const names = this.head.layers.flatMap(({ name }) => [name, `${name}.grad`]);
    const called = this.places.flatMap(({ who: who2 }) => who2 ? [who2] : []);
    return new Catalogue(
      messages,
      String(this.model.get("language") ?? "en"),
      /* @__PURE__ */ new Set([...names, ...called])
    );
  }
};

// src/numbering.ts
function nextNumber() {
  const page2 = window;
  page2.autodidactViews = (page2.autodidactViews ?? 0) + 1;
  return page2.autodidactViews;
}

// src/film_view.ts
var WIDTH = 800;
var HEIGHT = 96;
var MOST_COLUMNS3 = 120;
var NUMBERS = ["before", "grad", "change", "after"];
var FilmView = class {
  element = h("div", { class: "ad film", tabindex: -1, role: "region" });
  session;
  runner;
  curve = h("div", { class: "film-curve" });
  slider = h("input", { type: "range", min: 0, step: 1, class: "film-slider" });
  parts = h("div", { class: "film-parts" });
  time = h("div", { class: "film-time" });
  say = h("div", { class: "say", "aria-live": "polite" });
  heat = h("div", { class: "film-heat" });
  table = h("div", { class: "leaves" });
  named = reachableWhenWide(this.table);
  text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  body = h("div", { class: "body" });
  number = nextNumber();
  bar;
  stopKeys;
  constructor(model, _prefix) {
    this.session = new FilmSession(model, (what) => this.changed(what));
    this.runner = new Runner(this.session, () => this.redraw());
    this.runner.speed = 4;
    this.slider.max = String(this.session.head.frames.length - 1);
    this.slider.addEventListener("input", () => this.toFrame(Number(this.slider.value)));
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.redraw();
  }
  destroy() {
    this.runner.pause();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }
  assemble() {
    const { catalogue } = this.session;
    const number = this.number > 1 ? `, ${this.number}` : "";
    this.element.setAttribute("aria-label", catalogue.text("ui.film.view") + number);
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.slider.setAttribute("aria-label", catalogue.text("ui.film.slider"));
    this.bar = new CompareBar(catalogue, {
      reset: () => this.jump(0),
      back: () => this.jump(this.session.position - 1),
      step: () => this.step(),
      run: () => this.runner.toggle(),
      text: () => this.toggleText()
    });
    if (!this.session.onPage) this.bar.add(this.saveButton());
    set(this.body, this.curve, this.slider, this.parts, this.time, this.say, this.table, this.heat);
    set(this.element, this.bar.element, this.body, this.text);
  }
  saveButton() {
    const label = this.session.catalogue.text("ui.film.save");
    const button2 = h(
      "button",
      { type: "button", class: "btn icon", "aria-label": label, title: label },
      icon("save")
    );
    button2.addEventListener("click", () => this.session.save());
    return button2;
  }
  changed(what) {
    if (what === "words" && this.bar) this.assemble();
    this.redraw();
  }
  redraw() {
    const { session } = this;
    if (!session?.ready || !this.bar) return;
    const { catalogue, position, place: place2, frame } = session;
    this.bar.update(catalogue, {
      start: position === 0,
      end: session.atEnd,
      running: this.runner.running,
      text: !this.text.hidden,
      count: place2.title
    });
    this.slider.value = String(place2.frame);
    this.slider.setAttribute("aria-valuetext", catalogue.text("film.at", { step: frame.step }));
    set(this.curve, this.lossCurve());
    set(this.parts, ...this.partButtons());
    this.drawTime();
    set(this.say, h("p", {}, ...this.sentence()));
    set(this.table, this.parameters());
    this.named(catalogue.text("ui.film.parameters"));
    set(this.heat, this.norms());
    if (!this.text.hidden) this.text.textContent = session.text();
  }
  /** The loss of every training step, with the numbers that belong to it. */
  lossCurve() {
    const { head, catalogue, frame } = this.session;
    const { frames } = head;
    const known = frames.flatMap(({ loss }) => typeof loss === "number" ? [loss] : []);
    const top = Math.max(...known, Number.MIN_VALUE);
    const low = Math.min(...known, top);
    const label = catalogue.text("ui.film.curve", {
      n: frames.length,
      first: frames[0].loss_text,
      last: frames[frames.length - 1].loss_text,
      now: frame.loss_text
    });
    const at2 = (place2, value) => h("span", { class: "film-y", style: place2 }, known.length ? value.toPrecision(3) : "-");
    const word = catalogue.text("film.loss");
    return h(
      "div",
      { class: "film-loss", role: "img", "aria-label": label },
      this.line(low, top),
      at2("top:0", top),
      at2("bottom:0", low),
      h("span", { class: "film-word" }, word, " ", h("b", { class: "num" }, frame.loss_text))
    );
  }
  /** The curve; the training step that is shown, and those that were recorded whole, marked. */
  line(low, top) {
    const { head, place: place2 } = this.session;
    const { frames } = head;
    const last = Math.max(1, frames.length - 1);
    const x = (k) => (WIDTH * k / last).toFixed(1);
    const y = (loss) => (HEIGHT - 8 - (HEIGHT - 16) * (loss - low) / (top - low || 1)).toFixed(1);
    const points = frames.flatMap(({ loss }, k) => typeof loss === "number" ? [`${x(k)} ${y(loss)}`] : []);
    const whole = frames.flatMap((each, k) => each.parts.length > 0 ? [k] : []);
    const picture = s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      s("path", { class: "base", d: `M0 ${HEIGHT - 1}H${WIDTH}` }),
      ...whole.map((k) => s("path", { class: "whole", d: `M${x(k)} ${HEIGHT - 7}V${HEIGHT - 1}` })),
      points.length > 1 && s("path", { class: "line", d: `M${points.join("L")}` }),
      s("path", { class: "now", d: `M${x(place2.frame)} 0V${HEIGHT}` })
    );
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      this.toFrame(Math.round((event.clientX - box.left) / (box.width || 1) * last));
    });
    return picture;
  }
  /** Forward, loss, backward, optimizer: buttons that jump; the part that is shown is pressed. */
  partButtons() {
    const { catalogue, frame, place: place2 } = this.session;
    const group = h("div", {
      class: "film-group",
      role: "group",
      "aria-label": catalogue.text("ui.film.parts")
    });
    for (const part of PARTS) {
      const count = frame.parts.filter((each) => each === part).length;
      const button2 = h(
        "button",
        { type: "button", class: "btn line", "aria-pressed": String(place2.part === part) },
        catalogue.text(`film.part.${part}`),
        " ",
        h("span", { class: "quiet num" }, count)
      );
      button2.setAttribute("aria-disabled", String(count === 0));
      button2.addEventListener("click", () => this.session.toPart(part));
      group.append(button2);
    }
    return [group];
  }
  /** One dot for each moment of the training step, the parts in brackets. */
  drawTime() {
    const { catalogue, frame, place: place2, places } = this.session;
    this.time.hidden = frame.parts.length === 0;
    const groups = PARTS.map((part) => {
      const dots = frame.parts.flatMap((each, k) => each === part ? [this.dot(frame, k)] : []);
      const grow = `flex-grow:${Math.max(1, dots.length)}`;
      return h(
        "div",
        { class: part === place2.part ? "film-bracket now" : "film-bracket", style: grow },
        h("span", { class: "quiet small" }, catalogue.text(`film.part.${part}`)),
        h("ol", { "aria-label": catalogue.text(`film.part.${part}`) }, ...dots)
      );
    });
    set(this.time, ...places.length ? groups : []);
  }
  dot(frame, moment) {
    const { places, place: place2 } = this.session;
    const there = places[frame.first + moment];
    const kind = moment === place2.moment ? "now" : moment < (place2.moment ?? 0) ? "past" : "todo";
    const button2 = h("button", {
      type: "button",
      tabindex: -1,
      "aria-label": visible(`${moment + 1}: ${there?.who ?? "-"}`),
      title: visible(there?.who ?? "-"),
      "aria-current": kind === "now" ? "step" : null
    });
    button2.append(h("span", { class: "dot", "aria-hidden": "true" }));
    button2.addEventListener("click", () => this.jump(frame.first + moment));
    return h("li", { class: kind }, button2);
  }
  sentence() {
    const { catalogue, place: place2, frame } = this.session;
    if (place2.part === null) return [frame.rows[0] ?? place2.title];
    if (place2.say.length > 0) return catalogue.sentences(place2.say);
    const where = place2.where ? h("span", { class: "quiet" }, `  ${visible(place2.where)}`) : null;
    return [code(place2.who ?? "-", 60), ": ", visible(place2.happens), where];
  }
  /** Every parameter: its norm before, its gradient's, the change, the norm after. */
  parameters() {
    const { catalogue, frame, head, place: place2 } = this.session;
    const title = (id, number = false) => h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(`film.${id}`));
    const titles2 = h(
      "tr",
      {},
      title("parameter"),
      title("shape"),
      ...NUMBERS.map((name) => title(name, true))
    );
    const rows2 = head.layers.map(
      (layer, i) => h(
        "tr",
        { class: place2.layer === i || place2.who === layer.name ? "is-shown" : null },
        h("th", { scope: "row" }, code(layer.name, 40)),
        h("td", { class: "quiet" }, layer.shape),
        ...frame.cells[i].map((cell) => h("td", { class: "num" }, cell))
      )
    );
    return h(
      "table",
      {},
      h("caption", { class: "unseen" }, catalogue.text("ui.film.parameters")),
      h("thead", {}, titles2),
      h("tbody", {}, ...rows2)
    );
  }
  /** A row for each parameter, a column for each training step, dark where the gradient is large. */
  norms() {
    const { catalogue, head, place: place2 } = this.session;
    const each = Math.max(1, Math.ceil(head.frames.length / MOST_COLUMNS3));
    const columns2 = head.frames.map((_, k) => k).filter((k) => k % each === 0);
    const rows2 = head.layers.map((layer, i) => {
      const values = columns2.map((k) => Number(head.frames[k].grads[i] ?? 0) || 0);
      const largest = Math.max(...values, Number.MIN_VALUE);
      const cells2 = values.map(
        (value, column) => s("rect", { x: column, y: 0, width: 1, height: 1, opacity: (value / largest).toFixed(3) })
      );
      const now = Math.floor(place2.frame / each);
      return h(
        "div",
        { class: "film-row" },
        code(layer.name, 24),
        s(
          "svg",
          { viewBox: `0 0 ${columns2.length} 1`, preserveAspectRatio: "none" },
          ...cells2,
          s("path", { class: "now", d: `M${now + 0.5} 0V1` })
        ),
        h("span", { class: "num quiet" }, largest === Number.MIN_VALUE ? "-" : largest.toPrecision(3))
      );
    });
    return h(
      "div",
      { role: "img", "aria-label": catalogue.text("ui.film.heat") },
      h(
        "div",
        { class: "film-row quiet small" },
        h("span", {}, catalogue.text("film.grad")),
        h("span", {}),
        h("span", { class: "num" }, catalogue.text("ui.film.largest"))
      ),
      ...rows2
    );
  }
  step() {
    this.runner.pause();
    this.session.step();
  }
  jump(position) {
    this.runner.pause();
    this.session.jump(position);
  }
  toFrame(index) {
    this.runner.pause();
    this.session.toFrame(index);
  }
  toggleText() {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }
  keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.jump(this.session.position - 1),
      run: () => this.runner.toggle(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by) => {
        this.toFrame(this.session.place.frame + by);
        return true;
      },
      zoom: () => false,
      escape: () => false
    };
  }
};

// src/unpack.ts
function unpack(data) {
  if (!data.pool) return data;
  const names = data.names ?? [];
  const pool = [];
  const full = (value) => {
    if (Array.isArray(value)) return value.map(full);
    if (value === null || typeof value !== "object") return value;
    const members = Object.entries(value);
    if (members.length !== 1 || members[0][0] !== "$")
      return Object.fromEntries(members.map(([k, v]) => [k, full(v)]));
    const place2 = members[0][1];
    if (!Array.isArray(place2)) return pool[place2];
    const [kind, ...parts2] = place2;
    return Object.fromEntries(names[kind].map((name, k) => [name, full(parts2[k])]));
  };
  for (const entry of data.pool) pool.push(full(entry));
  const kept = Object.entries(data).filter(([key]) => key !== "pool" && key !== "names");
  return Object.fromEntries(kept.map(([key, value]) => [key, full(value)]));
}

// src/page.ts
var RECORD = "autodidact-record";
var PageModel = class {
  constructor(saved) {
    this.saved = saved;
    const { head, states, position, messages, language } = saved;
    const count = states.length;
    this.traits = { _head: head, count, position, event: -1, done: true, messages, language, page: true };
  }
  saved;
  traits;
  listeners = /* @__PURE__ */ new Map();
  get(name) {
    return this.traits[name];
  }
  set(name, value) {
    this.traits[name] = value;
    this.fire(`change:${name}`);
  }
  save_changes() {
  }
  send(message) {
    queueMicrotask(() => this.fire("msg:custom", this.answer(message)));
  }
  answer({ type, id }) {
    if (type === "hello") return { type: "states", from: 0, states: this.saved.states };
    if (type === "group")
      return { type: "layout", group: id, layout: this.saved.layouts?.[String(id)] ?? null };
    return { type: "refused", say: [{ id: "refused.page", args: {} }] };
  }
  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, /* @__PURE__ */ new Set());
    this.listeners.get(event).add(listener);
  }
  off(event, listener) {
    this.listeners.get(event)?.delete(listener);
  }
  fire(event, ...args) {
    for (const listener of [...this.listeners.get(event) ?? []])
      listener(...args);
  }
};
function playPage(render2) {
  const element2 = document.getElementById(RECORD);
  const place2 = document.getElementById("stepper");
  if (!element2 || !place2) return;
  const data = JSON.parse(element2.textContent ?? "{}");
  const { states, ...head } = unpack(data.record);
  place2.replaceChildren();
  const model = new PageModel({ ...data, head, states });
  render2({ model, el: place2 });
}

// src/ask.ts
function withoutAsked(state, open) {
  if (open.length === 0) return state;
  const asked = new Set(open.flatMap((each) => each.edges));
  const known = Object.entries(state.predicted).filter(([edge]) => !asked.has(edge));
  return { ...state, predicted: Object.fromEntries(known) };
}
function tally(asking, catalogue) {
  const given = asking.answers ?? [];
  const right = given.filter((each) => each.right).length;
  return given.length ? catalogue.text("ask.tally", { right, asked: given.length }) : "";
}
function short(value) {
  return value === null ? "-" : String(Number(value.toPrecision(6)));
}
function result(given, catalogue) {
  if (given.right) return catalogue.text("ask.right");
  const rule2 = given.rule ? ` ${catalogue.text("ask.rule", { rule: given.rule })}` : "";
  if (given.said === null) return catalogue.text("ask.shown") + rule2;
  return catalogue.text("ask.off", { by: short(Math.abs(given.said - given.was)) }) + rule2;
}
function sentence2(question, scene) {
  const name = (id2) => who(scene.nodes.get(id2));
  const id = question.all ? "ask.question_all" : "ask.question";
  return { id, args: { who: name(question.node), to: name(question.to) } };
}
function askLines(asking, open, scene, catalogue) {
  const say = ({ id, args }) => catalogue.text(id, args ?? {});
  const lines2 = open.slice(0, 1).map((each) => say(sentence2(each, scene)));
  const given = asking.answers ?? [];
  if (given.length > 0) {
    lines2.push(tally(asking, catalogue));
    const rows2 = given.map((each) => [
      `  ${say(each.asked)}`,
      short(each.said),
      short(each.was),
      result(each, catalogue)
    ]);
    lines2.push(...aligned(rows2));
  }
  return lines2.length ? ["", ...lines2, ""].join("\n") : "";
}
function askButton(catalogue, onClick) {
  const label = catalogue.text("ui.ask");
  const names = { "aria-label": label, title: label, "aria-pressed": "false" };
  const button2 = h("button", { type: "button", class: "btn icon", ...names }, icon("guess"));
  button2.addEventListener("click", onClick);
  return button2;
}
var AskPanel = class {
  constructor(actions) {
    this.actions = actions;
  }
  actions;
  element = h("section", { class: "asking", hidden: true });
  key = "";
  focus() {
    this.element.querySelector("input")?.focus();
  }
  update(asking, open, scene, catalogue) {
    this.element.hidden = asking.open === void 0;
    const key = JSON.stringify([asking, open]) + catalogue.text("ui.ask");
    if (this.element.hidden || key === this.key) return;
    this.key = key;
    const held = this.element.contains(this.element.ownerDocument.activeElement);
    this.element.setAttribute("aria-label", catalogue.text("ui.ask"));
    const asked = open[0];
    set(
      this.element,
      asked ? this.form(asked, asking, scene, catalogue) : h("p", { class: "quiet small" }, catalogue.text("ui.ask.free")),
      this.table(asking, catalogue)
    );
    if (held && asked) this.focus();
  }
  form(asked, asking, scene, catalogue) {
    const { id, args } = sentence2(asked, scene);
    const input = h("input", {
      class: "speed num",
      inputmode: "decimal",
      autocomplete: "off",
      maxlength: 40,
      required: true,
      "aria-label": catalogue.text("ui.ask.answer")
    });
    const check = h(
      "button",
      { class: "btn main", type: "submit" },
      catalogue.text("ui.ask.check"),
      " ",
      h("kbd", { "aria-hidden": "true" }, "↵")
    );
    const show = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.ask.show"));
    show.addEventListener("click", () => this.actions.reveal());
    const percent = String(100 * (asking.tolerance ?? 0));
    const words2 = h(
      "p",
      { "aria-live": "polite" },
      ...catalogue.pieces(id, args ?? {}),
      h("span", { class: "quiet small rule" }, catalogue.text("ui.ask.rule", { percent }))
    );
    const form2 = h("form", {}, icon("guess", "c-grad"), words2, input, check, show);
    form2.addEventListener("submit", (event) => {
      event.preventDefault();
      this.actions.answer(input.value);
    });
    return form2;
  }
  table(asking, catalogue) {
    const given = asking.answers ?? [];
    if (given.length === 0) return null;
    const head = (name, number = false) => h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(`ui.ask.${name}`));
    const rows2 = given.map(
      (each) => h(
        "tr",
        {},
        h("th", { scope: "row" }, ...catalogue.pieces(each.asked.id, each.asked.args ?? {})),
        h("td", { class: "num" }, short(each.said)),
        h("td", { class: "num" }, short(each.was)),
        h("td", {}, icon(each.right ? "done" : "skipped", "c-2"), ` ${result(each, catalogue)}`)
      )
    );
    const titles2 = h("tr", {}, head("asked"), head("said", true), head("was", true), head("result"));
    const button2 = (name, action) => {
      const made = h("button", { class: "btn line", type: "button" }, catalogue.text(`ui.ask.${name}`));
      made.addEventListener("click", action);
      return made;
    };
    return h(
      "div",
      { class: "answers" },
      h("table", {}, h("thead", {}, titles2), h("tbody", {}, ...rows2)),
      h(
        "p",
        {},
        h("b", {}, tally(asking, catalogue)),
        h("span", { class: "gap" }),
        button2("forget", () => this.actions.forget()),
        button2("save", () => save(asking))
      )
    );
  }
};
function save(asking) {
  const given = asking.answers ?? [];
  const right = given.filter((each) => each.right).length;
  const data = { format: 1, tolerance: asking.tolerance, asked: given.length, right, answers: given };
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 1)], { type: "application/json" }));
  const link = h("a", { href: url, download: "answers.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1e3);
}

// src/frames.ts
function frameOf(session, selected, fonts2) {
  const state = session.moment();
  return {
    scene: session.scene,
    catalogue: session.catalogue,
    fonts: fonts2,
    state,
    first: session.first(),
    position: session.position,
    event: session.event,
    breaks: session.breaks,
    count: session.count,
    total: session.total(),
    done: session.done,
    selected,
    shown: selected ?? currentNode(session.scene, state),
    near: null,
    ran: session.ran()
  };
}
function isAhead(before2, frame) {
  if (frame.position === before2.position + 1) return true;
  return frame.position === before2.position && before2.event >= 0 && (frame.event < 0 || frame.event > before2.event);
}
function looksOther(before2, frame) {
  return before2?.position !== frame.position || before2.event !== frame.event || before2.breaks !== frame.breaks || Object.keys(before2.state.predicted).join() !== Object.keys(frame.state.predicted).join() || before2.selected !== frame.selected || before2.count !== frame.count;
}

// src/again.ts
var AgainPanel = class {
  element = h("div", { class: "leaves families again", hidden: true });
  update(frame) {
    const { catalogue, state } = frame;
    const begins = state.events.find((event) => event.kind === "again");
    this.element.hidden = begins === void 0;
    if (!begins) return set(this.element);
    const { runs: runs2, random } = begins.args ?? {};
    const said = random;
    const title = catalogue.text("ui.again", {
      runs: runs2 ?? "-",
      random: catalogue.text(said?.id ?? "again.unknown")
    });
    const operations = state.events.filter((event) => event.kind === "forward");
    const rows2 = operations.map((event, k) => {
      const value = catalogue.text("event.line.set.value", { value: event.args?.value ?? null });
      const latest3 = state.part !== void 0 && k === operations.length - 1;
      return h(
        "tr",
        { class: latest3 ? "is-shown" : null },
        h("th", { scope: "row" }, h("b", { class: "code" }, visible(String(event.args?.text ?? "-")))),
        h("td", { class: "num" }, value)
      );
    });
    set(this.element, h("table", {}, h("caption", {}, title), h("tbody", {}, ...rows2)));
  }
};

// src/clinic.ts
var SIGNS = {
  stop: ["failed", "c-bad"],
  guilty: ["stale", "c-bad"],
  save: ["kept", "c-1"],
  note: null
};
var ORDER = ["stop", "guilty", "save", "note"];
var Clinic = class {
  constructor(session) {
    this.session = session;
  }
  session;
  /** Above the body: what is the matter, and the rule. */
  words = h("div");
  /** Beside the picture: the program. */
  listing = h("div", { class: "listing", hidden: true });
  /** Under the picture: repairs. */
  repairs = h("div");
  shown = "[]";
  // what is drawn, as text: an element that has the focus is not drawn anew
  language = null;
  update(frame) {
    const found = frame.state.clinic;
    const key = JSON.stringify([found, frame.state.silent]);
    if (key === this.shown && frame.catalogue === this.language) return;
    this.shown = key;
    this.language = frame.catalogue;
    set(this.words, ...found ? this.said(found, frame) : earlier(frame));
    this.listing.hidden = !found?.listing;
    const needs = Math.min(frame.scene.head.layout?.width ?? 300, 460);
    this.listing.parentElement?.style.setProperty("--ad-needs", `${needs}px`);
    set(this.listing, found?.listing ? lines(found.listing, frame) : null);
    set(this.repairs, found && found.repairs.length > 0 ? this.cards(found.repairs, frame) : null);
  }
  said(found, frame) {
    const { catalogue } = frame;
    const silent = found.kind === "silent";
    const words2 = [
      h("strong", {}, ...catalogue.sentences(found.say)),
      silent ? ` ${catalogue.text("clinic.silent")}` : null
    ];
    const [name, tone] = found.kind === "healthy" ? ["done", "c-2"] : silent ? ["stale", "c-warn"] : ["failed", "c-bad"];
    const kind = found.kind === "healthy" ? " calm" : silent ? " warn" : "";
    const notice = found.say.length > 0 && h("div", { class: `notice${kind}`, role: "status" }, icon(name, tone), h("p", {}, ...words2));
    return [this.repaired(found, frame), notice || null, rule(found, frame)];
  }
  /** The program is a repaired one: which repair, and the way back. */
  repaired(found, frame) {
    if (!found.repaired) return null;
    const { catalogue } = frame;
    const back = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.clinic.back"));
    back.addEventListener("click", () => this.session.undo());
    const words2 = catalogue.pieces(found.repaired.id, found.repaired.args ?? {});
    return h(
      "div",
      { class: "notice calm", role: "status" },
      icon("edit", "c-2"),
      h("p", {}, h("strong", {}, catalogue.text("ui.clinic.repaired"), " "), ...words2),
      back
    );
  }
  cards(repairs, frame) {
    const cards = repairs.map((each, k) => this.card(each, k + 1, frame));
    return h(
      "section",
      { class: "repairs all" },
      h("h4", {}, frame.catalogue.text("ui.clinic.repairs")),
      h("div", { class: "cards" }, ...cards)
    );
  }
  card(repair, number, frame) {
    const { catalogue } = frame;
    const { line, old, new: fresh, who: who2 } = repair.args ?? {};
    const kind = repair.id.replace("repair.", "");
    const title = catalogue.text(`ui.repair.${kind}`, { who: who2 ?? null });
    const place2 = (text) => h("span", { class: "num quiet" }, text);
    const attempt = h(
      "button",
      { class: "btn line", type: "button", "aria-label": `${catalogue.text("ui.clinic.try")}: ${title}` },
      catalogue.text("ui.clinic.try")
    );
    attempt.addEventListener("click", () => this.session.retry(number));
    const later = kind === "later";
    return h(
      "div",
      {},
      h("h5", {}, title),
      h("p", { class: "old" }, place2(String(line)), h("s", {}, code(String(old), 60))),
      h(
        "p",
        { class: "new" },
        place2(later ? "↓" : String(line)),
        code(String(fresh), 60),
        later && h("span", { class: "quiet small" }, ` # ${catalogue.text("ui.repair.below")}`)
      ),
      h("p", { class: "try" }, attempt)
    );
  }
};
function earlier({ state, scene, catalogue }) {
  return Object.entries(state.silent ?? {}).map(([node, said]) => {
    const where = h("strong", {}, catalogue.text("text.silent", { who: scene.name(node) }), " ");
    const words2 = h("p", {}, where, ...catalogue.pieces(said.id, said.args ?? {}));
    return h("div", { class: "notice warn", role: "status" }, icon("stale", "c-warn"), words2);
  });
}
function rule(found, { catalogue }) {
  if (!found.rule) return null;
  const words2 = catalogue.pieces(found.rule.id, found.rule.args ?? {});
  const lesson = found.lesson && h(
    "a",
    { href: `${encodeURIComponent(found.lesson)}.ipynb`, target: "_blank", rel: "noopener" },
    catalogue.text("clinic.lesson", { lesson: lessonNumber(found.lesson) })
  );
  return h("p", { class: "rule-said" }, ...words2, " ", lesson);
}
function lessonNumber(lesson) {
  return lesson.split("-")[0];
}
function strongest(marks) {
  return ORDER.find((kind) => marks.some((mark) => mark.kind === kind)) ?? null;
}
function programText(text) {
  const indent = /^ */.exec(text)[0];
  return indent + visible(text.slice(indent.length));
}
function lines(listing, frame) {
  const label = frame.catalogue.text("ui.clinic.program");
  const rows2 = listing.lines.map((text, k) => {
    const number = listing.first + k;
    const marks = listing.marks.filter((mark) => mark.line === number);
    return row(number, text, marks, frame);
  });
  return h("ol", { tabindex: 0, "aria-label": label }, ...rows2);
}
function row(number, text, marks, { catalogue }) {
  const kind = strongest(marks);
  const sign2 = kind && SIGNS[kind];
  const said = marks.flatMap(({ say }) => say ? [say] : []);
  return h(
    "li",
    { class: kind ? `is-${kind}` : "" },
    h("span", { class: "num quiet" }, number),
    h("span", { class: "sign" }, sign2 && icon(sign2[0], sign2[1])),
    h("code", {}, programText(text)),
    ...said.map((each) => h("span", { class: "told" }, ...catalogue.pieces(each.id, each.args ?? {})))
  );
}

// src/group_rows.ts
var GroupRows = class {
  constructor(onSelect) {
    this.onSelect = onSelect;
  }
  onSelect;
  element = h("ol", { class: "group-rows", hidden: true });
  update(ids, frame) {
    const nodes = ids.map((id) => frame.scene.nodes.get(id)).filter((node) => node !== void 0);
    const focused = this.element.querySelector(":focus")?.dataset.at;
    set(this.element, ...nodes.map((node) => this.row(node, frame)));
    if (focused) this.element.querySelector(`[data-at="${focused}"]`)?.focus();
  }
  row(node, frame) {
    const { state, catalogue, scene } = frame;
    const total = state.total[node.id]?.[0] ?? null;
    const received2 = arrived(state, node.id) > 0 ? valueText(total, 20, catalogue) : "";
    const button2 = h(
      "button",
      { type: "button", class: `group-row${node.id === frame.shown ? " is-shown" : ""}`, "data-at": node.id },
      icon(...STATUS_ICON[fineStatus(state, node.id)]),
      code(scene.name(node.id), 28),
      h("span", { class: "quiet small" }, visible(node.name)),
      h("span", { class: "gap" }),
      received2 && h("span", { class: "chip" }, received2),
      node.kind !== "leaf" && h("span", { class: "quiet small" }, savedCount(node, state, catalogue, scene.head).text)
    );
    button2.addEventListener("click", () => this.onSelect(node.id));
    return h("li", {}, button2);
  }
};

// src/groups.ts
var LARGEST_WHOLE = 60;
var MOST_FOUND = 12;
var Groups = class _Groups {
  constructor(session, onSelect, onChange) {
    this.session = session;
    this.onSelect = onSelect;
    this.onChange = onChange;
    this.search.addEventListener("input", () => this.drawFound());
    const line = h("div", { class: "line" }, this.search);
    set(this.element, this.crumbs, line, this.found, this.list, this.rows.element);
  }
  session;
  onSelect;
  onChange;
  element = h("div", { class: "groups", hidden: true });
  crumbs = h("nav", { class: "crumbs" });
  search = h("input", { type: "search", autocomplete: "off" });
  found = h("div", { class: "found" });
  list = h("div", { class: "group-list", role: "group" });
  rows = new GroupRows((node) => this.onSelect(node));
  tree = new Tree([]);
  open = null;
  followed = null;
  entries = [];
  scene = null;
  drawnScene = null;
  frame = null;
  /** What the list was last built for. */
  drawn = [];
  /** Too many nodes for one picture? */
  static needed(frame) {
    return frame.scene.head.nodes.length > LARGEST_WHOLE;
  }
  find() {
    this.search.focus();
  }
  /** Is there a picture of the open group? */
  get hasPicture() {
    return this.open !== null && Boolean(this.session.layoutOf(this.open.id));
  }
  /** The frame of the picture: of a small graph the whole, else the open group. */
  picture(frame) {
    this.element.hidden = !_Groups.needed(frame);
    if (this.element.hidden) return frame;
    this.update(frame);
    const layout = this.open && this.session.layoutOf(this.open.id);
    if (!layout) return frame;
    if (this.drawnScene?.of !== frame.scene || this.drawnScene.layout !== layout)
      this.drawnScene = { of: frame.scene, layout, scene: frame.scene.part(layout) };
    return { ...frame, scene: this.drawnScene.scene };
  }
  /** Ids of the nodes of the open group; null: the graph is small, or no group of nodes is open. */
  near(frame) {
    if (!_Groups.needed(frame) || !this.open?.nodes.length) return null;
    const leaves2 = this.open.nodes.flatMap((id) => frame.scene.edgesFrom.get(id) ?? []);
    return /* @__PURE__ */ new Set([...this.open.nodes, ...leaves2.map((edge) => edge.to)]);
  }
  update(frame) {
    this.frame = frame;
    if (this.scene !== frame.scene) {
      this.scene = frame.scene;
      this.tree = new Tree(frame.scene.head.groups ?? []);
      this.open = this.followed = null;
    }
    this.follow(frame);
    const level = this.tree.level(this.open);
    const drawn = [this.tree, this.open, frame.catalogue];
    if (drawn.some((each, k) => each !== this.drawn[k])) this.build(level, frame);
    this.drawn = drawn;
    for (const row4 of this.entries) this.say(row4, frame);
    this.rows.element.hidden = this.hasPicture || !this.open?.nodes.length;
    if (!this.rows.element.hidden) this.rows.update(this.open.nodes, frame);
  }
  /** The group that the shown node is in opens when the pass, or the learner, comes into it. */
  follow(frame) {
    const now = this.tree.groupOf(frame.shown);
    if (now === this.followed) return;
    this.followed = now;
    this.show(now);
  }
  show(group) {
    this.open = group;
    if (group?.nodes.length) this.session.askLayout(group.id);
  }
  /** Breadcrumb and list anew: another level is shown, or another language spoken. */
  build(level, frame) {
    const { catalogue } = frame;
    const at2 = this.element.querySelector(":focus")?.dataset.at;
    const label = catalogue.text("ui.groups.find");
    this.search.setAttribute("aria-label", label);
    this.search.setAttribute("placeholder", label);
    this.crumbs.setAttribute("aria-label", catalogue.text("ui.groups.way"));
    this.list.setAttribute("aria-label", catalogue.text("ui.groups"));
    const way = [null, ...this.tree.way(this.open)];
    set(this.crumbs, h("ol", {}, ...way.map((each, k) => this.crumb(each, k === way.length - 1, catalogue))));
    this.entries = this.tree.inside(level).map((group) => this.row(group, frame));
    set(this.list, ...this.entries.map((row4) => row4.button));
    if (at2) this.element.querySelector(`[data-at="${at2}"]`)?.focus();
    this.reveal();
  }
  /** Scrolls the list, and only the list, to the open group. */
  reveal() {
    const button2 = this.entries.find((row4) => row4.group === this.open)?.button;
    if (!button2) return;
    const { offsetTop, offsetHeight } = button2;
    const { scrollTop, clientHeight } = this.element;
    const top = offsetTop - this.element.offsetTop;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + offsetHeight > scrollTop + clientHeight)
      this.element.scrollTop = top + offsetHeight - clientHeight;
  }
  crumb(group, last, catalogue) {
    const name = group ? nameOf(group, catalogue) : catalogue.text("ui.groups.all");
    const attributes = {
      type: "button",
      "data-at": `c${group?.id}`,
      "aria-current": last ? "true" : null,
      title: name
    };
    const button2 = h("button", attributes, group?.stretch ? name : code(name, 24));
    button2.addEventListener("click", () => this.enter(group, `c${group?.id}`));
    return h("li", {}, button2);
  }
  row(group, frame) {
    const isOpen = group === this.open;
    const attributes = {
      type: "button",
      class: `group-head${isOpen ? " is-here" : ""}`,
      "data-at": group.id,
      "aria-current": isOpen ? "true" : null,
      title: nameOf(group, frame.catalogue)
    };
    const button2 = h("button", attributes);
    button2.addEventListener("click", () => this.enter(group, group.id));
    return { group, button: button2, said: "" };
  }
  /** What a row says of its group's state; drawn only where that has changed. */
  say(row4, frame) {
    const { catalogue, state } = frame;
    const nodes = this.tree.nodesIn(row4.group);
    const done = nodes.filter((id) => state.status[id] === "done").length;
    const status = statusOf(nodes, done, state);
    const said = `${status} ${done}`;
    if (said === row4.said) return;
    row4.said = said;
    const word = catalogue.text(`status.${status === "partly" ? "waiting" : status}`);
    const name = nameOf(row4.group, catalogue);
    const [sign2, tone] = STATUS_ICON[status];
    const count = catalogue.text("ui.groups.done", { done, of: nodes.length });
    set(
      row4.button,
      icon(sign2, tone),
      h("span", { class: "unseen" }, `${word} `),
      row4.group.stretch ? h("span", {}, name) : code(name, 28),
      h("span", { class: "gap" }),
      h("span", { class: "quiet small num", "aria-hidden": "true" }, `${done}/${nodes.length}`),
      h("span", { class: "unseen" }, ` ${count}`),
      !row4.group.nodes.length && icon("shut", "c-2")
    );
  }
  /** Opens a group by hand; the list stays where it is, or goes one level down. */
  enter(group, at2) {
    this.show(group);
    this.onChange();
    const there = this.element.querySelector(`[data-at="${at2}"]`) ?? this.entries[0]?.button;
    there?.focus();
  }
  drawFound() {
    const frame = this.frame;
    const words2 = this.search.value.trim().toLowerCase();
    if (!frame || words2 === "") return set(this.found);
    const hits = frame.scene.head.nodes.filter(
      (node) => [
        frame.scene.name(node.id),
        node.source,
        node.name,
        node.module,
        ...(node.calls ?? []).map(([, name]) => name)
      ].some((each) => each?.toLowerCase().includes(words2))
    );
    const buttons = hits.slice(0, MOST_FOUND).map((node) => {
      const button2 = h("button", { type: "button", class: "btn line" }, code(frame.scene.name(node.id), 30));
      button2.addEventListener("click", () => this.onSelect(node.id));
      return button2;
    });
    const count = frame.catalogue.text("ui.groups.found", { n: hits.length });
    set(this.found, h("span", { class: "quiet small", role: "status" }, count), ...buttons);
  }
};
var Tree = class {
  byId = /* @__PURE__ */ new Map();
  children = /* @__PURE__ */ new Map();
  ofNode = /* @__PURE__ */ new Map();
  all = /* @__PURE__ */ new Map();
  constructor(groups) {
    for (const group of groups) {
      this.byId.set(group.id, group);
      this.children.set(group.parent, [...this.children.get(group.parent) ?? [], group]);
      for (const node of group.nodes) this.ofNode.set(node, group);
    }
    for (const group of [...groups].reverse())
      this.all.set(group.id, [...group.nodes, ...this.inside(group).flatMap((each) => this.nodesIn(each))]);
  }
  /** The groups in a group; of null those of the first level. */
  inside(group) {
    return this.children.get(group?.id ?? null) ?? [];
  }
  /** All nodes of a group and of those in it. */
  nodesIn(group) {
    return this.all.get(group.id) ?? [];
  }
  groupOf(node) {
    return node !== null && this.ofNode.get(node) || null;
  }
  /** The groups from the first level down to this one. */
  way(group) {
    const way = [];
    for (let at2 = group; at2; at2 = this.byId.get(at2.parent ?? "") ?? null) way.unshift(at2);
    return way;
  }
  /** The group whose inside is listed: a group of groups itself, else the one it lies in. */
  level(open) {
    return open?.nodes.length ? this.byId.get(open.parent ?? "") ?? null : open;
  }
};
function nameOf(group, catalogue) {
  if (!group.stretch) return shorten(visible(group.name), 60);
  const [from, to] = group.stretch;
  return catalogue.text("ui.groups.stretch", { from, to });
}
function statusOf(nodes, done, state) {
  const some = (status) => nodes.some((id) => state.status[id] === status);
  if (some("failed")) return "failed";
  if (some("next")) return "next";
  if (done === nodes.length) return "done";
  return done ? "partly" : "waiting";
}

// src/memory_model.ts
var KEPT = /* @__PURE__ */ new Set(["kept", "stale"]);
var MemoryModel = class {
  constructor(scene, session) {
    this.scene = scene;
    this.session = session;
    this.forwardOrder = scene.head.nodes.filter((node) => node.kind !== "leaf").sort((a, b) => (b.number ?? 0) - (a.number ?? 0));
    const sizes = new Map(scene.head.storages.map((each) => [each.id, each]));
    const first = session.first();
    const ends2 = this.ends();
    const filled = this.filled();
    const runs2 = scene.head.nodes.filter((node) => first.status[node.id] !== "skipped");
    runs2.forEach((node, k) => this.planned.set(node.id, k + 1));
    const found = /* @__PURE__ */ new Map();
    this.forwardOrder.forEach((node, k) => {
      for (const entry of node.saved) {
        const storage = sizes.get(entry.storage ?? "");
        const state = first.saved[entry.key]?.state ?? "none";
        const again = filled.get(entry.key) ?? null;
        if (!storage || entry.role === "scalar" || state === "none") continue;
        if (state === "packed" && again === null) continue;
        if (!found.has(storage.id))
          found.set(storage.id, {
            storage: storage.id,
            bytes: storage.bytes,
            parameter: storage.parameter,
            uses: []
          });
        const from = again === null ? k + 1 : this.forwardOrder.length + again;
        found.get(storage.id).uses.push({ node, entry, from, until: ends2.get(entry.key) ?? null, again });
      }
    });
    this.lives.push(...found.values());
  }
  scene;
  session;
  forwardOrder;
  lives = [];
  /** Node -> the step in which it runs, if all goes to plan. */
  planned = /* @__PURE__ */ new Map();
  /** After each operation of forward. */
  forward() {
    const first = this.session.first();
    const alive = /* @__PURE__ */ new Set();
    return this.forwardOrder.map((node) => {
      for (const life of this.lives)
        if (life.uses.some((use) => use.node === node && isKept(use, first))) alive.add(life.storage);
      return this.weigh((life) => alive.has(life.storage));
    });
  }
  /** In a state: recorded, or, beyond the record, as it is planned. */
  at(step) {
    return this.weigh((life) => this.isAlive(life, step));
  }
  isAlive(life, step) {
    return life.uses.some((use) => (use.again ?? 0) <= step && this.end(use) > step);
  }
  /** The step in which an entry goes: it has been recorded, or it is planned; Infinity: it stays. */
  end(use) {
    if (use.until !== null) return use.until;
    if (this.scene.head.options.retain_graph || this.session.done) return Infinity;
    return this.planned.get(use.node.id) ?? Infinity;
  }
  weigh(alive) {
    const size = { bytes: 0, parameters: 0 };
    for (const life of this.lives) {
      if (!alive(life)) continue;
      size.bytes += life.bytes;
      if (life.parameter) size.parameters += life.bytes;
    }
    return size;
  }
  /** Key of an entry that a checkpoint did not keep -> the step that computed it again. */
  filled() {
    const found = /* @__PURE__ */ new Map();
    for (let k = 0; k < this.session.count; k++) {
      for (const [key, now] of Object.entries(this.session.delta(k)?.saved ?? {}))
        if (now.state === "kept" && now.packed?.place && !found.has(key)) found.set(key, k);
    }
    return found;
  }
  /** Key of an entry -> the step in which it was freed (0: before this pass). */
  ends() {
    const found = /* @__PURE__ */ new Map();
    for (let k = 0; k < this.session.count; k++) {
      for (const [key, now] of Object.entries(this.session.delta(k)?.saved ?? {}))
        if (now.state === "freed" && !found.has(key)) found.set(key, k);
    }
    return found;
  }
};
function isKept(use, state) {
  return KEPT.has(state.saved[use.entry.key]?.state ?? "");
}
function storageName(life) {
  const named = life.uses.find((use) => use.entry.var);
  if (named) return visible(named.entry.var);
  return `${who(life.uses[0].node)}: ${visible(life.uses[0].entry.name)}`;
}

// src/memory.ts
var MOST_NAMED = 30;
var MemoryPanel = class {
  constructor(session, onJump) {
    this.session = session;
    this.onJump = onJump;
  }
  session;
  onJump;
  element = h("div", { class: "memory", hidden: true });
  update(frame) {
    if (this.element.hidden) return;
    const model = new MemoryModel(frame.scene, this.session);
    const axis = new Axis(model, frame);
    const lines2 = model.lives.map((life) => this.row(life, model, axis, frame));
    set(
      this.element,
      h("p", { class: "say" }, ...frame.catalogue.sentences(frame.state.error?.say ?? frame.state.say)),
      h(
        "div",
        { class: "mem-grid" },
        this.words(frame),
        this.plot(model, axis, frame),
        ...this.titles(frame),
        ...lines2,
        ...this.sum(model, frame)
      )
    );
  }
  words(frame) {
    const { catalogue } = frame;
    return h(
      "div",
      { class: "mem-words" },
      h("h4", {}, catalogue.text("ui.memory.title")),
      h("p", { class: "quiet small" }, catalogue.text("ui.memory.about"))
    );
  }
  /** The curve; what is still to come is dashed. */
  plot(model, axis, frame) {
    const { catalogue } = frame;
    const up = model.forward();
    const down = Array.from({ length: axis.steps + 1 }, (_, k) => model.at(k));
    const peak = Math.max(1, ...[...up, ...down].map((each) => each.bytes));
    const now = down[frame.position];
    const sizes = { peak: `${peak} B`, bytes: `${now.bytes} B`, parameters: `${now.parameters} B` };
    const at2 = `left:${axis.percent(axis.now)}%`;
    const said = h(
      "span",
      { class: `mem-said${axis.percent(axis.now) > 70 ? " left" : ""}`, style: at2 },
      h("b", {}, catalogue.text("ui.memory.now", sizes)),
      now.parameters > 0 && h("span", { class: "quiet" }, " ", catalogue.text("ui.memory.parameters", sizes))
    );
    const box = h(
      "div",
      { class: "mem-box", role: "img", "aria-label": catalogue.text("ui.memory.label", sizes) },
      this.curve([...up, ...down.slice(1)], axis, peak),
      h("span", { class: "mem-y", style: "top:0" }, sizes.peak),
      h("span", { class: "mem-y", style: "top:100%" }, "0"),
      h("span", { class: "mem-now", style: at2, "aria-hidden": "true" }),
      said
    );
    return h("div", { class: "mem-plot" }, this.sides(axis, frame), box, this.names(model, axis, frame));
  }
  /** Which part of the axis is forward, which is the pass. */
  sides(axis, { catalogue }) {
    return h(
      "div",
      { class: "mem-sides quiet small" },
      h(
        "span",
        { style: `width:${axis.percent(axis.forward)}%` },
        catalogue.text("ui.memory.forward", { n: axis.forward })
      ),
      h("span", {}, catalogue.text("ui.memory.backward", { n: axis.steps }))
    );
  }
  curve(sizes, axis, peak) {
    const bytes = sizes.map((each) => each.bytes);
    const past = axis.stairs(bytes, 0, axis.now, peak);
    const parameters = sizes.map((each) => each.parameters);
    return s(
      "svg",
      {
        class: "mem-curve",
        viewBox: `0 0 ${axis.length} 100`,
        preserveAspectRatio: "none",
        "aria-hidden": "true"
      },
      s("path", { class: "grid", d: `M0 0H${axis.length}M0 50H${axis.length}M0 100H${axis.length}` }),
      s("path", { class: "area", d: `${past}V100H0Z` }),
      s("path", { class: "parameters", d: `${axis.stairs(parameters, 0, axis.now, peak)}V100H0Z` }),
      s("path", { class: "past", d: past }),
      s("path", { class: "coming", d: axis.stairs(bytes, axis.now, axis.length, peak) })
    );
  }
  /** The steps by name; a click on one of the pass goes there. */
  names(model, axis, frame) {
    if (axis.length > MOST_NAMED) return null;
    const name = (id, k, attributes) => h("li", { style: `left:${axis.percent(k + 0.5)}%`, ...attributes }, code(frame.scene.name(id), 14));
    const up = model.forwardOrder.map((node, k) => name(node.id, k, { class: "up" }));
    const down = axis.order.map((id, k) => {
      const item = name(id, axis.forward + k, {
        class: k === frame.position ? "now" : k < frame.position ? "past" : "todo"
      });
      item.addEventListener("click", () => k < frame.count && this.onJump(k));
      return item;
    });
    return h("ol", { class: "mem-names", "aria-hidden": "true" }, ...up, ...down);
  }
  titles(frame) {
    const word = (id, kind = "") => h("span", { class: `mem-head ${kind}` }, frame.catalogue.text(id));
    return [
      word("ui.memory.storage"),
      word("ui.memory.kept_by"),
      word("ui.memory.shape"),
      word("ui.memory.bytes", "num"),
      h("span", { class: "mem-head" })
    ];
  }
  /** One storage: its name, who keeps it as what, and its life as bars, one for each entry. */
  row(life, model, axis, frame) {
    const { catalogue, position } = frame;
    const alive = model.isAlive(life, position);
    const mine = life.uses.some((use) => use.node.id === frame.shown);
    const users2 = [
      ...new Set(
        life.uses.map(
          (use) => `${frame.scene.name(use.node.id)} ${catalogue.text(`role.${use.entry.role}`)}`
        )
      )
    ];
    const entry = life.uses[0].entry;
    const [sign2, tone] = SAVED_ICON[alive ? "kept" : "freed"];
    const word = catalogue.text(alive ? "saved.kept" : "saved.freed");
    const state = life.parameter ? catalogue.text("memory.parameter", { state: word }) : word;
    const kind = `mem-row${mine ? " is-mine" : ""}${alive ? "" : " is-gone"}${life.parameter ? " is-parameter" : ""}`;
    return h(
      "div",
      {
        class: kind,
        role: "group",
        "aria-label": `${storageName(life)}, ${users2.join(", ")}, ${life.bytes} B, ${state}`
      },
      h("span", {}, code(storageName(life), 24)),
      h("span", { class: "quiet small" }, users2.join(", ")),
      h("span", { class: "quiet small" }, `${shapeText(entry.shape)} ${entry.dtype ?? ""}`),
      h(
        "span",
        { class: "num" },
        h("b", {}, String(life.bytes)),
        " ",
        icon(sign2, tone),
        h("span", { class: "unseen" }, state)
      ),
      this.bars(life, model, axis)
    );
  }
  bars(life, model, axis) {
    const height = life.uses.length > 1 ? 7 : 10;
    const bars = life.uses.slice(0, 3).flatMap((use, k) => {
      const start = use.from - 0.5;
      const end = Math.min(axis.length, axis.forward + model.end(use) - 0.5);
      const now = Math.min(end, Math.max(start, axis.now));
      const place2 = (from, to) => `left:${axis.percent(from)}%;width:${axis.percent(to) - axis.percent(from)}%;height:${height}px;top:${7 + k * (height + 2)}px`;
      const past = h("span", { class: end <= axis.now ? "bar-gone" : "bar-kept", style: place2(start, now) });
      return [past, end > axis.now ? h("span", { class: "bar-coming", style: place2(now, end) }) : null];
    });
    const line = h("span", { class: "mem-now", style: `left:${axis.percent(axis.now)}%` });
    return h("span", { class: "mem-bars", "aria-hidden": "true" }, ...bars, line);
  }
  sum(model, frame) {
    const { catalogue, position } = frame;
    const alive = model.lives.filter((life) => model.isAlive(life, position));
    const size = model.at(position);
    const parts2 = alive.map((life) => life.bytes).join(" + ");
    return [
      h("b", { class: "mem-sum" }, catalogue.text("ui.memory.sum", { n: alive.length })),
      h("b", { class: "mem-sum num" }, String(size.bytes)),
      h("span", { class: "mem-sum quiet small" }, alive.length > 1 ? `${parts2} = ${size.bytes}` : "")
    ];
  }
};
var Axis = class {
  forward;
  steps;
  now;
  order;
  constructor(model, frame) {
    this.forward = model.forwardOrder.length;
    this.steps = Math.max(frame.total, frame.count - 1);
    this.now = this.forward + frame.position;
    const asked = frame.scene.head.nodes.map((node) => node.id).filter((id) => frame.first.status[id] !== "skipped");
    const seen = new Set(frame.ran);
    this.order = [...frame.ran, ...asked.filter((id) => !seen.has(id))];
  }
  get length() {
    return Math.max(1, this.forward + this.steps);
  }
  percent(x) {
    return Math.round(1e4 * x / this.length) / 100;
  }
  /** A stair of values, each beginning in the middle of its place; from x to x, in units of 0 (top) to 100. */
  stairs(values, from, to, peak) {
    const y = (value) => Math.round(1e3 - 1e3 * value / peak) / 10;
    const at2 = (x) => values[Math.ceil(x - 0.5) - 1] ?? 0;
    let path = `M${from} ${y(at2(from))}`;
    for (let k = 0; k < values.length; k++) {
      const x = k + 0.5;
      if (x > from && x <= to) path += `H${x}V${y(values[k])}`;
    }
    return `${path}H${to}`;
  }
};

// src/memory_text.ts
var TITLE_COLUMN2 = 53;
var MOST_LINES = 40;
var MOST_NAME = 24;
var BAR = 30;
function memoryText(frame, session) {
  const model = new MemoryModel(frame.scene, session);
  const { catalogue } = frame;
  const root = visible(frame.scene.head.root || catalogue.text("title.output"));
  const left = catalogue.text("memory.title", { root });
  const total = Object.values(frame.first.status).filter((status) => status !== "skipped").length;
  const count = catalogue.text("ui.count", { done: frame.position, total });
  const title = left + " ".repeat(Math.max(3, TITLE_COLUMN2 - columns(left))) + count;
  return [[title], curve(frame, model), storages(frame, model)].map((part) => part.join("\n")).join("\n\n") + "\n";
}
function curve(frame, model) {
  const { catalogue, position, ran } = frame;
  const up = model.forward().map(({ bytes, parameters }, k) => {
    return [`${catalogue.text("text.forward")} ${k + 1}`, who(model.forwardOrder[k]), bytes, parameters];
  });
  const down = Array.from({ length: position }, (_, k) => {
    const { bytes, parameters } = model.at(k + 1);
    return [String(k + 1), frame.scene.name(ran[k] ?? null), bytes, parameters];
  });
  let lines2 = [...up, ...down];
  if (lines2.length > MOST_LINES)
    lines2 = lines2.filter((line, k, all) => {
      const before2 = all[k - 1];
      return !before2 || line[2] !== before2[2] || line[3] !== before2[3] || k === all.length - 1;
    });
  const peak = Math.max(0, ...lines2.map((line) => line[2])) || 1;
  const titles2 = ["memory.step", "text.node", "memory.kept", "memory.parameters"].map(
    (id) => catalogue.text(id)
  );
  const rows2 = lines2.map(([step, name, bytes, parameters]) => [
    (step === String(position) ? "> " : "  ") + step,
    cutTo(name, MOST_NAME),
    `${bytes} B`,
    `${parameters} B`,
    "#".repeat(round2(BAR * bytes / peak))
  ]);
  return aligned([["  " + titles2[0], ...titles2.slice(1)], ...rows2]);
}
function round2(value) {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.round(value);
  return whole % 2 === 0 ? whole : whole + 1;
}
function storages(frame, model) {
  const { catalogue, position } = frame;
  const ids = [
    "memory.storage",
    "memory.kept_by",
    "memory.shape",
    "memory.bytes",
    "text.state",
    "memory.life"
  ];
  const titles2 = ids.map((id) => catalogue.text(id));
  const rows2 = model.lives.map((life) => {
    const absent = (life.uses[0].again ?? 0) > position;
    const kept = model.isAlive(life, position);
    const word = catalogue.text(kept ? "saved.kept" : absent ? "saved.absent" : "saved.freed");
    const { entry } = life.uses[0];
    return [
      "  " + cutTo(storageName(life), MOST_NAME),
      users(life, frame),
      `${shapeText(entry.shape)} ${visible(entry.dtype ?? "None")}`,
      String(life.bytes),
      life.parameter ? catalogue.text("memory.parameter", { state: word }) : word,
      lifetime(life, frame)
    ];
  });
  const n = model.lives.filter((life) => model.isAlive(life, position)).length;
  const sum = catalogue.text("memory.sum", { n, ...model.at(position) });
  return [...aligned([["  " + titles2[0], ...titles2.slice(1)], ...rows2]), "  " + sum];
}
function users(life, frame) {
  const words2 = life.uses.map(
    (use) => `${cutTo(who(use.node), MOST_NAME)} ${frame.catalogue.text(`role.${use.entry.role}`)}`
  );
  return [...new Set(words2)].join(", ");
}
function lifetime(life, { catalogue, position }) {
  const { again } = life.uses[0];
  if (again !== null) return catalogue.text("memory.again", { step: again });
  const start = Math.min(...life.uses.map((use) => use.from));
  const ends2 = life.uses.map((use) => use.until);
  if (ends2.some((end) => end === null || end > position)) return catalogue.text("memory.since", { start });
  return catalogue.text("memory.from_to", { start, end: Math.max(...ends2.map(Number)) });
}

// src/second_panel.ts
var SecondPanel = class {
  constructor(session) {
    this.session = session;
  }
  session;
  element = h("div");
  drawn = "";
  update(frame) {
    const { head } = frame.scene;
    const leaves2 = this.offers(frame);
    const key = JSON.stringify([
      head.second_of,
      leaves2.map((leaf) => leaf.id),
      frame.catalogue.text("ui.second")
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    set(
      this.element,
      head.second_of !== void 0 && this.banner(frame),
      leaves2.length > 0 && this.offer(leaves2, frame)
    );
  }
  /** Leaves whose gradient has a graph, at the end of a pass that made one. */
  offers(frame) {
    const { state, scene } = frame;
    if (this.session.onPage || state.end !== "ok" || !scene.head.options.live) return [];
    if (Object.keys(state.second ?? {}).length === 0 || scene.head.engine !== "autodidact") return [];
    return scene.head.nodes.filter((node) => node.kind === "leaf" && state.grads[node.id]?.value);
  }
  offer(leaves2, frame) {
    const { catalogue, scene } = frame;
    const buttons = leaves2.map(
      (leaf) => this.button(
        catalogue.text("ui.second.step", { who: scene.name(leaf.id) }),
        () => this.session.second(leaf.id)
      )
    );
    const words2 = h("p", {}, catalogue.text("ui.second.ready"));
    return h(
      "div",
      { class: "notice calm second-offer" },
      icon("into", "c-2"),
      words2,
      h("div", {}, ...buttons)
    );
  }
  banner(frame) {
    const { catalogue, scene } = frame;
    const args = {
      who: visible(scene.head.root ?? catalogue.text("title.output")),
      root: visible(scene.head.second_of ?? "-")
    };
    const back = this.session.onPage ? null : this.button(catalogue.text("ui.second.back"), () => this.session.undo());
    const text = h("p", {}, catalogue.text("ui.second.banner", args));
    return h("div", { class: "notice calm", role: "status" }, icon("into", "c-2"), text, back);
  }
  button(words2, action) {
    const made = h("button", { type: "button", class: "btn line" }, words2);
    made.addEventListener("click", action);
    return made;
  }
};

// src/views.ts
var CARD2 = { w: 128, h: 24 };
var CELL = 18;
var MOST_CELLS = 12;
function familyRows(scene, state, catalogue) {
  const versions2 = state.versions ?? {};
  return (scene.head.families ?? []).filter(({ members }) => members.some((each) => (versions2[each.counter] ?? 0) > 0)).flatMap(
    ({ members }) => members.map((each) => {
      const others = members.filter((other) => other !== each && other.counter === each.counter);
      const hidden = each.kind === "alias";
      const what = others.map((other) => visible(other.name));
      const counter = hidden ? catalogue.text("text.hidden_counter") : what.length ? catalogue.text("text.counter.shared", { what }) : catalogue.text("text.counter.own");
      const kind = catalogue.text(`kind.${each.kind}`);
      return [visible(each.name), kind, counter, String(versions2[each.counter] ?? 0)];
    })
  );
}
var FamilyPanel = class {
  element = h("div", { class: "leaves families", hidden: true });
  update(frame) {
    const { catalogue } = frame;
    const rows2 = familyRows(frame.scene, frame.state, catalogue);
    this.element.hidden = rows2.length === 0;
    const titles2 = ["name", "kind", "counter", "version_now"].map(
      (id, k) => h("th", { scope: "col", class: k === 3 ? "num" : null }, catalogue.text(`text.${id}`))
    );
    const body = rows2.map(
      ([name, kind, counter, version]) => h(
        "tr",
        {},
        h("th", { scope: "row" }, h("b", { class: "code" }, name)),
        h("td", {}, kind),
        h("td", {}, counter),
        h("td", { class: "num" }, version)
      )
    );
    const caption = h("caption", {}, catalogue.text("ui.families"));
    set(
      this.element,
      h("table", {}, caption, h("thead", {}, h("tr", {}, ...titles2)), h("tbody", {}, ...body))
    );
  }
};
function writeOf(node, scene, catalogue) {
  if (!node.writes) return null;
  const to = new Map((scene.edgesFrom.get(node.id) ?? []).map((edge) => [edge.position, edge.to]));
  const base = visible(node.var ?? catalogue.text("text.base"));
  const inputs = node.inputs.slice(1).map(({ position }) => to.has(position) ? scene.name(to.get(position)) : "-");
  const { cells: cells2, count, size } = node.writes;
  const marks = (cells2 ?? []).map((cell) => cell ? "■" : "·").join("");
  return {
    base,
    before: to.has(0) ? scene.name(to.get(0)) : null,
    inputs: [catalogue.text("text.as_it_was", { who: base }), ...inputs],
    elements: count === null ? "-" : `${catalogue.text("text.elements", { count, size })} ${marks}`.trim()
  };
}
function writesSection(node, frame) {
  const { catalogue } = frame;
  const told = writeOf(node, frame.scene, catalogue);
  if (!told) return null;
  const none = catalogue.text("ui.writes.no_node");
  const label = catalogue.text("ui.writes.label", {
    base: told.base,
    before: told.before ?? none,
    what: told.inputs,
    elements: told.elements
  });
  const half = (title, drawing, height2) => h(
    "div",
    {},
    h("p", { class: "quiet small" }, title),
    s("svg", { class: "g mini", viewBox: `0 0 ${CARD2.w} ${height2}`, width: CARD2.w, height: height2 }, ...drawing)
  );
  const height = CARD2.h * 3 + 60 + (told.inputs.length - 2) * (CARD2.h + 4);
  return h(
    "section",
    { class: "writes" },
    h("h4", {}, catalogue.text("ui.writes"), h("small", {}, told.elements)),
    h(
      "div",
      { class: "write-halves", role: "img", "aria-label": label },
      half(catalogue.text("ui.writes.before"), before(told, none, node, frame), height),
      half(catalogue.text("ui.writes.after"), after(told, node, frame), height)
    )
  );
}
function before(told, none, node, frame) {
  const low = CARD2.h + 18;
  return [
    ...card(0, 0, told.before ?? none, frame, told.before === null),
    ...told.before === null ? [] : [arrow(CARD2.w / 2, CARD2.h, low)],
    ...card(0, low, told.base, frame),
    ...cells(node, low + CARD2.h + 8, false)
  ];
}
function after(told, node, frame) {
  const { inputs } = told;
  const low = inputs.length * (CARD2.h + 4) + 14;
  return [
    ...inputs.flatMap((each, k) => card(0, k * (CARD2.h + 4), each, frame, k === 0 && told.before === null)),
    arrow(CARD2.w / 2, low - 16, low),
    ...card(0, low, "CopySlices", frame),
    ...cells(node, low + CARD2.h + 8, true)
  ];
}
function card(x, y, words2, frame, faint = false) {
  const rect = { x: x + 0.5, y: y + 0.5, width: CARD2.w - 1, height: CARD2.h - 1, rx: 4 };
  return [
    s("rect", { class: faint ? "mini-card is-faint" : "mini-card", ...rect }),
    s("text", { class: "mid", x: x + CARD2.w / 2, y: y + 16 }, fit(words2, frame.fonts.sub, CARD2.w - 12))
  ];
}
function arrow(x, from, to) {
  return s("path", { class: "fwd", d: `M${x} ${from}V${to - 1}M${x - 3} ${to - 5}L${x} ${to - 1}l3 -4` });
}
function cells(node, y, written) {
  const list = node.writes?.cells ?? [];
  if (list.length === 0 || list.length > MOST_CELLS) return [];
  const size = Math.min(CELL, CARD2.w / list.length);
  const start = (CARD2.w - size * list.length) / 2;
  return list.map(
    (cell, k) => s("rect", {
      class: written && cell ? "mini-cell is-written" : "mini-cell",
      x: start + k * size + 1,
      y: y + 0.5,
      width: size - 2,
      height: 12
    })
  );
}

// src/extras.ts
var Extras = class {
  constructor(session, onJump, onChange, prefix, onSelect) {
    this.session = session;
    this.onChange = onChange;
    this.groups = new Groups(session, onSelect, onChange);
    this.whatIf = new WhatIf(session, onChange, prefix);
    this.memory = new MemoryPanel(session, onJump);
    this.second = new SecondPanel(session);
    this.cuts = new CutPanel(session);
    this.clinic = new Clinic(session);
    this.above = [this.whatIf.element, this.second.element, this.cuts.badge, this.save.element];
    this.below = [this.clinic.repairs, this.again.element, this.families.element];
    this.below.push(this.ends.element, this.cuts.element);
  }
  session;
  onChange;
  /** Stands in the body beside the panes, which it hides while it is open. */
  memory;
  /** Stands above the body: the editor of a what-if, and the banner of a copy. */
  whatIf;
  editButton = null;
  /** Stands in place of a picture that would be too large. */
  groups;
  second;
  save = new SavePanel((what) => this.session.save(what));
  saveButton = null;
  /** Panels above the body, and those under the picture: the view only puts them there. */
  above;
  below;
  /** What is wrong with a program, where something is. */
  clinic;
  families = new FamilyPanel();
  ends = new EndPanel();
  cuts;
  again = new AgainPanel();
  memoryButton = null;
  /** Fresh buttons for a bar in the catalogue's language. */
  buttons(catalogue) {
    this.memoryButton = this.button(catalogue, "memory", () => this.toggleMemory());
    if (this.session.onPage) return [this.memoryButton];
    this.editButton = this.button(catalogue, "edit", () => this.whatIf.toggle());
    this.saveButton = this.button(catalogue, "save", () => this.toggleSave(catalogue));
    return [this.memoryButton, this.editButton, this.saveButton];
  }
  update(frame) {
    this.memoryButton?.setAttribute("aria-pressed", String(this.memoryOpen));
    this.memory.update(frame);
    this.editButton?.setAttribute("aria-expanded", String(this.whatIf.editing));
    this.whatIf.update(frame);
    this.second.update(frame);
    this.clinic.update(frame);
    this.again.update(frame);
    this.families.update(frame);
    this.ends.update(frame);
    this.cuts.update(frame);
  }
  get memoryOpen() {
    return !this.memory.element.hidden;
  }
  toggleMemory() {
    this.memory.element.hidden = this.memoryOpen;
    this.onChange();
  }
  /** The text form of the view that is open; null: none of these is. */
  text(frame) {
    return this.memoryOpen ? memoryText(frame, this.session) : null;
  }
  toggleSave(catalogue) {
    this.save.show(!this.save.open, catalogue);
    this.saveButton?.setAttribute("aria-expanded", String(this.save.open));
    if (!this.save.open) this.saveButton?.focus();
  }
  /** Escape: closes what is open; false: nothing was. */
  escape() {
    if (this.save.open) this.saveButton?.click();
    else if (this.whatIf.editing) this.whatIf.toggle();
    else return false;
    return true;
  }
  /** A key that only these views know; false: not mine. */
  key(key) {
    if (key.toLowerCase() === "m") this.toggleMemory();
    else if (key.toLowerCase() === "e" && !this.session.onPage) this.whatIf.toggle();
    else if (key === "/" && !this.groups.element.hidden) this.groups.find();
    else return false;
    return true;
  }
  button(catalogue, name, action) {
    const label = catalogue.text(`ui.button.${name}`);
    const made = h(
      "button",
      { type: "button", class: "btn icon", "aria-label": label, title: label },
      icon(name)
    );
    made.addEventListener("click", action);
    return made;
  }
};

// src/gate.ts
var GateBar = class {
  constructor(tell) {
    this.tell = tell;
  }
  tell;
  element = h("div", { class: "gate", role: "status", hidden: true });
  built = null;
  update(catalogue, waiting) {
    this.element.hidden = !waiting;
    if (!waiting || this.built === catalogue) return;
    this.built = catalogue;
    set(
      this.element,
      icon("pause", "c-grad"),
      h("p", {}, catalogue.text("ui.gate.waits")),
      this.button(catalogue.text("ui.gate.run_on"), "run_on"),
      this.button(catalogue.text("ui.gate.stop"), "stop")
    );
  }
  button(name, what) {
    const button2 = h("button", { class: "btn line", type: "button" }, name);
    button2.addEventListener("click", () => this.tell(what));
    return button2;
  }
};

// src/program.ts
function programSection(node, frame, onInto) {
  const program = node.program;
  if (!program) return null;
  const { catalogue, state } = frame;
  const events = state.ran === node.id ? state.events : [];
  const lines2 = events.filter((event) => event.kind === "line");
  const now = state.part || state.error ? lines2[lines2.length - 1]?.args?.line : void 0;
  const ran = new Set(lines2.map((event) => event.args?.line));
  const rows2 = program.lines.map((text, k) => row2(program.first + k, text, now, ran, frame));
  const waits = state.next === node.id && !state.part;
  const into = h(
    "button",
    { class: "btn line follow", type: "button" },
    icon("into"),
    catalogue.text("ui.program.into")
  );
  into.addEventListener("click", onInto);
  return h(
    "section",
    { class: "program" },
    h("h4", {}, catalogue.text("ui.program"), waits ? into : h("small")),
    h("ol", { tabindex: 0, "aria-label": catalogue.text("ui.program") }, ...rows2),
    ...pairs("ui.program.context", node.context ?? [], frame),
    ...pairs("ui.program.names", latest2(lines2.map((event) => event.args?.set)), frame)
  );
}
function row2(number, text, now, ran, frame) {
  const current = number === now;
  const stopped2 = current && frame.state.error !== null;
  const words2 = current ? h("span", { class: "unseen" }, ` (${frame.catalogue.text("ui.program.now")})`) : null;
  return h(
    "li",
    {
      class: stopped2 ? "now stop" : current ? "now" : ran.has(number) ? "ran" : "",
      "aria-current": current ? "step" : null
    },
    h("span", { class: "num quiet" }, number),
    h("code", {}, text.replace(/\t/g, "    ") === "" ? " " : keepIndent(text)),
    words2
  );
}
function keepIndent(text) {
  const indent = /^[ \t]*/.exec(text)[0].replace(/\t/g, "    ");
  return indent + visible(text.trimStart());
}
function latest2(sets) {
  const found = /* @__PURE__ */ new Map();
  for (const set2 of sets)
    if (Array.isArray(set2)) {
      for (const each of set2) if (Array.isArray(each)) found.set(String(each[0]), each[1] ?? null);
    }
  return [...found];
}
function pairs(title, list, frame) {
  if (list.length === 0) return [];
  const { catalogue } = frame;
  return [
    h("p", { class: "quiet small" }, catalogue.text(title)),
    ...list.map(
      ([name, value]) => h(
        "div",
        { class: "gets" },
        h("span", {}, code(String(name), 24)),
        h("b", { class: "num" }, catalogue.text("event.line.set.value", { value: value ?? null }))
      )
    )
  ];
}

// src/mathml.ts
var MATHML = "http://www.w3.org/1998/Math/MathML";
var ELEMENTS = words(
  "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover",
  "mtable mtr mtd mstyle mpadded mphantom mmultiscripts none"
);
var ATTRIBUTES = words(
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace width height depth",
  "linethickness accent accentunder columnalign rowspacing columnspacing minsize maxsize"
);
var DIRECTIONS = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;
var VALUE = /^[\w .%#+-]*$/;
function words(...lines2) {
  return new Set(lines2.join(" ").split(" "));
}
function copy(source) {
  if (!ELEMENTS.has(source.localName)) return null;
  const target = document.createElementNS(MATHML, source.localName);
  for (const attribute of source.attributes) {
    if (ATTRIBUTES.has(attribute.name) && VALUE.test(attribute.value))
      target.setAttribute(attribute.name, attribute.value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE)
      target.append(document.createTextNode((child.textContent ?? "").replace(DIRECTIONS, "")));
    else if (child instanceof Element) {
      const inner = copy(child);
      if (inner) target.append(inner);
    }
  }
  return target;
}
function formula(source) {
  if (!source || source.length > 2e4) return null;
  const parsed = new DOMParser().parseFromString(source, "application/xml").documentElement;
  if (!parsed || parsed.localName !== "math" || parsed.querySelector("parsererror")) return null;
  return copy(parsed);
}
function element(tag, ...children) {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}
function partial(root, of) {
  const part = (name) => element("mrow", element("mo", "∂"), element("mi", visible(name)));
  return element("math", element("mrow", element("mfrac", part(root), part(of))));
}

// src/sends.ts
function chip2(value, frame, kind = "") {
  if (value === null) return h("span", { class: `chip nil ${kind}` }, frame.catalogue.text("value.none"));
  const all = allNumbers(value, MOST_COLUMNS);
  const norm = value.label === "norm" && all === null;
  return h(
    "span",
    { class: `chip ${kind}` },
    ...norm ? [h("small", {}, frame.catalogue.text("ui.norm"), " ")] : [],
    all ?? visible(value.text)
  );
}
function gradientSign(node, frame) {
  const root = frame.scene.head.root;
  return root && node.var && node.var.length <= 12 && root.length <= 12 ? partial(root, node.var) : null;
}
function receivesSection(node, frame) {
  const { catalogue, state, scene } = frame;
  const got = arrived(state, node.id);
  const title = h(
    "h4",
    {},
    catalogue.text(state.status[node.id] === "done" ? "ui.received_title" : "ui.receives"),
    h("small", {}, catalogue.text("text.of", { got, of: scene.expected(node.id) }))
  );
  const slots = node.outputs.map((_, slot) => receivedSlot(node, slot, frame)).filter((each) => each !== null);
  const wrong2 = wrongText(state, node.id, catalogue);
  const { directions } = scene.head.options;
  return h(
    "section",
    {},
    title,
    wrong2 && h("p", { class: "bad small" }, icon("stale", "c-bad"), ` ${wrong2}`),
    directions !== void 0 && slots.length > 0 && h("p", { class: "quiet small" }, catalogue.text("text.directions.rows", { n: directions })),
    ...slots.length ? slots : [h("p", { class: "quiet small" }, catalogue.text("ui.receives.nothing"))]
  );
}
function receivedSlot(node, slot, frame) {
  const { catalogue, state, scene } = frame;
  const list = state.received[node.id]?.[slot] ?? [];
  if (list.length === 0) return null;
  const total = state.total[node.id]?.[slot] ?? null;
  const output = node.outputs.length > 1 ? [h("span", {}, catalogue.text("ui.output", { n: slot })), " "] : [];
  const lines2 = list.map((each, k) => {
    const from = each.edge === null ? null : scene.edges.get(each.edge)?.from ?? null;
    const about = from === null ? [catalogue.text("ui.from_start")] : [
      catalogue.text("ui.from"),
      " ",
      quietCode(scene.title(from) === "-" ? scene.name(from) : scene.title(from), 28)
    ];
    const facts2 = each.value ? `${shapeText(each.value.shape)} ${each.value.dtype}, ` : "";
    return h(
      "div",
      { class: "gets" },
      h("span", {}, k === 0 ? gradientSign(node, frame) : null),
      h("span", { class: "quiet small" }, ...output, facts2, ...about),
      chip2(each.value, frame)
    );
  });
  const sum = list.length > 1 ? h(
    "div",
    { class: "gets sum" },
    h("span"),
    h("span", { class: "quiet small" }, catalogue.text("ui.sum")),
    chip2(total, frame, "sum")
  ) : null;
  return h("div", {}, ...lines2, sum);
}
function tense(node, frame) {
  const status = frame.state.status[node.id];
  if (status === "skipped") return "never";
  if (status === "done") return "sent";
  if (status === "failed") return "would";
  return status === "next" ? "will" : "later";
}
function sendsSection(node, frame) {
  const { catalogue, scene } = frame;
  const when = tense(node, frame);
  const title = h(
    "h4",
    {},
    catalogue.text(`ui.sends.${when}`),
    h("small", {}, catalogue.text("ui.sends.parts"))
  );
  if (node.kind === "leaf") return accumulates(node, frame);
  const held = /* @__PURE__ */ new Map();
  const rows2 = (scene.edgesFrom.get(node.id) ?? []).map((edge) => sendRow(node, edge, when, held, frame));
  return h(
    "section",
    { class: "right" },
    title,
    ...rows2.length ? rows2 : [h("p", { class: "quiet small" }, catalogue.text("ui.sends.nothing"))]
  );
}
function sendRow(node, edge, when, held, frame) {
  const { catalogue, state, scene } = frame;
  const rule2 = node.rules.find((each) => each.edge === edge.id);
  const predicted = state.predicted[edge.id];
  const sent = edge.id in state.sent;
  const result2 = sent ? chip2(state.sent[edge.id] ?? null, frame) : predicted ? chip2(predicted.value, frame, "next") : h("span", { class: "chip next unknown" }, catalogue.text("text.unknown"));
  const sign2 = formula(rule2?.mathml ?? null) ?? (rule2?.text ? quietCode(rule2.text, 60) : h(
    "span",
    { class: "quiet small" },
    catalogue.text(scene.head.engine === "own" ? "ui.own.rule" : "ui.rule.unknown")
  ));
  const over = overText(node, edge.id, catalogue);
  const numbers2 = predicted?.numbers && !sent && predicted.numbers !== predicted.value?.text ? `${visible(predicted.numbers).replace(/ ?\* ?/g, " · ")} =` : "";
  const holds = when === "will" && predicted ? then(edge, predicted.value, predicted.then, held, frame) : [];
  return h(
    "div",
    { class: "sends", "data-edge": edge.id },
    h("span", { class: "to" }, catalogue.text("ui.to"), " ", code(scene.name(edge.to), 24)),
    h("span", { class: "rule" }, sign2, over && h("span", { class: "quiet small" }, " ", over)),
    h("span", { class: "result" }, h("span", { class: "num numbers" }, numbers2), result2),
    holds.length > 0 && h("span", { class: "then" }, ...holds)
  );
}
function then(edge, value, after2, held, frame) {
  const { catalogue, state, scene } = frame;
  const key = `${edge.to} ${edge.slot}`;
  const before2 = held.get(key) ?? {
    total: state.total[edge.to]?.[edge.slot] ?? null,
    got: arrived(state, edge.to)
  };
  const of = scene.expected(edge.to);
  const got = before2.got + 1;
  held.set(key, { total: after2, got });
  if (after2 === null) return [];
  const sum = isScalar(after2) && before2.total && value ? `${visible(before2.total.text)} + ${visible(value.text)} = ` : "";
  return [
    code(scene.name(edge.to), 16),
    ` ${catalogue.text("ui.then_holds")} ${sum}`,
    h("b", {}, ...valuePieces(after2, catalogue)),
    `, ${catalogue.text("text.of", { got, of })}${got >= of ? `: ${catalogue.text("ui.complete")}` : ""}`
  ];
}
function accumulates(node, frame) {
  const { catalogue, state, first } = frame;
  const added = state.part && state.ran === node.id && state.events.some((event) => event.kind === "accumulate");
  const done = state.status[node.id] === "done" || added === true;
  const before2 = (done ? first : state).grads[node.id]?.value ?? null;
  const now = state.grads[node.id]?.value ?? null;
  const total = state.total[node.id]?.[0] ?? null;
  const line = (word, value) => h(
    "div",
    { class: "gets" },
    h("span", {}, code(`${frame.scene.name(node.id)}.grad`, 24)),
    h("span", { class: "quiet small" }, catalogue.text(word)),
    h("b", { class: "num" }, ...value)
  );
  const rows2 = [line("ui.grad_before_word", valuePieces(before2, catalogue))];
  if (done) rows2.push(line("ui.grad_now_word", valuePieces(now, catalogue)));
  else if (total && arrived(state, node.id) >= frame.scene.expected(node.id))
    rows2.push(
      h(
        "div",
        { class: "gets" },
        h("span"),
        h("span", { class: "quiet small" }, catalogue.text(before2 ? "ui.grad_adds" : "ui.grad_stores")),
        chip2(total, frame, "next")
      )
    );
  return h(
    "section",
    { class: "right" },
    h("h4", {}, catalogue.text(done ? "ui.accumulated" : "ui.accumulates"), h("small")),
    ...rows2
  );
}

// src/saved.ts
var UNKNOWN = { state: "none", expected: null, actual: null };
function rows(node, frame) {
  const found = /* @__PURE__ */ new Map();
  for (const entry of node.saved) {
    const status = frame.state.saved[entry.key] ?? UNKNOWN;
    const same = entry.storage === null ? entry.key : JSON.stringify([entry.storage, entry.var, entry.role, entry.shape, status.state]);
    const row4 = found.get(same);
    if (row4) row4.entries.push(entry);
    else found.set(same, { entries: [entry], status });
  }
  return [...found.values()];
}
function entryTitle(entry) {
  return entry.var ?? (entry.value && entry.role === "scalar" ? entry.value.text : entry.name);
}
function heatButton(entry, isOpen, frame, toggle) {
  const name = visible(entryTitle(entry)).slice(0, 80);
  const button2 = h(
    "button",
    {
      class: "heat-button",
      type: "button",
      "aria-expanded": String(isOpen),
      disabled: !entry.value,
      "aria-label": frame.catalogue.text("ui.show_values", { name })
    },
    heatMap(entry.value, 22)
  );
  button2.addEventListener("click", toggle);
  return button2;
}
function openedValues(entry, frame) {
  if (!entry.value) return null;
  return h(
    "div",
    { class: "opened" },
    valueTable(entry.value, entryTitle(entry), frame.catalogue) ?? heatMap(entry.value, 160),
    statistics(entry.value, frame.catalogue)
  );
}
function savedRow(row4, frame, open, redraw) {
  const { catalogue } = frame;
  const { state } = row4.status;
  const entry = row4.entries[0];
  const names = row4.entries.map((each) => visible(each.name)).join(catalogue.text("ui.and"));
  const role = catalogue.text(`role.${entry.role}`);
  const about = h("small", {}, names === visible(entryTitle(entry)) ? role : `${names}, ${role}`);
  const isOpen = open.has(entry.key) && !!entry.value;
  const toggle = () => {
    if (!open.delete(entry.key)) open.add(entry.key);
    redraw();
  };
  const stale = state === "stale";
  const absent = row4.status.packed?.place === "absent";
  const sign2 = icon(...SAVED_ICON[absent && state === "packed" ? "freed" : state]);
  return h(
    "div",
    {
      class: `row saved is-${state}`,
      "data-key": entry.key,
      "data-keys": row4.entries.map((each) => each.key).join(" ")
    },
    heatButton(entry, isOpen, frame, toggle),
    h("span", { class: "name" }, code(entryTitle(entry), 24), about),
    h("span", { class: stale ? "state bad" : "state" }, sign2, savedWord(row4.status, catalogue)),
    row4.status.packed && !row4.status.packed.place ? packedFacts(row4.status, frame) : facts(entry, row4.status, frame, state === "freed"),
    stale && h("span", { class: "two bad" }, catalogue.text("ui.version_stale", versions(row4.status))),
    isOpen && openedValues(entry, frame)
  );
}
function facts(entry, status, frame, gone) {
  const value = entry.value ? h("b", { class: gone ? "num gone" : "num" }, ...valuePieces(entry.value, frame.catalogue)) : null;
  const version = status.expected === null || status.state === "stale" ? null : h("span", {}, frame.catalogue.text("text.version", versions(status)));
  return h(
    "span",
    { class: "two" },
    value,
    h("span", {}, shapeText(entry.shape)),
    h("span", {}, entry.dtype ?? "-"),
    entry.bytes !== null && h("span", {}, `${entry.bytes} B`),
    version
  );
}
function packedFacts(status, frame) {
  return h(
    "span",
    { class: "two" },
    h("span", { class: "whole" }, packedWords(status, frame.catalogue)),
    h("span", {}, frame.catalogue.text("text.version_off"))
  );
}
function versions(status) {
  return { expected: String(status.expected ?? "-"), actual: String(status.actual ?? "-") };
}
function amount(node, frame) {
  const storages2 = new Map(
    node.saved.filter((entry) => entry.storage !== null).map((entry) => [entry.storage, entry.bytes ?? 0])
  );
  const bytes = [...storages2].reduce((sum, [id2, own]) => sum + (frame.scene.storageBytes.get(id2) ?? own), 0);
  const n = node.saved.filter((entry) => (frame.state.saved[entry.key] ?? UNKNOWN).state !== "none").length;
  const id = n > 1 && storages2.size === 1 ? "ui.saved.shared" : "ui.saved.amount";
  return n === 0 ? "" : frame.catalogue.text(id, { n, bytes: `${bytes} B` });
}
function savedSection(node, frame, open, redraw) {
  const title = h("h4", {}, frame.catalogue.text("ui.saved"), h("small", {}, amount(node, frame)));
  const body = node.saved.length ? rows(node, frame).map((row4) => savedRow(row4, frame, open, redraw)) : [h("p", { class: "quiet small" }, frame.catalogue.text("ui.saved.none"))];
  return h("section", { class: "saved-part" }, title, ...body);
}

// src/inspector.ts
var Inspector = class {
  constructor(onFollow, onInto) {
    this.onFollow = onFollow;
    this.onInto = onInto;
  }
  onFollow;
  onInto;
  element = h("div", { class: "insp", role: "group" });
  /** Keys of the saved entries whose table of values is open; kept from step to step. */
  open = /* @__PURE__ */ new Set();
  update(frame) {
    this.element.setAttribute("aria-label", frame.catalogue.text("ui.inspector"));
    const node = frame.shown === null ? void 0 : frame.scene.nodes.get(frame.shown);
    if (!node) return set(this.element);
    const focused = this.element.querySelector(".row.saved :focus")?.closest("[data-key]")?.getAttribute("data-key");
    const redraw = () => this.update(frame);
    const middle = node.kind === "leaf" || frame.scene.head.engine === "own" ? this.valueSection(node, frame) : savedSection(node, frame, this.open, redraw);
    set(
      this.element,
      ...this.title(node, frame),
      receivesSection(node, frame),
      hooksSection(node, frame),
      programSection(node, frame, this.onInto),
      writesSection(node, frame),
      middle,
      sendsSection(node, frame)
    );
    const back = [...this.element.querySelectorAll("[data-key]")].find(
      (row4) => focused && row4.getAttribute("data-key") === focused
    );
    back?.querySelector("button")?.focus();
  }
  title(node, frame) {
    const { catalogue, scene, state } = frame;
    const [name, tone] = STATUS_ICON[fineStatus(state, node.id)];
    const where = node.where && (node.where.cell !== null ? catalogue.text("text.place.cell", { cell: node.where.cell, line: node.where.line }) : catalogue.text("text.place.file", { file: node.where.file ?? "-", line: node.where.line }));
    const words2 = [
      shorten(scene.className(node), 80),
      where,
      node.module && shorten(visible(node.module), 80),
      shorten(callsText(node, catalogue), 80),
      node.made_by && catalogue.text("ui.second.made_by", {
        who: visible(node.made_by.who),
        root: visible(node.made_by.root ?? catalogue.text("title.output"))
      }),
      catalogue.text(
        `ui.status.${state.part && state.ran === node.id ? "running" : scene.status(state, node.id)}`
      )
    ].filter(Boolean).join(", ");
    const follow = frame.selected !== null && h("button", { class: "btn line follow", type: "button" }, catalogue.text("ui.follow"));
    if (follow) follow.addEventListener("click", () => this.onFollow());
    const note = noteOf(node, frame);
    return [
      h("h3", {}, icon(name, tone), code(scene.title(node.id), 40)),
      h("div", { class: "sub" }, h("span", {}, words2), follow),
      note && h("p", { class: "sub" }, catalogue.text(note)),
      node.tangent && h("p", { class: "sub" }, tangentText(node, catalogue))
    ];
  }
  /** A leaf saves nothing; its own value stands in the middle instead. */
  valueSection(node, frame) {
    const { catalogue } = frame;
    const title = h(
      "h4",
      {},
      catalogue.text(node.kind === "leaf" ? "ui.leaf.value" : "ui.own.value"),
      h("small")
    );
    if (!node.value) return h("section", {}, title, h("p", { class: "quiet small" }, "-"));
    const row4 = h(
      "div",
      { class: "gets" },
      heatMap(node.value, 22),
      h("span", { class: "quiet small" }, `${shapeText(node.value.shape)} ${node.value.dtype}`),
      h("b", { class: "num" }, ...valuePieces(node.value, catalogue))
    );
    const many = node.value.label === "norm";
    return h(
      "section",
      {},
      title,
      row4,
      many && (valueTable(node.value, frame.scene.name(node.id), catalogue) ?? null),
      many && statistics(node.value, catalogue)
    );
  }
};
function noteOf(node, { scene, state }) {
  const status = state.status[node.id];
  if (status === "skipped") return scene.isResult(node.id) ? "ui.skipped.result" : "ui.skipped.why";
  if (state.part || status !== "next" || scene.head.engine === "own") return null;
  if (node.kind === "leaf") return "ui.why.leaf";
  return Object.values(state.status).includes("ready") ? "ui.why.newest" : "ui.why.only";
}

// src/leaves.ts
var MOST_CELLS2 = 4;
var Leaves = class {
  element = h("div", { class: "leaves" });
  named = reachableWhenWide(this.element);
  update(frame) {
    const { catalogue, scene, state } = frame;
    const { nodes } = scene.head;
    const own = nodes.filter((node) => node.kind === "leaf");
    const all = [...own, ...nodes.filter((node) => node.kind !== "leaf" && node.id in state.grads)];
    const leaves2 = all.filter((node) => !frame.near || frame.near.has(node.id));
    if (leaves2.length === 0) return set(this.element);
    const head = (id, number = false) => h("th", { scope: "col", class: number ? "num" : null }, catalogue.text(id));
    const titles2 = h(
      "tr",
      {},
      head("ui.leaf"),
      head("ui.value", true),
      head("ui.received"),
      head("ui.grad_before", true),
      h("td"),
      head("ui.grad_now")
    );
    const table3 = h(
      "table",
      {},
      h("caption", { class: "unseen" }, catalogue.text("ui.leaves")),
      h("thead", {}, titles2),
      h("tbody", {}, ...leaves2.map((leaf) => row3(leaf, frame)))
    );
    set(this.element, table3);
    this.named(catalogue.text("ui.leaves"));
  }
};
function row3(leaf, frame) {
  const before2 = frame.first.grads[leaf.id];
  const now = frame.state.grads[leaf.id];
  return h(
    "tr",
    { class: frame.shown === leaf.id ? "is-shown" : null },
    h("th", { scope: "row" }, code(frame.scene.name(leaf.id), 24)),
    h("td", { class: "num" }, ...leaf.value ? valuePieces(leaf.value, frame.catalogue) : ["-"]),
    h("td", {}, received(leaf, frame)),
    h("td", { class: "num" }, ...valuePieces(before2?.value ?? null, frame.catalogue)),
    h("td", { class: "quiet", "aria-hidden": "true" }, "→"),
    h(
      "td",
      {},
      ...valuePieces(now?.value ?? null, frame.catalogue),
      ...object(before2, now, frame),
      ...wrong(leaf, frame)
    )
  );
}
function wrong(leaf, frame) {
  const text = wrongText(frame.state, leaf.id, frame.catalogue);
  return text ? [" ", icon("stale", "c-bad"), h("span", { class: "bad small whole" }, ` ${text}`)] : [];
}
function received(leaf, frame) {
  const { catalogue, state, scene } = frame;
  const got = (state.received[leaf.id] ?? []).flat();
  const expected = scene.expected(leaf.id);
  const count = h(
    "span",
    { class: "quiet small" },
    catalogue.text("text.of", { got: arrived(state, leaf.id), of: expected })
  );
  const total = state.total[leaf.id]?.[0] ?? null;
  if (expected > MOST_CELLS2)
    return h("span", { class: "slots" }, total && h("span", { class: "cell1" }, numbers(total)), count);
  const cells2 = [];
  for (let k = 0; k < Math.max(expected, got.length); k++) {
    const each = got[k];
    if (k > 0) cells2.push(h("span", { class: "quiet" }, "+"));
    if (each === void 0) cells2.push(h("span", { class: "cell0" }, " "));
    else if (each.value === null) cells2.push(h("span", { class: "cell1 nil" }, catalogue.text("value.none")));
    else cells2.push(h("span", { class: "cell1" }, numbers(each.value)));
  }
  return h(
    "span",
    { class: "slots" },
    ...cells2,
    got.length > 1 && got.length >= expected && total ? h("span", { class: "cell1 sum" }, `= ${numbers(total)}`) : null,
    count
  );
}
function numbers(value) {
  return allNumbers(value, 12) ?? value.text;
}
function object(before2, now, frame) {
  if (!now?.value) return [];
  const words2 = [];
  if (before2?.object && now.object)
    words2.push(frame.catalogue.text(before2.object === now.object ? "ui.same_object" : "ui.new_object"));
  else if (now.new) words2.push(frame.catalogue.text("ui.new_object"));
  if (now.shares) words2.push(frame.catalogue.text("ui.shares", { who: visible(now.shares) }));
  if (now.strides) words2.push(stridesText(now.strides, frame.catalogue));
  return words2.length ? [" ", h("span", { class: "quiet small whole" }, words2.join(", "))] : [];
}

// src/legend.ts
var STATES = [
  ["done", "status.done"],
  ["next", "status.next"],
  ["ready", "status.ready"],
  ["partly", "status.waiting"]
];
var EVENTS = ["unpack", "send", "accumulate", "hook"];
var Legend = class {
  element = h("div", { class: "legend", role: "note" });
  /** @param seen words that occur somewhere in the record: states of nodes and of saved tensors, kinds of events */
  update(frame, seen) {
    const { catalogue } = frame;
    const entry = ([name, tone], word) => h("span", {}, icon(name, tone), catalogue.text(word));
    const own = frame.scene.head.engine === "own";
    const states = [
      ...STATES,
      ...["failed", "skipped"].filter((each) => seen.has(each)).map((each) => [each, `status.${each}`])
    ];
    const saved = ["kept", "freed", "stale", "packed", "absent"].filter(
      (each) => seen.has(each) || !own && (each === "kept" || each === "freed")
    );
    const events = EVENTS.filter((each) => seen.has(each) || each !== "hook" && !own);
    const summed2 = frame.scene.head.nodes.some((node) => node.rules.some((rule2) => rule2.over));
    this.element.setAttribute("aria-label", catalogue.text("ui.legend"));
    set(
      this.element,
      ...states.map(([state, word]) => entry(STATUS_ICON[state], word)),
      ...saved.map((each) => entry(SAVED_ICON[each], `saved.${each}`)),
      h("span", { class: "gap" }),
      ...events.map((each) => entry(EVENT_ICON[each], `ui.event.${each}`)),
      summed2 && h("span", {}, h("b", { class: "sum-sign" }, "Σ"), catalogue.text("ui.over.legend"))
    );
  }
};

// src/menu.ts
var OPTIONS = ["retain_graph", "create_graph"];
var KEYS2 = ["right", "left", "space", "reset", "ends", "mode", "break", "text", "nodes", "zoom", "escape"];
var Menu = class {
  constructor(onOption, prefix) {
    this.onOption = onOption;
    this.prefix = prefix;
  }
  onOption;
  prefix;
  element = h("div", { class: "menu", hidden: true });
  get open() {
    return !this.element.hidden;
  }
  show(open, frame) {
    this.element.hidden = !open;
    if (open) this.update(frame);
    if (open) this.element.querySelector("[role=switch]")?.focus();
  }
  update(frame) {
    if (!this.open) return;
    const focused = this.element.querySelector("[role=switch]:focus")?.dataset.option;
    set(
      this.element,
      h("h4", {}, frame.catalogue.text("ui.menu.pass")),
      ...(frame.scene.head.engine === "own" ? [] : OPTIONS).map((name) => this.option(name, frame)),
      this.why(frame),
      ...keyList(frame)
    );
    if (focused) this.element.querySelector(`[data-option=${focused}]`)?.focus();
  }
  option(name, frame) {
    const on = frame.scene.head.options[name];
    const late = frame.count > 1;
    const button2 = h(
      "button",
      {
        class: "switch",
        type: "button",
        role: "switch",
        "aria-checked": String(on),
        "aria-describedby": `${this.prefix}why`,
        "data-option": name
      },
      h("span", { class: "knob", "aria-hidden": "true" }),
      h("span", { class: "code" }, `${name}=${on ? "True" : "False"}`),
      h("span", { class: "quiet small" }, frame.catalogue.text(`ui.option.${name}`))
    );
    disable(button2, late);
    button2.addEventListener("click", () => !late && this.onOption(name, !on));
    return button2;
  }
  /** When the switches act, or why they no longer do; whether this is the real pass. */
  why(frame) {
    const { catalogue, scene } = frame;
    if (scene.head.engine === "own")
      return h("p", { class: "quiet small", id: `${this.prefix}why` }, catalogue.text("ui.own"));
    const when = catalogue.text(frame.count > 1 ? "ui.option.late" : "ui.option.early");
    return h(
      "p",
      { class: "quiet small", id: `${this.prefix}why` },
      when,
      " ",
      catalogue.text(scene.head.options.live ? "ui.live" : "ui.copy")
    );
  }
};
function keyList(frame) {
  const { catalogue } = frame;
  const row4 = (name, does) => h("div", {}, h("dt", {}, name), h("dd", {}, catalogue.text(does)));
  const rows2 = KEYS2.map((key) => row4(h("kbd", {}, catalogue.text(`ui.key.${key}`)), `ui.key.${key}.does`));
  rows2.push(row4(h("span", {}, catalogue.text("ui.mouse")), "ui.mouse.does"));
  return [h("h4", {}, catalogue.text("ui.menu.keys")), h("dl", {}, ...rows2)];
}

// src/text_events.ts
function eventLines(view) {
  const events = view.state.events;
  if (events.length === 0) return [];
  const counts = /* @__PURE__ */ new Map();
  const rows2 = events.map((event) => eventRow(view, event, counts));
  return [
    view.say("text.events", { step: view.state.step }),
    ...aligned(rows2.map(([first, ...rest]) => ["  " + first, ...rest]))
  ];
}
function eventRow(view, event, counts) {
  return eventParts(view, event, counts).map(([id, args]) => view.say(id, args));
}
function eventParts(view, event, counts) {
  const { kind, node } = event;
  const name = view.who(node);
  if (kind === "send") return sendParts(view, event, name, counts);
  if (kind === "accumulate") {
    const now = { before: view.grad(node, view.before), now: view.grad(node, view.state) };
    return [["event.accumulate", { who: name, ...now }]];
  }
  if (kind === "unpack" || kind === "free") {
    const entry = view.scene.head.nodes.flatMap((each) => each.saved).find((each) => each.key === event.key);
    const saved = entry ? savedName(entry) : view.say("text.saved");
    const hook = event.args?.hook;
    if (hook !== void 0) return [["event.unpacked_by", { who: name, saved, hook: visible(String(hook)) }]];
    return [[`event.${kind}`, { who: name, saved }]];
  }
  if (kind === "line") {
    const { line, code: code2, set: set2 } = event.args ?? {};
    const first = [
      "event.line",
      { who: name, line: String(line), code: visible(String(code2)) }
    ];
    return Array.isArray(set2) && set2.length ? [first, ["event.line.set", { set: set2 }]] : [first];
  }
  const shown = {};
  for (const [key, value] of Object.entries(event.args ?? {}))
    shown[key] = value !== null && typeof value === "object" ? value : visible(pythonText(value));
  if (kind === "hook") return [[hookMessage(shown), { who: name, ...shown }]];
  if (kind === "error" && !("class" in shown) && view.state.error)
    shown.class = visible(view.state.error.class);
  return [[`event.${kind}`, { who: name, ...shown }]];
}
function hookMessage(args) {
  return "after" in args ? "event.hook_changed" : "failed" in args ? "event.hook_failed" : "event.hook";
}
function pythonText(value) {
  return value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value);
}
function sendParts(view, event, name, counts) {
  const edge = view.scene.edges.get(event.edge ?? "");
  if (!edge) return [["event.send", { who: name, value: "-", to: "-" }]];
  const got = (counts.get(edge.to) ?? arrived(view.before, edge.to)) + 1;
  counts.set(edge.to, got);
  const of = view.scene.expected(edge.to);
  const to = view.who(edge.to);
  return [
    ["event.send", { who: name, value: view.value(view.state.sent[edge.id]), to }],
    [`event.send.${got < of ? "left" : view.scene.isResult(edge.to) ? "result" : "ready"}`, { got, of, to }]
  ];
}

// src/text_engine.ts
function engineLines(view, engine) {
  const functions = view.scene.head.nodes.filter((node) => node.kind === "function");
  const what = [...new Set(functions.map((node) => visible(node.name)))];
  const lines2 = [view.say(`text.engine.${engine}`)];
  if (what.length) lines2.push(view.say("text.hidden_inside", { what }));
  if (Object.keys(view.state.second ?? {}).length > 0) lines2.push(view.say("text.hidden_second"));
  return lines2;
}

// src/timeline_parts.ts
var MOST = 30;
var DEEPEST = 12;
var SHORT2 = 12;
function pathOf(node, byFunction) {
  if (byFunction) return (node.calls ?? []).map(([call, name]) => [`${name} ${call}`, name]);
  return (node.module ? node.module.split(".") : []).map((name) => [name, name]);
}
function stretches(scene, skipped) {
  const { nodes, grouped } = scene.head;
  const known = nodes.some((node) => node.module);
  const byFunction = (grouped ?? (known ? "module" : "function")) === "function";
  const paths = nodes.filter((node) => !skipped(node.id)).map((node) => {
    const sender2 = node.kind === "leaf" ? scene.edgesTo.get(node.id)?.[0]?.from : void 0;
    return pathOf(scene.nodes.get(sender2 ?? node.id), byFunction);
  });
  if (paths.length <= SHORT2) return [];
  const deepest = Math.min(DEEPEST, Math.max(0, ...paths.map((path) => path.length)));
  for (let depth = deepest; depth > 0; depth--) {
    const found = runs(paths, depth);
    if (found.length <= MOST) return found.filter((each) => each.name !== "");
  }
  return [];
}
function runs(paths, depth) {
  const out = [];
  let last = null;
  paths.forEach((path, start) => {
    const cut = path.slice(0, depth);
    const key = cut.map(([each]) => each).join(".");
    if (key === last) out[out.length - 1].length += 1;
    else {
      const names = cut.map(([, name]) => visible(name));
      out.push({ start, length: 1, name: names[names.length - 1] ?? "", path: names.join(".") });
    }
    last = key;
  });
  return out;
}
var TimeParts = class {
  known = null;
  /** The row of brackets; null where no module is known. `room` is the time line's width. */
  row(frame, length, room) {
    if (this.known?.scene !== frame.scene) {
      const skipped = (id) => frame.first.status[id] === "skipped";
      this.known = { scene: frame.scene, found: stretches(frame.scene, skipped) };
    }
    const { found } = this.known;
    if (found.length === 0) return null;
    let end = 0;
    const parts2 = found.flatMap((each) => {
      const gap = each.start > end ? [h("span", { style: `flex:${each.start - end}` })] : [];
      end = each.start + each.length;
      return [...gap, this.bracket(each, frame, room * each.length / length)];
    });
    if (end < length) parts2.push(h("span", { style: `flex:${length - end}` }));
    const label = frame.catalogue.text("ui.time.parts");
    return h("div", { class: "parts", role: "list", "aria-label": label }, ...parts2);
  }
  bracket({ start, length, name, path }, frame, room) {
    const { catalogue, fonts: fonts2, position } = frame;
    const words2 = catalogue.text("ui.time.part", { who: path, from: start + 1, to: start + length });
    const here = position >= start && position < start + length;
    const fits = width(name, fonts2.sub) + 6 <= room;
    return h(
      "span",
      {
        class: here ? "part is-here" : "part",
        role: "listitem",
        style: `flex:${length}`,
        title: words2
      },
      h("span", { class: "unseen" }, words2),
      h("span", { "aria-hidden": "true" }, fits || here ? name : " ")
    );
  }
};

// src/text_scenes.ts
var MOST_SOURCE = 40;
function sceneParts(view) {
  return [
    parts(view),
    tangents(view),
    writes(view),
    families(view),
    ends(view),
    secondGraph(view),
    lost(view),
    madeBefore(view)
  ];
}
function table2(view, title, titles2, rows2) {
  if (rows2.length === 0) return [];
  const words2 = titles2.map((each) => each ? view.say(`text.${each}`) : "");
  return [view.say(title), ...aligned([words2, ...rows2].map(([first, ...rest]) => ["  " + first, ...rest]))];
}
function parts(view) {
  const skipped = (id) => view.first.status[id] === "skipped";
  const rows2 = stretches(view.scene, skipped).map(({ path, start, length }) => [
    path,
    view.say("text.from_to", { first: start + 1, last: start + length })
  ]);
  return table2(view, "text.parts", ["part", "steps"], rows2);
}
function tangents(view) {
  const rows2 = view.scene.head.nodes.flatMap(
    (node) => node.tangent ? [[cutTo(headline(node), MOST_SOURCE), view.value(node.value), view.value(node.tangent)]] : []
  );
  return table2(view, "text.tangents", ["node", "value", "tangent"], rows2);
}
function writes(view) {
  const rows2 = view.scene.head.nodes.flatMap((node) => {
    const told = writeOf(node, view.scene, view.catalogue);
    if (!told) return [];
    const before2 = told.before ?? view.say("text.no_node");
    return [[cutTo(headline(node), MOST_SOURCE), told.elements, before2, told.inputs.join(", ")]];
  });
  return table2(view, "text.writes", ["node", "written", "base_before", "inputs_now"], rows2);
}
function families(view) {
  const rows2 = familyRows(view.scene, view.state, view.catalogue);
  return table2(view, "text.families", ["name", "kind", "counter", "version_now"], rows2);
}
function secondGraph(view) {
  const rows2 = Object.values(view.state.second ?? {}).map((each) => [
    visible(each.text),
    visible(each.name),
    view.who(each.by),
    each.value ? view.value(each.value) : "-",
    each.to.map((key) => goal(view, key)).join(", ") || "-"
  ]);
  return table2(view, "text.second", ["node", "", "made_by", "value", "sends"], rows2);
}
function ends(view) {
  const rows2 = endRows(view.scene, view.catalogue, MOST_SOURCE);
  return table2(view, "text.ends", ["node", "input", "ended_by", "program", ""], rows2);
}
function lost(view) {
  const rows2 = cutRows(view.scene, view.state, view.catalogue);
  const lines2 = table2(view, "text.cuts", ["sent_by", "sent_to", "its_graph", "why"], rows2);
  return silentlyOnce(view.state) ? [...lines2, view.say("rule.once")] : lines2;
}
function goal(view, key) {
  return view.state.second?.[key]?.text.split(" ")[0] ?? view.who(key);
}
function madeBefore(view) {
  const makers = /* @__PURE__ */ new Map();
  for (const node of view.scene.head.nodes) {
    if (!node.made_by) continue;
    const key = JSON.stringify([node.made_by.root, node.made_by.who]);
    const found = makers.get(key) ?? { ...node.made_by, what: [] };
    found.what.push(view.who(node.id));
    makers.set(key, found);
  }
  return [...makers.values()].map(
    ({ root, who: who2, what }) => view.say("text.made_before", {
      root: visible(root ?? view.say("title.output")),
      who: visible(who2),
      what
    })
  );
}

// src/clinic_text.ts
var SIGNS2 = { note: ".", save: "#", guilty: "!", stop: "x" };
function caseLines(found, catalogue) {
  const say = (each) => catalogue.text(each.id, each.args ?? {});
  const lines2 = [];
  if (found.say.length > 0) lines2.push(found.say.map(say).join(" "));
  if (found.kind === "silent") lines2.push(catalogue.text("clinic.silent"));
  if (found.repaired) lines2.push(say(found.repaired));
  if (found.rule) {
    const lesson = found.lesson ? ` ${catalogue.text("clinic.lesson", { lesson: lessonNumber(found.lesson) })}` : "";
    lines2.push(say(found.rule) + lesson);
  }
  if (found.listing) lines2.push(...listingLines(found.listing, say));
  if (found.repairs.length > 0) {
    lines2.push(catalogue.text("clinic.repairs"));
    lines2.push(...found.repairs.map((each, k) => `  ${k + 1}  ${say(each)}`));
  }
  return lines2;
}
function silentLines(view) {
  return Object.entries(view.state.silent ?? {}).map(
    ([node, told]) => `${view.say("text.silent", { who: view.who(node) })} ${view.catalogue.text(told.id, told.args ?? {})}`
  );
}
function listingLines(listing, say) {
  const rows2 = listing.lines.map((text, k) => {
    const number = listing.first + k;
    const marks = listing.marks.filter((mark) => mark.line === number);
    const kind = strongest(marks);
    const told = marks.flatMap((mark) => mark.say ? [say(mark.say)] : []);
    return [`${kind ? SIGNS2[kind] : " "} ${number}`, programText(text), told.join("; ")];
  });
  return aligned(rows2);
}

// src/textform.ts
var TITLE_COLUMN3 = 53;
var MOST_SOURCE2 = 40;
var MOST_PARTS = 4;
function textForm(scene, catalogue, state, before2, first) {
  const view = new TextView(scene, catalogue, state, before2, first);
  const parts2 = [
    view.title(),
    view.table(),
    view.current(),
    view.leaves(),
    ...sceneParts(view),
    eventLines(view),
    view.error(),
    state.clinic ? caseLines(state.clinic, catalogue) : silentLines(view),
    view.notes()
  ];
  return parts2.filter((part) => part.length > 0).map((part) => part.join("\n")).join("\n\n") + "\n";
}
var TextView = class {
  constructor(scene, catalogue, state, before2, first) {
    this.scene = scene;
    this.catalogue = catalogue;
    this.state = state;
    this.before = before2;
    this.first = first;
  }
  scene;
  catalogue;
  state;
  before;
  first;
  say(id, args = {}) {
    return this.catalogue.text(id, args);
  }
  value(value, most = 28) {
    return valueText(value, most, this.catalogue);
  }
  who(id) {
    const node = this.scene.nodes.get(id);
    return node ? who(node) : "-";
  }
  title() {
    const { options, root } = this.scene.head;
    const what = ["retain_graph", "create_graph"].filter((name2) => options[name2]).map((name2) => `${name2}=True`);
    if (options.directions !== void 0) what.push(this.say("text.directions", { n: options.directions }));
    if (options.inputs) {
      const asked = options.returns ? "text.returned" : "text.asked";
      what.push(this.say(asked, { what: options.inputs.map(visible) }));
    }
    const name = visible(root || this.say("title.output"));
    const left = what.length ? this.say("title.options", { root: name, what }) : this.say("title.pass", { root: name });
    return [left + " ".repeat(Math.max(3, TITLE_COLUMN3 - columns(left))) + this.progress()];
  }
  progress() {
    const total = Object.values(this.state.status).filter((status) => status !== "skipped").length;
    const { end, step, part } = this.state;
    if (part) return this.say("title.event", { step, total, done: part.done, of: part.of });
    const id = end === null ? "title.paused" : end === "ok" ? "title.ended" : `title.${end}`;
    return this.say(id, { done: step, total: end === "ok" ? step : total });
  }
  table() {
    const saved = this.scene.head.engine === "own" ? [] : ["saved"];
    const titles2 = ["node", "", "receives", "state", ...saved].map(
      (title) => title ? this.say(`text.${title}`) : ""
    );
    const rows2 = this.scene.head.nodes.map((node, k) => {
      const status = this.state.status[node.id] ?? "waiting";
      const mark = status === "next" ? "> " : status === "failed" ? "! " : "  ";
      const word = this.say(
        `status.${status === "next" && this.state.part ? "running" : this.scene.status(this.state, node.id)}`
      ) + (status === "waiting" ? ` ${arrived(this.state, node.id)}/${this.scene.expected(node.id)}` : "");
      return [
        mark + (status === "skipped" ? "-" : String(k + 1)),
        cutTo(headline(node), MOST_SOURCE2),
        this.named(node),
        this.receives(node, status),
        word,
        ...this.saved(node)
      ];
    });
    return aligned([["  " + this.say("text.order"), ...titles2], ...rows2]);
  }
  /** The node's name, and its device where not all is in the CPU's memory. */
  named(node) {
    const name = visible(node.name);
    return node.device ? this.say("text.on", { who: name, device: visible(node.device) }) : name;
  }
  receives(node, status) {
    if (status === "skipped" && !arrived(this.state, node.id)) return "";
    const slots = node.outputs.map(
      (output, k) => this.slot(
        output.expected,
        this.state.received[node.id]?.[k]?.map((each) => each.value) ?? [],
        this.state.total[node.id]?.[k] ?? null
      )
    );
    return slots.length === 1 ? slots[0] : slots.map((slot, k) => `[${k}] ${slot}`).join("; ");
  }
  slot(expected, parts2, total) {
    if (expected === 0 && parts2.length === 0) return this.say("value.none");
    if (expected > MOST_PARTS) {
      const count = this.say("text.of", { got: parts2.length, of: expected });
      return parts2.length ? `${count} = ${this.value(total)}` : count;
    }
    const words2 = parts2.map((part) => this.value(part));
    const text = (parts2.length < expected ? [...words2, "..."] : words2).join(" + ");
    return parts2.length >= Math.max(expected, 2) ? `${text} = ${this.value(total)}` : text;
  }
  saved(node) {
    if (node.kind === "leaf" || this.scene.head.engine === "own") return [];
    const [entries] = plainValues(node, this.state);
    if (entries.length === 0) return [this.say("text.nothing")];
    const words2 = entries.map((entry) => this.entryState(entry.key));
    const names = entries.map((entry) => cutTo(savedName(entry), MOST_SOURCE2));
    if (new Set(words2).size === 1) return [names.join(", "), words2[0]];
    return [names.map((name, k) => `${name} ${words2[k]}`).join(", ")];
  }
  entryState(key) {
    const status = this.state.saved[key];
    return status ? savedWord(status, this.catalogue) : "-";
  }
  /** The node that runs next, or the one that failed: what it saved, what it will send. */
  current() {
    const failed = this.state.error?.node ?? null;
    const node = this.scene.nodes.get(this.state.next ?? failed ?? "");
    if (!node) return [];
    const { part, events } = this.state;
    const now = failed ? "text.failed" : part ? "text.running" : "text.next";
    const title = this.say(now, { who: headline(node) });
    const about = [
      this.scene.className(node),
      place(node, this.catalogue),
      node.module ?? "",
      callsText(node, this.catalogue)
    ].map(visible).filter(Boolean).join(", ");
    const rows2 = [
      ...this.labelled("receives", this.contributions(node)),
      ...this.labelled("saved", this.entries(node)),
      ...this.labelled(
        "context",
        node.context?.length ? [[this.say("text.pairs", { what: node.context })]] : []
      ),
      ...this.labelled(failed ? "would_send" : "sends", this.sends(node))
    ];
    const added = part && events.some((event) => event.kind === "accumulate");
    if (node.kind === "leaf" && !failed && !added) rows2.push(...this.labelled("adds", [this.adds(node)]));
    return [`${title}   ${about}`, ...aligned(rows2, 4)];
  }
  labelled(title, rows2) {
    return rows2.map((row4, k) => ["  " + (k === 0 ? this.say(`text.${title}`) : ""), ...row4]);
  }
  contributions(node) {
    const several = node.outputs.length > 1;
    return (this.state.received[node.id] ?? []).flatMap(
      (parts2, slot) => parts2.map((part) => {
        const edge = part.edge === null ? void 0 : this.scene.edges.get(part.edge);
        const sender2 = edge ? this.who(edge.from) : this.say("text.start");
        return [
          (several ? `[${slot}] ` : "") + this.say("text.receives_from", { value: this.value(part.value, 60), who: sender2 })
        ];
      })
    );
  }
  entries(node) {
    const [tensors, values] = plainValues(node, this.state);
    const rows2 = tensors.map((entry) => {
      const status = this.state.saved[entry.key];
      if (status?.packed && !status.packed.place) return this.packed(node, entry, status);
      const value = entry.value ? this.value(entry.value, 40) : "-";
      return [
        this.entryName(node, entry),
        entry.var ? `${visible(entry.var)} = ${value}` : value,
        shapeText(entry.shape),
        visible(entry.dtype ?? "None"),
        `${entry.bytes} B`,
        this.version(status),
        this.entryState(entry.key)
      ];
    });
    const plain = values.map((entry) => [
      visible(entry.name),
      entry.value ? this.value(entry.value, 40) : "-",
      "",
      "",
      "",
      "",
      this.say("saved.none")
    ]);
    return aligned([...rows2, ...plain], 2).map((line) => [line]);
  }
  entryName(node, entry) {
    return visible(entry.name) + (node.kind === "function" ? ` ${this.say(`role.${entry.role}`)}` : "");
  }
  packed(node, entry, status) {
    const what = packedWords(status, this.catalogue);
    const off = ["", "", "", this.say("text.version_off")];
    return [this.entryName(node, entry), what, ...off, this.entryState(entry.key)];
  }
  version(status) {
    if (!status || status.expected === null) return "";
    return this.say("text.version", {
      expected: String(status.expected),
      actual: String(status.actual ?? "-")
    });
  }
  sends(node) {
    const held = /* @__PURE__ */ new Map();
    const rows2 = (this.scene.edgesFrom.get(node.id) ?? []).map((edge) => {
      const rule2 = node.rules.find((each) => each.edge === edge.id)?.text;
      const predicted = this.state.predicted[edge.id];
      const steps = [
        rule2 && visible(rule2),
        predicted?.numbers && visible(predicted.numbers),
        predicted || edge.id in this.state.sent ? this.value(predicted ? predicted.value : this.state.sent[edge.id], 60) : this.say("text.unknown")
      ];
      return [
        this.say("text.to", { who: this.who(edge.to) }),
        steps.filter(Boolean).join(" = "),
        `  ${this.then(edge, held)}`
      ];
    });
    return aligned(rows2, 2).map((line) => [line]);
  }
  /** What the receiver will hold: running sum + this = new sum. `held` remembers earlier edges of this node. */
  then(edge, held) {
    const predicted = this.state.predicted[edge.id];
    if (!predicted || predicted.then === null) return "";
    const key = `${edge.to} ${edge.slot}`;
    const { got, total } = held.get(key) ?? {
      got: arrived(this.state, edge.to),
      total: this.state.total[edge.to]?.[edge.slot] ?? null
    };
    held.set(key, { got: got + 1, total: predicted.then });
    let value = this.value(predicted.then);
    if (total?.label === "value" && predicted.value !== null)
      value = `${this.value(total)} + ${this.value(predicted.value)} = ${value}`;
    return this.say("text.then", {
      who: this.who(edge.to),
      value,
      got: got + 1,
      of: this.scene.expected(edge.to)
    });
  }
  adds(node) {
    const total = this.state.total[node.id]?.[0] ?? null;
    return [
      this.say("text.adds_to", {
        value: this.value(total, 60),
        who: who(node),
        before: this.grad(node.id, this.state)
      })
    ];
  }
  leaves() {
    const ids = this.scene.head.nodes.filter((node) => node.kind === "leaf").map((node) => node.id);
    ids.push(...Object.keys(this.state.grads).filter((id) => this.scene.nodes.has(id) && !ids.includes(id)));
    if (ids.length === 0) return [];
    const titles2 = ["leaf", "value", "received", "grad_before", "grad_now"].map(
      (title) => this.say(`text.${title}`)
    );
    const rows2 = ids.map((id) => {
      const node = this.scene.nodes.get(id);
      return [
        who(node),
        node.value ? this.value(node.value) : "-",
        this.received(node),
        this.grad(id, this.first),
        this.gradNow(id)
      ];
    });
    return aligned([titles2, ...rows2]);
  }
  received(node) {
    const got = arrived(this.state, node.id);
    const count = `${got}/${this.scene.expected(node.id)}`;
    return got ? `${this.value(this.state.total[node.id]?.[0])}, ${count}` : count;
  }
  grad(id, state) {
    return this.value(state.grads[id]?.value);
  }
  gradNow(id) {
    const old = this.first.grads[id];
    const now = this.state.grads[id];
    let text = this.grad(id, this.state);
    if (old?.value && now?.value && this.state.status[id] === "done")
      text = this.say(old.object === now.object ? "text.same_tensor" : "text.new_tensor", { value: text });
    if (now?.shares) text = this.say("text.shares", { value: text, who: visible(now.shares) });
    return now?.value && now.strides ? `${text}, ${stridesText(now.strides, this.catalogue)}` : text;
  }
  error() {
    const error = this.state.error;
    if (!error) return [];
    const cause = error.say.map((each) => this.say(each.id, each.args ?? {})).join(" ");
    const found = error.repairs ?? [];
    const repairs = found.map((each) => `  ${this.say(each.id, each.args ?? {})}`);
    const title = found.length ? [this.say("repair.title")] : [];
    return [cause, `${visible(error.class)}: ${visible(error.message)}`, ...title, ...repairs].filter(
      Boolean
    );
  }
  notes() {
    const lines2 = Object.entries(this.state.wrong ?? {}).map(([id, mark]) => {
      const value = { got: this.value(mark.got), expected: this.value(mark.expected) };
      return this.say("text.wrong", { who: this.who(id), value: this.say("text.instead", value) });
    });
    if (this.scene.head.nodes.some((node) => node.saved.length > 0))
      lines2.push(this.say("text.bytes", { bytes: `${this.state.bytes} B` }));
    for (const [id, hooks] of Object.entries(this.state.hooks ?? {}))
      if (hooks.length > 0) lines2.push(this.say("text.hooks", { who: this.who(id), what: hooks }));
    if (this.state.outside.length)
      lines2.push(this.say("text.outside", { what: this.state.outside.map(visible) }));
    for (const edit of this.scene.head.edits ?? []) {
      if (edit.step > this.state.step) continue;
      const args = { before: this.value(edit.before), after: this.value(edit.after) };
      const id = edit.repair ? "text.repaired" : edit.key === null ? "text.edited" : "text.edited_saved";
      lines2.push(this.say(id, { step: edit.step, who: this.who(edit.node), ...args }));
    }
    const { directions } = this.scene.head.options;
    if (directions !== void 0) lines2.push(this.say("text.directions.rows", { n: directions }));
    const simulated = this.scene.head.simulated ?? [];
    if (simulated.length) lines2.push(this.say("text.simulated", { what: simulated.map(visible) }));
    const { engine, recorded } = this.scene.head;
    if (engine === "torch" || engine === "torch_by_hand") lines2.push(...engineLines(this, engine));
    else if (!recorded) lines2.push(this.say("text.unrecorded"));
    return [...new Set(lines2)];
  }
};

// src/moments.ts
function momentAfter(at2, count, events) {
  if (at2.event >= 0)
    return { position: at2.position, event: at2.event + 1 >= events(at2.position) ? -1 : at2.event + 1 };
  if (at2.position >= count - 1) return null;
  return firstMoment(at2.position + 1, events);
}
function firstMoment(position, events) {
  return { position, event: events(position) > 1 ? 1 : -1 };
}
function momentBefore(at2, events) {
  if (at2.event > 1) return { position: at2.position, event: at2.event - 1 };
  if (at2.event >= 0) return { position: at2.position - 1, event: -1 };
  if (at2.position === 0) return null;
  const last = events(at2.position) - 1;
  return last >= 1 ? { position: at2.position, event: last } : { position: at2.position - 1, event: -1 };
}
function momentSentence(frame, before2) {
  const { scene, catalogue, state, first } = frame;
  const last = state.events[state.events.length - 1];
  if (!state.part || !last) return [];
  const view = new TextView(scene, catalogue, state, before2, first);
  const counts = /* @__PURE__ */ new Map();
  const parts2 = state.events.map((event) => eventParts(view, event, counts));
  return parts2[parts2.length - 1].flatMap(([id, args], k) => [k > 0 && " ", ...catalogue.pieces(id, args)]);
}
function markMoment(root, frame) {
  const last = frame.state.part ? frame.state.events[frame.state.events.length - 1] : void 0;
  for (const row4 of root.querySelectorAll(".row.saved"))
    row4.classList.toggle(
      "is-now",
      !!last?.key && row4.getAttribute("data-keys")?.split(" ").includes(last.key) === true
    );
}

// src/repairs.ts
function repairsPanel(frame, onTry) {
  const found = frame.state.error?.repairs ?? [];
  if (found.length === 0) return null;
  const { catalogue } = frame;
  const button2 = h("button", { class: "btn line", type: "button" }, catalogue.text("ui.repair.try"));
  button2.addEventListener("click", onTry);
  return h(
    "section",
    { class: "repairs" },
    h("h4", {}, catalogue.text("ui.repair.title"), button2),
    h("div", { class: "cards" }, ...found.map((each) => card2(each, frame)))
  );
}
function card2(repair, frame) {
  const { catalogue } = frame;
  const { line, old, new: fresh, who: who2 } = repair.args ?? {};
  const kind = repair.id.replace("repair.", "");
  const later = kind === "later";
  const number = (text) => h("span", { class: "num quiet" }, text);
  return h(
    "div",
    {},
    h("h5", {}, ...catalogue.pieces(`ui.repair.${kind}`, { who: who2 ?? null })),
    h("p", { class: "old" }, number(String(line)), h("s", {}, code(String(old), 60))),
    h(
      "p",
      { class: "new" },
      number(later ? "↓" : String(line)),
      code(String(fresh), 60),
      later && h("span", { class: "quiet small" }, ` # ${catalogue.text("ui.repair.below")}`)
    )
  );
}

// src/notice.ts
var Notices = class {
  // the catalogue: another language, another text
  /** @param onTry try a repair on a copy */
  constructor(onTry = () => {
  }) {
    this.onTry = onTry;
  }
  onTry;
  element = h("div");
  open = false;
  key = "";
  words = null;
  update(frame, refused, halt = []) {
    const key = `${frame.position} ${JSON.stringify([refused, halt, frame.state.error, frame.state.outside, this.open])}`;
    if (key === this.key && frame.catalogue === this.words) return;
    this.key = key;
    this.words = frame.catalogue;
    set(
      this.element,
      this.error(frame, refused, halt),
      repairsPanel(frame, this.onTry),
      refused.length > 0 && warning(frame.catalogue.sentences(refused)),
      this.outside(frame),
      halt.length > 0 && stopped(frame.catalogue.sentences(halt))
    );
  }
  /** Cause first, consequence second; the exception class is one click away. */
  error(frame, refused, halt) {
    const error = frame.state.error;
    if (!error) return null;
    const { catalogue } = frame;
    const [cause, ...rest] = error.say;
    const button2 = h(
      "button",
      { class: "btn line", type: "button", "aria-expanded": String(this.open) },
      visible(error.class).slice(0, 60)
    );
    button2.addEventListener("click", () => {
      this.open = !this.open;
      this.update(frame, refused, halt);
      this.element.querySelector("button")?.focus();
    });
    const first = cause ? catalogue.pieces(cause.id, cause.args ?? {}) : [visible(error.message)];
    const text = h("p", {}, h("strong", {}, ...first), " ", ...catalogue.sentences(rest));
    return h(
      "div",
      { class: "notice", role: "alert" },
      icon("failed", "c-bad"),
      text,
      button2,
      this.open && h("pre", {}, visible(`${error.class}: ${error.message}`))
    );
  }
  outside(frame) {
    const names = frame.state.outside;
    if (names.length === 0) return null;
    return warning(frame.catalogue.pieces("step.outside", { what: names }));
  }
};
function stopped(pieces) {
  return h("div", { class: "notice calm", role: "status" }, icon("point", "c-bad"), h("p", {}, ...pieces));
}
function warning(pieces) {
  return h("div", { class: "notice warn", role: "status" }, icon("stale", "c-warn"), h("p", {}, ...pieces));
}

// src/seen.ts
var Seen = class {
  words = /* @__PURE__ */ new Set();
  deltas = [];
  /** All that occur in the states so far; a record that was begun anew is gathered anew. */
  upTo(folder) {
    const last = this.deltas.length - 1;
    if (last >= 0 && (this.deltas[0] !== folder.raw(0) || this.deltas[last] !== folder.raw(last))) {
      this.words = /* @__PURE__ */ new Set();
      this.deltas = [];
    }
    for (let k = this.deltas.length; k < folder.length; k++) {
      const delta = folder.raw(k) ?? {};
      for (const status of Object.values(delta.status ?? {})) this.words.add(status);
      for (const saved of Object.values(delta.saved ?? {}))
        this.words.add(saved.packed?.place === "absent" ? "absent" : saved.state);
      for (const event of delta.events ?? []) this.words.add(event.kind);
      this.deltas.push(delta);
    }
    return this.words;
  }
};

// src/replay.ts
function partOf(scene, before2, after2, count) {
  if (count >= after2.events.length || after2.ran === null) return after2;
  const state = {
    ...before2,
    step: after2.step,
    ran: after2.ran,
    next: after2.ran,
    events: after2.events.slice(0, count),
    say: [],
    error: null,
    outside: after2.outside,
    end: null,
    part: { done: count, of: after2.events.length },
    status: { ...before2.status, [after2.ran]: "next" },
    received: { ...before2.received },
    total: { ...before2.total },
    saved: { ...before2.saved },
    grads: { ...before2.grads },
    sent: { ...before2.sent },
    predicted: { ...before2.predicted }
  };
  for (const event of state.events) happen(scene, state, after2, event);
  state.bytes = bytesKept(scene, state);
  return state;
}
function happen(scene, state, after2, event) {
  const edge = scene.edges.get(event.edge ?? "");
  if (event.kind === "send" && edge) deliver(scene, state, after2, edge, event);
  else if (event.kind === "free" && event.key) state.saved[event.key] = after2.saved[event.key];
  else if (event.kind === "accumulate") state.grads[event.node] = after2.grads[event.node];
}
function deliver(scene, state, after2, edge, event) {
  const { to, slot, id } = edge;
  const value = after2.sent[id] ?? null;
  state.received[to] = (state.received[to] ?? []).map(
    (parts2, k) => k === slot ? [...parts2, { edge: id, value }] : parts2
  );
  const total = "total" in event ? event.total ?? null : after2.total[to]?.[slot] ?? null;
  state.total[to] = (state.total[to] ?? []).map((old, k) => k === slot ? total : old);
  state.sent[id] = value;
  delete state.predicted[id];
  if (arrived(state, to) >= scene.expected(to) && state.status[to] === "waiting") state.status[to] = "ready";
}
function bytesKept(scene, state) {
  const kept = /* @__PURE__ */ new Set();
  for (const node of scene.head.nodes)
    for (const entry of node.saved) {
      const status = state.saved[entry.key]?.state;
      if (entry.storage && entry.role !== "scalar" && (status === "kept" || status === "stale"))
        kept.add(entry.storage);
    }
  return scene.head.storages.filter((each) => !each.parameter && kept.has(each.id)).reduce((sum, each) => sum + each.bytes, 0);
}

// src/line.ts
var Line = class {
  constructor(model) {
    this.model = model;
  }
  model;
  channel = null;
  send(message) {
    const name = String(this.model.get("channel") ?? "");
    if (this.channel?.name !== name) this.close();
    if (name) (this.channel ??= new BroadcastChannel(name)).postMessage(JSON.stringify(message));
    else this.model.send(message);
  }
  close() {
    this.channel?.close();
    this.channel = null;
  }
};

// src/session.ts
var PATIENCE2 = 2e4;
var NONE = [];
var Session = class {
  constructor(model, onChange) {
    this.model = model;
    this.onChange = onChange;
    this.scene = new Scene(unpack(model.get("_head")));
    this.catalogue = this.makeCatalogue();
    this.listen("change:_head", () => this.headChanged());
    this.listen("change:messages", () => this.headChanged("words"));
    this.listen("change:position", () => this.onChange("state"));
    this.listen("change:event", () => this.onChange("state"));
    this.listen("change:count", () => this.onChange("state"));
    this.listen("change:asking", () => this.onChange("state"));
    this.listen("change:breaks", () => this.onChange("state"));
    this.listen("change:halts", () => this.onChange("state"));
    this.listen("change:done", () => this.onChange("state"));
    this.listen("change:warnings", () => this.onChange("state"));
    this.listen("change:waiting", () => this.onChange("state"));
    this.listen("msg:custom", (message) => this.receive(message));
    this.line = new Line(model);
    this.post({ type: "hello" });
  }
  model;
  onChange;
  scene;
  catalogue;
  refused = [];
  /** Step and Back go event by event. */
  byEvents = false;
  layouts = /* @__PURE__ */ new Map();
  seen = new Seen();
  asked = null;
  folder = new Folder();
  line;
  listeners = [];
  /** Is the state at `position` here yet? (Its message may be on the way.) */
  get ready() {
    return this.folder.length > this.position;
  }
  get position() {
    const position = Number(this.model.get("position") ?? 0);
    return Math.max(0, Math.min(position, Math.max(0, this.count - 1)));
  }
  /** How many events of the step are shown; -1: the whole step. */
  get event() {
    const event = Number(this.model.get("event") ?? -1);
    return this.position > 0 && event >= 0 && event < this.events(this.position) ? event : -1;
  }
  events(k) {
    return this.folder.raw(k)?.events?.length ?? 0;
  }
  get count() {
    return Math.max(Number(this.model.get("count") ?? 0), this.folder.length, 1);
  }
  get done() {
    return Boolean(this.model.get("done"));
  }
  get atHead() {
    return this.position >= this.count - 1;
  }
  get atEnd() {
    return this.atHead && this.done && this.event < 0;
  }
  state(index = this.position) {
    return this.folder.state(index);
  }
  /** What is to be shown: the state at `position`, or a moment inside that step. */
  moment() {
    const { event } = this;
    if (event < 0) return withoutAsked(this.state(), this.openQuestions);
    return partOf(this.scene, this.stateBefore(), this.state(), event);
  }
  first() {
    return this.folder.first();
  }
  /** The state one step before the one shown, for the words "before" and "already received". */
  stateBefore() {
    const current = this.position;
    const before2 = this.folder.state(Math.max(0, current - 1));
    this.folder.state(current);
    return before2;
  }
  /** Every state of a node, state of an entry and kind of event that occurs in the record. */
  words() {
    return this.seen.upTo(this.folder);
  }
  delta(index) {
    return this.folder.raw(index);
  }
  /** Ids of the nodes that ran, over all recorded states. */
  ran() {
    const ids = [];
    for (let k = 1; k < this.folder.length; k++) {
      const id = this.folder.raw(k)?.ran;
      if (id) ids.push(id);
    }
    return ids;
  }
  /** Steps that this pass will have: nodes asked for. */
  total() {
    const first = this.folder.raw(0)?.status ?? {};
    const asked = this.scene.head.nodes.filter((node) => first[node.id] !== "skipped").length;
    return this.done && this.state(this.count - 1).end === "ok" ? this.count - 1 : Math.max(asked, this.count - 1);
  }
  /** One step (or event) forward: in the record if there is more of it, else in the kernel. */
  step() {
    this.refused = [];
    const next = this.next();
    if (next) this.moveTo(next);
    else this.request(this.byEvents ? "event" : "step");
  }
  /** Where a step forward leads in the record; null at its end. */
  next() {
    const at2 = { position: this.position, event: this.event };
    if (this.byEvents) return momentAfter(at2, this.count, (k) => this.events(k));
    return this.atHead ? null : { position: at2.position + 1, event: -1 };
  }
  back() {
    if (!this.byEvents) return this.jump(this.position - 1);
    const before2 = momentBefore({ position: this.position, event: this.event }, (k) => this.events(k));
    if (before2) this.moveTo(before2);
  }
  jump(position) {
    const to = Math.max(0, Math.min(position, this.count - 1));
    if (to === this.position && this.event < 0) return;
    this.moveTo({ position: to, event: -1 });
  }
  moveTo({ position, event }) {
    this.model.set("event", event);
    this.model.set("position", position);
    this.attempt(() => this.model.save_changes());
  }
  get asking() {
    return this.model.get("asking") ?? {};
  }
  /** Questions about the step to come; they hide its numbers, and it waits for them. */
  get openQuestions() {
    return this.atHead && this.event < 0 && this.asking.open || [];
  }
  get breaks() {
    return this.model.get("breaks") ?? NONE;
  }
  /** Why a run stops at the step that is shown; empty where it does not. */
  get halt() {
    const halts = this.model.get("halts") ?? {};
    return this.event < 0 && halts[String(this.position)] || [];
  }
  get halted() {
    return this.halt.length > 0 || this.openQuestions.length > 0;
  }
  toggleBreak({ kind, value }) {
    this.post({ type: "break", point: { kind, value } });
  }
  removeBreak(index) {
    this.post({ type: "unbreak", index });
  }
  runToEnd() {
    if (this.breaks.length > 0) {
      this.post({ type: "continue" });
      return;
    }
    if (this.done) this.jump(this.count - 1);
    else this.request("run");
  }
  /** Asks the kernel for more. One request at a time: a held-down key does not run ahead of a busy kernel. */
  request(type) {
    const now = Date.now();
    const open = this.asked && this.asked.count === this.count && now - this.asked.at < PATIENCE2;
    if (this.done || open) return;
    this.asked = { count: this.count, at: now };
    this.post({ type, at: this.count });
  }
  /** Does a cell wait for this pass? */
  get waiting() {
    return Boolean(this.model.get("waiting"));
  }
  /** What a waiting cell can be told: no more stops, or an end. */
  repair() {
    this.refused = [];
    this.post({ type: "repair" });
  }
  /** The program runs again with one of its repairs; the first is 1. */
  retry(number) {
    this.refused = [];
    this.post({ type: "retry", number });
  }
  /** A request of predict mode. */
  predict(message) {
    this.refused = [];
    this.post(message);
  }
  tell(type) {
    this.post({ type });
  }
  option(name, value) {
    this.post({ type: "option", name, value });
  }
  /** A number changed: the kernel goes on with a copy. */
  edit(change) {
    this.post({ type: "edit", ...change });
  }
  /** The picture of a group of a big graph; null: there is none; undefined: not asked for, or on its way. */
  layoutOf(group) {
    return this.layouts.get(group);
  }
  askLayout(id) {
    if (!this.layouts.has(id)) this.post({ type: "group", id });
  }
  /** Is this a page without a kernel? */
  get onPage() {
    return Boolean(this.model.get("page"));
  }
  /** Asks for a file; it comes as a message of its own. */
  save(what) {
    this.post({ type: "save", what });
  }
  /** Is the learner warned where a second derivative loses something? */
  get warns() {
    return Boolean(this.model.get("warnings"));
  }
  warn(on) {
    this.model.set("warnings", on);
    this.attempt(() => this.model.save_changes());
  }
  /** On to the pass of a leaf's gradient. */
  second(leaf) {
    this.refused = [];
    this.post({ type: "second", leaf });
  }
  /** Back to the pass that a copy was made from. */
  undo() {
    this.post({ type: "undo" });
  }
  post(message) {
    this.attempt(() => this.line.send(message));
  }
  /** After a restart there is no kernel that would know of this pass; that is said, and nothing is thrown. */
  attempt(speak) {
    try {
      speak();
    } catch {
      this.asked = null;
      this.refused = [{ id: "refused.gone" }];
      this.onChange("refused");
    }
  }
  close() {
    for (const [event, listener] of this.listeners) this.model.off(event, listener);
    this.listeners.length = 0;
    this.line.close();
  }
  listen(event, listener) {
    this.model.on(event, listener);
    this.listeners.push([event, listener]);
  }
  headChanged(what = "head") {
    if (what === "head") this.layouts.clear();
    this.scene = new Scene(unpack(this.model.get("_head")));
    this.catalogue = this.makeCatalogue();
    this.onChange(what);
  }
  makeCatalogue() {
    const messages = this.model.get("messages") ?? {};
    return new Catalogue(messages, String(this.model.get("language") ?? "en"), this.scene.names());
  }
  receive(message) {
    if (message?.type === "states" && Array.isArray(message.states)) {
      if (Number(message.from) === 0) this.asked = null;
      this.folder.put(Number(message.from), message.states);
      this.onChange("state");
    } else if (message?.type === "layout") {
      const { group, layout } = message;
      this.layouts.set(String(group), layout ?? null);
      this.onChange("state");
    } else if (message?.type === "file") {
      const { name, mime, text } = message;
      download(String(name), String(mime), String(text));
    } else if (message?.type === "refused" && Array.isArray(message.say)) {
      this.asked = null;
      this.refused = message.say;
      this.onChange("refused");
    }
  }
};

// src/strip.ts
var Strip = class {
  words = h("div", { class: "strip-words" });
  element;
  constructor(zoom) {
    this.element = h("div", { class: "strip" }, this.words, zoom);
  }
  update(frame) {
    const { catalogue, state, first, scene } = frame;
    const [down, up] = arrows();
    const most = Math.max(first.bytes, state.bytes, 1);
    const bar = s(
      "svg",
      { class: "bytes-bar", width: 64, height: 6, viewBox: "0 0 64 6", "aria-hidden": "true" },
      s("rect", { class: "all", x: 0.5, y: 0.5, width: 63, height: 5 }),
      s("rect", {
        class: "now",
        x: 0,
        y: 0,
        width: (64 * Math.min(1, state.bytes / most)).toFixed(1),
        height: 6
      })
    );
    set(
      this.words,
      h("span", {}, down, catalogue.text("text.forward")),
      h("span", {}, up, catalogue.text("text.backward")),
      h("span", { class: "gap" }),
      scene.head.engine !== "own" && h(
        "span",
        { class: "bytes" },
        bar,
        catalogue.text("ui.bytes", {
          bytes: `${state.bytes} B`,
          of: `${Math.max(first.bytes, state.bytes)} B`
        })
      )
    );
  }
};
function arrows() {
  const arrow2 = (...parts2) => s("svg", { width: 10, height: 14, viewBox: "0 0 10 14", "aria-hidden": "true" }, ...parts2);
  return [
    arrow2(s("path", { class: "fwd", d: "M5 1V13M2 9.5L5 13l3-3.5" })),
    arrow2(s("path", { class: "up", d: "M5 13V5" }), s("path", { class: "head-back", d: "M5 0L9 7H1z" }))
  ];
}

// src/timeline.ts
var MOST_NAMED2 = 12;
var MOST_DOTS = 90;
var EVENT_WIDTH = 18;
var TimeLine = class {
  constructor(events, onJump) {
    this.events = events;
    this.onJump = onJump;
  }
  events;
  onJump;
  element = h("div", { class: "time" });
  parts = new TimeParts();
  update(frame) {
    const order = runningOrder(frame.scene, frame.ran).filter((id) => frame.first.status[id] !== "skipped");
    this.element.classList.toggle("dots", order.length > MOST_NAMED2);
    const room = (this.element.clientWidth || 868) - 32;
    const parts2 = order.length > MOST_NAMED2 ? this.parts.row(frame, order.length, room) : null;
    if (order.length > MOST_DOTS) return set(this.element, this.bar(frame, order.length), parts2);
    const list = h(
      "ol",
      { "aria-label": frame.catalogue.text("ui.time") },
      ...order.map((id, k) => this.place(frame, id, k, order.length))
    );
    set(this.element, list, parts2);
  }
  place(frame, id, k, length) {
    const status = fineStatus(frame.state, id);
    const past = k < frame.position && status !== "failed";
    const inside = !!frame.state.part && k === frame.position - 1;
    const now = inside || k === frame.position && frame.state.next === id && !frame.state.part;
    const events = past && length <= MOST_NAMED2 ? this.eventIcons(frame, k + 1, length, inside) : null;
    const kind = inside ? "past now" : past ? "past" : now || status === "failed" ? "now" : "todo";
    return h("li", { class: kind }, this.button(frame, id, k, length, now), events);
  }
  /** The mouse's way to a step; the keyboard has the arrows, Home and End. */
  button(frame, id, k, length, now) {
    const status = fineStatus(frame.state, id);
    const [name, tone] = STATUS_ICON[status];
    const state = frame.catalogue.text(`status.${status === "partly" ? "waiting" : status}`);
    const who2 = shorten(frame.scene.name(id), 80);
    const label = frame.catalogue.text("ui.time.step", { n: k + 1, who: who2, state });
    const dots = length > MOST_NAMED2;
    const hidden = { "aria-hidden": "true" };
    const button2 = h(
      "button",
      {
        type: "button",
        tabindex: -1,
        "aria-label": label,
        title: label,
        "aria-current": now ? "step" : null
      },
      dots ? h("span", { class: "dot", ...hidden }) : icon(name, status === "done" ? "c-grad" : tone),
      dots && !now ? null : h("span", { class: "word", ...hidden }, `${k + 1} `, code(frame.scene.name(id)))
    );
    button2.setAttribute("aria-disabled", String(k >= frame.count));
    button2.addEventListener("click", () => k < frame.count && this.onJump(k));
    return button2;
  }
  /** The events of a step; where they do not fit, one of each kind with its number. */
  eventIcons(frame, position, length, inside) {
    const room = Math.max(1, Math.floor(((this.element.clientWidth || 868) - 32) / length / EVENT_WIDTH) - 2);
    if (inside) return insideIcons(frame, this.events(position), room);
    const events = this.events(position).filter(
      (event) => event.kind in EVENT_ICON && event.kind !== "error"
    );
    const kinds = joinFrees(events);
    if (kinds.length === 0) return null;
    const shown = kinds.length <= room ? kinds : [...new Set(kinds)].slice(0, room);
    const words2 = kinds.map((kind) => frame.catalogue.text(`ui.event.${kind}`)).join(", ");
    const icons = shown.map((kind) => icon(EVENT_ICON[kind][0], EVENT_ICON[kind][1]));
    return h(
      "span",
      { class: "events", role: "img", "aria-label": visible(words2), title: visible(words2) },
      ...icons
    );
  }
  bar(frame, length) {
    const part = 100 * frame.position / length;
    const now = frame.state.next ? code(frame.scene.name(frame.state.next), 30) : null;
    return h(
      "div",
      { class: "progress" },
      h("div", { class: "track", "aria-hidden": "true" }, h("div", { style: `width:${part.toFixed(2)}%` })),
      h("span", {}, `${Math.min(frame.position + 1, length)} `, now)
    );
  }
};
function insideIcons(frame, events, room) {
  const done = frame.state.part.done;
  const from = Math.max(0, Math.min(done - Math.ceil(room / 2), events.length - room));
  const icons = events.slice(from, from + room).map((event, k) => {
    const [name, tone] = EVENT_ICON[event.kind];
    const place2 = from + k + 1;
    const sign2 = icon(name, place2 > done ? "c-2" : tone);
    if (place2 === done) sign2.classList.add("is-now");
    else if (place2 > done) sign2.classList.add("is-later");
    return sign2;
  });
  return h("span", { class: "events inside", "aria-hidden": "true" }, ...icons);
}
function joinFrees(events) {
  return events.map((event) => event.kind).filter((kind, k, all) => !(kind === "free" && all[k - 1] === "free"));
}

// src/tour.ts
var PARTS2 = [
  [".bar .step-group, .bar", "bar"],
  [".time", "time"],
  [".say", "say"],
  [".picture", "picture"],
  [".box.is-next, .box.is-failed, .box", "node"],
  [".lane", "lane"],
  [".slot", "slot"],
  [".box[data-leaf]", "leaf"],
  [".strip", "bytes"],
  [".insp", "inspector"],
  [".leaves", "leaves"],
  [".legend", "legend"]
];
var Tour = class {
  constructor(root, onClose) {
    this.root = root;
    this.onClose = onClose;
  }
  root;
  onClose;
  element = h("div", { class: "tour", hidden: true, role: "region" });
  at = 0;
  lit = null;
  get open() {
    return !this.element.hidden;
  }
  show(open, catalogue) {
    this.element.hidden = !open;
    this.at = 0;
    if (open) this.draw(catalogue, true);
    else this.light(null);
  }
  /** Panels redraw themselves; the lit part may be a new element. */
  update(catalogue) {
    if (this.open) this.draw(catalogue, false);
  }
  move(by, catalogue) {
    this.at = (this.at + by + PARTS2.length) % PARTS2.length;
    this.draw(catalogue, true);
  }
  draw(catalogue, focus) {
    const [selector, name] = PARTS2[this.at];
    const button2 = (label, sign2, action) => {
      const element2 = h(
        "button",
        { class: "btn line", type: "button" },
        sign2 !== "minus" && icon(sign2),
        catalogue.text(label)
      );
      element2.addEventListener("click", action);
      return element2;
    };
    const had = this.element.contains(document.activeElement);
    const next = button2("ui.tour.next", "shut", () => this.move(1, catalogue));
    const text = h(
      "p",
      { "aria-live": "polite" },
      h("strong", {}, catalogue.text(`ui.tour.${name}`)),
      " ",
      catalogue.text(`ui.tour.${name}.is`)
    );
    const count = h(
      "span",
      { class: "quiet small num" },
      catalogue.text("text.of", { got: this.at + 1, of: PARTS2.length })
    );
    if (focus || !this.element.hasChildNodes()) {
      set(
        this.element,
        text,
        count,
        button2("ui.tour.previous", "back", () => this.move(-1, catalogue)),
        next,
        button2("ui.tour.close", "minus", this.onClose)
      );
      if (had || focus) next.focus();
    }
    this.element.setAttribute("aria-label", catalogue.text("ui.tour"));
    this.light(this.root.querySelector(selector));
  }
  light(part) {
    this.lit?.classList.remove("is-lit");
    part?.classList.add("is-lit");
    this.lit = part;
  }
};
function tourText(catalogue) {
  return PARTS2.map(
    ([, name]) => `${catalogue.text(`ui.tour.${name}`)} ${catalogue.text(`ui.tour.${name}.is`)}`
  ).join("\n");
}

// src/whole_text.ts
function wholeText(frame, session, extras) {
  const before2 = frame.position > 0 ? session.stateBefore() : frame.first;
  const form2 = extras.text(frame) ?? textForm(frame.scene, frame.catalogue, frame.state, before2, frame.first);
  const { asking, openQuestions } = session;
  const asked = asking.open ? askLines(asking, openQuestions, frame.scene, frame.catalogue) : "";
  const lost2 = session.warns ? warnings(frame.scene, frame.state, frame.catalogue) : [];
  const warned = lost2.map((line) => `${line}
`).join("");
  return form2 + warned + breakLines(frame, frame.breaks, session.halt) + asked;
}

// src/view.ts
var FASTEST_WITH_MOTION = 4;
var StepperView = class {
  element = h("div", { class: "ad", tabindex: -1, role: "region" });
  session;
  runner;
  toolbar;
  menu;
  tour;
  breaks = new BreakPanel({
    toggle: (point) => this.session.toggleBreak(point),
    remove: (index) => this.session.removeBreak(index)
  });
  ask = new AskPanel({
    answer: (text) => this.session.predict({ type: "answer", text }),
    reveal: () => this.session.predict({ type: "reveal" }),
    forget: () => this.session.predict({ type: "forget" })
  });
  askButton = null;
  notices = new Notices(() => this.session.repair());
  gate = new GateBar((what) => this.session.tell(what));
  timeline;
  say = h("div", { class: "say", "aria-live": "polite" });
  /** Speaks the sentence while the text form hides the panels. */
  voice = h("div", { class: "unseen", "aria-live": "polite" });
  strip;
  graph;
  leaves = new Leaves();
  inspector;
  legend = new Legend();
  text = h("pre", { class: "textform", tabindex: 0, hidden: true });
  body = h("div", { class: "body" });
  panes = h("div", { class: "panes" });
  extras;
  stopKeys;
  resized;
  number = nextNumber();
  selected = null;
  last = null;
  built = null;
  constructor(model, prefix) {
    this.menu = new Menu((name, value) => this.session.option(name, value), prefix);
    this.tour = new Tour(this.element, () => this.toggleTour(false));
    this.timeline = new TimeLine(
      (position) => this.session.delta(position)?.events ?? [],
      (position) => this.jump(position)
    );
    this.graph = new GraphPane(prefix, (node) => this.select(node));
    this.strip = new Strip(this.graph.zoom);
    this.inspector = new Inspector(
      () => this.select(null),
      () => this.stepInto()
    );
    this.session = new Session(model, (what) => this.changed(what));
    this.extras = new Extras(
      this.session,
      (position) => this.jump(position),
      () => this.redraw(),
      prefix,
      (node) => this.select(node)
    );
    this.runner = new Runner(this.session, () => this.redraw());
    this.assemble();
    this.stopKeys = listenToKeys(this.element, this.keyActions());
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(this.element);
    this.redraw();
  }
  destroy() {
    this.runner.pause();
    this.graph.finish();
    this.resized.disconnect();
    this.stopKeys();
    this.session.close();
    this.element.remove();
  }
  assemble() {
    const { catalogue } = this.session;
    this.element.setAttribute("aria-label", this.name());
    this.text.setAttribute("aria-label", catalogue.text("ui.button.text"));
    this.toolbar = new Toolbar(catalogue, this.toolbarActions(), this.runner.speed);
    const asks = () => this.session.asking.open !== void 0;
    this.askButton = askButton(catalogue, () => this.session.predict({ type: "ask", on: !asks() }));
    this.toolbar.add(this.askButton, ...this.extras.buttons(catalogue));
    const left = h("div", { class: "left" });
    const { groups, clinic } = this.extras;
    const stage = h("div", { class: "stage" }, groups.element, this.graph.element, clinic.listing);
    left.append(this.say, this.strip.element, stage);
    left.append(...this.extras.below, this.leaves.element);
    set(this.panes, left, this.inspector.element);
    set(this.body, this.timeline.element, this.extras.memory.element, this.panes, this.legend.element);
    const bars = [this.toolbar.element, this.gate.element, this.menu.element, this.breaks.element];
    const above = [this.tour.element, ...this.extras.above, this.notices.element];
    above.push(this.extras.clinic.words, this.ask.element);
    set(this.element, ...bars, ...above, this.body, this.text, this.voice);
  }
  /** The view's name for a screen reader: what is stepped, and a number where the page has several views. */
  name() {
    const { catalogue, scene } = this.session;
    const root = scene.head.root ? `: ${visible(scene.head.root)}` : "";
    return `${catalogue.text("ui.view")}${root}${this.number > 1 ? `, ${this.number}` : ""}`;
  }
  toolbarActions() {
    return {
      step: () => this.step(),
      back: () => this.back(),
      reset: () => this.jump(0),
      run: () => this.run(),
      speed: (perSecond) => this.runner.speed = perSecond,
      mode: (events) => this.setMode(events),
      breaks: () => this.toggleBreaks(!this.breaks.open),
      text: () => this.toggleText(),
      tour: () => this.toggleTour(!this.tour.open),
      menu: () => this.toggleMenu(!this.menu.open)
    };
  }
  changed(what) {
    if (what === "head") this.selected = null;
    if (what === "words") delete this.say.dataset.step;
    if (what === "words" && this.toolbar) this.assemble();
    this.redraw();
  }
  frame() {
    if (!this.session?.ready) return null;
    return frameOf(this.session, this.selected, fonts(this.element));
  }
  /** Draws the current state; a single step forward lets its gradients ride. */
  redraw() {
    const frame = this.frame();
    if (!frame || !this.toolbar) return;
    const before2 = this.last;
    this.last = this.extras.groups.picture(frame);
    this.draw(before2, this.last);
    this.panels({ ...frame, near: this.extras.groups.near(frame) });
  }
  /** The picture: of the whole graph, or of the group that is open. */
  draw(before2, frame) {
    const { groups } = this.extras;
    this.graph.element.hidden = this.graph.zoom.hidden = !groups.element.hidden && !groups.hasPicture;
    if (this.built !== frame.scene) {
      this.built = frame.scene;
      this.graph.build(frame);
      this.graph.update(frame);
    } else if (before2 && isAhead(before2, frame) && this.motion()) this.graph.play(before2, frame);
    else if (looksOther(before2, frame)) {
      this.graph.finish();
      this.graph.update(frame);
    }
  }
  panels(frame) {
    this.toolbar.update(frame, {
      running: this.runner.running,
      text: !this.text.hidden,
      events: this.session.byEvents,
      breaks: this.breaks.open,
      asked: this.session.openQuestions.length > 0,
      tally: tally(this.session.asking, frame.catalogue),
      tour: this.tour.open,
      menu: this.menu.open
    });
    this.gate.update(frame.catalogue, this.session.waiting);
    this.menu.update(frame);
    this.notices.update(frame, this.session.refused, this.session.halt);
    this.breaks.update(frame, frame.breaks);
    this.ask.update(this.session.asking, this.session.openQuestions, frame.scene, frame.catalogue);
    this.askButton?.setAttribute("aria-pressed", String(this.session.asking.open !== void 0));
    const moment = `${frame.position} ${frame.event} ${frame.state.end ?? ""}`;
    const sentence3 = this.sentence(frame);
    this.say.hidden = sentence3.length === 0;
    if (this.say.dataset.step !== moment) set(this.say, h("p", {}, ...sentence3));
    this.say.dataset.step = moment;
    this.voice.textContent = this.text.hidden ? "" : this.say.textContent;
    this.strip.update(frame);
    this.timeline.update(frame);
    this.leaves.update(frame);
    this.inspector.update(frame);
    markMoment(this.inspector.element, frame);
    this.legend.update(frame, this.session.words());
    this.panes.hidden = this.extras.memoryOpen;
    this.extras.update(frame);
    if (!this.text.hidden) this.drawText(frame);
    this.tour.update(frame.catalogue);
  }
  /** What the step did, or, inside a step, its last event. */
  sentence(frame) {
    if (frame.state.error) return [];
    if (frame.state.part) return momentSentence(frame, this.session.stateBefore());
    return frame.catalogue.sentences(frame.state.say);
  }
  drawText(frame) {
    const text = wholeText(frame, this.session, this.extras);
    this.text.textContent = this.tour.open ? `${text}
${tourText(frame.catalogue)}
` : text;
  }
  motion() {
    return this.text.hidden && !(this.runner.running && (this.runner.speed === 0 || this.runner.speed > FASTEST_WITH_MOTION));
  }
  resize() {
    this.graph.resize();
    if (this.last) this.timeline.update(this.last);
  }
  /** An open question comes before the next step. */
  questionFirst() {
    if (this.session.openQuestions.length === 0) return false;
    this.ask.focus();
    return true;
  }
  run() {
    if (!this.questionFirst()) this.runner.toggle();
  }
  step() {
    this.runner.pause();
    if (this.questionFirst()) return;
    this.graph.finish();
    this.session.step();
  }
  back() {
    this.runner.pause();
    this.session.back();
  }
  jump(position) {
    this.runner.pause();
    this.session.jump(position);
  }
  select(node) {
    if (node === this.selected) return;
    this.selected = node;
    this.redraw();
  }
  /** Node by node, or event by event. */
  setMode(events) {
    this.session.byEvents = events;
    if (!events && this.session.event >= 0) this.session.jump(this.session.position);
    this.redraw();
  }
  /** Into the lines of a custom backward: event by event from here. */
  stepInto() {
    this.setMode(true);
    this.step();
    this.toolbar.focusStep();
  }
  breakHere() {
    const value = this.last?.shown;
    if (value) this.session.toggleBreak({ kind: "node", value });
  }
  toggleBreaks(open) {
    if (!this.last) return;
    this.breaks.show(open, this.last, this.session.breaks);
    if (!open) this.toolbar.breaksButton.focus();
    this.redraw();
  }
  toggleText() {
    this.text.hidden = !this.text.hidden;
    this.body.hidden = !this.text.hidden;
    this.redraw();
  }
  toggleTour(open) {
    this.tour.show(open, this.session.catalogue);
    if (!open) this.toolbar.element.querySelector("[aria-pressed]")?.focus();
    this.redraw();
  }
  toggleMenu(open) {
    if (!this.last) return;
    this.menu.show(open, this.last);
    if (!open) this.toolbar.menuButton.focus();
    this.redraw();
  }
  keyActions() {
    return {
      forward: () => this.step(),
      back: () => this.back(),
      run: () => this.run(),
      reset: () => this.jump(0),
      text: () => this.toggleText(),
      mode: () => this.setMode(!this.session.byEvents),
      break: () => this.breakHere(),
      first: () => this.jump(0),
      last: () => this.jump(this.session.count - 1),
      node: (by) => this.graph.moveFocus(by),
      zoom: (key) => this.graph.zoomKey(key),
      escape: () => this.escape(),
      other: (key) => this.extras.key(key)
    };
  }
  /** Closes what is open, innermost first; then lets go of the chosen node. */
  escape() {
    if (this.extras.escape()) return true;
    if (this.menu.open) this.toggleMenu(false);
    else if (this.breaks.open) this.toggleBreaks(false);
    else if (this.tour.open) this.toggleTour(false);
    else if (this.selected !== null) this.select(null);
    else return false;
    return true;
  }
};

// src/wire.ts
var read = /* @__PURE__ */ new WeakMap();
function heard(value) {
  if (typeof value !== "object" || value === null) return value;
  const { json } = value;
  if (typeof json !== "string") return value;
  if (!read.has(value)) read.set(value, JSON.parse(json));
  return read.get(value);
}
var Wire = class {
  constructor(model) {
    this.model = model;
  }
  model;
  listeners = /* @__PURE__ */ new Map();
  get(name) {
    return heard(this.model.get(name));
  }
  set(name, value) {
    this.model.set(name, value);
  }
  save_changes() {
    this.model.save_changes();
  }
  send(message) {
    this.model.send(message);
  }
  on(event, listener) {
    const own = (...args) => listener(...args.map(heard));
    this.listeners.set(listener, own);
    this.model.on(event, own);
  }
  off(event, listener) {
    this.model.off(event, this.listeners.get(listener) ?? listener);
    this.listeners.delete(listener);
  }
};

// src/stepper.ts
function render({ model: line, el }) {
  const model = new Wire(line);
  const prefix = `ad${Math.random().toString(36).slice(2, 10)}-`;
  const head = model.get("_head");
  const Kind = head?.kind === "compare" ? CompareView : head?.kind === "film" ? FilmView : StepperView;
  const view = new Kind(model, prefix);
  el.append(view.element);
  return () => view.destroy();
}
function page() {
  playPage(render);
}
var stepper_default = { render, page };
export {
  stepper_default as default
};
