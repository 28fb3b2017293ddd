
"use strict";
// Everything shown is made from the data element; nothing is fetched. What is on the screen is
// decided by `state` alone: change it, then call `show`.
const data = JSON.parse(document.getElementById("data").textContent);
const state = { sentence: 0, tree: 0, found: data.sentences.map((_, i) => i), across: null, matrix: false };
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}
function drawn(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  return filled(made, attributes, children);
}
function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== "") made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// ---- what the data says ----

const sentence = () => data.sentences[state.sentence];
const tree = () => sentence().trees[state.tree];
const words = (s) => Math.max(s.words.length, s.trees.length ? s.trees[0].heads.length : 0);
const word = (s, v) => (v === 0 ? "root" : s.words[v - 1] ?? String(v));
const text = (s) => Array.from({ length: words(s) }, (_, i) => word(s, i + 1)).join(" ");
function number(x) {
  const shown = Number.isInteger(x) ? String(x) : Math.abs(x) < 5e-4 ? x.toExponential(1) : x.toFixed(4);
  return shown.replaceAll("-", "−");
}
const percent = (x) => (x >= 0.9995 && x < 1 ? ">99.9" : x > 0 && x < 0.001 ? "<0.1" : (100 * x).toFixed(1)) + " %";
const rootEdges = (t) => t.heads.filter((h) => h === 0).length;
const label = (t, v) => (t.labels ? t.labels[v - 1] : t.heads[v - 1] === 0 ? "root" : "");
const same = (a, b, v) => a.heads[v - 1] === b.heads[v - 1] && (!a.labels || a.labels[v - 1] === b.labels[v - 1]);

// A tree's probability where the data has one, else its weight among the trees listed.
function shares(s) {
  if (s.trees.length && s.trees[0].probability !== undefined) return s.trees.map((t) => t.probability);
  const weights = s.trees.map((t) => Math.exp(-t.gap));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / sum);
}

// For each word what the trees give it, that of the best tree first: [{head, label, count, first}],
// `first` being the best tree with it. With labels a head counts once for every label.
function choicesOf(s, byLabel) {
  return Array.from({ length: words(s) }, (_, i) => {
    const seen = new Map();
    s.trees.forEach((t, rank) => {
      const head = t.heads[i], name = byLabel && t.labels ? t.labels[i] : "", key = `${head} ${name}`;
      if (!seen.has(key)) seen.set(key, { head, label: name, count: 0, first: rank });
      seen.get(key).count += 1;
    });
    return [...seen.values()];
  });
}

// ---- the drawing; src/view/svg.cpp draws the same way ----

// Levels: an arc lies above every shorter arc that shares room with it. Legs: at a head the longest
// arc on either side starts nearest to the middle, so that nested arcs do not cross.
function placeArcs(heads) {
  const n = heads.length;
  const span = (v) => (heads[v - 1] === 0 ? n + 1 : Math.abs(heads[v - 1] - v));
  const order = Array.from({ length: n }, (_, i) => i + 1).sort((a, b) => span(a) - span(b));
  const above = new Array(n + 1).fill(0), level = new Array(n + 1).fill(0), leg = new Array(n + 1).fill(0);
  for (const v of order) {
    const head = heads[v - 1];
    if (head === 0) continue;
    const low = Math.min(v, head), high = Math.max(v, head);
    for (let i = low; i < high; ++i) level[v] = Math.max(level[v], above[i] + 1);
    for (let i = low; i < high; ++i) above[i] = level[v];
  }
  const used = new Map();
  for (const v of [...order].reverse()) {
    const head = heads[v - 1], side = Math.sign(v - head);
    if (head === 0) continue;
    leg[v] = (used.get(side * head) || 0) + 1;
    used.set(side * head, leg[v]);
  }
  // From the middle of the head, gap apart, or closer where many must fit into the room.
  const start = (v, gap, room) => {
    const side = Math.sign(v - heads[v - 1]);
    return side * leg[v] * Math.min(gap, room / used.get(side * heads[v - 1]));
  };
  return { level, start, order: [...order].reverse(), levels: Math.max(0, ...level) };
}

