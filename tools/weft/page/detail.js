// The panel beside the graph: everything about one layer.

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// ---- histograms -----------------------------------------------------------------------------------------------

let hasLogCounts = true;
/** Counts as an outline in a box of `counts.length` x 1. */
function outlineOf(counts, most) {
  const tallOf = (count) => count === 0 ? 0 : hasLogCounts ? 0.06 + 0.94 * Math.log(1 + count) / Math.log(1 + most) : count / most;
  return "M0 1" + counts.map((count, i) => { const y = (1 - tallOf(count)).toFixed(3); return `L${i} ${y}L${i + 1} ${y}`; }).join("") + `L${counts.length} 1`;
}
/** Two lists of counts over one range; the second, if any, as a line. */
function histogram(range, first, second, label) {
  const most = Math.max(1, ...first, ...(second ?? []));
  const drawn = svg("svg", { class: "histogram", viewBox: `0 -0.04 ${first.length} 1.04`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("path", { class: "first", d: outlineOf(first, most) }));
  if (second) drawn.append(svg("path", { class: "second", d: outlineOf(second, most) }));
  if (range[0] < 0 && range[1] > 0) {
    const zero = first.length * -range[0] / (range[1] - range[0]);
    drawn.append(svg("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: 1 }));
  }
  const ends = element("div", { class: "ends" }, element("span", {}, inWords(range[0])), element("span", {}, inWords(range[1])));
  return [drawn, ends];
}
const keyOf = (name, text) => element("span", { class: "key" }, element("i", { class: name }), text);
function histograms(row) {
  if (!row.result) return [];
  const hasAdded = row.added_error !== undefined;
  return [
    element("h4", {}, "Values", keyOf("first", "reference"), keyOf("second", "program")),
    ...histogram(row.range, row.reference, row.result, "Histogram of the values of the reference and of the program"),
    element("h4", {}, "Error", keyOf("first", "up to here"), ...(hasAdded ? [keyOf("second", "added by the layer")] : [])),
    ...histogram(row.error_range, row.error, row.added_error, "Histogram of the errors"),
  ];
}
function logSwitch() {
  const box = element("input", { type: "checkbox", checked: hasLogCounts });
  box.onchange = () => { hasLogCounts = box.checked; showLayer(); };
  return element("label", { class: "hint" }, box, " logarithmic counts");
}

// ---- figures --------------------------------------------------------------------------------------------------

const figureRows = [
  ["signal by error", (m) => decibelText(decibels(m)), "SQNR: the reference's power by that of the error"],
  ["cosine", (m) => m.cosine.toFixed(7), "1: the same direction"],
  ["gain", (m) => inWords(m.gain, 5), "slope of the result over the reference"],
  ["bias", (m) => inWords(m.bias), "mean error, in standard deviations of the reference"],
  ["length", (m) => inWords(m.norm_ratio, 5), "of the result by that of the reference"],
  ["mean error", (m) => inWords(m.mean_error), ""],
  ["largest error", (m) => inWords(m.max_error), "of one element"],
  ["at element", (m) => m.max_error > 0 ? grouped(m.max_error_at) : "-", "row-major place of the largest error"],
  ["unequal", (m) => m.unequal === undefined ? "-" : grouped(m.unequal), "integers that differ"],
];
function figureTable(row) {
  const columns = [["added", row.added], ["up to here", row.whole]].filter(([, figures]) => isCompared(figures));
  const table = element("table", {}, element("tr", {}, element("th"), ...columns.map(([name]) => element("th", {}, name))));
  for (const [name, text, help] of figureRows) {
    const cells = columns.map(([, figures]) => text(figures));
    if (cells.some((cell) => cell !== "-"))
      table.append(element("tr", { title: help }, element("td", {}, name), ...cells.map((cell) => element("td", {}, cell))));
  }
  return columns.length ? [table] : [];
}
function sliceTable(row) {
  const figures = judged(row);
  if (!isCompared(figures) || !figures.slices.length) return [];
  const table = element("table", {}, element("tr", {}, ...["axis", "index", "SQNR", "gain", "bias"].map((name) => element("th", {}, name))));
  for (const [axis, index, sqnr, gain, bias] of figures.slices)
    table.append(element("tr", {}, ...[String(axis), String(index), sqnr === null ? "equal" : decibelText(sqnr), inWords(gain), inWords(bias)].map((text) => element("td", {}, text))));
  return [element("h4", {}, "Worst slices" + (row.added ? ", of what the layer adds" : "")), table];
}
const shareText = (share) => share > 0 && share < 0.0001 ? "< 0.01\u202f%" : percent(share);
function spreadFacts(row) {
  const facts = element("div", { class: "fact" });
  const fact = (name, text) => facts.append(element("b", {}, name), element("span", {}, text));
  const figures = judged(row);
  if (row.codes) {
    const { least, most, at_least, at_most, cut_at_least, cut_at_most, step } = row.codes;
    fact("codes", `${inWords(least)} to ${inWords(most)}, ${inWords(step)} apart`);
    fact("lowest code", `${shareText(at_least)} of the elements; ${cut_at_least > 0 ? shareText(cut_at_least) + " cut off" : "none cut off"}`);
    fact("highest code", `${shareText(at_most)} of the elements; ${cut_at_most > 0 ? shareText(cut_at_most) + " cut off" : "none cut off"}`);
  }
  if (isCompared(figures)) {
    const named = figures.dead_indices ?? [];
    fact("dead slices", figures.dead ? `${grouped(figures.dead)} along axis ${figures.dead_axis} (${percent(figures.dead_share)}): ` +
      named.join(", ") + (figures.dead > named.length ? ", \u2026" : "") : "none");
    if (figures.set_aside) fact("masks", grouped(figures.set_aside) + " elements set aside");
  }
  return facts.childNodes.length ? [element("h4", {}, "Saturation and dead slices"), facts] : [];
}

// ---- commands -------------------------------------------------------------------------------------------------

/**
 * Goes to the timeline, with only the commands of these rows of the profile. It shows what computes, if anything does: weights may be
 * loaded long before.
 */
function showCommands(rows) {
  const wanted = new Set(rows);
  const found = engines.map((engine, index) => Array.from(engine.node.keys()).filter((i) => wanted.has(engine.node[i])).map((i) => ({ engine: index, i })));
  const shown = found[0].length ? found[0] : found[1];
  const lasts = ({ engine, i }) => engines[engine].cycles[i];
  const from = shown.reduce((least, { engine, i }) => Math.min(least, engines[engine].start[i]), Infinity);
  const to = shown.reduce((most, { engine, i }) => Math.max(most, engines[engine].end[i]), 0);
  byId("find").value = "";
  byId("critical").checked = false;
  chosen = shown.reduce((longest, each) => lasts(each) > lasts(longest) ? each : longest);
  filterRows({ column: "node", rows: wanted });
  showTab("timeline");
  showDetail();
  const margin = (to - from) * 0.15 + 10;
  setView(from - margin, to + margin);
}
function costFacts(rows) {
  const costs = costRows(rows);
  if (!costs.length) return [];
  const sum = (key) => costs.reduce((all, row) => all + row[key], 0), facts = element("div", { class: "fact" });
  const fact = (name, text) => facts.append(element("b", {}, name), element("span", {}, text));
  fact("cycles", `${grouped(sum("tiu_cycles"))} TIU, ${grouped(sum("gdma_cycles"))} GDMA; ${percent(sum("critical_share"))} of the run`);
  fact("DRAM", `${bytes(sum("dram_read_bytes"))} read, ${bytes(sum("dram_write_bytes"))} written`);
  const together = [...new Set(costs.flatMap((row) => row.nodes))];
  if (together.length > 1) fact("together", together.join(" + "));
  const go = element("button", { type: "button", class: "strong", id: "toCommands" }, `Show its ${grouped(sum("commands"))} commands in the timeline`);
  go.onclick = () => showCommands(rows);
  return [element("h4", {}, "Cost"), facts, go];
}

/** From a command back to the graph: the last of the nodes that it was made for, whose value is compared. */
function linkToGraph(row) {
  const index = nodes.findLastIndex((node) => node.rows.includes(row));
  const link = element("button", { type: "button", class: "strong", id: "toNode" }, "Show its node in the graph");
  link.disabled = index < 0;
  link.onclick = () => { showTab("graph"); chooseNode(index, true); };
  return link;
}

// ---- panel ----------------------------------------------------------------------------------------------------

let shownLayer = -1; // a layer that no node of the graph stands for
function layerLink(index, text) {
  const link = element("button", { type: "button", class: "link" }, text);
  link.onclick = () => chooseLayer(index);
  return link;
}
function nodeLinks(title, list) {
  if (!list.length) return [];
  const line = element("p", { class: "hint" }, title + " ");
  list.slice(0, 12).forEach((index, i) => {
    const link = element("button", { type: "button", class: "link" }, nodes[index].title);
    link.onclick = () => chooseNode(index, true);
    line.append(i ? ", " : "", link);
  });
  if (list.length > 12) line.append(` and ${list.length - 12} more`);
  return [line];
}
function layerParts(row) {
  const fails = row.failures.length > 0, isInforming = fails && !row.added;
  const parts = [element("p", {}, element("b", { class: fails ? "fail-text" : "pass-text" }, fails ? (isInforming ? "Misses limits (informs only)" : "Fails as a layer") : "Passes as a layer"),
    row.reference_name ? ` (reference ${row.reference_name})` : "")];
  if (fails) parts.push(element("ul", {}, ...row.failures.map((text) => element("li", {}, text))));
  if (row.samples) parts.push(element("p", { class: "hint" }, `Worst of ${row.samples} samples: ${comparison.samples[row.sample].name}; mean ${inWords(row.mean_sqnr, 3)} dB, ${row.failed_samples} fail`));
  parts.push(...figureTable(row), ...histograms(row));
  if (row.result) parts.push(logSwitch());
  parts.push(...spreadFacts(row), ...sliceTable(row));
  return parts;
}
function showLayer() {
  const panel = byId("layer");
  panel.replaceChildren();
  const node = chosenNode < 0 ? null : nodes[chosenNode];
  if (!node && shownLayer < 0) {
    panel.append(element("p", { class: "hint" }, "Click a node of the graph to see its figures, histograms, worst slices and commands."));
    return;
  }
  const own = node ? node.layers ?? [] : [shownLayer];
  if (node) {
    panel.append(element("h3", {}, [node.isInput ? "Input" : node.op, node.title].filter(Boolean).join(" ")));
    const shape = node.shape.length ? node.shape.join("\u202f\u00d7\u202f") : own.length ? (layers[own[0]].shape ?? []).join("\u202f\u00d7\u202f") : "";
    panel.append(element("p", { class: "hint" }, [node.node && node.node !== node.title ? "node " + node.node : "", shape, own.length && layers[own[0]].type ? "stored as " + layers[own[0]].type : ""].filter(Boolean).join("; ")));
    panel.append(...nodeLinks("reads", node.reads), ...nodeLinks("read by", node.readers));
    if (node.inside !== undefined)
      panel.append(element("p", {}, "The program has no value of it alone: its error is a part of what ", layerLink(node.inside, layers[node.inside].name), " adds."));
    else if (!own.length && !node.isInput)
      panel.append(element("p", { class: "hint" }, "The program has no value of this name: it was folded, moved or fused away."));
  }
  if (node && node.output >= 0) {
    const { failures } = outputs[node.output];
    panel.append(element("p", {}, element("b", { class: failures.length ? "fail-text" : "pass-text" }, failures.length ? "Fails as an output" : "Passes as an output")));
    if (failures.length) panel.append(element("ul", {}, ...failures.map((text) => element("li", {}, text))));
  }
  own.forEach((index, i) => {
    if (!node || own.length > 1) panel.append(...(i ? [element("hr")] : []), element("h3", {}, layers[index].name));
    panel.append(...layerParts(layers[index]));
  });
  panel.append(...costFacts(node ? rowsOfNode(node) : layers[shownLayer].rows ?? []));
}
function chooseNode(index, looks) {
  chosenNode = index;
  shownLayer = -1;
  showLayer();
  byId("layer").scrollTop = 0;
  if (looks && index >= 0) lookAt(nodes[index]);
  redrawGraph();
}
/** From a table: the node of the layer, in the graph. */
function chooseLayer(index) {
  showTab("graph");
  if (nodeOfLayer.has(index)) { chooseNode(nodeOfLayer.get(index), true); return; }
  chooseNode(-1, false);
  shownLayer = index;
  showLayer();
}
/** At first the layer that fails first, or adds most. */
function startPanel() {
  const failed = comparison.samples.map((sample) => sample.first_failed_layer).find(Boolean);
  const worst = layers.find((row) => row.name === failed) ?? byDecibels(layers)[0];
  chooseNode(worst ? nodeOfLayer.get(layers.indexOf(worst)) ?? -1 : -1, false);
}
