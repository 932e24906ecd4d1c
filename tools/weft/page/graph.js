// The graph of a comparison: places come with the content, colours say how much error a layer adds.

const comparison = content.comparison;
const { layers, outputs } = comparison;
const graph = comparison.graph, nodes = graph.nodes;
const inWords = (value, digits = 4) => value === null || value === undefined ? "-" : String(Number(value.toPrecision(digits)));
/** Signal by error. JSON has no infinity: null is equality, or an error where the reference is all zeros. */
const decibels = (figures) => figures.sqnr ?? (figures.max_error > 0 ? -Infinity : Infinity);
const decibelText = (value) => value === Infinity ? "equal" : value === -Infinity ? "no signal" : value.toFixed(1) + "\u202fdB";
/** In decibels. */
const limitOf = (isAdded) => isAdded ? comparison.layer_limit : comparison.limit;
/** The figures that a layer is judged by. */
const judged = (row) => row.added ?? row.whole;
const isCompared = (figures) => figures !== undefined && figures.problem === undefined;

// ---- nodes ----------------------------------------------------------------------------------------------------

const unitWide = 150, unitTall = 50, boxWide = 136, boxTall = 33, bandGap = 75;
const bandLeft = [];
let worldWide = 0;
for (const width of graph.band_widths) {
  bandLeft.push(worldWide);
  worldWide += width * unitWide + bandGap;
}
worldWide = Math.max(1, worldWide - bandGap);
const worldTall = Math.max(1, Math.min(graph.ranks_of_band, Math.max(0, ...nodes.map((node) => node.rank)) + 1)) * unitTall;
const bandOf = (rank) => Math.floor(rank / graph.ranks_of_band);
const placeOf = (rank, x) => ({ x: bandLeft[bandOf(rank)] + x * unitWide, y: (rank % graph.ranks_of_band + 0.5) * unitTall });
const nodeOfLayer = new Map();
nodes.forEach((node, i) => {
  Object.assign(node, placeOf(node.rank, node.x), { reads: [], readers: [], isFound: true });
  for (const layer of node.layers ?? []) if (!nodeOfLayer.has(layer)) nodeOfLayer.set(layer, i);
  node.title = node.value || node.node || "(without name)";
  node.output = outputs.findIndex((row) => !row.part_of && (row.name === node.value || row.reference_name === node.value));
  node.isInput = node.node === "" && node.op === "" && graph.has_edges;
});
const edges = graph.edges.map(([from, to, ...bends]) => {
  nodes[to].reads.push(from);
  nodes[from].readers.push(to);
  const first = graph.has_edges ? Number(nodes[from].rank) : 0;
  const points = [nodes[from], ...bends.map((x, i) => placeOf(first + 1 + i, x)), nodes[to]];
  const bands = [bandOf(first), ...bends.map((_, i) => bandOf(first + 1 + i)), bandOf(nodes[to].rank)];
  return { from, to, points, bands };
});
/** Layers that tell the colour of a node: its own, or the one that it was fused into. */
const layersOf = (node) => node.layers ?? (node.inside === undefined ? [] : [node.inside]);
const failuresOf = (node) => [...(node.layers ?? []).flatMap((layer) => layers[layer].failures), ...(node.output >= 0 ? outputs[node.output].failures : [])];
const failsNode = (node) => failuresOf(node).length > 0;
const costRows = (rows) => content.profile ? (rows ?? []).map((row) => content.profile.report.nodes[row]) : [];
const cyclesOf = (rows) => costRows(rows).reduce((sum, row) => sum + row.tiu_cycles + row.gdma_cycles, 0);
const dramOf = (rows) => costRows(rows).reduce((sum, row) => sum + row.dram_read_bytes + row.dram_write_bytes, 0);
const rowsOfNode = (node) => [...new Set([...node.rows, ...layersOf(node).flatMap((layer) => layers[layer].rows ?? [])])];

// ---- colours --------------------------------------------------------------------------------------------------

