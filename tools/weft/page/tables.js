// The tables beside the timeline.

// ---- summary and tables ---------------------------------------------------------------------------------------

function showCards() {
  const card = (...values) => addCard(byId("cards"), ...values);
  const { tiu, gdma } = report.engines, roof = report.roofline, local = report.local_memory;
  card("Total cycles", grouped(report.total_cycles), `${seconds(report.total_cycles)} at ${report.cycles_per_second / 1e6} MHz`);
  card("Roofline", percent(roof.achieved), `bound ${grouped(roof.bound_cycles)} cycles, by ${roof.bound_by === "dram" ? "DRAM" : "compute"}`, roof.achieved);
  card("TIU busy", percent(tiu.busy_share), `${grouped(tiu.commands)} commands, waits ${grouped(tiu.wait_cycles)}`, tiu.busy_share);
  card("GDMA busy", percent(gdma.busy_share), `${grouped(gdma.commands)} commands, waits ${grouped(gdma.wait_cycles)}`, gdma.busy_share);
  card("Both busy", percent(report.overlap_cycles / total), grouped(report.overlap_cycles) + " cycles", report.overlap_cycles / total);
  card("MAC use", percent(report.macs.utilisation), many(report.macs.total) + " multiply-accumulates", report.macs.utilisation);
  card("DRAM", bytes(report.dram.read_bytes + report.dram.write_bytes),
    `${bytes(report.dram.read_bytes)} read, ${bytes(report.dram.write_bytes)} written; ${report.dram.bytes_per_cycle.toFixed(1)} of ${report.dram.peak_bytes_per_cycle.toFixed(1)} bytes a cycle`,
    report.dram.bytes_per_cycle / report.dram.peak_bytes_per_cycle);
  card("Local memory", bytes(local.peak_bytes), `peak of ${bytes(local.lane_bytes)} a lane, ${bytes(local.mean_bytes)} on average`, local.peak_bytes / local.lane_bytes);
  card("Predicted from similar commands", percent(report.extrapolated.share), `of the busy cycles, ${grouped(report.extrapolated.commands)} commands` + (report.extrapolated.cycles > 0 ? `; ${percent(report.extrapolated.probed_cycles / report.extrapolated.cycles)} of it probed` : ""), report.extrapolated.share);
}

/** Of a table of `column` (node, kind): a click shows only the commands of that row. */
const picksCommands = (column) => ({
  isChosen: (i) => Boolean(rowFilter) && rowFilter.column === column && rowFilter.rows.has(i),
  choose: (i) => filterRows(rowFilter && rowFilter.column === column && rowFilter.rows.has(i) ? null : { column, rows: new Set([i]) }),
});
function filterRows(filter) {
  rowFilter = filter;
  showTables.forEach((each) => each());
  applyFilter();
}

