// The commands of a program: columns with one entry a command for each engine, the live ranges of local memory, and the
// report that `weft profile --json` prints. Times are cycles.

const { report, words, live } = content.profile;
const total = Math.max(1, report.total_cycles);

// ---- content --------------------------------------------------------------------------------------------------

/** Adds starts and ends to the columns of an engine. */
function makeEngine(name, columns, other) {
  const count = columns.cycles.length;
  const start = new Float64Array(count), end = new Float64Array(count);
  for (let i = 0, at = 0; i < count; ++i) {
    start[i] = at + columns.gap[i];
    end[i] = at = start[i] + columns.cycles[i];
  }
  return { name, other, count, start, end, ...columns, shown: new Uint8Array(count).fill(1) };
}
const engines = [makeEngine("TIU", content.profile.tiu, 1), makeEngine("GDMA", content.profile.gdma, 0)];
const liveCount = live.begin.length;
const bankBytes = report.local_memory.bank_bytes, laneBytes = report.local_memory.lane_bytes;
const bankCount = Math.round(laneBytes / bankBytes);
// What commands come from: ONNX nodes, or of a kernel lines of its source.
const hasLines = report.origin === "lines";
const originName = hasLines ? "line" : "ONNX node", noOrigin = hasLines ? "(no line)" : "(no ONNX node)";
const nodeNames = report.nodes.map((row) => row.nodes.join(" + ") || noOrigin);
const kindNames = report.instructions.map((row) => row.mnemonic);

const textOf = (engine, i) => engine.text[i].map((word) => words[word]).join(" ");
const idOf = (engine, i) => {
  let first = i;
  // Ids count from 1 in each group.
  if (report.groups > 1) {
    let low = 0;
    for (let high = i; low < high;) {
      const middle = (low + high) >> 1;
      if (engine.group[middle] < engine.group[i]) low = middle + 1; else high = middle;
    }
    first = i - low;
  }
  return first + 1;
};
/** Engine and position of the command that wrote a live range. */
const writerOf = (range) => {
  const number = live.writer[range], tiu = engines[0].count;
  return number < tiu ? { engine: 0, i: number } : { engine: 1, i: number - tiu };
};

const seconds = (cycles) => {
  const value = cycles / report.cycles_per_second;
  for (const [unit, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"]])
    if (value >= unit) return (value / unit).toPrecision(4) + "\u202f" + name;
  return (value * 1e9).toPrecision(3) + "\u202fns";
};
const hex = (value) => "0x" + value.toString(16);

/** First index whose value in the ascending `list` is greater than `value`. */
function after(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1; else high = middle;
  }
  return low;
}

// ---- colours --------------------------------------------------------------------------------------------------

// Families of instructions; neighbours differ in hue and in lightness.
const families = [
  ["conv", "#2f7de1", "convolution"], ["pord", "#12a5b8", "pooling, depthwise"], ["mm", "#1f5fae", "matrix product"],
  ["arith", "#e08a1e", "element arithmetic"], ["lar", "#c9720e", "linear arithmetic"], ["cmp", "#c2571a", "compare, select"],
  ["quant", "#a259d9", "requantise, dequantise"], ["sfu", "#d64a8b", "special functions"], ["lin", "#b8933b", "linear"],
  ["vc", "#8f7a2e", "outer product"], ["tsbc", "#6c7fd8", "transpose, broadcast"], ["sg", "#7a5bd0", "gather, scatter"],
  ["load", "#2fa36b", "DMA from DRAM"], ["store", "#8bbf3f", "DMA to DRAM"], ["move", "#4f8f8b", "DMA, other"],
  ["sys", "#8a94a3", "system"],
];
const familyOf = new Map(families.map((row, i) => [row[0], i]));
function familyIndex(engine, i) {
  if (engine.name === "GDMA")
    return familyOf.get(engine.read[i] > 0 ? (engine.written[i] > 0 ? "move" : "load") : engine.written[i] > 0 ? "store" : "move");
  const prefix = kindNames[engine.kind[i]].split(".")[0].replace(/^mm2$/, "mm").replace(/^sgl$/, "sg");
  return familyOf.has(prefix) ? familyOf.get(prefix) : familyOf.get("sys");
}
for (const engine of engines) {
  engine.family = new Uint8Array(engine.count);
  for (let i = 0; i < engine.count; ++i) engine.family[i] = familyIndex(engine, i);
}
const engineColours = ["#2f7de1", "#2fa36b"]; // of TIU and GDMA as wholes
/** Neighbouring rows get far hues (golden angle). */
const nodeColour = (node) => node < 0 ? "#8a94a3" : `hsl(${Math.round((node * 137.508 + 210) % 360)} 55% ${38 + (node % 3) * 6}%)`;
const nodeColours = nodeNames.map((_, node) => nodeColour(node));

let byNode = false;
const colourOf = (engine, i) =>
  byNode ? (engine.node[i] < 0 ? nodeColour(-1) : nodeColours[engine.node[i]]) : families[engine.family[i]][1];

// ---- state ----------------------------------------------------------------------------------------------------

const view = { from: 0, to: total };
let chosen = null;  // {engine, i}: clicked
let hovered = null; // {engine, i} or {range}
/** Of a page that has a graph: a link to the nodes of a row, given the row. */
let linkOfRow = null;
let rowFilter = null; // {column, rows}: clicked rows of a table
const gutter = 54;
// Banks on display: all, or those in use.
const banksInUse = Math.max(1, Math.ceil(live.end.reduce((most, end) => Math.max(most, end), 0) / bankBytes));
let banksShown = banksInUse;

const overview = byId("overview"), timeline = byId("timeline"), memory = byId("memory");
const redraw = drawsLater(timeline, () => { drawOverview(); drawTimeline(); drawMemory(); });
function setView(from, to) {
  const least = Math.min(total, 20);
  let width = Math.min(Math.max(to - from, least), total);
  from = Math.min(Math.max(from + (to - from - width) / 2, 0), total - width);
  view.from = from;
  view.to = from + width;
  redraw();
}
function zoomAt(time, factor) {
  setView(time - (time - view.from) * factor, time + (view.to - time) * factor);
}
