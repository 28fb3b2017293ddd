// The page: what is on the screen is decided by `state` and `session` alone; change them, then call `show`.
import { load, inflated } from "../../../wasm/coppice.js";
import { readNpz } from "./npz.js";
import { splitConllu, checkConllu } from "./conllu.js";
import { Sentence, UNTOUCHED, decidedIn, isTouched, lock, release, forbid } from "./work.js";
import { Session, Digest, COLUMNS, readSession, isLabel, isNote, keyOf } from "./session.js";
import { Store } from "./store.js";
import { Answers } from "./answers.js";
import { query } from "./query.js";
import { treesOf, differing, agreement } from "./compare.js";
import { element, drawn, diagram, nodeLink, standalone, visible, widthOf } from "./draw.js";

const data = JSON.parse(document.getElementById("data").textContent);
const state = { sentence: 0, selected: 0, offer: 0, found: [], doubtFirst: false, across: null, matrix: false, overlay: false, byCost: false, asked: null, texts: null, onlyDiffering: false };
let answers = null, coppice = null, sentences = [], key = "", store = new Store("", []);
const session = new Session("", { kept: (index, work) => keep(index, work), seen: (index) => (data.annotate ? store.seen(index, UNTOUCHED) : undefined) });
const $ = (id) => document.getElementById(id);

// ---- words and numbers ----

const sentence = () => sentences[state.sentence];
const work = () => session.of(state.sentence);
const found = () => answers.of(sentence(), work());
// Of an accepted sentence its own tree, whatever the scores say now: what is shown is what is written.
const rank = () => (work().done ? found().trees.findIndex((t) => isWritten(t)) : Math.min(work().rank, found().trees.length - 1));
const tree = () => found().trees[rank()] ?? (work().done ? { ...work().done, score: NaN, written: true } : undefined);
const isWritten = (t) => {
  const { heads, labels } = work().done;
  return heads.every((head, v) => !v || (t.heads[v] === head && label(t, v) === labels[v]));
};
const label = (t, v) => sentence().label(work(), t, v);
const probability = (head, v) => found().arcs?.[head * (sentence().size + 1) + v];
// What another tree has else: its head or, where both have one, its label.
const headDiffers = (t, v) => sentence().gold.heads[v] !== t.heads[v];
const labelDiffers = (t, v) => Boolean(label(t, v) && sentence().gold.labels[v]) && label(t, v) !== sentence().gold.labels[v];
const same = (a, b, v) => !b || a.heads[v] === b.heads[v] && (!a.labels || !b.labels || a.labels[v] === b.labels[v]);
const things = () => (sentences.length && sentences.every((s) => s.general) ? ["graph", "graphs", "node", "nodes"] : ["sentence", "sentences", "word", "words"]);
const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
function number(x) {
  if (!Number.isFinite(x)) return "–";
  const shown = Number.isInteger(x) ? String(x) : Math.abs(x) < 5e-4 ? x.toExponential(1) : x.toFixed(4);
  return shown.replaceAll("-", "−");
}
const percent = (x) => (x >= 0.9995 && x < 1 ? ">99.9" : x > 0 && x < 0.001 ? "<0.1" : (100 * x).toFixed(1)) + " %";
// In a page that is only looked at, walking through trees decides nothing.
const touched = (w) => (data.annotate ? isTouched(w) : isTouched({ ...w, rank: 0 }));
// How sure, in five steps: the classes s0 to s4.
const sureness = (p) => (p === undefined ? "" : p >= 0.99 ? "s4" : p >= 0.9 ? "s3" : p >= 0.7 ? "s2" : p >= 0.5 ? "s1" : "s0");
const words = (v) => visible(sentence().word(v));

// A tree's probability where there is one, else its weight among the trees listed.
function shares(trees) {
  if (trees.every((t) => t.probability !== undefined)) return trees.map((t) => t.probability);
  const weights = trees.map((t) => Math.exp(-Math.abs(t.score - trees[0].score))), sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((w) => w / sum);
}

// The heads that a word can have, likeliest (or cheapest) first: [{ head, probability, cost, forbidden }]. Empty as long as nobody knows.
function headsOf(v) {
  const banned = new Set(work().forbidden.filter(([, d]) => d === v).map(([h]) => h)), known = found().heads.get(`${v} ${state.byCost}`) ?? [];
  const list = [...known, ...[...banned].filter((head) => !known.some((k) => k.head === head)).map((head) => ({ head }))].map((k) => ({ ...k, forbidden: banned.has(k.head) }));
  const dear = (x) => (x.forbidden ? 1e300 : x.cost ?? 1e299);
  return list.sort((a, b) => (state.byCost || data.which.minimize ? dear(a) - dear(b) : (b.forbidden ? -1 : b.probability) - (a.forbidden ? -1 : a.probability)) || a.head - b.head);
}

// ---- decisions ----

