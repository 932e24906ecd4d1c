// The canvases of the timeline and what pointer and keys do there.

// ---- which commands are shown -----------------------------------------------------------------------------------

function applyFilter() {
  const text = byId("find").value.trim().toLowerCase(), onlyCritical = byId("critical").checked;
  const matchingWords = text ? words.map((word) => word.toLowerCase().includes(text)) : null;
  const matchingNodes = text ? nodeNames.map((name) => name.toLowerCase().includes(text)) : null;
  let count = 0;
  for (const engine of engines)
    for (let i = 0; i < engine.count; ++i) {
      let shown = !onlyCritical || (engine.flags[i] & 1) !== 0;
      if (shown && rowFilter) shown = rowFilter.rows.has(engine[rowFilter.column][i]);
      if (shown && text)
        shown = engine.text[i].some((word) => matchingWords[word]) || (engine.node[i] >= 0 && matchingNodes[engine.node[i]]);
      engine.shown[i] = shown ? 1 : 0;
      count += shown ? 1 : 0;
    }
  const filtered = text || onlyCritical || rowFilter;
  byId("found").textContent = filtered ? grouped(count) + " of " + grouped(engines[0].count + engines[1].count) : "";
  redraw();
}

// ---- drawing --------------------------------------------------------------------------------------------------

const xOf = (time, width) => gutter + (time - view.from) / (view.to - view.from) * (width - gutter);
const timeAt = (x, width) => view.from + (x - gutter) / Math.max(1, width - gutter) * (view.to - view.from);

function drawGrid(context, width, top, bottom, labels) {
  const span = view.to - view.from;
  const rough = span / Math.max(2, (width - gutter) / 110), power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough));
  context.strokeStyle = theme.grid;
  context.fillStyle = theme.soft;
  context.lineWidth = 1;
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = Math.round(xOf(time, width)) + 0.5;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, bottom);
    context.stroke();
    if (labels) {
      context.textAlign = x < gutter + 20 ? "left" : x > width - 30 ? "right" : "center";
      context.fillText(grouped(time), x, top - 9);
    }
  }
  context.textAlign = "left";
}

let hatchPattern = null, hatchColour = "";
function hatch(context) {
  if (hatchPattern && hatchColour === theme.hatch) return hatchPattern;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 7;
  const pen = tile.getContext("2d");
  pen.strokeStyle = theme.hatch;
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (const shift of [-7, 0, 7]) { pen.moveTo(shift, 7); pen.lineTo(shift + 7, 0); }
  pen.stroke();
  hatchColour = theme.hatch;
  hatchPattern = context.createPattern(tile, "repeat");
  return hatchPattern;
}

const rowTop = (index) => 26 + index * 80, rowHeight = 62;