const canvas = document.createElement("canvas").getContext("2d");
function widthOf(textShown, size) {
  canvas.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(textShown).width;
}

// Along: where the words stand. The diagram is computed once with the words along one axis and
// `point` puts it across (words in a row) or down (words in a column).
function draw(s, t, across) {
  const n = t.heads.length, placed = placeArcs(t.heads), best = s.trees[0];
  const rise = across ? (t.labels ? 23 : 17) : 13, legGap = across ? 6 : 4;
  const centre = [0], rooms = [0];
  let along = across ? 14 : 8;
  for (let v = 1; v <= n; ++v) {
    const room = across ? Math.max(widthOf(word(s, v), 15), widthOf(s.tags[v - 1] ?? "", 11), widthOf(label(t, v), 11), 16) : 12;
    rooms[v] = room / 2 + (across ? 8 : 5);
    centre[v] = along + room / 2;
    along += room + (across ? 22 : 15);
  }
  const depth = 30 + rise * placed.levels + 10;
  const point = across ? (a, d) => `${a.toFixed(1)} ${d.toFixed(1)}` : (a, d) => `${d.toFixed(1)} ${a.toFixed(1)}`;
  const tall = rootEdges(t) > 1;
  const picture = drawn("svg", { class: (across ? "across" : "down") + (n > 40 ? " long" : ""), role: "img", "aria-label": describe(s, t) });
  for (const v of placed.order) {
    const head = t.heads[v - 1], x = centre[v];
    const changed = !same(t, best, v), broken = head === 0 && tall;
    const group = drawn("g", { class: "arc" + (changed ? " changed" : "") + (broken ? " broken" : ""),
      "data-head": head, "data-dependent": v, "data-label": label(t, v) });
    let labelAlong = x, labelDepth = 12;
    if (head === 0) {
      group.append(drawn("path", { d: `M${point(x, 18)}L${point(x, depth - 6)}` }));
    } else {
      const from = centre[head] + placed.start(v, legGap, rooms[head]), top = depth - rise * placed.level[v] - 4;
      const bend = Math.min(7, Math.abs(x - from) / 2) * Math.sign(x - from), flat = top + Math.abs(bend);
      group.append(drawn("path", { d: `M${point(from, depth)}L${point(from, flat)}Q${point(from, top)} ${point(from + bend, top)}` +
        `L${point(x - bend, top)}Q${point(x, top)} ${point(x, flat)}L${point(x, depth - 6)}` }));
      labelAlong = (x + from) / 2;
      labelDepth = top + 4;
    }
    group.append(drawn("path", { class: "tip", d: `M${point(x, depth)}L${point(x - 4, depth - 8)}L${point(x + 4, depth - 8)}z` }));
    if (across && label(t, v)) group.append(drawn("text", { x: labelAlong, y: labelDepth }, label(t, v)));
    group.append(drawn("title", {}, `${word(s, head)} → ${word(s, v)}${label(t, v) ? " · " + label(t, v) : ""}` +
      (changed ? ` (best tree: ${word(s, best.heads[v - 1])}${best.labels ? " · " + best.labels[v - 1] : ""})` : "")));
    picture.append(group);
  }
  let widest = 0;
  for (let v = 1; v <= n; ++v) {
    const tag = s.tags[v - 1] ?? "", name = word(s, v);
    const changed = !same(t, best, v), number = drawn("tspan", { class: "number", dx: 0 }, `${v}  `);
    if (across) {
      picture.append(drawn("text", { class: "word", x: centre[v], y: depth + 18 }, name));
      if (tag) picture.append(drawn("text", { class: "tag", x: centre[v], y: depth + 34 }, tag));
    } else {
      const line = drawn("text", { class: "word", x: depth + 8, y: centre[v] + 5 }, number, name);
      if (tag) line.append(drawn("tspan", { class: "tag", dx: 10 }, tag));
      const shown = label(t, v);
      if (shown) line.append(drawn("tspan", { class: "tag", dx: 10, style: changed ? "fill:var(--changed)" : "" }, shown));
      picture.append(line);
      widest = Math.max(widest, 30 + widthOf(name, 15) + widthOf(tag + shown, 12) + 40);
    }
    const hit = across ? { x: centre[v] - 14, y: depth, width: 28, height: 38 } : { x: depth, y: centre[v] - 13, width: 220, height: 26 };
    picture.append(drawn("rect", { class: "hit", ...hit, onmouseenter: () => light(picture, v), onmouseleave: () => light(picture, 0) }));
  }
  const size = across ? [along - 8, depth + (s.tags.length ? 42 : 26)] : [depth + 8 + widest, along];
  for (const [key, value] of [["width", size[0]], ["height", size[1]], ["viewBox", `0 0 ${size[0]} ${size[1]}`]]) picture.setAttribute(key, value);
  return picture;
}

