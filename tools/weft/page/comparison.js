// The page of `weft compare --html`: tabs, verdict, tables, inputs, start.

// ---- tabs -----------------------------------------------------------------------------------------------------

const tabNames = ["overview", "graph", "layers", ...(content.profile ? ["timeline"] : []), "inputs"];
function showTab(name) {
  for (const each of tabNames) {
    byId(each + "-tab").hidden = each !== name;
    const button = byId("show-" + each);
    button.setAttribute("aria-selected", String(each === name));
    button.tabIndex = each === name ? 0 : -1;
  }
  byId("tip").hidden = true;
  redrawAll();
}
function startTabs() {
  tabNames.forEach((name, i) => {
    const button = element("button", { type: "button", id: "show-" + name }, name[0].toUpperCase() + name.slice(1));
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", name + "-tab");
    button.onclick = () => showTab(name);
    button.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      const next = tabNames[(i + by + tabNames.length) % tabNames.length];
      showTab(next);
      byId("show-" + next).focus();
    };
    byId("tabs").append(button);
    byId(name + "-tab").setAttribute("aria-labelledby", "show-" + name);
  });
  const asked = new URLSearchParams(location.hash.slice(1)).get("tab");
  showTab(tabNames.includes(asked) ? asked : "overview");
}
function redrawAll() {
  redrawGraph();
  if (content.profile) redraw();
}

// ---- overview -------------------------------------------------------------------------------------------------

const fileOf = (path) => path.split("/").pop();
const byDecibels = (rows) => rows.filter((row) => isCompared(judged(row))).sort((a, b) => decibels(judged(a)) - decibels(judged(b)));
const opOf = (index) => nodeOfLayer.has(index) ? nodes[nodeOfLayer.get(index)].op : "";
function showVerdict() {
  const cards = byId("verdict"), card = (...values) => addCard(cards, ...values);
  const failing = (rows) => rows.filter((row) => row.failures.length > 0);
  const badOutputs = failing(outputs), badLayers = failing(layers);
  const judge = card("Verdict", comparison.passed ? "passes" : "fails", `${comparison.precision} limits, ${comparison.samples.length} sample` + (comparison.samples.length > 1 ? "s" : ""));
  judge.children[1].classList.add(comparison.passed ? "pass" : "fail");
  card("Outputs within limits", `${outputs.length - badOutputs.length} of ${outputs.length}`, badOutputs.length ? "first to miss: " + badOutputs[0].name : "");
  const layerCard = card("Layers within limits", `${grouped(layers.length - badLayers.length)} of ${grouped(layers.length)}`, layers.length ? "" : "no layers were compared");
  const first = comparison.samples.map((sample) => sample.first_failed_layer).find(Boolean);
  const firstIndex = layers.findIndex((row) => row.name === first);
  if (firstIndex >= 0) {
    const go = element("button", { type: "button", id: "toFirstFailed", title: first }, "first to miss: " + first);
    go.onclick = () => chooseLayer(firstIndex);
    layerCard.append(go);
  }
  const worstOutput = byDecibels(outputs)[0], worstLayer = byDecibels(layers.filter((row) => row.added))[0];
  if (worstOutput) card("Worst output", decibelText(decibels(worstOutput.whole)), `${worstOutput.name}; limit ${comparison.limit} dB`);
  if (worstLayer) card("Most added error", decibelText(decibels(worstLayer.added)), `${worstLayer.name}; limit ${comparison.layer_limit} dB`);
  if (content.profile) {
    const cost = content.profile.report;
    card("Cycles", grouped(cost.total_cycles), seconds(cost.total_cycles) + ", predicted");
    card("DRAM", bytes(cost.dram.read_bytes + cost.dram.write_bytes), `${bytes(cost.dram.read_bytes)} read, ${bytes(cost.dram.write_bytes)} written`);
  }
}
function showSaid() {
  const lines = comparison.failures.map((text) => element("li", { class: "fail-text" }, text));
  lines.push(...comparison.warnings.map((text) => element("li", {}, "warning: " + text)));
  for (const sample of comparison.samples) {
    const of = comparison.samples.length > 1 ? fileOf(sample.name) + ": " : "";
    for (const text of sample.failures) lines.push(element("li", { class: "fail-text" }, of + text));
    for (const text of sample.warnings) lines.push(element("li", {}, of + "warning: " + text));
  }
  for (const row of outputs)
    for (const text of row.failures) lines.push(element("li", { class: "fail-text" }, `output ${row.name}: ${text}`));
  byId("saidPanel").hidden = lines.length === 0;
  byId("said").append(...lines.slice(0, 40));
  if (lines.length > 40) byId("said").append(element("li", {}, `and ${lines.length - 40} more`));
}
const verdictText = (row) => row.failures.length ? [element("span", { class: "fail-text", title: row.failures.join("\n") }, row.added || !row.result ? "fails" : "misses limits")] : "passes";
/** A figure for a column; small ones first. */
const decibelColumn = (title, which) => [title, (row) => isCompared(row[which]) ? -decibels(row[which]) : -Infinity,
  (row) => isCompared(row[which]) ? decibelText(decibels(row[which])) : "-"];