function say(text) {
  $("message").textContent = text;
}

// What is accepted changes only after it was reopened.
function isClosed() {
  if (!data.annotate || !work().done) return false;
  say(`This ${things()[0]} is accepted. e reopens it.`);
  return true;
}
async function decide(next, text = "") {
  const index = state.sentence, known = await answers.trees(sentence(), next);
  if (index !== state.sentence) return;
  if (known.error === STOPPED) {
    answers.forget(sentence());
    say("Stopped: nothing was decided.");
    show();
  } else if (known.error) say(known.error);
  else if (!known.trees.length) say("No tree has all of these arcs.");
  else change(next, text);
}
function change(next, text = "") {
  const ours = session.change([state.sentence, next]);
  state.offer = 0;
  say(ours ? text : `This ${things()[0]} was changed in another tab. Look at it again.`);
  show();
  return ours;
}

function lockHead(v, head, typed = null) {
  if (!v || head === undefined || v === head || !sentence().live || isClosed()) return;
  const { work: next, released } = lock(sentence(), work(), found().trees, v, head, typed), moved = !typed && tree()?.heads[v] !== head;
  return decide(next, released.length ? `Released, for they contradict it: ${released.map(words).join(", ")}` : "").then(() => {
    if (moved && work().locked[v]?.[0] === head) offerLabels(v);
  });
}
// Right after a head its labels are offered: one digit takes one.
function offerLabels(v) {
  if (!labelsKnown()) return;
  state.offer = v;
  showOffer();
}
const labelsKnown = () => data.annotate && (sentence().hasLabels || sentence().gold?.labels.some(Boolean));
function takeLabel(v, name) {
  if (name) return lockHead(v, tree().heads[v], name);
}
function showOffer() {
  const v = state.offer;
  $("offer").hidden = !v;
  if (!v) return;
  const now = label(tree(), v), shares = labelShares(v);
  $("offer").replaceChildren(element("span", {}, `${words(tree().heads[v])} → `, element("b", { dir: "auto" }, words(v)), ":"),
    ...labelChoices(v).slice(0, 9).map((name, i) => element("button", { "aria-pressed": String(name === now), onclick: () => queue(() => takeLabel(v, name)) },
      element("kbd", {}, String(i + 1)), ` ${visible(name)}`, shares.has(name) ? element("small", {}, ` ${percent(shares.get(name))}`) : null)));
}
function chooseHead(place) {
  const choice = headsOf(state.selected).filter((h) => !h.forbidden)[place];
  if (choice) return lockHead(state.selected, choice.head);
}
function toggleLock() {
  const v = state.selected;
  if (!v || isClosed()) return;
  return work().locked[v] ? decide(release(work(), v)) : lockHead(v, tree()?.heads[v]);
}
function releaseWord() {
  if (state.selected && !isClosed()) return decide(release(work(), state.selected));
}
function forbidArc() {
  const v = state.selected;
  if (v && sentence().live && tree() && !isClosed()) return decide(forbid(work(), found().trees, v, tree().heads[v]), `${words(v)} ← ${words(tree().heads[v])} is forbidden.`);
}
function makeRoot() {
  return lockHead(state.selected, 0);
}
function pick(place) {
  if (found().waiting) return;
  const last = found().trees.length - 1, next = Math.max(0, Math.min(place, last));
  if (last < 0 || (data.annotate && (next === rank() || isClosed()))) return show();
  if (data.annotate) session.change([state.sentence, { ...work(), rank: next }]);
  else session.take(state.sentence, { ...work(), rank: next });
  show(true);
}
function accept() {
  if (!data.annotate || !sentence() || !tree()) return;
  if (!work().done && !change({ ...work(), rank: rank(), done: { heads: [...tree().heads], labels: sentence().labels(work(), tree()) } })) return;
  const at = state.found.indexOf(state.sentence), rest = [...state.found.slice(at + 1), ...state.found.slice(0, Math.max(at, 0))];
  const next = rest.find((i) => !session.of(i).done && sentences[i].live);
  if (next !== undefined) return visit(next);
  const left = sentences.filter((s, i) => s.live && !session.of(i).done).length;
  say(left ? `All that were found are accepted; ${left} of the others ${left === 1 ? "is" : "are"} not.` : `All ${things()[1]} are accepted.`);
}
function reopen() {
  if (work().done) change({ ...work(), done: false }, "Open again.");
}
function step(undone) {
  const index = undone ? session.undo() : session.redo();
  if (index === undefined) return say(undone ? "There is nothing to undo." : "There is nothing to redo.");
  say(index === null ? "This was changed in another tab since: it stays as it is." : "");
  state.offer = 0;
  if (index === null || index === state.sentence) show();
  else visit(index);
}