// Decibels above the limit, from what fails to what is fine; without green beside red.
const errorScale = [[0, [176, 32, 38]], [6, [226, 112, 48]], [14, [240, 190, 76]], [26, [119, 178, 190]], [45, [47, 111, 176]]];
/** Cycles are shown by their logarithm: factors of ten from the least colour to the most. */
const costDecades = 3;
const costScale = [[0, [222, 228, 238]], [0.5, [136, 132, 214]], [1, [84, 28, 128]]];
function colourOn(scale, value) {
  if (value <= scale[0][0]) return scale[0][1];
  for (let i = 1; i < scale.length; ++i)
    if (value <= scale[i][0]) {
      const [low, from] = scale[i - 1], [high, to] = scale[i], part = (value - low) / (high - low);
      return from.map((channel, k) => Math.round(channel + (to[k] - channel) * part));
    }
  return scale.at(-1)[1];
}
const rgb = (colour) => `rgb(${colour.join(" ")})`;
const isDarkColour = ([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b < 140;
const mostCycles = nodes.reduce((most, node) => Math.max(most, cyclesOf(node.rows)), 1);
/** The worst of a node in decibels, by "added" or "whole"; undefined: not compared. */
function worstOf(node, which) {
  const values = layersOf(node).map((layer) => layers[layer][which]).filter(isCompared).map(decibels);
  return values.length ? Math.min(...values) : undefined;
}
/** [r, g, b], or null for what is not known. */
function colourOfNode(node, by) {
  if (by === "cycles") {
    const cycles = cyclesOf(node.rows);
    return cycles > 0 ? colourOn(costScale, 1 + Math.log10(cycles / mostCycles) / costDecades) : null;
  }
  const value = worstOf(node, by);
  return value === undefined ? null : colourOn(errorScale, value - limitOf(by === "added"));
}
let colourBy = layers.some((row) => row.added) || !layers.length ? "added" : "whole";
function paintNodes() {
  for (const node of nodes) {
    const colour = colourOfNode(node, colourBy);
    node.fill = colour && rgb(colour);
    node.ink = colour ? (isDarkColour(colour) ? "#fff" : "#16202c") : "";
  }
}
function showGraphLegend() {
  const legend = byId("graphLegend");
  legend.replaceChildren();
  const entry = (style, text) => {
    const box = element("i");
    Object.assign(box.style, style);
    legend.append(element("span", {}, box, text));
  };
  const scale = colourBy === "cycles" ? costScale : errorScale, end = scale.at(-1)[0];
  const bar = element("i", { class: "scale" });
  bar.style.background = `linear-gradient(90deg, ${scale.map(([at, colour]) => `${rgb(colour)} ${100 * at / end}%`).join(", ")})`;
  const limit = limitOf(colourBy === "added");
  legend.append(colourBy === "cycles" ? element("span", {}, "\u2264 " + grouped(mostCycles / 10 ** costDecades), bar, grouped(mostCycles) + " cycles, logarithmic")
    : element("span", {}, `\u2264 ${limit}\u202fdB (the limit)`, bar, `\u2265 ${limit + end}\u202fdB or equal`));
  entry({ background: theme.track, border: "1px solid " + theme.hatch }, colourBy === "cycles" ? "no commands of its own" : "not compared");
  if (nodes.some((node) => node.inside !== undefined) && colourBy !== "cycles") entry({ background: theme.hatch, opacity: 0.5 }, "pale: judged with the layer of that colour");
  entry({ border: "2px solid " + theme.critical }, "misses a limit");
  entry({ borderBottom: "3px solid " + theme.text, background: theme.track }, "output");
}

// ---- view -----------------------------------------------------------------------------------------------------

const graphCanvas = byId("graph");
const camera = { x: 0, y: 0, scale: 0 }; // top left in the world, pixels of a unit; 0: to be fitted
let chosenNode = -1, hoveredNode = -1;
const redrawGraph = drawsLater(graphCanvas, drawGraph);

function fitGraph() {
  const wide = graphCanvas.clientWidth, tall = graphCanvas.clientHeight, margin = 16;
  camera.scale = Math.min((wide - 2 * margin) / worldWide, (tall - 2 * margin) / worldTall, 1.4);
  camera.x = worldWide / 2 - wide / 2 / camera.scale;
  camera.y = worldTall / 2 - tall / 2 / camera.scale;
  redrawGraph();
}
function zoomGraph(x, y, factor) {
  const scale = Math.min(3, Math.max(0.01, camera.scale * factor));
  camera.x += x / camera.scale - x / scale;
  camera.y += y / camera.scale - y / scale;
  camera.scale = scale;
  redrawGraph();
}
const zoomMiddle = (factor) => zoomGraph(graphCanvas.clientWidth / 2, graphCanvas.clientHeight / 2, factor);
/** Moves the view so that a node can be read. */
function lookAt(node) {
  if (camera.scale < 0.75) camera.scale = 0.9;
  camera.x = node.x - graphCanvas.clientWidth / 2 / camera.scale;
  camera.y = node.y - graphCanvas.clientHeight / 2 / camera.scale;
  redrawGraph();
}

// ---- drawing --------------------------------------------------------------------------------------------------

/** `text`, cut to `width` at its begin, if not at its end. */
function cutText(context, text, width, keepsEnd) {
  if (context.measureText(text).width <= width) return text;
  const cut = (count) => keepsEnd ? "\u2026" + text.slice(text.length - count) : text.slice(0, count) + "\u2026";
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(cut(middle)).width <= width) low = middle; else high = middle - 1;
  }
  return cut(low);
}
/** One edge from the bottom of a box to the top of another; where it goes to the next band it is faint. */
function drawEdge(context, edge, colour, strength) {
  context.strokeStyle = colour;
  for (let i = 0; i + 1 < edge.points.length; ++i) {
    const from = edge.points[i], to = edge.points[i + 1];
    const fromY = from.y + (i === 0 ? boxTall / 2 : 0), toY = to.y - (i + 2 === edge.points.length ? boxTall / 2 : 0);
    const isFold = edge.bands[i] !== edge.bands[i + 1];
    context.globalAlpha = isFold ? 0.3 * strength : strength;
    context.beginPath();
    context.moveTo(from.x, fromY);
    const reach = isFold ? unitTall * 0.8 : (toY - fromY) / 2;
    context.bezierCurveTo(from.x, fromY + reach, to.x, toY - reach, to.x, toY);
    context.stroke();
  }
  context.globalAlpha = 1;
}
function drawNode(context, node, index, scale) {
  const left = node.x - boxWide / 2, top = node.y - boxTall / 2;
  const isSmall = boxWide * scale < 34;
  context.globalAlpha = node.isFound ? 1 : 0.15;
  context.beginPath();
  if (isSmall) context.rect(left, top, boxWide, boxTall);
  else context.roundRect(left, top, boxWide, boxTall, node.isInput ? boxTall / 2 : 5);
  context.fillStyle = theme.panel;
  context.fill();
  const isInside = node.inside !== undefined;
  if (isInside && colourBy !== "cycles") context.globalAlpha *= 0.45;
  context.fillStyle = node.fill || theme.track;
  context.fill();
  context.globalAlpha = node.isFound ? 1 : 0.15;
  const fails = failsNode(node);
  context.lineWidth = fails ? Math.max(2.5, 2 / scale) : Math.max(0.8, 0.5 / scale);
  context.strokeStyle = fails ? theme.critical : theme.hatch;
  context.stroke();
  if (node.output >= 0) {
    context.fillStyle = fails ? theme.critical : theme.text;
    context.fillRect(left, top + boxTall, boxWide, Math.max(3, 2 / scale));
  }
  if (index === chosenNode || index === hoveredNode) {
    context.lineWidth = Math.max(2.5, 2 / scale);
    context.strokeStyle = index === chosenNode ? theme.text : theme.accent;
    const space = Math.max(4, 3 / scale);
    context.strokeRect(left - space, top - space, boxWide + 2 * space, boxTall + 2 * space);
  }
  if (!isSmall) drawNodeText(context, node, scale, isInside && colourBy !== "cycles");
  context.globalAlpha = 1;
}
function drawNodeText(context, node, scale, isPale) {
  if (boxTall * scale < 12) return;
  context.fillStyle = isPale || !node.fill ? theme.text : node.ink;
  context.textAlign = "center";
  const first = node.isInput ? "input" : node.op;
  const wide = boxWide - 10, isTall = boxTall * scale >= 24 && first;
  if (first) {
    context.font = `600 ${isTall ? 11.5 : 16}px system-ui, sans-serif`;
    context.fillText(cutText(context, first, wide, false), node.x, node.y - (isTall ? 7 : 0));
  }
  if (!isTall && first) return;
  context.font = "10px system-ui, sans-serif";
  // The end of a name tells more than its begin.
  context.fillText(cutText(context, node.title, wide, true), node.x, node.y + (first ? 7.5 : 0));
}
function drawGraph() {
  if (camera.scale === 0) fitGraph();
  const { context, width, height } = prepare(graphCanvas), { x, y, scale } = camera;
  context.save();
  context.scale(scale, scale);
  context.translate(-x, -y);
  const right = x + width / scale, bottom = y + height / scale;
  context.lineWidth = Math.max(1, 0.7 / scale);
  const isNear = (edge) => edge.from === chosenNode || edge.to === chosenNode;
  for (const edge of edges) if (!isNear(edge)) drawEdge(context, edge, theme.soft, 0.55);
  for (const edge of edges)
    if (isNear(edge)) {
      context.lineWidth = Math.max(2.2, 1.6 / scale);
      drawEdge(context, edge, theme.accent, 1);
    }
  nodes.forEach((node, i) => {
    if (node.x + boxWide > x && node.x - boxWide < right && node.y + boxTall > y && node.y - boxTall < bottom)
      drawNode(context, node, i, scale);
  });
  context.restore();
  context.textAlign = "left";
}