// The arcs of one word stand out.
function light(picture, v) {
  for (const arc of picture.querySelectorAll(".arc")) {
    const mine = Number(arc.dataset.head) === v || Number(arc.dataset.dependent) === v;
    arc.classList.toggle("faded", v > 0 && !mine);
    arc.classList.toggle("lit", v > 0 && mine);
  }
}

const describe = (s, t) => t.heads.map((h, i) => `${word(s, h)} → ${word(s, i + 1)}`).join(", ");

// ---- the panels ----

function showTrees(s, share) {
  const most = Math.max(...share);
  $("trees").tBodies[0].replaceChildren(...s.trees.map((t, rank) =>
    element("tr", { class: (rank === state.tree ? "current" : "") + (rootEdges(t) > 1 ? " broken" : ""), "data-rank": rank + 1,
      title: rootEdges(t) > 1 ? `${rootEdges(t)} root edges` : "", onclick: () => go(state.sentence, rank) },
      element("td", {}, String(rank + 1)), element("td", {}, number(t.score)), element("td", {}, number(t.gap)),
      element("td", {}, percent(share[rank])),
      element("td", { class: "bar" }, element("span", { style: `width:${(100 * share[rank] / most).toFixed(1)}%` })))));
  const real = s.trees.length && s.trees[0].probability !== undefined;
  $("share-name").textContent = real ? "probability" : "share";
  $("share-note").textContent = real ? "Probability among all trees of the sentence."
    : "Share: weight exp(score) among the trees listed here, not among all trees.";
}

function showStrip(s) {
  const t = tree(), strip = element("div", { class: "strip" }), agreed = [], choices = choicesOf(s, true);
  choices.forEach((list, i) => {
    const v = i + 1;
    if (list.length < 2) return agreed.push([v, list[0].head]);
    const bars = list.map(({ head, label: name, count, first }, j) => element("button", {
      class: (j > 0 ? "other" : "") + (t.heads[i] === head && (!name || t.labels[i] === name) ? " now" : ""), style: `flex:${count} 1 0`,
      title: `${word(s, head)} → ${word(s, v)}${name ? " · " + name : ""} in ${count} of ${s.trees.length} trees, first in tree ${first + 1}`,
      "data-head": head, "data-label": name, "data-count": count, onclick: () => go(state.sentence, first) },
      `${word(s, head)}${name && name !== "root" ? " · " + name : ""} ${count}`));
    strip.append(element("div", { class: "w" }, element("small", {}, String(v)), word(s, v)),
      element("div", { class: "bars", "data-dependent": v }, ...bars));
  });
  const line = element("p", { class: "same" });
  if (agreed.length) {
    line.append(agreed.length === choices.length ? "All trees agree: " : `The same in all ${s.trees.length} trees: `);
    agreed.forEach(([v, head], i) => line.append(i ? ", " : "", element("small", {}, String(v)), `${word(s, v)} ← ${word(s, head)}`));
  }
  $("strip").replaceChildren(strip, line);
}

