// What is shown of the sentence at hand: the drawing, the panels, the list of sentences. A part of page.js.

// ---- the drawing ----

function fits() {
  const s = sentence();
  let width = 40;
  for (let v = 1; v <= s.size; ++v) width += Math.max(widthOf(s.word(v), 15), 30) + 22;
  return width <= Math.max(340, ($("figure").clientWidth || 900) * 1.1);
}
const isAcross = () => state.across ?? fits();

function picture() {
  const s = sentence(), t = tree(), best = found().trees[0], w = work(), tags = s.wordsWith(w.edits), blamed = new Map();
  for (const { id, node } of incidents()) blamed.set(node, [...(blamed.get(node) ?? []), id]);
  const arcs = new Map();
  for (const other of [...found().trees.slice(0, LISTED), t]) {
    for (let v = 1; v <= s.size; ++v) {
      const at = `${other.heads[v]} ${v}`, name = label(other, v);
      if (!arcs.has(at) || name.length > arcs.get(at)[2].length) arcs.set(at, [other.heads[v], v, name]);
    }
  }
  const gold = state.overlay && s.gold;
  const overlay = [], lay = (other, kind) => {
    for (let v = 1; other && v <= s.size; ++v) {
      if (other.heads[v] === t.heads[v] || other.heads[v] === v || overlay.some(([h, d]) => h === other.heads[v] && d === v)) continue;
      overlay.push([other.heads[v], v, other.labels[v], kind]);
    }
  };
  if (state.texts) state.texts.forEach(({ trees }, i) => lay(trees[state.sentence], i ? "second" : ""));
  else if (gold) lay(gold, "");
  return {
    size: s.size, heads: t.heads, rtl: s.rtl, roomy: matchMedia("(max-width: 820px)").matches, arcs: [...arcs.values()], overlay,
    ...{ word: (v) => s.word(v), tag: (v) => tags[v - 1]?.tag ?? "", label: (v) => label(t, v) },
    kind: (v) => [w.locked[v] ? "locked" : data.annotate ? sureness(probability(t.heads[v], v)) : "", same(t, best, v) ? "" : "changed",
      gold && (headDiffers(t, v) || labelDiffers(t, v)) ? "differs" : ""].filter(Boolean).join(" "),
    about: (v) => about(t, v),
    token: (v) => [v === state.selected ? "selected" : "", w.locked[v] ? "fixed" : data.annotate ? sureness(probability(t.heads[v], v)) : "", blamed.has(v) ? "blamed" : "", isSettled(t, v) ? "settled" : ""].filter(Boolean).join(" "),
    note: (v) => [...(blamed.get(v) ?? []), ...(isSettled(t, v) ? ["settled"] : [])].join(", "),
  };
}

// Was the arc the only one left, by the promise of the page?
const isSettled = (t, v) => sentence().settled.get(v) === t.heads[v];

// What hovering over an arc says.
function about(t, v) {
  const head = t.heads[v], name = label(t, v), best = found().trees[0], lines = [`${words(head)} → ${words(v)}${name ? " · " + visible(name) : ""}`];
  const parts = [];
  if (sentence().live && !t.written && (t.edges || sentence().scores().matrix)) parts.push(`score ${number(sentence().weight(t, v))}`);
  if (probability(head, v) !== undefined) parts.push(`probability ${percent(probability(head, v))}`);
  if (parts.length) lines.push(parts.join(", "));
  if (work().locked[v]) lines.push("locked");
  if (!same(t, best, v)) lines.push(`first tree: ${words(best.heads[v])}${best.labels ? " · " + best.labels[v] : ""}`);
  return lines.join("\n");
}
function nameOf(v) {
  const t = tree(), p = probability(t.heads[v], v), name = label(t, v);
  return `${v} ${words(v)}, head ${words(t.heads[v])}${name ? `, ${visible(name)}` : ""}${p === undefined ? "" : `, ${percent(p)}`}${work().locked[v] ? ", locked" : ""}${isSettled(t, v) ? ", settled" : ""}`;
}
function incidents() {
  return sentence().incidents(work(), tree());
}