/** Commands narrower than a pixel are added up per pixel column, the rest drawn one by one. */
function drawEngine(context, width, index) {
  const engine = engines[index], top = rowTop(index);
  const first = after(engine.end, view.from), columns = Math.ceil(width - gutter);
  const busy = new Float64Array(columns + 1), critical = new Uint8Array(columns + 1), colour = new Array(columns + 1);
  const scale = (width - gutter) / (view.to - view.from);
  const dimmed = [];
  context.fillStyle = theme.track;
  context.fillRect(gutter, top, width - gutter, rowHeight);
  for (let i = first; i < engine.count && engine.start[i] - engine.gap[i] < view.to; ++i) {
    const left = Math.max(gutter, gutter + (engine.start[i] - view.from) * scale);
    const right = Math.min(width, gutter + (engine.end[i] - view.from) * scale);
    if (engine.gap[i] * scale >= 2) {
      const gapLeft = Math.max(gutter, gutter + (engine.start[i] - engine.gap[i] - view.from) * scale);
      context.fillStyle = hatch(context);
      context.fillRect(gapLeft, top, Math.min(width, left) - gapLeft, rowHeight);
    }
    if (right <= left) continue;
    if (right - left < 1) {
      const column = Math.min(columns, Math.floor(left - gutter));
      if (engine.shown[i]) {
        busy[column] += right - left;
        colour[column] = colourOf(engine, i);
        critical[column] |= engine.flags[i] & 1;
      } else if (!colour[column]) {
        dimmed.push(column);
      }
      continue;
    }
    drawCommand(context, engine, i, left, right, top);
  }
  context.fillStyle = theme.hatch;
  context.globalAlpha = 0.35;
  for (const column of dimmed) context.fillRect(gutter + column, top, 1, rowHeight);
  for (let column = 0; column <= columns; ++column) {
    if (!colour[column]) continue;
    context.globalAlpha = Math.min(1, 0.35 + 0.65 * busy[column]);
    context.fillStyle = colour[column];
    context.fillRect(gutter + column, top, 1, rowHeight);
    context.globalAlpha = 1;
    if (critical[column]) {
      context.fillStyle = theme.critical;
      context.fillRect(gutter + column, top + rowHeight + 2, 1, 3);
    }
  }
  context.globalAlpha = 1;
  context.fillStyle = theme.text;
  context.font = "600 12.5px system-ui, sans-serif";
  context.fillText(engine.name, 2, top + rowHeight / 2 - 8);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = theme.soft;
  context.fillText(percent(index ? report.engines.gdma.busy_share : report.engines.tiu.busy_share), 2, top + rowHeight / 2 + 8);
}

function drawCommand(context, engine, i, left, right, top) {
  const wide = right - left, shown = engine.shown[i];
  context.globalAlpha = shown ? 1 : 0.16;
  context.fillStyle = shown ? colourOf(engine, i) : theme.hatch;
  context.fillRect(left, top, wide > 3 ? wide - 0.7 : wide, rowHeight);
  if (engine.flags[i] & 2 && wide > 8) {
    context.strokeStyle = theme.text;
    context.setLineDash([2, 2]);
    context.strokeRect(left + 0.5, top + 0.5, wide - 1.7, rowHeight - 1);
    context.setLineDash([]);
  }
  if (wide > 46 && shown) {
    context.save();
    context.beginPath();
    context.rect(left, top, wide - 3, rowHeight);
    context.clip();
    context.fillStyle = "#ffffff";
    context.font = "600 11.5px system-ui, sans-serif";
    context.fillText(kindNames[engine.kind[i]], left + 5, top + 16);
    context.font = "11px system-ui, sans-serif";
    context.fillText(grouped(engine.cycles[i]), left + 5, top + 32);
    if (engine.node[i] >= 0) context.fillText(nodeNames[engine.node[i]], left + 5, top + 48);
    context.restore();
  }
  if (engine.flags[i] & 1) {
    context.fillStyle = theme.critical;
    context.fillRect(left, top + rowHeight + 2, Math.max(1, wide - 0.7), 3);
  }
  context.globalAlpha = 1;
}

function outline(context, width, command, colour) {
  const engine = engines[command.engine], top = rowTop(command.engine);
  const left = Math.max(gutter, xOf(engine.start[command.i], width));
  const right = Math.min(width, xOf(engine.end[command.i], width));
  if (right < gutter || left > width) return;
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(left, top - 1, Math.max(2, right - left), rowHeight + 2);
  context.lineWidth = 1;
  const dep = engine.dep[command.i];
  if (dep < 0) return;
  // Dashed: it had ended before, so it did not decide the start.
  const other = engines[engine.other], decides = other.end[dep] === engine.start[command.i];
  const fromX = xOf(other.end[dep], width), fromY = rowTop(engine.other) + rowHeight / 2;
  const toX = xOf(engine.start[command.i], width), toY = top + rowHeight / 2;
  context.save();
  context.beginPath();
  context.rect(gutter, 0, width - gutter, 400);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = decides ? 1.8 : 1;
  context.setLineDash(decides ? [] : [4, 4]);
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.bezierCurveTo(fromX + 12, (fromY + toY) / 2, toX - 12, (fromY + toY) / 2, toX, toY);
  context.stroke();
  context.fillStyle = colour;
  context.beginPath();
  context.arc(fromX, fromY, 3.5, 0, 7);
  context.arc(toX, toY, 3.5, 0, 7);
  context.fill();
  context.restore(); // dash and width too
  context.lineWidth = 1;
}