// The words that are not locked, least certain first.
function uncertain() {
  const t = tree(), list = [];
  for (let v = 1; v <= sentence().size; ++v) if (!work().locked[v]) list.push([probability(t.heads[v], v) ?? 1, v]);
  return list.filter(([p]) => p < 0.9999).sort(([a], [b]) => a - b).map(([, v]) => v);
}
function nextUncertain(by) {
  if (!sentence() || !tree()) return;
  const list = uncertain(), at = list.indexOf(state.selected);
  if (!found().arcs) return say(data.which.minimize ? "Where weights are minimised there are no probabilities." : "There are no probabilities here.");
  if (!list.length) return say(`Every ${things()[2]} is certain.`);
  select(list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length]);
}
function select(v) {
  state.selected = v >= 1 && v <= sentence().size ? v : 0;
  state.offer = 0;
  show();
  document.querySelector(".token.selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
function moveSelection(by) {
  const n = sentence().size, turn = isAcross() && sentence().rtl ? -by : by;
  select(state.selected ? (state.selected + turn - 1 + n) % n + 1 : turn > 0 ? 1 : n);
}
function touchWord(v) {
  if (!sentence().live) return;
  const chosen = state.selected;
  if (!chosen || chosen === v) return select(v === chosen ? 0 : v);
  state.selected = 0;
  return lockHead(chosen, v)?.then(() => show()) ?? show();
}

// ---- asking for a head or a label by typing ----

// The box is there at once, for those who type ahead; what it is about is known when it is their turn.
function ask(what) {
  state.asked = what;
  state.sure = null;
  $("ask").hidden = false;
  $("ask-label").textContent = $("ask-note").textContent = "";
  $("ask-choices").replaceChildren();
  $("ask-text").value = "";
  $("ask-text").focus();
  queue(fillAsked);
}
function fillAsked() {
  const v = state.selected, what = state.asked;
  if (!what) return;
  if (what === "note") {
    if (!sentence()) return leaveAsked();
    $("ask-label").textContent = "Note on the sentence";
    $("ask-text").value ||= sentence().note(work());
    return;
  }
  if (!v || !sentence()?.live || !tree() || isClosed()) {
    leaveAsked();
    return work().done || say(`Choose a ${things()[2]} first.`);
  }
  $("ask-label").textContent = what === "label" ? `Label of ${words(v)}` : `Head of ${words(v)}: number or ${things()[2]}`;
  $("ask-choices").replaceChildren(...(what === "label" ? labelChoices(v) : headsOf(v).map(({ head }) => `${head} ${sentence().word(head)}`)).map((value) => element("option", { value })));
  if ($("ask-text").value || what !== "label") return;
  $("ask-text").value = label(tree(), v);
  $("ask-text").select();
}
function askAgain(text) {
  $("ask-note").textContent = text;
  $("ask-text").focus();
}
// How likely each label is, given the arc; of scores without labels nothing is known.
function labelShares(v) {
  const s = sentence(), arrays = s.scores(), sign = data.which.minimize ? -1 : 1, weights = new Map();
  for (let e = 0; s.hasLabels && e < arrays.targets.length; ++e) {
    if (arrays.targets[e] === v && arrays.sources[e] === tree().heads[v]) weights.set(s.labelNames[arrays.labels[e]], sign * arrays.weights[e]);
  }
  const most = Math.max(...weights.values()), sum = [...weights.values()].reduce((all, w) => all + Math.exp(w - most), 0);
  return new Map([...weights].sort(([, a], [, b]) => b - a).map(([name, w]) => [name, Math.exp(w - most) / sum]));
}
// The labels of the arc as it is, likeliest first; then those of words with the same tag, commonest first; then all others.
function labelChoices(v) {
  const s = sentence(), common = labelCounts().get(s.tag(v)) ?? new Map(), known = [...labelCounts().values()].flatMap((counts) => [...counts.keys()]);
  const names = [...labelShares(v).keys(), ...[...common.keys()].sort((a, b) => common.get(b) - common.get(a)), ...[...s.labelNames, ...known].sort()];
  return [...new Set(names)].filter((name) => isLabel(name) && !/^[<_]/.test(name));
}
// How often words with a tag have a label in the texts of the page.
let counted = { of: null, counts: new Map() };
function labelCounts() {
  if (counted.of === sentences) return counted.counts;
  const counts = new Map();
  for (const s of sentences) {
    for (const { tag, label: name } of s.parsed?.words ?? []) {
      if (!counts.has(tag)) counts.set(tag, new Map());
      if (name) counts.get(tag).set(name, (counts.get(tag).get(name) ?? 0) + 1);
    }
  }
  counted = { of: sentences, counts };
  return counts;
}
function answerAsked() {
  const typed = $("ask-text").value.trim(), v = state.selected;
  if (state.asked === "note") return answerNote(typed);
  if (!typed || !v || !tree()) return leaveAsked();
  return state.asked === "label" ? answerLabel(v, typed) : answerHead(v, typed);
}
function answerLabel(v, typed) {
  // A prefix that only one label has will do; what is no label of the set is asked for again.
  const known = labelChoices(v), fitting = known.includes(typed) ? [typed] : known.filter((name) => name.startsWith(typed));
  if (!isLabel(typed)) return askAgain(`A label has no spaces: ${typed}`);
  if (fitting.length !== 1 && known.length && state.sure !== typed) {
    state.sure = typed;
    return askAgain(`${fitting.length ? `${fitting.slice(0, 8).join(", ")}?` : `${typed} is not among the labels.`} Enter again takes ${typed}.`);
  }
  leaveAsked();
  return lockHead(v, tree().heads[v], fitting.length === 1 ? fitting[0] : typed);
}
// A number, or a word: one that is the same, then one that begins so, of several the likeliest.
function answerHead(v, typed) {
  const s = sentence(), low = typed.toLowerCase(), order = new Map(headsOf(v).map(({ head }, place) => [head, place]));
  const worth = (w) => [s.word(w) === typed, s.word(w).toLowerCase() === low, s.word(w).startsWith(typed), s.word(w).toLowerCase().startsWith(low)].indexOf(true);
  const fitting = Array.from({ length: s.size }, (_, i) => i + 1).filter((w) => w !== v && worth(w) >= 0);
  fitting.sort((a, b) => worth(a) - worth(b) || (order.get(a) ?? 1e9) - (order.get(b) ?? 1e9) || a - b);
  const named = /^\d+(?= |$)/.exec(typed), head = named && Number(named[0]) <= s.size ? Number(named[0]) : fitting[0] ?? (low === "root" ? 0 : undefined);
  if (head === undefined || head === v) return askAgain(`There is no such head: ${typed}`);
  leaveAsked();
  return lockHead(v, head);
}
function leaveAsked() {
  state.asked = null;
  $("ask").hidden = true;
  $("ask-text").blur();
}

// ---- lemma, tag and features of a word; a note and a flag of the sentence ----

function edit() {
  const v = state.selected;
  if (isClosed()) return;
  if (!v) return say(`Choose a ${things()[2]} first.`);
  if (!sentence().parsed) return say("There is no text (CoNLL-U) to edit.");
  const { lemma, tag, feats } = sentence().wordsWith(work().edits)[v - 1];
  $("edit").hidden = false;
  $("edit-name").textContent = `${v} ${words(v)}`;
  $("edit-note").textContent = "";
  for (const [name, value] of Object.entries({ lemma, upos: tag, feats })) $(`edit-${name}`).value = value || "_";
  $("edit-tags").replaceChildren(...[...new Set(sentences.flatMap((s) => s.tags))].filter(Boolean).sort().map((value) => element("option", { value })));
  $("edit-upos").focus();
  $("edit-upos").select();
}
function answerEdit() {
  const v = state.selected, old = sentence().wordsWith(work().edits)[v - 1], was = { lemma: old?.lemma, upos: old?.tag, feats: old?.feats }, next = {};
  if (!v) return leaveEdit();
  for (const name of ["lemma", "upos", "feats"]) {
    let value = $(`edit-${name}`).value.trim() || "_";
    if (name === "feats") value = value.split("|").sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)).join("|");
    const wrong = COLUMNS[name](value);
    if (value !== (was[name] || "_")) next[name] = value;
    if (!wrong || next[name] === undefined) continue;
    $("edit-note").textContent = wrong;
    return $(`edit-${name}`).focus();
  }
  leaveEdit();
  if (Object.keys(next).length) change({ ...work(), edits: { ...work().edits, [v]: { ...work().edits?.[v], ...next } } }, `${words(v)}: ${Object.values(next).join(", ")}`);
}
function leaveEdit() {
  $("edit").hidden = true;
  document.activeElement?.blur();
}
function answerNote(text) {
  if (!isNote(text)) return askAgain("A note is one line of text.");
  leaveAsked();
  if (text !== sentence().note(work())) change({ ...work(), note: text }, text ? "Noted." : "The note is gone.");
}
function toggleFlag() {
  if (!data.annotate || !sentence()) return;
  const flag = !sentence().flag(work());
  change({ ...work(), flag }, flag ? "Flagged; flag=yes finds it." : "The flag is gone.");
}

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
    token: (v) => [v === state.selected ? "selected" : "", w.locked[v] ? "fixed" : data.annotate ? sureness(probability(t.heads[v], v)) : "", blamed.has(v) ? "blamed" : ""].filter(Boolean).join(" "),
    note: (v) => (blamed.get(v) ?? []).join(", "),
  };
}

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
  return `${v} ${words(v)}, head ${words(t.heads[v])}${name ? `, ${visible(name)}` : ""}${p === undefined ? "" : `, ${percent(p)}`}${work().locked[v] ? ", locked" : ""}`;
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
  $("share-name").textContent = real ? "probability" : "share";
  const part = listed.length < trees.length ? `Trees ${first + 1} to ${first + listed.length} of ${trees.length}. ` : "";
  $("share-note").textContent = part + (found().arcs === undefined && !data.which.minimize && sentence().live ? "Probabilities are on their way." : !found().complete ? "The rules are hard to meet here: there may be better trees."
    : real ? (locks ? "Probability given what is decided." : `Probability among all trees of the ${things()[0]}.`) : "Share: weight exp(score) among the trees of the page, not among all trees.");
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
  for (let v = 1; v <= n; ++v) {
    for (let head = 0; head <= n; ++head) {
      const p = head === v ? 0 : share(head, v);
      if (!(p >= 0.001)) continue;
      svg.append(drawn("g", { class: `cell${t.heads[v] === head ? " now" : ""}`, role: "button", tabindex: t.heads[v] === head ? "0" : "-1", "aria-label": `${words(head)} → ${words(v)}: ${percent(p)}`, "data-dependent": "-1", onclick: () => queue(() => chooseInStrip(v, head)) },
        drawn("rect", { x: left + cell * (v - 1) + 1.5, y: top + cell * head + 1.5, width: cell - 3, height: cell - 3, rx: 3, "fill-opacity": (0.1 + 0.9 * p).toFixed(3) }),
        drawn("title", {}, `${words(head)} → ${words(v)}: ${percent(p)}`)));
    }
  }
  const below = top + cell * (n + 1) + 14;
  [0.01, 0.25, 0.5, 0.75, 1].forEach((p, i) => svg.append(drawn("g", { class: "cell" }, drawn("rect", { x: left + 44 * i, y: below, width: 12, height: 12, rx: 3, "fill-opacity": 0.1 + 0.9 * p })),
    drawn("text", { x: left + 44 * i + 16, y: below + 10 }, `${Math.round(100 * p)}%`)));
  svg.append(drawn("text", { x: left - 6, y: below + 10, "text-anchor": "end" }, arcs ? "probability" : "trees"));
  $("matrix").replaceChildren(svg);
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

