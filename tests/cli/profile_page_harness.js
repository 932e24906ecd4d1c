// Runs the script of a page of `weft profile --html` on stand-ins for the browser, then uses it: draws, zooms, points,
// clicks, filters and sorts. Any exception ends with exit code 1.
//   node profile_page_harness.js PAGE.html
"use strict";
const fs = require("fs");
const assert = require("assert");
const vm = require("vm");

const text = fs.readFileSync(process.argv[2], "utf8");
const [content, script] = [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1]);
const report = JSON.parse(content).profile.report;
const drawn = { fillRect: 0, fillText: [], strokeRect: 0 };

/** A drawing context that counts, and refuses coordinates that are no numbers. */
const context = new Proxy({}, {
  get: (target, name) => name in target ? target[name] : (...values) => {
    for (const value of values) if (typeof value === "number") assert(Number.isFinite(value), `${String(name)}(${values})`);
    if (name === "fillRect" || name === "strokeRect") ++drawn[name];
    if (name === "fillText") drawn.fillText.push(values[0]);
    return {};
  },
  set: (target, name, value) => { target[name] = value; return true; },
});

class Element {
  constructor(tag) {
    Object.assign(this, { tagName: tag.toUpperCase(), children: [], style: {}, dataset: {}, listeners: {}, value: "", checked: false,
      hidden: false, textContent: "", className: "", clientWidth: 1000, clientHeight: 400, offsetWidth: 300, offsetHeight: 200 });
    const classes = new Set();
    this.classList = { add: (name) => classes.add(name), remove: (name) => classes.delete(name),
      toggle: (name, on) => on ? classes.add(name) : classes.delete(name) };
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  addEventListener(name, listener) { (this.listeners[name] ??= []).push(listener); }
  querySelector() { return new Element("option"); }
  getContext() { return context; }
  getBoundingClientRect() { return { left: 0, top: 0, width: this.clientWidth, height: this.clientHeight }; }
  setPointerCapture() {}
  fire(name, event = {}) {
    for (const listener of this.listeners[name] ?? [])
      listener({ preventDefault() {}, target: this, clientX: 0, clientY: 0, deltaX: 0, deltaY: 0, deltaMode: 0, pointerId: 1, ...event });
  }
  get text() { return this.textContent + this.children.map((child) => typeof child === "string" ? child : child.text).join(" "); }
}

const elements = new Map();
const byId = (id) => {
  assert(text.includes(`id="${id}"`), `the page has no element ${id}`);
  if (!elements.has(id)) elements.set(id, new Element("div"));
  return elements.get(id);
};
byId("content").textContent = content;
const frames = [];
const settle = () => { while (frames.length) frames.shift()(); };
const root = new Element("html"), page = new Element("document");
Object.assign(page, { documentElement: root, getElementById: byId, createElement: (tag) => new Element(tag), title: "" });
const window = { devicePixelRatio: 2, innerWidth: 1200, innerHeight: 800, addEventListener() {}, matchMedia: () => ({ matches: true, addEventListener() {} }) };
vm.runInNewContext(script, {
  document: page, window, requestAnimationFrame: (frame) => frames.push(frame),
  getComputedStyle: () => ({ getPropertyValue: (name) => { assert(text.includes(name + ":"), name); return "#123456"; } }),
});
settle();

assert(drawn.fillRect > 100, "nothing drawn");
for (const name of ["TIU", "GDMA", "bank 0"]) assert(drawn.fillText.includes(name), `no label ${name}`);
if (report.local_memory.banks[15].peak_bytes === 0)
  assert(!drawn.fillText.includes("bank 15"), "banks that nobody uses are shown");
byId("allBanks").checked = true;
byId("allBanks").onchange();
settle();
assert(drawn.fillText.includes("bank 15"), "not all banks are shown");
byId("allBanks").checked = false;
byId("allBanks").onchange();
settle();
assert.strictEqual(root.dataset.theme, "dark");
byId("theme").onclick();
assert.strictEqual(root.dataset.theme, "light");
assert(byId("cards").text.includes("Total cycles"));
assert(byId("kinds").text.includes(report.instructions[0].mnemonic));
assert(byId("nodes").text.includes(report.debug_map ? report.nodes[0].nodes.join(" + ") : "no debug map"));

// Points at every place of both canvases, near and far.
const timeline = byId("timeline"), memory = byId("memory");
let tips = new Set();
for (let zoom = 0; zoom < 12; ++zoom) {
  for (const canvas of [timeline, memory])
    for (let x = 20; x < 1000; x += 61)
      for (let y = 2; y < 400; y += 7) {
        canvas.fire("pointermove", { clientX: x, clientY: y });
        if (!byId("tip").hidden) tips.add(byId("tip").text);
      }
  settle();
  timeline.fire("wheel", { clientX: 500, deltaY: -400 });
  settle();
}
assert(tips.size > 5, `${tips.size} tips`);
assert([...tips].some((tip) => /tiu|TIU/.test(tip)) && [...tips].some((tip) => tip.includes("bank")), "tips lack an engine or a bank");
timeline.fire("pointerdown", { clientX: 500 });
timeline.fire("pointermove", { clientX: 300 });
timeline.fire("pointerup", { clientX: 300 });
timeline.fire("dblclick");
for (let x = 60; x < 1000; x += 40) {
  timeline.fire("pointerdown", { clientX: x, clientY: 50 });
  timeline.fire("pointerup", { clientX: x, clientY: 50 });
  settle();
  if (!byId("detail").hidden) assert(byId("detail").text.includes("cycles"));
}
for (const key of ["+", "-", "0", "ArrowLeft", "ArrowRight", "Escape"]) page.fire("keydown", { key });
settle();

// Filters.
byId("critical").checked = true;
byId("critical").onchange();
assert(/ of /.test(byId("found").textContent));
byId("critical").checked = false;
byId("find").value = "no such thing";
byId("find").oninput();
assert(byId("found").textContent.startsWith("0 of"));
byId("find").value = report.instructions[0].mnemonic;
byId("find").oninput();
assert(!byId("found").textContent.startsWith("0 of"));
byId("find").value = "";
byId("find").oninput();
const [head, body] = byId("kinds").children;
for (const cell of head.children[0].children) cell.onclick();
byId("kinds").children[1].children[0].onclick();
assert(/ of /.test(byId("found").textContent));
for (const colour of ["node", "kind"]) {
  byId("colour").value = colour;
  byId("colour").onchange();
  settle();
}
byId("overview").fire("pointerdown", { clientX: 200 });
byId("overview").fire("pointermove", { clientX: 600 });
byId("overview").fire("pointerup", { clientX: 600 });
settle();
assert(body.children.length > 0);