function drawTimeline() {
  const { context, width } = prepare(timeline);
  drawGrid(context, width, 20, rowTop(1) + rowHeight + 8, true);
  for (const index of [0, 1]) drawEngine(context, width, index);
  if (chosen) outline(context, width, chosen, theme.text);
  if (hovered && hovered.engine !== undefined) outline(context, width, hovered, theme.accent);
}

function drawMemory() {
  const { context, width, height } = prepare(memory);
  const top = 1, tall = height - 2, scale = (width - gutter) / (view.to - view.from);
  const yOf = (offset) => top + offset / (banksShown * bankBytes) * tall;
  context.fillStyle = theme.track;
  context.fillRect(gutter, top, width - gutter, tall);
  drawGrid(context, width, top, top + tall, false);
  for (let r = 0; r < liveCount; ++r) {
    if (live.to[r] <= view.from || live.from[r] >= view.to) continue;
    const writer = writerOf(r), engine = engines[writer.engine];
    const left = Math.max(gutter, gutter + (live.from[r] - view.from) * scale);
    const right = Math.min(width, gutter + (live.to[r] - view.from) * scale);
    const y = yOf(live.begin[r]), tallness = Math.max(0.6, yOf(live.end[r]) - y);
    const shown = engine.shown[writer.i];
    context.globalAlpha = shown ? (live.is_read[r] ? 0.82 : 0.4) : 0.14;
    context.fillStyle = shown ? colourOf(engine, writer.i) : theme.hatch;
    context.fillRect(left, y, Math.max(0.6, right - left), tallness);
  }
  context.globalAlpha = 1;
  context.font = "11px system-ui, sans-serif";
  for (let bank = 0; bank < banksShown; ++bank) {
    const y = yOf(bank * bankBytes);
    context.strokeStyle = theme.line;
    context.beginPath();
    context.moveTo(gutter, Math.round(y) + 0.5);
    context.lineTo(width, Math.round(y) + 0.5);
    context.stroke();
    context.fillStyle = theme.soft;
    context.fillText("bank " + bank, 2, y + tall / banksShown / 2);
  }
  const marked = hovered || chosen;
  if (!marked) return;
  context.lineWidth = 1.6;
  context.strokeStyle = hovered ? theme.accent : theme.text;
  for (let r = 0; r < liveCount; ++r) {
    const writer = writerOf(r);
    const matches = marked.range !== undefined ? r === marked.range : writer.engine === marked.engine && writer.i === marked.i;
    if (!matches || live.to[r] <= view.from || live.from[r] >= view.to) continue;
    const left = Math.max(gutter, xOf(live.from[r], width)), right = Math.min(width, xOf(live.to[r], width));
    context.strokeRect(left, yOf(live.begin[r]), Math.max(2, right - left), Math.max(2, yOf(live.end[r]) - yOf(live.begin[r])));
  }
  context.lineWidth = 1;
}