function showOutputs() {
  const hasSets = outputs.some((row) => row.samples);
  makeTable(byId("outputs"), outputs, [
    ["Output", (row) => row.name, (row) => [row.name + " ", element("span", { class: "types" }, row.part_of ? "in " + row.part_of : "")]],
    decibelColumn(hasSets ? "Worst signal by error" : "Signal by error", "whole"),
    ...(hasSets ? [["Mean", (row) => -(row.mean_sqnr ?? Infinity), (row) => row.mean_sqnr === undefined ? "-" : decibelText(row.mean_sqnr)]] : []),
    ["Cosine", (row) => -(row.whole.cosine ?? 2), (row) => row.whole.cosine === undefined ? "-" : row.whole.cosine.toFixed(6)],
    ["Gain", (row) => Math.abs((row.whole.gain ?? 1) - 1), (row) => inWords(row.whole.gain, 5)],
    ["Mean error", (row) => row.whole.mean_error ?? 0, (row) => inWords(row.whole.mean_error)],
    ["Largest error", (row) => row.whole.max_error ?? 0, (row) => inWords(row.whole.max_error)],
    ["Verdict", (row) => row.failures.length, verdictText],
  ], -1, Infinity, { isChosen: () => false, choose: (i) => chooseOutput(outputs[i]) });
}
/** Of a part the output that it is in. */
function chooseOutput(row) {
  const index = outputs.findIndex((each) => !each.part_of && each.name === (row.part_of ?? row.name));
  showTab("graph");
  const node = nodes.findIndex((each) => each.output === index);
  if (node >= 0) chooseNode(node, true);
}
const worstSlice = (row) => isCompared(judged(row)) ? Math.min(Infinity, ...judged(row).slices.map((slice) => slice[2] ?? Infinity)) : Infinity;
const atEnds = (row) => row.codes ? row.codes.at_least + row.codes.at_most : 0;
const cutOff = (row) => row.codes ? row.codes.cut_at_least + row.codes.cut_at_most : 0;
function layerColumns() {
  const rows = layers.some((row) => row.samples);
  return [
    ["Layer", (row) => row.name, (row) => [row.name + " ", element("span", { class: "types" }, opOf(row.index))]],
    decibelColumn(rows ? "Adds, worst" : "Adds", "added"),
    ...(rows ? [["Mean", (row) => -(row.mean_sqnr ?? Infinity), (row) => row.mean_sqnr === undefined ? "-" : decibelText(row.mean_sqnr)]] : []),
    decibelColumn("Up to there", "whole"),
    ["Worst slice", (row) => -worstSlice(row), (row) => worstSlice(row) === Infinity ? "-" : decibelText(worstSlice(row))],
    ["Dead slices", (row) => judged(row).dead ?? 0, (row) => judged(row).dead ? grouped(judged(row).dead) : "-"],
    ["At ends of codes", atEnds, (row) => row.codes ? shareText(atEnds(row)) : "-"],
    ["Cut off", cutOff, (row) => row.codes ? shareText(cutOff(row)) : "-"],
    ...(content.profile ? [
      ["Cycles", (row) => cyclesOf(row.rows), (row) => grouped(cyclesOf(row.rows))],
      ["DRAM", (row) => dramOf(row.rows), (row) => bytes(dramOf(row.rows))],
    ] : []),
    ["Verdict", (row) => row.failures.length, verdictText],
  ];
}
/** Rows that open the graph. */
const picksLayer = (rows) => ({ isChosen: () => false, choose: (i) => chooseLayer(rows[i].index) });
function showLayers() {
  layers.forEach((row, index) => { row.index = index; });
  const worst = byDecibels(layers.filter((row) => row.added || row.failures.length)).slice(0, 10);
  if (worst.length) makeTable(byId("worstLayers"), worst, layerColumns(), -1, Infinity, picksLayer(worst));
  else byId("worstLayers").replaceChildren(element("caption", { class: "empty" }, layers.length ? "What each layer adds is known only with the ONNX model as the reference." : "No layers were compared."));
  const limit = 200, more = byId("moreLayers");
  function show() {
    const text = byId("findLayer").value.trim().toLowerCase();
    const rows = text ? layers.filter((row) => row.name.toLowerCase().includes(text) || opOf(row.index).toLowerCase().includes(text)) : layers;
    const made = makeTable(byId("layers"), rows, layerColumns(), -1, limit, picksLayer(rows));
    more.hidden = rows.length <= limit;
    more.textContent = `Show all ${grouped(rows.length)}`;
    more.onclick = () => { made.showAll(); more.hidden = true; };
  }
  byId("findLayer").oninput = show;
  show();
}
function showSamples() {
  const { samples } = comparison;
  byId("samplesPanel").hidden = samples.length < 2;
  if (samples.length < 2) return;
  makeTable(byId("samples"), samples, [
    ["Sample", (sample) => sample.name, (sample) => sample.name],
    ["First layer to miss", (sample) => sample.first_failed_layer ?? "", (sample) => sample.first_failed_layer ?? "-"],
    ["Layers worst here", (sample) => layers.filter((row) => samples[row.sample] === sample).length, (sample) => grouped(layers.filter((row) => samples[row.sample] === sample).length)],
    ["Verdict", (sample) => sample.passed ? 0 : 1, (sample) => sample.passed ? "passes" : [element("span", { class: "fail-text" }, "fails")]],
  ], -1, 200, null);
}

