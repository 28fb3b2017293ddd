// Asking for what is typed: a head, a label, columns of a word, a note. A part of page.js.

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