/** Busy share of both engines over the whole run, made once for a width. */
let density = { width: 0, rows: [] };
function densityFor(width) {
  if (density.width === width) return density.rows;
  const columns = Math.max(1, Math.floor(width - gutter));
  const rows = engines.map((engine) => {
    const row = new Float64Array(columns);
    for (let i = 0; i < engine.count; ++i) {
      const from = engine.start[i] / total * columns, to = engine.end[i] / total * columns;
      for (let column = Math.floor(from); column < to && column < columns; ++column)
        row[column] += Math.min(to, column + 1) - Math.max(from, column);
    }
    return row;
  });
  density = { width, rows };
  return rows;
}
function drawOverview() {
  const { context, width, height } = prepare(overview);
  const half = height / 2;
  densityFor(width).forEach((row, index) => {
    context.fillStyle = index ? families[familyOf.get("load")][1] : families[familyOf.get("conv")][1];
    for (let column = 0; column < row.length; ++column)
      if (row[column] > 0) {
        const tall = (half - 3) * Math.min(1, row[column]);
        context.fillRect(gutter + column, index * half + half - 1 - tall, 1, tall);
      }
  });
  context.fillStyle = theme.soft;
  context.font = "10.5px system-ui, sans-serif";
  context.fillText("TIU", 4, half / 2 + 1);
  context.fillText("GDMA", 4, half * 1.5);
  const left = gutter + view.from / total * (width - gutter), right = gutter + view.to / total * (width - gutter);
  context.fillStyle = theme.shade;
  context.fillRect(left, 0, Math.max(2, right - left), height);
  context.strokeStyle = theme.accent;
  context.strokeRect(left + 0.5, 0.5, Math.max(1, right - left - 1), height - 1);
}

// ---- what is under the pointer --------------------------------------------------------------------------------

function commandAt(x, y, width) {
  if (x < gutter) return null;
  const time = timeAt(x, width), reach = (view.to - view.from) / (width - gutter);
  for (const index of [0, 1]) {
    if (y < rowTop(index) - 2 || y > rowTop(index) + rowHeight + 6) continue;
    const engine = engines[index];
    const i = after(engine.end, time);
    if (i < engine.count && engine.start[i] <= time) return { engine: index, i };
    if (i < engine.count && engine.start[i] - time < reach) return { engine: index, i };
    if (i > 0 && time - engine.end[i - 1] < reach) return { engine: index, i: i - 1 };
    if (i < engine.count && engine.gap[i] > 0) return { engine: index, i, isWait: true };
  }
  return null;
}
function rangeAt(x, y, width, height) {
  if (x < gutter) return null;
  const time = timeAt(x, width), shownBytes = banksShown * bankBytes, offset = (y - 1) / (height - 2) * shownBytes;
  const reachTime = (view.to - view.from) / (width - gutter), reachBytes = shownBytes / height;
  let best = -1, bestSize = Infinity;
  for (let r = 0; r < liveCount; ++r)
    if (live.from[r] - reachTime <= time && time < live.to[r] + reachTime && live.begin[r] - reachBytes <= offset &&
        offset < live.end[r] + reachBytes) {
      const exact = live.from[r] <= time && time < live.to[r] && live.begin[r] <= offset && offset < live.end[r];
      const size = (live.end[r] - live.begin[r]) * (exact ? 1 : 1e6);
      if (size < bestSize) { best = r; bestSize = size; }
    }
  return best < 0 ? null : { range: best };
}