// ---- inputs ---------------------------------------------------------------------------------------------------

function curveOf(input) {
  const { curve } = input, low = input.least, span = Math.max(input.most - low, 1e-30);
  const y = (value) => (1 - (value - low) / span).toFixed(3);
  const path = "M" + curve.map(([, most], i) => `${i + 0.5} ${y(most)}`).join("L") + "L" + curve.map(([least], i) => `${i + 0.5} ${y(least)}`).reverse().join("L") + "Z";
  return svg("svg", { class: "histogram", viewBox: `0 -0.04 ${curve.length} 1.08`, preserveAspectRatio: "none", role: "img", "aria-label": "Course of the values" },
    svg("path", { class: "second", d: path }));
}
function pictureOf(input) {
  const box = element("figure");
  if (input.png) {
    const image = element("img", { alt: `Input ${input.name} as an image` });
    image.setAttribute("src", "data:image/png;base64," + input.png);
    box.append(image);
  } else if (input.curve.length > 1) box.append(curveOf(input));
  const few = input.values && input.values.map((value) => inWords(value)).join(", ");
  box.append(element("figcaption", {}, element("b", {}, input.name), ` ${input.type} ${input.shape.join("\u00d7")}, ${inWords(input.least)} to ${inWords(input.most)}`,
    few ? `: ${few}${input.shape.reduce((a, b) => a * b, 1) > input.values.length ? ", \u2026" : ""}` : ""));
  return box;
}
function showInputs() {
  const shown = comparison.samples.filter((sample) => sample.inputs);
  for (const sample of shown)
    byId("inputs").append(element("section", { class: "panel" },
      element("div", { class: "bar" }, element("h2", {}, sample.name), element("span", { class: sample.passed ? "hint" : "fail-text" }, sample.passed ? "passes" : "fails")),
      element("div", { class: "pictures" }, ...sample.inputs.map(pictureOf))));
  const hidden = comparison.samples.length - shown.length;
  byId("inputs").append(element("p", { class: "hint" }, "As the program was given them: least is black, most is white; channels in the order of the tensor are red, green and blue." +
    (hidden ? ` ${grouped(hidden)} more samples are not shown.` : "")));
}

// ---- start ----------------------------------------------------------------------------------------------------

document.title = fileOf(comparison.model) + " - weft compare";
byId("title").textContent = fileOf(comparison.model);
byId("badge").textContent = comparison.passed ? "passes" : "fails";
byId("badge").classList.add(comparison.passed ? "pass" : "fail");
byId("subtitle").textContent = `against ${comparison.reference}; ${comparison.precision}` + (content.profile ? `, net ${content.profile.report.net}, stage ${content.profile.report.stage} of ${content.profile.report.stages}, ${content.profile.report.chip}` : "");
byId("footer").textContent = `${content.producer}.` + (content.profile ? " Cycles: " + predictedText[0].toLowerCase() + predictedText.slice(1) : "");
startGraph();
startTheme(() => { showGraphLegend(); redrawAll(); });
showVerdict();
showSaid();
showOutputs();
showLayers();
showSamples();
showInputs();
startPanel();
if (content.profile) {
  linkOfRow = linkToGraph;
  showTimeline();
}
startTabs();
window.addEventListener("resize", redrawGraph);