// ---- all of it ----

function show(follow = false) {
  const s = sentence();
  $("title").textContent = data.title;
  $("caption").textContent = data.caption || (data.annotate && sentences.length ? "Choose a word, then its head; the rest follows. Enter accepts." : "");
  $("save").hidden = !sentences.length;
  $("save-session").hidden = !data.annotate;
  if (!s) {
    for (const id of ["desk", "error", "actions"]) $(id).hidden = true;
    $("sentence-text").textContent = data.annotate ? "Drop scores (.npz) and texts (.conllu) here." : "There are no sentences.";
    return showList();
  }
  $("sentence-id").textContent = visible(s.id);
  $("sentence-text").textContent = visible(s.text);
  $("sentence-note").textContent = (s.flag(work()) ? "⚑ " : "") + visible(s.note(work()));
  $("sentence-text").hidden = s.general;
  $("sentence-text").classList.toggle("long", s.text.length > 160);
  $("state").textContent = work().done ? `✓ accepted${s.stale(work()).length ? `; the enhanced graph does not follow for ${s.stale(work()).map(words).join(", ")}` : ""}` : touched(work()) ? "in work" : "";
  showList();
  const { trees, error, waiting } = found();
  answers.look();
  showBusy();
  $("desk").classList.remove("stale");
  if (!s.own.error && (waiting || answers.isSoon())) return showWaiting();
  for (const id of ["desk", "error", "stuck"]) $(id).hidden = true;
  const problem = s.own.error ?? error ?? (trees.length ? "" : s.live || s.own.trees ? "no tree" : "too large to be decoded here");
  const decided = s.live && decidedIn(work());
  if (problem && !(decided && work().done)) {
    $("actions").hidden = true;
    $("error").hidden = false;
    $("error").textContent = problem === "no tree" ? (decided ? "No tree has all that is decided here." : "There is no tree.") : error === STOPPED ? `${error} Nothing is known of this ${things()[0]}.` : `No tree: ${problem}`;
    if (error === STOPPED) $("error").append(" ", element("button", { onclick: tryAgain }, "Try again"));
    else if (decided) showStuck();
    return;
  }
  $("desk").hidden = false;
  for (const part of stuckHides()) part.hidden = false;
  showTrees();
  $("rank").textContent = rank() < 0 ? "accepted" : `${rank() + 1} of ${found().trees.length}`;
  $("previous").disabled = rank() <= 0;
  $("next").disabled = rank() < 0 || rank() === found().trees.length - 1;
  showFacts();
  $("layout").hidden = s.general;
  $("layout").textContent = isAcross() ? "Words down" : "Words across";
  state.drawn = state.sentence;
  showFigure(follow);
  showLegend();
  showActions();
  showCompared();
  showOffer();
  showHeads();
  showIncidents();
  $("overview-name").textContent = s.general ? "Where each node can hang" : "Heads of each word";
  $("strip").hidden = state.matrix;
  $("matrix").hidden = !state.matrix;
  $("show-strip").setAttribute("aria-pressed", String(!state.matrix));
  $("show-matrix").setAttribute("aria-pressed", String(state.matrix));
  if (s.size <= 100) return showOverview();
  clearTimeout(state.overview);
  state.overview = setTimeout(() => sentence() === s && tree() && showOverview());
}
function showOverview() {
  state.matrix ? showMatrix() : showStrip();
}