function commandFacts(command, withDep) {
  const engine = engines[command.engine], i = command.i, facts = element("div", { class: "fact" });
  const fact = (name, ...value) => facts.append(element("b", {}, name), element("span", {}, ...value));
  fact("cycles", `${grouped(engine.cycles[i])} (${seconds(engine.cycles[i])}), ${grouped(engine.start[i])} to ${grouped(engine.end[i])}` +
    (engine.flags[i] & 1 ? ", on the critical path" : ""));
  if (engine.gap[i] > 0) fact("waits", grouped(engine.gap[i]) + " cycles before it");
  if (engine.dep[i] >= 0) {
    const other = engines[engine.other], dep = engine.dep[i];
    fact("needs", `${other.name} ${idOf(other, dep)} ${kindNames[other.kind[dep]]}, which ends at ${grouped(other.end[dep])}`);
  }
  if (engine.node[i] >= 0) fact(originName, nodeNames[engine.node[i]]);
  else if (!report.debug_map) fact(originName, "unknown: the file has no debug map");
  if (engine.macs[i] > 0) fact("MACs", `${grouped(engine.macs[i])}, ${(engine.macs[i] / engine.cycles[i]).toFixed(1)} a cycle`);
  if (engine.read[i] > 0) fact("DRAM read", `${bytes(engine.read[i])}, ${(engine.read[i] / engine.cycles[i]).toFixed(1)} bytes a cycle`);
  if (engine.written[i] > 0) fact("DRAM written", `${bytes(engine.written[i])}, ${(engine.written[i] / engine.cycles[i]).toFixed(1)} bytes a cycle`);
  if (engine.flags[i] & 2) fact("predicted", "no measured command of this kind; kin: " + words[engine.kin[i]]);
  fact("command", element("code", {}, textOf(engine, i)));
  if (withDep && report.groups > 1) fact("group", String(engine.group[i]));
  return facts;
}
const commandHead = (command) => {
  const engine = engines[command.engine];
  return element("div", { class: "head" }, `${engine.name} ${idOf(engine, command.i)}  ${kindNames[engine.kind[command.i]]}`);
};

const tip = byId("tip");
function showTip(event) {
  if (!hovered) { tip.hidden = true; return; }
  tip.replaceChildren();
  if (hovered.range !== undefined) {
    const r = hovered.range, writer = writerOf(r), facts = element("div", { class: "fact" });
    const fact = (name, value) => facts.append(element("b", {}, name), element("span", {}, value));
    const firstBank = Math.floor(live.begin[r] / bankBytes), lastBank = Math.floor((live.end[r] - 1) / bankBytes);
    tip.append(element("div", { class: "head" }, `${hex(live.begin[r])} to ${hex(live.end[r])}, ${bytes(live.end[r] - live.begin[r])}, bank ${firstBank}` +
      (lastBank > firstBank ? ` to ${lastBank}` : "")));
    fact("lives", `${grouped(live.from[r])} to ${grouped(live.to[r])}` + (live.is_read[r] ? "" : ", never read"));
    const engine = engines[writer.engine];
    fact("written by", `${engine.name} ${idOf(engine, writer.i)} ${kindNames[engine.kind[writer.i]]}`);
    if (engine.node[writer.i] >= 0) fact(originName, nodeNames[engine.node[writer.i]]);
    tip.append(facts);
  } else {
    if (hovered.isWait)
      tip.append(element("div", { class: "head" }, `${engines[hovered.engine].name} waits ${grouped(engines[hovered.engine].gap[hovered.i])} cycles for`));
    tip.append(commandHead(hovered), commandFacts(hovered, false));
  }
  tip.hidden = false;
  const wide = tip.offsetWidth, tall = tip.offsetHeight;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, window.innerWidth - wide - 8)) + "px";
  tip.style.top = Math.max(4, event.clientY + 18 + tall > window.innerHeight ? event.clientY - tall - 12 : event.clientY + 18) + "px";
}
function showDetail() {
  const detail = byId("detail");
  detail.hidden = !chosen;
  if (!chosen) return;
  detail.replaceChildren(commandHead(chosen), commandFacts(chosen, true));
  const row = engines[chosen.engine].node[chosen.i];
  if (linkOfRow && row >= 0) detail.append(linkOfRow(row));
}

// ---- pointer and keys -----------------------------------------------------------------------------------------

