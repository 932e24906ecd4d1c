"use strict";
// What all pages share: numbers as text, elements, colours of the theme, canvases, cards and sortable tables.

const content = JSON.parse(document.getElementById("content").textContent);
const byId = (id) => document.getElementById(id);

// ---- numbers --------------------------------------------------------------------------------------------------

const grouped = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = (share) => (100 * share).toFixed(share >= 0.0995 ? 1 : 2) + "\u202f%";
const inUnits = (value, step, units) => {
  let unit = 0;
  while (value >= step && unit + 1 < units.length) { value /= step; ++unit; }
  return (unit === 0 ? String(Math.round(value)) : value.toPrecision(3)) + "\u202f" + units[unit];
};
const bytes = (value) => inUnits(value, 1024, ["B", "KiB", "MiB", "GiB"]);
const many = (value) => value < 1e5 ? grouped(value) : inUnits(value, 1000, ["", "k", "M", "G", "T"]);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name === "class") made.className = value; else made[name] = value;
  made.append(...children);
  return made;
}

// ---- theme ----------------------------------------------------------------------------------------------------

let theme = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["panel", "line", "grid", "text", "soft", "accent", "critical", "track", "hatch", "shade"])
    theme[name] = style.getPropertyValue("--" + name).trim();
}
/** Called when the theme changes, and once at the start. */
function startTheme(changed) {
  const darkByDefault = window.matchMedia("(prefers-color-scheme: dark)");
  const setTheme = (dark) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").textContent = dark ? "Light" : "Dark";
    readTheme();
    changed();
  };
  byId("theme").onclick = () => setTheme(document.documentElement.dataset.theme !== "dark");
  darkByDefault.addEventListener("change", (event) => setTheme(event.matches));
  setTheme(darkByDefault.matches);
}

// ---- canvases -------------------------------------------------------------------------------------------------

/** A function that draws at the next frame, once however often it is called; not while `canvas` is hidden. */
function drawsLater(canvas, draw) {
  let pending = false;
  return () => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      if (canvas.clientWidth > 0) draw();
    });
  };
}
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "11.5px system-ui, sans-serif";
  context.textBaseline = "middle";
  return { context, width, height };
}

// ---- cards and tables -----------------------------------------------------------------------------------------

function addCard(cards, name, value, more, share) {
  const box = element("div", { class: "card" }, element("div", { class: "name" }, name), element("div", { class: "value" }, value));
  if (share !== undefined) {
    const fill = element("div");
    fill.style.width = Math.min(100, 100 * share) + "%";
    box.append(element("div", { class: "meter" }, fill));
  }
  box.append(element("div", { class: "more" }, more));
  cards.append(box);
  return box;
}
/**
 * `columns`: [title, value(row), text(row), isPart]; the first is the name. `pick`, if rows can be chosen: {isChosen(i), choose(i)}.
 */
function makeTable(table, rows, columns, sortColumn, limit, pick) {
  let sortBy = sortColumn, shown = limit;
  function show() {
    const order = rows.map((_, i) => i);
    if (sortBy > 0) order.sort((a, b) => columns[sortBy][1](rows[b]) - columns[sortBy][1](rows[a]) || a - b);
    else if (sortBy === 0) order.sort((a, b) => String(columns[0][1](rows[a])).localeCompare(String(columns[0][1](rows[b]))));
    const head = element("tr");
    columns.forEach(([title], column) => {
      const cell = element("th", { class: "sorts" + (column === sortBy ? " down" : "") }, title);
      cell.onclick = () => { sortBy = column; show(); };
      head.append(cell);
    });
    const body = element("tbody");
    for (const i of order.slice(0, shown)) {
      const line = element("tr", { class: pick ? "pick" : "" });
      columns.forEach(([, value, text, isPart]) => {
        const cell = element("td", { class: isPart ? "part" : "" }), content = text(rows[i]);
        if (isPart) {
          const fill = element("i");
          fill.style.width = Math.min(100, 100 * value(rows[i])) + "%";
          cell.append(element("div", {}, fill, element("span", {}, content)));
        } else if (Array.isArray(content)) cell.append(...content); else cell.append(content);
        line.append(cell);
      });
      if (pick) {
        line.classList.toggle("chosen", pick.isChosen(i));
        line.onclick = () => pick.choose(i);
        line.tabIndex = 0;
        line.onkeydown = (event) => { if (event.key === "Enter") pick.choose(i); };
      }
      body.append(line);
    }
    table.replaceChildren(element("thead", {}, head), body);
  }
  show();
  return { show, showAll: () => { shown = rows.length; show(); } };
}