function showMatrix(s) {
  const heads = choicesOf(s, false), n = heads.length, cell = n > 40 ? 13 : n > 22 ? 17 : 22, t = tree();
  const wordWidth = Math.max(...Array.from({ length: n + 1 }, (_, v) => widthOf(word(s, v), 11))) + 10;
  const left = Math.min(wordWidth, 120), top = Math.min(wordWidth, 120), size = cell * n, tall = cell * (n + 1);
  const picture = drawn("svg", { width: left + size + 60, height: top + tall + 4, role: "img", "aria-label": "Heads (rows) of the words (columns)" });
  for (let v = 0; v <= n; ++v) {
    picture.append(drawn("text", { x: left - 6, y: top + cell * v + cell / 2 + 4, "text-anchor": "end" }, word(s, v)));
    picture.append(drawn("line", { class: "grid", x1: left, x2: left + size, y1: top + cell * v, y2: top + cell * v }));
    if (v > 0) picture.append(drawn("text", { transform: `translate(${left + cell * (v - 0.5) + 4} ${top - 5}) rotate(-60)` }, word(s, v)));
    picture.append(drawn("line", { class: "grid", y1: top, y2: top + tall, x1: left + cell * v, x2: left + cell * v }));
  }
  picture.append(drawn("line", { class: "grid", x1: left, x2: left + size, y1: top + tall, y2: top + tall }));
  heads.forEach((list, i) => list.forEach(({ head, count, first }, j) => picture.append(
    drawn("g", { class: "cell" + (j > 0 ? " other" : "") + (t.heads[i] === head ? " now" : ""), onclick: () => go(state.sentence, first) },
      drawn("rect", { x: left + cell * i + 1.5, y: top + cell * head + 1.5, width: cell - 3, height: cell - 3, rx: 3,
        "fill-opacity": (0.15 + 0.85 * count / s.trees.length).toFixed(3) }),
      drawn("title", {}, `${word(s, head)} → ${word(s, i + 1)} in ${count} of ${s.trees.length} trees`)))));
  $("matrix").replaceChildren(picture);
}

// ---- the list of sentences: only the rows in sight exist ----

const ROW = 54;
function showList() {
  const list = $("list"), first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const last = Math.min(state.found.length, first + Math.ceil((list.clientHeight || 600) / ROW) + 10);
  $("rows").style.height = `${state.found.length * ROW}px`;
  $("rows").replaceChildren(...state.found.slice(first, last).map((index, i) => {
    const s = data.sentences[index];
    return element("div", { class: "row" + (index === state.sentence ? " current" : ""), style: `top:${(first + i) * ROW}px`,
      "data-index": index, onclick: () => go(index, 0) },
      element("small", {}, element("span", {}, s.id), element("span", {}, s.error ? "no tree" : `${words(s)} words`)),
      element("div", {}, text(s) || "–"));
  }));
  const all = data.sentences.length;
  $("count").textContent = state.found.length === all ? `${all} sentences` : `${state.found.length} of ${all} sentences`;
}

function search(query) {
  const wanted = query.trim().toLowerCase();
  state.found = [];
  data.sentences.forEach((s, i) => {
    if (!wanted || text(s).toLowerCase().includes(wanted) || s.id.toLowerCase().includes(wanted)) state.found.push(i);
  });
  $("list").scrollTop = 0;
  showList();
}

// ---- all of it ----

function fits(s) {
  let width = 40;
  for (let v = 1; v <= words(s); ++v) width += Math.max(widthOf(word(s, v), 15), 26) + 22;
  return width <= Math.max(360, ($("figure").clientWidth || 900) * 1.15);
}