function attach(canvas, find) {
  let drag = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width, height: box.height };
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { x, width } = place(event), span = view.to - view.from;
    const amount = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    const sideways = event.shiftKey ? (event.deltaX || amount) : event.deltaX;
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : amount)) setView(view.from + sideways / width * span, view.to + sideways / width * span);
    else zoomAt(timeAt(Math.max(x, gutter), width), Math.exp(Math.max(-300, Math.min(300, amount)) * 0.0022));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const spot = place(event);
    if (drag) {
      const shift = (drag.x - event.clientX) / Math.max(1, spot.width - gutter) * (drag.to - drag.from);
      if (Math.abs(drag.x - event.clientX) > 3) {
        drag.moved = true;
        canvas.classList.add("moving");
      }
      if (drag.moved) {
        tip.hidden = true;
        setView(drag.from + shift, drag.to + shift);
      }
      return;
    }
    hovered = find(spot.x, spot.y, spot.width, spot.height);
    showTip(event);
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    canvas.classList.remove("moving");
    if (drag && !drag.moved) {
      const spot = place(event), found = find(spot.x, spot.y, spot.width, spot.height);
      chosen = !found ? null : found.range !== undefined ? writerOf(found.range) : { engine: found.engine, i: found.i };
      showDetail();
      redraw();
    }
    drag = null;
  });
  canvas.addEventListener("pointerleave", () => { hovered = null; tip.hidden = true; redraw(); });
  canvas.addEventListener("dblclick", () => setView(0, total));
}
attach(timeline, commandAt);
attach(memory, rangeAt);

let overviewFrom = null;
const overviewTime = (event) => {
  const box = overview.getBoundingClientRect();
  return Math.min(total, Math.max(0, (event.clientX - box.left - gutter) / Math.max(1, box.width - gutter) * total));
};
overview.addEventListener("pointerdown", (event) => { overviewFrom = overviewTime(event); overview.setPointerCapture(event.pointerId); });
overview.addEventListener("pointermove", (event) => {
  if (overviewFrom === null) return;
  const to = overviewTime(event);
  if (Math.abs(to - overviewFrom) > total / 400) setView(Math.min(overviewFrom, to), Math.max(overviewFrom, to));
});
overview.addEventListener("pointerup", (event) => {
  const to = overviewTime(event), half = (view.to - view.from) / 2;
  if (overviewFrom !== null && Math.abs(to - overviewFrom) <= total / 400) setView(to - half, to + half);
  overviewFrom = null;
});
overview.addEventListener("dblclick", () => setView(0, total));

document.addEventListener("keydown", (event) => {
  if (timeline.clientWidth === 0 || ["INPUT", "SELECT"].includes(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const middle = (view.from + view.to) / 2, span = view.to - view.from;
  const action = {
    "+": () => zoomAt(middle, 0.6), "=": () => zoomAt(middle, 0.6), "-": () => zoomAt(middle, 1.6), "0": () => setView(0, total),
    ArrowLeft: () => setView(view.from - span * 0.2, view.to - span * 0.2),
    ArrowRight: () => setView(view.from + span * 0.2, view.to + span * 0.2),
    Escape: () => { chosen = null; showDetail(); redraw(); },
  }[event.key];
  if (action) { event.preventDefault(); action(); }
});
byId("in").onclick = () => zoomAt((view.from + view.to) / 2, 0.5);
byId("out").onclick = () => zoomAt((view.from + view.to) / 2, 2);
byId("fit").onclick = () => setView(0, total);
byId("critical").onchange = applyFilter;
byId("find").oninput = applyFilter;
byId("allBanks").onchange = () => { banksShown = byId("allBanks").checked ? bankCount : banksInUse; redraw(); };
byId("colour").onchange = () => { byNode = byId("colour").value === "node"; showLegend(); redraw(); };

function showLegend() {
  const legend = byId("legend");
  legend.replaceChildren();
  const entry = (colour, name) => {
    const box = element("i");
    box.style.background = colour;
    legend.append(element("span", {}, box, name));
  };
  if (byNode) {
    report.nodes.slice(0, 10).forEach((_, node) => entry(nodeColours[node], nodeNames[node]));
    if (report.nodes.length > 10) legend.append(element("span", {}, `and ${report.nodes.length - 10} more`));
    return;
  }
  const used = new Set();
  for (const engine of engines) for (const family of engine.family) used.add(family);
  families.forEach((row, family) => { if (used.has(family)) entry(row[1], row[2]); });
}