// Nothing fits what is decided: what can be taken back, first what is enough by itself.
const stuckHides = () => [...document.querySelectorAll("#walk, #figure, #legend, #overview, #trees-panel")];
// What can be taken back: { text, next }.
function ways(w) {
  const list = [];
  for (const [v, [head, name]] of Object.entries(w.locked)) list.push({ text: `Release ${words(head)} → ${words(v)}${name ? " · " + visible(name) : ""}`, next: { ...release(w, Number(v)), forbidden: w.forbidden } });
  for (const [head, v] of w.forbidden) list.push({ text: `Allow ${words(head)} → ${words(v)}`, next: { ...w, forbidden: w.forbidden.filter(([h, d]) => h !== head || d !== v) } });
  if (list.length > 1) list.push({ text: "Take all of it back", next: { ...w, locked: {}, forbidden: [], rank: 0 } });
  return list;
}
function showStuck() {
  const list = ways(work()).map((way, i) => ({ ...way, enough: found().ways[i] ?? false })).sort((a, b) => b.enough - a.enough);
  $("desk").hidden = false;
  for (const part of stuckHides()) part.hidden = true;
  $("heads-panel").hidden = $("broken").hidden = true;
  $("stuck").hidden = false;
  $("ways").replaceChildren(...list.map(({ text, next, enough }) => element("li", {}, element("button", { onclick: () => change({ ...next, done: false }) }, text), enough ? " is enough" : "")));
  showActions();
}
// Answers are on their way. The last drawing stays; soon it is that of another sentence, and goes.
function showWaiting() {
  const stale = state.drawn !== state.sentence;
  $("desk").classList.toggle("stale", stale);
  if (stale && answers.late) $("desk").hidden = $("error").hidden = true;
}
function showBusy() {
  const text = answers.busyWith();
  $("busy").hidden = !text;
  $("busy-text").textContent = text;
}