function show() {
  const s = sentence();
  $("title").textContent = data.title;
  $("caption").textContent = data.caption;
  if (!s) {
    $("sentence-text").textContent = "There are no sentences.";
    for (const id of ["walk", "figure", "legend"]) $(id).hidden = true;
    document.querySelector(".panels").hidden = true;
    return showList();
  }
  const none = s.trees.length === 0;
  $("sentence-id").textContent = s.id;
  $("sentence-text").textContent = text(s);
  $("sentence-text").classList.toggle("long", text(s).length > 200);
  $("error").hidden = !none;
  $("error").textContent = !none ? "" : !s.error || s.error === "no tree" ? "There is no tree." : `No tree: ${s.error}`;
  for (const id of ["walk", "figure", "legend"]) $(id).hidden = none;
  document.querySelector(".panels").hidden = none;
  showList();
  if (none) return;
  const t = tree(), share = shares(s), across = state.across ?? fits(s);
  showTrees(s, share);
  $("rank").textContent = `${state.tree + 1} of ${s.trees.length}`;
  $("previous").disabled = state.tree === 0;
  $("next").disabled = state.tree === s.trees.length - 1;
  const changes = t.heads.filter((_, i) => !same(t, s.trees[0], i + 1)).length, roots = rootEdges(t);
  const facts = [["score", number(t.score), ""], ["gap", number(t.gap), ""], [$("share-name").textContent, percent(share[state.tree]), ""],
    ["differs from best", changes ? `${changes} ${changes === 1 ? "arc" : "arcs"}` : "–", changes ? "changed" : ""]];
  if (roots > 1) facts.push(["root edges", `${roots}`, "broken"]);
  $("facts").replaceChildren(...facts.map(([name, value, kind]) => element("div", {}, element("dt", {}, name), element("dd", { class: kind, "data-fact": name }, value))));
  $("layout").textContent = across ? "Words down" : "Words across";
  $("figure").replaceChildren(draw(s, t, across));
  $("legend").replaceChildren(...(changes ? [element("i"), "not in the best tree"] : []), ...(roots > 1 ? [element("i", { class: "broken" }), "more than one root edge"] : []));
  $("strip").hidden = state.matrix;
  $("matrix").hidden = !state.matrix;
  $("show-strip").setAttribute("aria-pressed", String(!state.matrix));
  $("show-matrix").setAttribute("aria-pressed", String(state.matrix));
  state.matrix ? showMatrix(s) : showStrip(s);
}

function go(index, rank) {
  if (!data.sentences[index]) return;
  state.sentence = index;
  state.tree = Math.max(0, Math.min(rank, data.sentences[index].trees.length - 1));
  history.replaceState(null, "", `#s=${index}&t=${state.tree + 1}`);
  show();
}

function goInList(step) {
  const at = state.found.indexOf(state.sentence);
  const next = state.found[Math.max(0, Math.min(state.found.length - 1, at + step))];
  if (next === undefined) return;
  go(next, 0);
  reveal();
}

// Brings the sentence at hand into sight in the list.
function reveal() {
  const list = $("list"), top = state.found.indexOf(state.sentence) * ROW;
  if (top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}

function goToHash() {
  const asked = new URLSearchParams(location.hash.slice(1));
  go(Number(asked.get("s") || 0) || 0, (Number(asked.get("t") || 1) || 1) - 1);
  reveal();
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}
function toggleLayout() {
  state.across = !(state.across ?? fits(sentence()));
  show();
}
function setMatrix(on) {
  state.matrix = on;
  show();
}

const keys = {
  ArrowLeft: () => go(state.sentence, state.tree - 1),
  ArrowRight: () => go(state.sentence, state.tree + 1),
  Home: () => go(state.sentence, 0),
  End: () => go(state.sentence, Infinity),
  j: () => goInList(1),
  k: () => goInList(-1),
  l: toggleLayout,
  m: () => setMatrix(!state.matrix),
  d: toggleTheme,
  "/": () => $("search").focus(),
  "?": () => $("help").showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (event.target === $("search")) {
    if (event.key === "Escape") $("search").blur();
    if (event.key === "Enter" && state.found.length) {
      go(state.found[0], 0);
      $("search").blur();
    }
    return;
  }
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
$("search").addEventListener("input", (event) => search(event.target.value));
$("previous").addEventListener("click", keys.ArrowLeft);
$("next").addEventListener("click", keys.ArrowRight);
$("layout").addEventListener("click", toggleLayout);
$("theme").addEventListener("click", toggleTheme);
$("help-button").addEventListener("click", keys["?"]);
$("show-strip").addEventListener("click", () => setMatrix(false));
$("show-matrix").addEventListener("click", () => setMatrix(true));
$("list").addEventListener("scroll", showList);
addEventListener("hashchange", goToHash);
addEventListener("resize", show);
show();
goToHash();