const showTables = [];
const mark = (row) => row.extrapolated_cycles > 0 ? " ~" : "";
const boundOf = (row) => row.bound_by ? `${row.bound_by === "dram" ? "DRAM" : "MAC"}, ${row.engine.toUpperCase()}` : row.engine.toUpperCase();
/** Parts of the run in which the commands of each row of report.nodes are busy, TIU's and GDMA's: shares from 0 to 1. */
const pictureParts = 120;
const firstStart = new Map();
function busyParts() {
  const parts = report.nodes.map(() => engines.map(() => new Float32Array(pictureParts)));
  engines.forEach((engine, e) => {
    for (let i = 0; i < engine.count; ++i) {
      if (engine.node[i] < 0) continue;
      const row = report.nodes[engine.node[i]], scale = pictureParts / total, busy = parts[engine.node[i]][e];
      firstStart.set(row, Math.min(firstStart.get(row) ?? total, engine.start[i]));
      const last = Math.min(pictureParts - 1, Math.floor(engine.end[i] * scale));
      for (let part = Math.floor(engine.start[i] * scale); part <= last; ++part)
        busy[part] += Math.max(0, Math.min(engine.end[i] * scale, part + 1) - Math.max(engine.start[i] * scale, part));
    }
  });
  return new Map(report.nodes.map((row, i) => [row, parts[i]]));
}
const partsOfRow = busyParts();
/** When the commands of a row run, over the whole run: TIU above, GDMA below. */
function timesOf(row) {
  const strip = element("div", { class: "when", title: "when its commands run: TIU above, GDMA below" });
  partsOfRow.get(row).forEach((busy, e) => {
    const stops = [];
    busy.forEach((share, part) => {
      if (share <= 0) return;
      const begin = (100 * part / pictureParts).toFixed(1) + "%", end = (100 * (part + 1) / pictureParts).toFixed(1) + "%";
      const colour = `color-mix(in srgb, ${engineColours[e]} ${Math.round(30 + 70 * Math.min(1, share))}%, transparent)`;
      stops.push(`transparent ${begin}`, `${colour} ${begin}`, `${colour} ${end}`, `transparent ${end}`);
    });
    const line = element("i");
    line.style.background = stops.length ? `linear-gradient(90deg, ${stops.join(", ")})` : "none";
    strip.append(line);
  });
  return strip;
}
function nameOrigins() {
  if (!hasLines) return;
  byId("originTitle").textContent = "Lines of source";
  byId("originHint").textContent = "click a row to see only its commands";
  byId("colourOfOrigin").textContent = "line of source";
}
function showNodes() {
  nameOrigins();
  if (!report.debug_map) {
    byId("nodes").replaceChildren(element("caption", { class: "empty" }, "The file has no debug map (made by another compiler, or stripped): its commands cannot be traced to ONNX nodes."));
    byId("colour").querySelector('option[value="node"]').disabled = true;
    return;
  }
  const made = makeTable(byId("nodes"), report.nodes, [
    [hasLines ? "Line" : "Node", (row) => row.nodes.join(" + "), (row) => [(row.nodes.join(" + ") || noOrigin) + " ", element("span", { class: "types" }, (hasLines ? row.source : row.op_types.filter(Boolean).join(" + ")) + mark(row))]],
    ["Critical cycles", (row) => row.critical_cycles, (row) => grouped(row.critical_cycles)],
    ["Share of the run", (row) => row.critical_share, (row) => percent(row.critical_share), true],
    ["TIU cycles", (row) => row.tiu_cycles, (row) => grouped(row.tiu_cycles)],
    ["GDMA cycles", (row) => row.gdma_cycles, (row) => grouped(row.gdma_cycles)],
    ["Bound", (row) => row.bound_cycles, boundOf],
    ["Use of the bound", (row) => row.achieved, (row) => row.bound_by ? percent(row.achieved) : "-", true],
    ["When", (row) => -(firstStart.get(row) ?? total), timesOf],
    ["MACs", (row) => row.macs, (row) => many(row.macs)],
    ["DRAM read", (row) => row.dram_read_bytes, (row) => bytes(row.dram_read_bytes)],
    ["DRAM written", (row) => row.dram_write_bytes, (row) => bytes(row.dram_write_bytes)],
    ["Commands", (row) => row.commands, (row) => grouped(row.commands)],
  ], 1, 20, picksCommands("node"));
  showTables.push(made.show);
  const more = byId("moreNodes");
  more.hidden = report.nodes.length <= 20;
  more.textContent = `Show all ${report.nodes.length}`;
  more.onclick = () => { made.showAll(); more.hidden = true; };
}
function showKinds() {
  showTables.push(makeTable(byId("kinds"), report.instructions, [
    ["Instruction", (row) => row.mnemonic, (row) => [row.mnemonic + " ", element("span", { class: "types" }, row.engine.toUpperCase() + mark(row))]],
    ["Cycles", (row) => row.cycles, (row) => grouped(row.cycles)],
    ["Share of the run", (row) => row.share, (row) => percent(row.share), true],
    ["Critical cycles", (row) => row.critical_cycles, (row) => grouped(row.critical_cycles)],
    ["Cycles each", (row) => row.cycles / row.commands, (row) => grouped(row.cycles / row.commands)],
    ["MACs", (row) => row.macs, (row) => many(row.macs)],
    ["DRAM", (row) => row.dram_read_bytes + row.dram_write_bytes, (row) => bytes(row.dram_read_bytes + row.dram_write_bytes)],
    ["Commands", (row) => row.commands, (row) => grouped(row.commands)],
  ], 1, Infinity, picksCommands("kind")).show);
}
function showSmallTables() {
  const none = (table, text) => table.replaceChildren(element("caption", { class: "empty" }, text));
  if (report.macs.types.length)
    makeTable(byId("macs"), report.macs.types, [
      ["Type", (row) => row.type, (row) => row.type],
      ["MACs", (row) => row.macs, (row) => many(row.macs)],
      ["Peak a cycle", (row) => row.peak_macs_per_cycle, (row) => row.peak_macs_per_cycle ? grouped(row.peak_macs_per_cycle) : "-"],
      ["Use of the peak", (row) => row.utilisation || 0, (row) => row.utilisation === null ? "-" : percent(row.utilisation), true],
    ], 1, Infinity, null);
  else none(byId("macs"), "No convolution or matrix product.");
  if (report.extrapolated.kin.length)
    makeTable(byId("kin"), report.extrapolated.kin, [
      ["Instruction", (row) => row.mnemonic, (row) => [row.mnemonic + " ", element("span", { class: "types" }, "as " + row.kin + (row.evidence === "probed" ? ", probed" : ""))]],
      ["Cycles", (row) => row.cycles, (row) => grouped(row.cycles)],
      ["Commands", (row) => row.commands, (row) => grouped(row.commands)],
    ], 1, Infinity, null);
  else none(byId("kin"), "Nothing: every command is of a kind whose cost was measured.");
  makeTable(byId("banks"), report.local_memory.banks.map((row, bank) => ({ bank, ...row })), [
    ["Bank", (row) => row.bank, (row) => String(row.bank)],
    ["Peak", (row) => row.peak_bytes, (row) => bytes(row.peak_bytes)],
    ["Mean fill", (row) => row.mean_bytes / bankBytes, (row) => percent(row.mean_bytes / bankBytes), true],
    ["Both engines", (row) => row.shared_cycles, (row) => grouped(row.shared_cycles)],
  ], -1, Infinity, null);
}

const predictedText = "Predicted by a model of the machine, not measured on a chip. ~ marks rows with commands whose cost is predicted from the nearest measured kin.";
function showTimeline() {
  showCards();
  showLegend();
  showNodes();
  showKinds();
  showSmallTables();
  window.addEventListener("resize", redraw);
}