/** Goes to a sentence; with a place also to that tree of it. */
function visit(index) {
  if (!sentences[index]) return;
  if (index !== state.sentence) answers.forget(sentences[state.sentence]);
  state.sentence = index;
  state.selected = state.offer = 0;
  if (!data.annotate) session.take(index, { ...work(), rank: 0 });
  if (state.asked) leaveAsked();
  if (!$("edit").hidden) leaveEdit();
  address();
  show();
  reveal();
}
async function go(index, place) {
  visit(index);
  await answers.settled();
  if (index !== state.sentence || sentence()?.own.error || !found().trees.length) return;
  pick(place);
  address();
}
function address() {
  history.replaceState(null, "", `#s=${state.sentence}&t=${work().rank + 1}`);
}
function walkTrees(by) {
  if (!sentence() || sentence().own.error || !found().trees.length) return;
  pick(by === Infinity ? Infinity : by === -Infinity ? 0 : rank() + by);
  address();
}
function goInList(by) {
  const at = state.found.indexOf(state.sentence), next = state.found[Math.max(0, Math.min(state.found.length - 1, at + by))];
  if (next !== undefined) visit(next);
}
// Brings the sentence at hand into sight in the list.
function reveal() {
  const list = $("list"), top = state.found.indexOf(state.sentence) * ROW;
  if (top < list.scrollTop || top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}
function goToHash() {
  const asked = new URLSearchParams(location.hash.slice(1)), index = Number(asked.get("s") || 0) || 0, place = Number(asked.get("t"));
  if (!sentences[index]) return;
  if (place && !data.annotate) queue(() => go(index, place - 1), false);
  else visit(index);
}

function toggleTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
}
function toggleLayout() {
  state.across = !isAcross();
  show();
}
function setMatrix(on) {
  state.matrix = on;
  show();
}
function toggleOverlay() {
  if (!sentence()?.gold) return say("The text has no tree here.");
  state.overlay = !state.overlay;
  show();
}
function toggleSort() {
  state.byCost = !state.byCost;
  show();
}

// ---- keys and mouse ----

// One act after the other; one that needs to know what is on the screen waits until that is known.
let acts = Promise.resolve(), waitingActs = 0;
function queue(act, needs = true) {
  if (!needs && (!waitingActs || OPENS.includes(act))) return act();
  waitingActs += 1;
  acts = acts.then(() => needs && answers.settled()).then(act).catch((error) => setTimeout(() => { throw error; })).then(() => { waitingActs -= 1; });
  return acts;
}
/** Nothing is going on any more. */
async function quiet() {
  while (waitingActs || (answers && !answers.isSettled())) {
    await acts;
    await answers.settled();
    await new Promise((resolve) => setTimeout(resolve));
  }
}
function tryAgain() {
  answers.forget(sentence());
  show();
}
function stopAll() {
  answers.stop();
  show();
}

