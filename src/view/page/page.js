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
const touched = (w) => (data.annotate ? isTouched(w) : isTouched({ ...w, rank: 0, distance: undefined }));
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
// Lists the best trees, or those of which any two differ in so many heads. In a page that is only looked at this decides nothing.
function listTrees(distance) {
  if (!sentence()?.live || sentence().distance(work()) === distance || isClosed()) return show();
  const { distance: _, ...rest } = work(), next = { ...rest, ...(distance === sentence().distance(UNTOUCHED) ? {} : { distance }), rank: 0 };
  if (data.annotate) return change(next, distance ? `Trees of which any two differ in ${distance} heads.` : "The best trees.");
  session.take(state.sentence, next);
  show();
}
// How far apart trees can be asked to be, 0: the best ones; also as the page was made, or an older session.
function distances() {
  const s = sentence(), all = [0, 2, 3, 5, 10].filter((d) => d <= s.size);
  return [...new Set([...all, s.distance(UNTOUCHED), s.distance(work())])].sort((a, b) => a - b);
}
function nextDistance() {
  if (!sentence()) return;
  const all = distances(), at = all.indexOf(sentence().distance(work()));
  return listTrees(all[(at + 1) % all.length]);
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

// ---- the beginning ----

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