function showFigure(follow) {
  const figure = $("figure"), left = figure.scrollLeft, shown = picture();
  const svg = sentence().general ? nodeLink(shown) : diagram(coppice, shown, isAcross());
  svg.addEventListener("click", (event) => {
    const token = event.target.closest(".token"), arc = event.target.closest(".arc");
    const v = Number(token?.dataset.word);
    if (v && (event.shiftKey || event.ctrlKey || event.metaKey)) select(v);
    else if (v) queue(() => touchWord(v));
    else if (token && state.selected) queue(makeRoot);
    else if (arc) select(Number(arc.dataset.dependent));
  });
  for (const token of svg.querySelectorAll(".token")) {
    token.addEventListener("mouseenter", () => light(svg, Number(token.dataset.word)));
    token.addEventListener("mouseleave", () => light(svg, 0));
  }
  const focused = figure.contains(document.activeElement) && document.activeElement !== figure;
  for (const drawn of svg.querySelectorAll(".token, .arc:not(.overlay)")) {
    const v = Number(drawn.dataset.word ?? drawn.dataset.dependent), isToken = drawn.matches(".token");
    drawn.setAttribute("role", "button");
    drawn.setAttribute("tabindex", v === (state.selected || (isToken ? 1 : -1)) ? "0" : "-1");
    drawn.setAttribute("aria-label", (isToken ? "" : "Arc: ") + (v ? nameOf(v) : words(0)));
    if (isToken && v) drawn.setAttribute("aria-pressed", String(v === state.selected));
  }
  figure.replaceChildren(svg);
  if (focused) (svg.querySelector(".token.selected") ?? svg.querySelector(".token[tabindex='0']"))?.focus({ preventScroll: true });
  figure.scrollLeft = sentence().rtl && isAcross() && !left ? figure.scrollWidth : left;
  if (follow) svg.querySelector(".arc.changed")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
// The arcs of one word stand out.
function light(svg, v) {
  for (const arc of svg.querySelectorAll(".arc")) {
    const mine = Number(arc.dataset.head) === v || Number(arc.dataset.dependent) === v;
    arc.classList.toggle("faded", v > 0 && !mine);
    arc.classList.toggle("lit", v > 0 && mine);
  }
}

// ---- the panels ----

// Of very many trees, those around the one that is shown.
const LISTED = 500;
function showTrees() {
  const { trees } = found();
  $("trees-panel").hidden = !trees.length;
  if (!trees.length) return;
  const share = shares(trees), most = share.reduce((a, b) => Math.max(a, b)), real = trees[0].probability !== undefined;
  const first = Math.max(0, Math.min(rank() - LISTED / 2, trees.length - LISTED)), listed = trees.slice(first, first + LISTED);
  $("trees").tBodies[0].replaceChildren(...listed.map((t, place) => {
    const other = [], i = first + place;
    for (let v = 1; v <= sentence().size; ++v) if (!same(t, trees[0], v)) other.push(`${words(v)} ← ${words(t.heads[v])}`);
    return element("tr", { class: i === rank() ? "current" : "", "data-rank": i + 1, title: other.length ? `differs from the first: ${other.join(", ")}` : "", onclick: () => queue(() => pick(i)) },
      element("td", {}, element("button", { class: "plain", "aria-label": `Tree ${i + 1}`, "aria-pressed": String(i === rank()) }, String(i + 1))), element("td", {}, number(t.score)), element("td", {}, number(sentence().gap(found(), t))), element("td", {}, percent(share[i])),
      element("td", { class: "bar" }, element("span", { style: `width:${(100 * share[i] / most).toFixed(1)}%` })));
  }));
  const locks = Object.keys(work().locked).length + work().forbidden.length;
  $("trees-name").textContent = locks ? "Trees of what is decided" : "Trees";
  showDistance();
  $("share-name").textContent = real ? "probability" : "share";
  const part = listed.length < trees.length ? `Trees ${first + 1} to ${first + listed.length} of ${trees.length}. ` : "";
  $("share-note").textContent = part + (found().arcs === undefined && !data.which.minimize && sentence().live ? "Probabilities are on their way." : !found().complete ? (sentence().distance(work()) ? "The search ended early: there may be more such trees." : "The rules are hard to meet here: there may be better trees.")
    : real ? (locks ? "Probability given what is decided." : `Probability among all trees of the ${things()[0]}.`) : "Share: weight exp(score) among the trees of the page, not among all trees.");
}

// Which trees are listed.
function showDistance() {
  const s = sentence(), now = s.distance(work()), all = distances(), aside = s.ignored.length ? `, ${data.which.ignored ? s.ignored.join(", ") : "punctuation"} aside` : "";
  $("distance").hidden = !s.live;
  $("distance").replaceChildren(...all.map((d) => element("option", { value: String(d) }, d ? `${d} heads apart${aside}` : "the best")));
  $("distance").value = String(now);
}

function showHeads() {
  const v = state.selected, panel = $("heads-panel");
  panel.hidden = !v || !sentence().live;
  if (panel.hidden) return;
  $("heads-name").replaceChildren("Heads of ", element("b", { dir: "auto" }, words(v)));
  $("sort").textContent = state.byCost ? "by cost" : "by probability";
  const now = tree().heads[v], locked = work().locked[v];
  $("heads").classList.toggle("waiting", !found().heads.has(`${v} ${state.byCost}`));
  $("heads").tBodies[0].replaceChildren(...shortList(v, now).map(({ head, probability: p, cost: c, forbidden: banned }, i) => element("tr", {
    class: [head === now ? "current" : "", banned ? "banned" : "", head === now && locked ? "fixed" : ""].filter(Boolean).join(" "), "data-head": head,
    title: banned ? "forbidden; choose it to allow it" : "", onclick: () => queue(() => lockHead(v, head)) },
    element("td", {}, i < 9 && !banned ? element("kbd", {}, String(i + 1)) : ""), element("td", {}, element("button", { class: "plain", "aria-pressed": String(head === now) }, element("bdi", {}, words(head)), element("small", {}, head ? ` ${head}` : ""))),
    element("td", {}, p === undefined ? "" : percent(p)), element("td", { class: "bar" }, element("span", { class: sureness(p), style: `width:${(100 * (p ?? 0)).toFixed(1)}%` })),
    element("td", {}, c === undefined || c === Infinity ? "" : Math.abs(c) < 5e-4 ? "0" : c.toFixed(c < 10 ? 2 : 1)))));
}

// The nine that have a key, the forbidden ones, and the one that the word has.
function shortList(v, now) {
  return headsOf(v).filter(({ head, forbidden: banned }, i) => i < 9 || banned || head === now);
}

function showIncidents() {
  const list = data.annotate || sentence().hasLabels ? incidents() : [];
  $("broken").hidden = !list.length;
  $("incidents").replaceChildren(...list.map(({ id, node }) => element("li", {},
    element("button", { class: "link", onclick: () => select(node) }, id, " ", element("span", { dir: "auto" }, node ? `${words(node)} ${node}` : "")))));
}

// Words whose head is not certain, with what they could hang from: widths are probabilities.
function showStrip() {
  const s = sentence(), t = tree(), strip = element("div", { class: "strip" }), settled = [];
  for (let v = 1; v <= s.size; ++v) {
    const list = stripChoices(v);
    if (list.length < 2) {
      settled.push(v);
      continue;
    }
    const bars = list.map(({ head, share, title }) => element("button", {
      class: [head === found().trees[0].heads[v] ? "" : "other", head === t.heads[v] ? "now" : ""].filter(Boolean).join(" "), style: `flex:${Math.max(share, 0.004).toFixed(4)} 1 0`,
      title, "data-head": head, "data-share": share.toFixed(4), onclick: () => queue(() => chooseInStrip(v, head)) }, `${words(head)} ${(100 * share).toFixed(0)}`));
    strip.append(element("div", { class: "w", dir: "auto" }, element("small", {}, String(v)), words(v)), element("div", { class: "bars", "data-dependent": v }, ...bars));
  }
  const line = element("p", { class: "same" });
  if (settled.length) {
    line.append(settled.length === s.size ? "Certain: " : "Certain, or decided: ");
    settled.forEach((v, i) => line.append(i ? ", " : "", element("small", {}, String(v)), element("bdi", {}, words(v)), " ← ", element("bdi", {}, words(t.heads[v]))));
  }
  $("strip").replaceChildren(strip, line);
}
function stripChoices(v) {
  const s = sentence(), { trees, arcs } = found();
  if (!arcs) {  // no probabilities: how many trees of the list
    const counts = new Map();
    for (const t of trees) counts.set(t.heads[v], (counts.get(t.heads[v]) ?? 0) + 1);
    return [...counts].map(([head, many]) => ({ head, share: many / trees.length, title: `${words(head)} → ${words(v)} in ${many} of ${count(trees.length, "tree", "trees")}` }));
  }
  const list = [];
  for (let head = 0; head <= s.size; ++head) {
    const p = head === v ? 0 : arcs[head * (s.size + 1) + v];
    if (p >= 0.01) list.push({ head, share: p, title: `${words(head)} → ${words(v)}: probability ${percent(p)}` });
  }
  return list.sort((a, b) => b.share - a.share);
}
function chooseInStrip(v, head) {
  if (sentence().live) return lockHead(v, head);
  pick(found().trees.findIndex((t) => t.heads[v] === head));
}

function showMatrix() {
  const s = sentence(), n = s.size, t = tree(), cell = n > 40 ? 14 : n > 22 ? 18 : 24, { trees, arcs } = found();
  const share = (head, v) => (arcs ? probability(head, v) : trees.filter((o) => o.heads[v] === head).length / trees.length);
  const wide = Math.max(...Array.from({ length: n + 1 }, (_, v) => widthOf(words(v), 11))) + 10, left = Math.max(70, Math.min(wide, 120)), top = Math.min(wide, 120);
  const svg = drawn("svg", { width: left + cell * n + 60, height: top + cell * (n + 1) + 40, role: "group", "aria-label": `Heads (rows) of the ${things()[3]} (columns)` });
  for (let v = 0; v <= n; ++v) {
    svg.append(drawn("text", { x: left - 6, y: top + cell * v + cell / 2 + 4, "text-anchor": "end" }, words(v)),
      drawn("line", { class: "grid", x1: left, x2: left + cell * n, y1: top + cell * v, y2: top + cell * v }),
      drawn("line", { class: "grid", y1: top, y2: top + cell * (n + 1), x1: left + cell * v, x2: left + cell * v }));
    if (v > 0) svg.append(drawn("text", { transform: `translate(${left + cell * (v - 0.5) + 4} ${top - 5}) rotate(-60)` }, words(v)));
  }
  svg.append(drawn("line", { class: "grid", x1: left, x2: left + cell * n, y1: top + cell * (n + 1), y2: top + cell * (n + 1) }));
  const drawColumn = (v) => {
    for (let head = 0; head <= n; ++head) {
      const p = head === v ? 0 : share(head, v);
      if (!(p >= 0.001)) continue;
      svg.append(drawn("g", { class: `cell${t.heads[v] === head ? " now" : ""}`, role: "button", tabindex: t.heads[v] === head ? "0" : "-1", "aria-label": `${words(head)} → ${words(v)}: ${percent(p)}`, "data-dependent": "-1", onclick: () => queue(() => chooseInStrip(v, head)) },
        drawn("rect", { x: left + cell * (v - 1) + 1.5, y: top + cell * head + 1.5, width: cell - 3, height: cell - 3, rx: 3, "fill-opacity": (0.1 + 0.9 * p).toFixed(3) }),
        drawn("title", {}, `${words(head)} → ${words(v)}: ${percent(p)}`)));
    }
  };
  const below = top + cell * (n + 1) + 14;
  [0.01, 0.25, 0.5, 0.75, 1].forEach((p, i) => svg.append(drawn("g", { class: "cell" }, drawn("rect", { x: left + 44 * i, y: below, width: 12, height: 12, rx: 3, "fill-opacity": 0.1 + 0.9 * p })),
    drawn("text", { x: left + 44 * i + 16, y: below + 10 }, `${Math.round(100 * p)}%`)));
  svg.append(drawn("text", { x: left - 6, y: below + 10, "text-anchor": "end" }, arcs ? "probability" : "trees"));
  $("matrix").replaceChildren(svg);
  // The columns of long sentences come one after the other, so that the page answers in between.
  let next = 1;
  const draw = () => {
    for (const until = performance.now() + 30; next <= n && performance.now() < until; ++next) drawColumn(next);
    if (next <= n && svg.isConnected) setTimeout(draw);
  };
  draw();
}

function showFacts() {
  const t = tree(), trees = found().trees, share = shares(trees), s = sentence(), facts = [];
  const changes = t.heads.filter((_, v) => v && trees.length && !same(t, trees[0], v)).length;
  if (rank() >= 0) facts.push(["score", number(t.score), ""], ["gap", number(s.gap(found(), t)), ""], [$("share-name").textContent, percent(share[rank()]), ""]);
  if (data.annotate && found().arcs) {
    const doubt = s.size - t.heads.reduce((sum, h, v) => (v ? sum + probability(h, v) : 0), 0);
    facts.push(["expected wrong", doubt.toFixed(2), ""]);
  } else {
    facts.push(["differs from best", changes ? count(changes, "arc", "arcs") : "–", changes ? "changed" : ""]);
  }
  if (s.gold && state.overlay) {
    const all = Array.from({ length: s.size }, (_, i) => i + 1), heads = all.filter((v) => headDiffers(t, v)).length;
    const labels = all.filter((v) => !headDiffers(t, v) && labelDiffers(t, v)).length;
    const text = [heads ? count(heads, "arc", "arcs") : "", labels ? count(labels, "label", "labels") : ""].filter(Boolean).join(", ");
    facts.push(["differs from text", text || "–", text ? "changed" : ""]);
  }
  $("facts").replaceChildren(...facts.map(([name, value, kind]) => element("div", {}, element("dt", {}, name), element("dd", { class: kind, "data-fact": name }, value))));
}

function showLegend() {
  const items = [], t = tree();
  const sample = (kind, text) => items.push(element("span", {}, element("i", { class: kind }), text));
  if (data.annotate && found().arcs) {
    sample("s4", "certain");
    sample("s2", "70 %");
    sample("s0", "below 50 %");
  }
  if (Object.keys(work().locked).length) sample("locked", "locked");
  if (t.heads.some((_, v) => v && !same(t, found().trees[0], v))) sample("changed", "not in the first tree");
  if (data.promise) sample("settled", `settled: ${data.promise}`);
  if (state.texts) {
    sample("overlay", "in A");
    sample("overlay second", "in B");
  } else if (state.overlay && sentence().gold) {
    sample("overlay", "in the text");
  }
  $("legend").replaceChildren(...items);
}

// What can be done by mouse or finger; each has a key.
const ACTIONS = [["Lock", "␣", () => toggleLock()], ["Head…", "h", () => ask("head")], ["Label…", "l", () => ask("label")], ["Root", "r", () => makeRoot()],
  ["Forbid", "x", () => forbidArc()], ["Next uncertain", "n", () => nextUncertain(1)], ["Undo", "u", () => step(true)], ["Redo", "U", () => step(false)],
  ["Text", "g", () => toggleOverlay()], ["Word…", "i", () => edit()], ["Note…", "q", () => ask("note")], ["Flag", "f", () => toggleFlag()], ["Reopen", "e", () => reopen()], ["Accept", "⏎", () => accept()]];
function showActions() {
  $("actions").hidden = !sentence().live;
  const needsWord = new Set(["Lock", "Head…", "Label…", "Root", "Forbid", "Word…"]), done = Boolean(work().done);
  const has = { Text: sentence().gold, "Word…": data.annotate && sentence().parsed, "Note…": data.annotate, Flag: data.annotate, Accept: data.annotate && !done, Reopen: data.annotate && done };
  $("actions").replaceChildren(...ACTIONS.filter(([name]) => !(name in has) || has[name]).map(([name, by, act]) => element("button", {
    class: name === "Accept" || name === "Reopen" ? "main" : "", onclick: () => queue(act), "data-action": name },
    name === "Lock" && work().locked[state.selected] ? "Release" : name, " ", element("kbd", {}, by))));
  for (const button of $("actions").children) button.disabled = needsWord.has(button.dataset.action) && (!state.selected || done || !tree());
}

// ---- two texts ----

const differences = (index) => (state.texts ? differing(...state.texts.map(({ trees }) => trees[index])) : []);
const SIDES = { a: 0, b: 1 };
// Takes over the chosen word, or without one the whole sentence: as A has it, as B has it, or as the engine does.
function takeFrom(side) {
  if (!state.texts) return say("Open a second text (.conllu) to compare it with this one, or two of them.");
  const v = state.selected, other = side === "p" ? null : state.texts[SIDES[side]].trees[state.sentence];
  if (!sentence()?.live || isClosed()) return;
  if (side !== "p" && !other) return say(`${side.toUpperCase()} has no tree here.`);
  const on = () => v && (work().locked[v] || side === "p") && nextDifference(1);
  if (v) return (other ? lockHead(v, other.heads[v], other.labels[v] || null) : decide(release(work(), v)))?.then(on);
  const locked = other ? Object.fromEntries(other.heads.slice(1).map((head, i) => [i + 1, [head, other.labels[i + 1] || null]])) : {};
  return decide({ ...work(), locked, forbidden: [], rank: 0, done: false }, `As ${side === "p" ? "the engine has it" : side.toUpperCase()}.`);
}
function nextDifference(by) {
  const list = differences(state.sentence);
  if (!state.texts || !sentence()) return say("No texts are compared.");
  if (!list.length) return say("A and B have the same here.");
  const later = list.filter((v) => v > state.selected), earlier = list.filter((v) => v < state.selected || !state.selected);
  select(by > 0 ? later[0] ?? list[0] : earlier.at(-1) ?? list.at(-1));
}
function showCompared() {
  $("agreement").hidden = !state.texts;
  $("compared").hidden = !state.texts || !differences(state.sentence).length;
  if (!state.texts) return;
  if (state.agreed?.texts !== state.texts) state.agreed = { texts: state.texts, ...agreement(...state.texts.map(({ trees }) => trees)) };
  const { words: all, uas, las, kappa, differ } = state.agreed, share = (x) => (all ? `${(100 * x).toFixed(1)} %` : "–");
  $("agreement-text").textContent = `A ${state.texts[0].name} · B ${state.texts[1].name} · same head (UAS) ${share(uas)} · head and label (LAS) ${share(las)} · κ of labels ${all ? kappa.toFixed(3) : "–"} · ${count(differ, ...things())} ${differ === 1 ? "differs" : "differ"}`;
  $("only-differing").setAttribute("aria-pressed", String(state.onlyDiffering));
  const sides = state.texts.map(({ trees }) => trees[state.sentence]), t = tree();
  if ($("compared").hidden || !t) return;
  const cell = (v, other, side) => {
    const now = other.heads[v] === t.heads[v] && (!other.labels[v] || other.labels[v] === label(t, v));
    const take = () => (select(v), takeFrom(side));
    return element("td", {}, element("button", { class: "plain", "aria-pressed": String(now), "aria-label": `${side.toUpperCase()}: ${words(other.heads[v])} ${other.labels[v]}`, onclick: (event) => (event.stopPropagation(), queue(take)) },
      element("bdi", {}, words(other.heads[v])), element("small", {}, ` ${visible(other.labels[v])}`)));
  };
  $("compared").querySelector("tbody").replaceChildren(...differences(state.sentence).map((v) => element("tr", { class: v === state.selected ? "current" : "", "data-word": v, onclick: () => select(v) },
    element("td", {}, element("bdi", {}, words(v)), element("small", {}, ` ${v}`)), cell(v, sides[0], "a"), cell(v, sides[1], "b"))));
}
function toggleDiffering() {
  state.onlyDiffering = !state.onlyDiffering;
  search($("search").value);
  if (state.onlyDiffering && state.found.length && !state.found.includes(state.sentence)) visit(state.found[0]);
  show();
}

// ---- the list of sentences: only the rows in sight exist ----

const ROW = 54;
function showList() {
  const list = $("list"), first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
  const last = Math.min(state.found.length, first + Math.ceil((list.clientHeight || 600) / ROW) + 10);
  const worst = Math.max(1, ...state.found.slice(first, last).map((i) => sentences[i].own.doubt ?? 0));
  $("rows").style.height = `${state.found.length * ROW}px`;
  $("rows").replaceChildren(...state.found.slice(first, last).map((index, i) => {
    const s = sentences[index], w = session.of(index), doubt = s.own.doubt ?? -1;
    return element("div", { id: `row-${index}`, role: "option", "aria-selected": String(index === state.sentence), "aria-setsize": String(state.found.length), "aria-posinset": String(first + i + 1), class: ["row", index === state.sentence ? "current" : "", w.done ? "done" : touched(w) ? "touched" : ""].filter(Boolean).join(" "),
      style: `top:${(first + i) * ROW}px`, "data-index": index, onclick: () => visit(index) },
      element("small", {}, element("span", {}, (s.flag(w) ? "⚑ " : "") + visible(s.id)), element("span", {}, s.own.error ? "no tree" : count(s.size, things()[2], things()[3]))),
      element("div", { dir: "auto" }, visible(s.text) || "–"),
      doubt > 0 ? element("i", { class: "doubt", style: `width:${Math.min(100, 100 * doubt / worst).toFixed(1)}%`, title: `${doubt.toFixed(2)} arcs expected wrong` }) : null);
  }));
  if ($(`row-${state.sentence}`)) list.setAttribute("aria-activedescendant", `row-${state.sentence}`);
  else list.removeAttribute("aria-activedescendant");
  const all = sentences.length, [, many] = things();
  $("count").textContent = state.found.length === all ? count(all, ...things()) : `${state.found.length} of ${all} ${many}`;
  $("order").textContent = state.doubtFirst ? "least certain first" : "in order";
  $("progress").hidden = !data.annotate || !all;
  $("progress-bar").style.width = `${all ? 100 * session.accepted / all : 0}%`;
  $("progress-text").textContent = `${session.accepted} of ${all}`;
}

function search(text) {
  const tags = new Set(sentences.flatMap((s) => s.tags)), fits = query(text, tags), hits = [];
  sentences.forEach((s, i) => fits(searched(s, i)) && (!state.onlyDiffering || differences(i).length) && hits.push(i));
  if (state.doubtFirst) hits.sort((a, b) => (sentences[b].own.doubt ?? -1) - (sentences[a].own.doubt ?? -1) || a - b);
  state.found = hits;
  $("list").scrollTop = 0;
  showList();
}
// A sentence as it is: with the accepted tree, or that of the text.
function searched(s, index) {
  const w = session.of(index), { heads, labels } = w.done || s.gold || {}, edited = s.wordsWith(w.edits), flag = s.flag(w) ? "yes" : "no";
  const word = (form, i) => ({ ...edited[i], form, head: heads?.[i + 1], label: labels?.[i + 1], flag });
  return { text: s.text, id: s.id, note: s.note(w), words: s.words.map(word) };
}
async function toggleOrder() {
  if (!state.doubtFirst && !(await answers.doubts(sentences))) return;
  state.doubtFirst = !state.doubtFirst;
  search($("search").value);
  if (state.doubtFirst && state.found.length) visit(state.found[0]);
  else reveal();
}