const KEYS = [
  ["←", "→", "word before, next word", true], ["↑", "↓", "better tree, next tree"], ["Home", "End", "first tree, last tree"],
  ["1", "9", "with a word chosen: its head from the list, right after that its label; without: a tree", true], ["h", "", "head by number or by typing", true], ["l", "", "label by typing", true],
  ["Space", "", "lock the arc as it is; release it", true], ["r", "", "make the word the root", true], ["x", "", "forbid the arc", true], ["⌫", "", "forget what was decided about the word", true],
  ["n", "N", "next uncertain word, the one before", true], ["u", "U", "undo, redo", true], ["⏎", "e", "accept the sentence and go to the next; reopen an accepted one", true], ["Esc", "", "choose no word"],
  ["j", "k", "next sentence, sentence before"], ["o", "", "sentences in order, or least certain first"], ["/", "", "search; Enter goes to the first found"],
  ["a", "b", "of two texts: take the word, or without one the sentence, from A or from B", true], ["p", "", "or from the engine (the parser)", true], ["t", "T", "next word in which A and B differ, the one before", true],
  ["i", "", "lemma, tag and features of the word", true], ["q", "f", "note on the sentence; flag", true],
  ["g", "", "compare with the tree of the text"], ["c", "", "heads by probability or by cost", true], ["m", "", "heads as strip or matrix"], ["w", "", "words across or down"], ["s", "", "save CoNLL-U", true], ["d", "", "dark or light"],
];
const horizontal = (by) => (data.annotate || state.selected ? sentence() && moveSelection(by) : walkTrees(by));
const keys = {
  __proto__: null,
  ArrowLeft: () => horizontal(-1),
  ArrowRight: () => horizontal(1),
  ArrowUp: () => walkTrees(-1),
  ArrowDown: () => walkTrees(1),
  Home: () => walkTrees(-Infinity),
  End: () => walkTrees(Infinity),
  j: () => goInList(1),
  k: () => goInList(-1),
  h: () => ask("head"),
  l: () => ask("label"),
  " ": toggleLock,
  r: makeRoot,
  x: forbidArc,
  Backspace: releaseWord,
  Delete: releaseWord,
  n: () => nextUncertain(1),
  N: () => nextUncertain(-1),
  u: () => step(true),
  U: () => step(false),
  Enter: accept,
  e: reopen,
  i: edit,
  f: toggleFlag,
  q: () => data.annotate && ask("note"),
  a: () => takeFrom("a"),
  b: () => takeFrom("b"),
  p: () => takeFrom("p"),
  t: () => nextDifference(1),
  T: () => nextDifference(-1),
  Escape: () => sentence() && select(0),
  o: toggleOrder,
  g: toggleOverlay,
  c: toggleSort,
  m: () => setMatrix(!state.matrix),
  w: toggleLayout,
  d: toggleTheme,
  s: () => data.annotate && saveConllu(),
  "/": () => $("search").focus(),
  "?": () => $("help").showModal(),
};
// These open the box for what is typed next; these need no answer of the engine.
const OPENS = [keys.h, keys.l, keys.q];
const FREE = new Set(["j", "k", "h", "l", "q", "Escape", "/", "?", "d", "s"]);
const WALKS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "j", "k", "n", "N"]);
// By what a key says; where that means nothing (digits of AZERTY, letters of other scripts) by where it lies.
function actOf(event) {
  if (event.key in keys) return keys[event.key];
  const digit = Number(/^[1-9]$/.test(event.key) && !event.shiftKey ? event.key : /^Digit([1-9])$/.exec(event.code)?.[1]);
  if (digit) return () => sentence() && chooseByDigit(digit - 1, event.shiftKey);
  const letter = /^[\x20-\x7e]$/.test(event.key) ? undefined : /^Key([A-Z])$/.exec(event.code)?.[1];
  return letter && keys[event.shiftKey ? letter : letter.toLowerCase()];
}
function chooseByDigit(place, shift) {
  if (shift) return pick(place);
  if (state.offer) return takeLabel(state.offer, labelChoices(state.offer)[place]);
  return state.selected ? chooseHead(place) : pick(place);
}
function pressed(event) {
  if (event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.ctrlKey) {
    if (event.key.toLowerCase() !== "z" || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    return step(!event.shiftKey);
  }
  if (event.target === $("ask-text")) {
    if (event.key === "Escape") leaveAsked();
    return;
  }
  if (event.target.form === $("edit")) {
    if (event.key === "Escape") leaveEdit();
    return;
  }
  if (event.target === $("search")) {
    if (event.key === "Escape") {
      $("search").value = "";
      search("");
      $("search").blur();
    }
    if (event.key === "Enter" && state.found.length) {
      visit(state.found[0]);
      $("search").blur();
    }
    return;
  }
  const menu = event.target.closest?.("details[open]") ?? document.querySelector("details[open]");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    return menu.querySelector("summary").focus();
  }
  const presses = event.key === " " || event.key === "Enter";
  if (event.target.closest?.("button, summary, details") && presses) return;
  const drawn = event.target.closest?.(".token, .arc, .cell");
  if (drawn && presses && Number(drawn.dataset.word ?? drawn.dataset.dependent) !== state.selected) {
    event.preventDefault();
    return drawn.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  }
  if (event.target === $("list") && /^Arrow(Up|Down)$/.test(event.key)) {
    event.preventDefault();
    return goInList(event.key === "ArrowUp" ? -1 : 1);
  }
  const act = actOf(event);
  if (!act) return;
  event.preventDefault();
  // One press decides once; walking goes on while a key is held.
  if (!event.repeat || WALKS.has(event.key)) queue(act, !FREE.has(event.key));
}

