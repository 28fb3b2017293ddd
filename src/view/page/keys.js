// Keys, mouse, and the order of acts. A part of page.js.

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
  ["g", "", "compare with the tree of the text"], ["c", "", "heads by probability or by cost", true], ["v", "", "trees that differ in 2, 3, 5, 10 heads; the best ones", true], ["m", "", "heads as strip or matrix"], ["w", "", "words across or down"], ["s", "", "save CoNLL-U", true], ["d", "", "dark or light"],
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
  v: nextDistance,
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
  if (event.target === $("distance")) return;
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
  $("distance").addEventListener("change", (event) => {
    event.target.blur();
    queue(() => listTrees(Number(event.target.value)));
  });
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