// ---- pointer, keys, search ------------------------------------------------------------------------------------

function nodeAt(event) {
  const box = graphCanvas.getBoundingClientRect();
  const x = camera.x + (event.clientX - box.left) / camera.scale, y = camera.y + (event.clientY - box.top) / camera.scale;
  const reach = 3 / camera.scale;
  return nodes.findIndex((node) => Math.abs(node.x - x) <= boxWide / 2 + reach && Math.abs(node.y - y) <= boxTall / 2 + reach);
}
function showNodeTip(event) {
  const tip = byId("tip");
  tip.hidden = hoveredNode < 0;
  if (hoveredNode < 0) return;
  const node = nodes[hoveredNode], facts = element("div", { class: "fact" });
  const fact = (name, value) => facts.append(element("b", {}, name), element("span", {}, value));
  if (node.node && node.node !== node.title) fact("node", node.node);
  if (node.inside !== undefined) fact("judged with", layers[node.inside].name);
  const added = worstOf(node, "added"), whole = worstOf(node, "whole");
  if (added !== undefined) fact("adds", decibelText(added));
  if (whole !== undefined) fact("up to there", decibelText(whole));
  if (failsNode(node)) fact("fails", failuresOf(node)[0]);
  if (node.rows.length) fact("cycles", grouped(cyclesOf(node.rows)));
  tip.replaceChildren(element("div", { class: "head" }, [node.op, node.title].filter(Boolean).join("  ")), facts);
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)) + "px";
  tip.style.top = (event.clientY + 18 + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18) + "px";
}
function attachGraph() {
  let drag = null;
  graphCanvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = graphCanvas.getBoundingClientRect(), amount = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    zoomGraph(event.clientX - box.left, event.clientY - box.top, Math.exp(-Math.max(-300, Math.min(300, amount)) * 0.0022));
  }, { passive: false });
  graphCanvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, from: { ...camera }, moved: false };
    graphCanvas.setPointerCapture(event.pointerId);
  });
  graphCanvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const x = event.clientX - drag.x, y = event.clientY - drag.y;
      if (Math.hypot(x, y) > 3) drag.moved = true;
      if (!drag.moved) return;
      byId("tip").hidden = true;
      graphCanvas.classList.add("moving");
      camera.x = drag.from.x - x / camera.scale;
      camera.y = drag.from.y - y / camera.scale;
    } else {
      hoveredNode = nodeAt(event);
      showNodeTip(event);
    }
    redrawGraph();
  });
  graphCanvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) chooseNode(nodeAt(event), false);
    graphCanvas.classList.remove("moving");
    drag = null;
  });
  graphCanvas.addEventListener("pointerleave", () => { hoveredNode = -1; byId("tip").hidden = true; redrawGraph(); });
  graphCanvas.addEventListener("dblclick", fitGraph);
  graphCanvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      "+": () => zoomMiddle(1.6), "=": () => zoomMiddle(1.6), "-": () => zoomMiddle(1 / 1.6), "0": fitGraph,
      ArrowUp: () => step((node) => graph.has_edges ? node.reads[0] : chosenNode - 1),
      ArrowDown: () => step((node) => graph.has_edges ? node.readers[0] : chosenNode + 1),
      ArrowLeft: () => step((node) => besideOf(node, -1)), ArrowRight: () => step((node) => besideOf(node, 1)),
      Escape: () => chooseNode(-1, false),
    }[event.key];
    if (action) { event.preventDefault(); action(); }
  });
}
/** Chooses what `next` gives of the chosen node; at first the first node. */
function step(next) {
  const to = chosenNode < 0 ? 0 : next(nodes[chosenNode]);
  if (nodes[to]) chooseNode(to, true);
}
function besideOf(node, direction) {
  let best = -1;
  nodes.forEach((other, i) => {
    const away = (other.x - node.x) * direction;
    if (other.rank === node.rank && away > 0 && (best < 0 || away < (nodes[best].x - node.x) * direction)) best = i;
  });
  return best;
}
function findNodes() {
  const text = byId("findNode").value.trim().toLowerCase();
  let count = 0;
  for (const node of nodes) {
    node.isFound = !text || [node.value, node.node, node.op].some((name) => name.toLowerCase().includes(text));
    count += node.isFound ? 1 : 0;
  }
  byId("foundNodes").textContent = text ? `${grouped(count)} of ${grouped(nodes.length)}` : "";
  redrawGraph();
}
/** Chooses the next one that was found. */
function nextFound() {
  for (let i = 1; i <= nodes.length; ++i) {
    const index = (chosenNode + i) % nodes.length;
    if (nodes[index].isFound) { chooseNode(index, true); return; }
  }
}
function startGraph() {
  attachGraph();
  byId("graphIn").onclick = () => zoomMiddle(1.6);
  byId("graphOut").onclick = () => zoomMiddle(1 / 1.6);
  byId("graphFit").onclick = fitGraph;
  byId("findNode").oninput = findNodes;
  byId("findNode").onkeydown = (event) => { if (event.key === "Enter") nextFound(); };
  byId("graphColour").value = colourBy;
  byId("graphColour").onchange = () => {
    colourBy = byId("graphColour").value;
    paintNodes();
    showGraphLegend();
    redrawGraph();
  };
  byId("graphColour").querySelector('option[value="cycles"]').disabled = !content.profile;
  byId("graphColour").querySelector('option[value="added"]').disabled = !layers.some((row) => row.added);
  byId("graphHint").textContent = (graph.has_edges ? "" : "The reference has no graph: layers stand in their order. ") +
    "Folded like the columns of a newspaper: down, then on at the top of the next column. Wheel zooms, drag pans, click chooses a layer, double click shows all; arrow keys go along edges, Enter in the search box goes to the next one found.";
  paintNodes();
}
