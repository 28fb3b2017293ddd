// What is kept, saved and opened. A part of page.js.

// The answer to a question, or null; choices: { name: text }.
function question(text, choices) {
  const dialog = $("question");
  $("question-text").textContent = text;
  $("question-choices").replaceChildren(...Object.entries(choices).map(([value, name]) => element("button", { value }, name)));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue || null), { once: true }));
}

// What stays on the screen until it is mended or put away: { name: { text, buttons: { name: act } } }.
const notices = {};
function notice(name, text, buttons = {}) {
  if (notices[name] === text) return;
  notices[name] = text;
  document.getElementById(`notice-${name}`)?.remove();
  if (!text) return;
  $("notices").append(element("div", { class: "notice", id: `notice-${name}`, role: "alert" }, element("p", {}, text),
    ...Object.entries(buttons).map(([label, act]) => element("button", { onclick: act }, label))));
}

function keep(index, work) {
  if (!data.annotate) return;
  store.write(index, work);
  retry();
  state.exported = false;
  showKept();
}
function retry() {
  for (const [index, work] of store.retry()) session.take(index, work);
}
function showKept() {
  const many = (n) => `${count(n, ...things())}`, { unsaved, broken } = store;
  notice("unsaved", unsaved.size ? `This browser could not keep ${many(unsaved.size)}: its storage is full or switched off. What is not saved as a file is lost when you leave.` : "",
    { "Save the session": saveSession, "Try again": () => (retry(), showKept(), show()) });
  notice("broken", broken.size ? `What this browser kept of ${many(broken.size)} cannot be read. It is left alone until you change ${broken.size === 1 ? "it" : "them"}.` : "",
    { Close: () => notice("broken", "") });
}
function restoreSaved() {
  if (!data.annotate) return;
  for (const [index, work] of store.read()) session.take(index, work);
  showKept();
  showMade([...session.works.values()].map((work) => work.made));
}
// Scores, text and rules have changed since something was decided.
function showMade(all) {
  const now = session.made.split("."), names = ["scores", "text", "rules"], others = all.filter((made) => made && made !== session.made);
  const differ = names.filter((_, i) => others.some((made) => made.split(".")[i] !== now[i]));
  const list = differ.map((name) => (name === "text" ? "another text" : `other ${name}`)).join(" and ");
  notice("made", differ.length ? `${count(others.length, ...things())} ${others.length === 1 ? "was" : "were"} decided with ${list}. What is accepted stays as it was accepted.` : "",
    { Close: () => notice("made", "") });
}
// A digest of all that answers depend on: scores, text, rules.
function madeOf(scores, own) {
  const text = new Digest();
  for (const s of own) text.text(s.conllu ?? `${(s.words ?? []).join(" ")}\n`);
  const rules = new Digest().text(JSON.stringify([data.which, data.fromText ?? false, own.map((s) => s.rootRule ?? "")]));
  return [scores, text, rules].map((digest) => digest.name).join(".");
}
// Another tab did something, or may have done so while we slept.
function lookAround() {
  if (!data.annotate || !sentences.length) return;
  let changed = store.unsaved.size > 0;
  retry();
  sentences.forEach((_, index) => {
    const other = store.seen(index, UNTOUCHED);
    if (!other) return;
    session.take(index, other);
    changed = true;
  });
  if (!changed) return;
  showKept();
  show();
}

function download(name, content, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
const plainName = () => (data.title.replace(/\.[a-z]+$/i, "").replace(/[^\p{L}\p{N}_.-]+/gu, "_") || "coppice");
function conllu() {
  return sentences.map((s, i) => s.conllu(session.of(i))).join("");
}
function saveConllu() {
  if (!sentences.length) return;
  const open = sentences.filter((_, i) => isTouched(session.of(i)) && !session.of(i).done).length;
  download(`${plainName()}.conllu`, conllu(), "text/plain;charset=utf-8");
  say(`${count(session.accepted, "sentence", "sentences")} accepted and written` + (open ? `; ${count(open, "that is", "that are")} in work, but not accepted, as they came.` : ".") + staleText());
}
function staleText() {
  const stale = sentences.filter((s, i) => s.stale(session.of(i)).length);
  return stale.length ? ` The enhanced graph (column 9) of ${count(stale.length, "sentence", "sentences")} does not follow: ${stale.slice(0, 5).map((s) => s.id).join(", ")}${stale.length > 5 ? ", …" : ""}.` : "";
}
function saveSession() {
  state.exported = true;
  download(`${plainName()}.coppice.json`, JSON.stringify(session.toJSON(sentences, key), null, 1), "application/json");
}
// The colours of a drawing on paper, taken from the page's own style.
const PAPER = `text{font:15px system-ui,sans-serif;fill:#1c232b}.across text,.links text{text-anchor:middle}.tag,.number,.arc text,.label{font-size:11px;fill:#5d6775}.number{font-size:9px}.down .number{text-anchor:end}
.line{fill:none;stroke:#65748b;stroke-width:1.5}.tip{fill:#65748b}.hit{fill:none}.node{stroke:#65748b}.changed .line{stroke:#c2530a;stroke-width:2.2}.changed .tip,.changed text{fill:#c2530a}
.locked .line{stroke:#17593d;stroke-width:2.4}.locked .tip{fill:#17593d}.overlay .line{stroke:#8250c4;stroke-dasharray:2 4}.overlay .tip{fill:#8250c4}.second .line{stroke:#0f6f8c;stroke-dasharray:6 3}.second .tip{fill:#0f6f8c}`;
const drawing = () => standalone($("figure").querySelector("svg"), PAPER);
function saveSvg() {
  download(`${plainName()}-${state.sentence + 1}.svg`, drawing(), "image/svg+xml");
}
async function savePng() {
  const image = new Image(), svg = $("figure").querySelector("svg");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing())}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * svg.width.baseVal.value, height: 2 * svg.height.baseVal.value }), context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  download(`${plainName()}-${state.sentence + 1}.png`, blob, "image/png");
}