function listen() {
  const narrow = matchMedia("(max-width: 1180px)"), place = () => (narrow.matches ? $("bar") : $("side")).prepend($("heads-panel"));
  narrow.addEventListener("change", place);
  place();
  // What was clicked does not keep the keys.
  document.addEventListener("click", (event) => event.detail && event.target.closest("button")?.blur());
  document.addEventListener("keydown", pressed);
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    queue(answerAsked);
  });
  $("edit").addEventListener("submit", (event) => {
    event.preventDefault();
    queue(answerEdit);
  });
  $("search").addEventListener("input", (event) => search(event.target.value));
  const clicks = { previous: () => walkTrees(-1), next: () => walkTrees(1), layout: toggleLayout, theme: toggleTheme, "help-button": keys["?"], order: toggleOrder, sort: toggleSort,
    stop: stopAll, "only-differing": toggleDiffering, "end-compare": () => compareTexts(null), "show-strip": () => setMatrix(false), "show-matrix": () => setMatrix(true), open: () => $("files").click(),
    "save-conllu": saveConllu, "save-session": saveSession, "save-svg": saveSvg, "save-png": savePng };
  addEventListener("storage", lookAround);
  addEventListener("focus", lookAround);
  document.addEventListener("visibilitychange", lookAround);
  addEventListener("beforeunload", (event) => store.unsaved.size && !state.exported && event.preventDefault());
  for (const [id, act] of Object.entries(clicks)) $(id).addEventListener("click", act);
  $("save").addEventListener("click", (event) => event.target.closest("button") && ($("save").open = false));
  $("files").addEventListener("change", (event) => {
    openFiles([...event.target.files]);
    event.target.value = "";  // the same file can be chosen again
  });
  $("list").addEventListener("scroll", showList);
  addEventListener("hashchange", goToHash);
  addEventListener("resize", () => show());
  addEventListener("dragover", (event) => {
    event.preventDefault();
    $("drop").hidden = false;
  });
  addEventListener("dragleave", (event) => event.relatedTarget === null && ($("drop").hidden = true));
  addEventListener("drop", (event) => {
    event.preventDefault();
    $("drop").hidden = true;
    openFiles([...event.dataTransfer.files]);
  });
}

function begin() {
  state.sentence = 0;
  state.selected = 0;
  search("");
  const first = sentences.findIndex((s, i) => s.live && !session.of(i).done);
  if (location.hash) goToHash();
  else if (data.annotate && first > 0) visit(first);
  show();
}

async function start() {
  $("keys").replaceChildren(...KEYS.filter(([, , , live]) => !live || data.annotate || data.sentences.some((s) => s.scores)).map(([one, other, text]) =>
    element("tr", {}, element("td", {}, element("kbd", {}, one), other ? " " : "", other ? element("kbd", {}, other) : ""), element("td", {}, text))));
  listen();
  answers = new Answers($("library").textContent + "\nserve(self);", show);
  try {
    coppice = await load();
  } catch (error) {
    $("sentence-text").textContent = `This browser cannot run the page: ${error.message}`;
    return;
  }
  const packed = $("scores").textContent.trim(), bytes = packed ? await inflated(packed) : null;
  let names = [];
  sentences = data.sentences.map((own) => {
    names = own.scores?.labelNames ?? names;
    return new Sentence(coppice, bytes, data, own, names);
  });
  key = keyOf(sentences);
  store = new Store(key, sentences);
  session.made = madeOf(bytes ? new Digest().array(bytes) : new Digest(), data.sentences);
  restoreSaved();
  begin();
  await quiet();
  document.documentElement.dataset.ready = Math.round(performance.now());
}
start();