/** Files that were dropped or chosen: scores, texts, label scores, a session. */
async function openFiles(files) {
  try {
    const got = { scores: null, texts: [], labels: null, session: null };
    for (const file of files) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (/\.npz$/i.test(file.name)) {
        const arrays = await readNpz(bytes);
        if (arrays.names) got.labels = arrays;
        else got.scores = { arrays, name: file.name };
      } else if (/\.json$/i.test(file.name)) {
        got.session = JSON.parse(new TextDecoder().decode(bytes));
      } else {
        got.texts.push({ name: file.name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) });
      }
    }
    if (!got.scores && (got.labels || (got.texts.length && !sentences.length))) throw new Error("scores (.npz) are needed, too");
    if (got.scores) takeScores({ ...got, text: got.texts[0]?.text ?? null });
    const compared = got.texts.length > (got.scores ? 1 : 0) ? takeTexts(got.texts) : "";
    const opened = got.session ? await takeSession(got.session) : "";
    say(opened || compared || `${count(sentences.length, ...things())} opened.`);
  } catch (error) {
    say(`This cannot be opened: ${error.message}`);
  }
}
// Two texts are compared; one with that of the page.
function takeTexts(texts) {
  if (texts.length > 2) throw new Error(`${texts.length} texts; two can be compared`);
  const own = { name: "the page's text", trees: sentences.map((s) => s.gold) };
  const opened = texts.map(({ name, text }) => ({ name, trees: treesOf(text, sentences) }));
  if (opened.length === 1 && !own.trees.some(Boolean)) throw new Error("the page has no text with trees to compare it with");
  const before = state.texts, after = opened.length === 2 ? opened : [own, opened[0]], to = (now) => () => (compareTexts(now), state.sentence);
  to(after)();
  session.did(to(before), to(after));
  return `Compared: A is ${after[0].name}, B is ${after[1].name}.`;
}
function compareTexts(texts) {
  state.texts = texts;
  state.onlyDiffering = false;
  search($("search").value);
  show();
}
// What is newer stays, unless you say otherwise.
async function takeSession(saved) {
  const works = readSession(saved, sentences, key), decided = (w) => JSON.stringify([w.locked, w.forbidden, w.rank, w.done, w.edits ?? {}, w.note, w.flag]);
  const differ = works.filter(([index, theirs]) => isTouched(session.of(index)) && decided(session.of(index)) !== decided(theirs));
  const newer = differ.filter(([index, theirs]) => (session.of(index).at ?? 0) > (theirs.at ?? 0)).length;
  let choice = "all";
  if (differ.length) {
    choice = await question(`In ${count(differ.length, ...things())} the session has something else than you have here; in ${newer} of them yours is newer.`,
      { newer: "Take the newer of each", all: "Take the session's", none: "Leave all as it is" });
    if (!choice || choice === "none") return "All is left as it is.";
  }
  const taken = works.filter(([index, theirs]) => decided(session.of(index)) !== decided(theirs) &&
    (choice === "all" || !isTouched(session.of(index)) || (theirs.at ?? 0) >= (session.of(index).at ?? 0)));
  if (taken.length) session.change(...taken);
  showMade(works.map(([, work]) => work.made));
  begin();
  return `The session is open: ${count(taken.length, ...things())} taken. u undoes it.`;
}
function takeScores({ scores, text, labels }) {
  const all = checkedScores(scores), lengths = Array.from(scores.arrays.lengths.data, Number), per = labels ? checkedLabels(labels, all.length) : 0;
  const blocks = text === null ? null : splitConllu(text);
  if (blocks) checkConllu(blocks);
  if (blocks && blocks.length !== lengths.length) throw new Error(`${count(blocks.length, "sentence", "sentences")} in the text, but scores of ${lengths.length}`);
  let at = 0;
  const made = lengths.map((n, i) => {
    const nodes = n + 1, from = at;
    at += nodes * nodes;
    const own = { id: String(i) };
    if (blocks) own.conllu = blocks[i];
    if (nodes > MOST_NODES) return own;
    own.scores = { nodes };
    const matrix = () => ({ matrix: all.slice(from, from + nodes * nodes) });
    own.load = labels ? () => labelled(all, labels, from, nodes, per) : matrix;
    if (labels) own.scores.edges = 0;
    return own;
  });
  const opened = made.map((own) => new Sentence(coppice, null, data, own, labels ? labels.names.data : []));
  opened.forEach((s, i) => {
    if (s.parsed?.id) s.own.id = s.parsed.id;
    if (s.parsed && s.words.length !== lengths[i]) s.own.error = `${count(s.words.length, "word", "words")}, but scores of ${lengths[i]}`;
  });
  const digest = new Digest().array(all);
  if (labels) digest.array(labels.lp.data);
  const before = world(), key = keyOf(opened);
  enter({ sentences: opened, key, store: new Store(key, opened), title: scores.name, annotate: true, works: new Map(), made: madeOf(digest, made) });
  restoreSaved();
  const after = world(), to = (where) => () => (enter(where), begin(), state.sentence);
  session.did(to(before), to(after));
  begin();
}
// As in src/view/page.cpp.
const MOST_NODES = 600;
// The numbers of an archive of scores, in floating point.
function checkedScores({ arrays, name }) {
  const { lengths, scores } = arrays;
  if (!lengths || !scores) throw new Error(`${name} has no arrays "lengths" and "scores"`);
  if (lengths.shape.length !== 1 || !isNumbers(lengths) || !isNumbers(scores)) throw new Error(`${name}: "lengths" and "scores" must be lists of numbers`);
  let need = 0;
  for (const n of Array.from(lengths.data, Number)) {
    if (!Number.isInteger(n) || n < 1 || n > 30000) throw new Error(`${name}: a sentence of ${n} words`);
    need += (n + 1) ** 2;
  }
  if (need !== scores.data.length) throw new Error(`${name}: ${scores.data.length} scores, but the lengths need ${need}`);
  return scores.data instanceof Float32Array ? scores.data : Float64Array.from(scores.data, Number);
}
// How many labels an arc has.
function checkedLabels({ lp, id, names }, arcs) {
  const fail = (what) => { throw new Error(`label scores: ${what}`); };
  if (!lp || !id || !isNumbers(lp) || !isNumbers(id) || isNumbers(names)) fail("they are the arrays lp, id and names");
  if (lp.data.length !== id.data.length || lp.data.length % arcs || !lp.data.length) fail(`${lp.data.length} of them and ${id.data.length} labels for ${arcs} arcs`);
  for (const i of id.data) if (!(Number.isInteger(Number(i)) && i >= 0 && i < names.data.length)) fail(`there is no label ${i}`);
  for (const name of names.data) if (!isLabel(name)) fail(`${JSON.stringify(name)} is no label`);
  return lp.data.length / arcs;
}
const isNumbers = (array) => !Array.isArray(array?.data);
// All that another file of scores changes.
const world = () => ({ sentences, key, store, title: data.title, annotate: data.annotate, works: session.works, made: session.made });
function enter(where) {
  if (sentence()) answers.forget(sentence());
  state.drawn = state.texts = null;
  state.onlyDiffering = false;
  ({ sentences, key, store } = where);
  Object.assign(data, { title: where.title, annotate: where.annotate });
  Object.assign(session, { works: where.works, made: where.made });
  showKept();
}
function labelled(all, labels, from, nodes, per) {
  const sources = [], targets = [], ids = [], weights = [];
  for (let arc = 0; arc < nodes * nodes; ++arc) {
    const head = Math.floor(arc / nodes), v = arc % nodes;
    if (v === 0 || v === head) continue;
    for (let c = 0; c < per; ++c) {
      const weight = all[from + arc] + labels.lp.data[(from + arc) * per + c];
      if (weight === -Infinity) continue;
      sources.push(head);
      targets.push(v);
      ids.push(labels.id.data[(from + arc) * per + c]);
      weights.push(weight);
    }
  }
  return { sources: Int32Array.from(sources), targets: Int32Array.from(targets), labels: Int32Array.from(ids), weights: Float64Array.from(weights) };
}

