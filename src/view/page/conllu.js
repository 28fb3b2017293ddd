// CoNLL-U, byte by byte: a sentence is a block of text, and what is not edited stays as it is.

/** The blocks of a file; joined they are the file. Blank lines belong to the sentence before them. */
export function splitConllu(text) {
  const blocks = [];
  let begin = 0, inside = false, ended = false;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at) + 1;
    const blank = /^\r?\n?$/.test(text.slice(at, end));
    if (!blank && ended) {
      blocks.push(text.slice(begin, at));
      begin = at;
      ended = false;
    }
    inside = inside || !blank;
    ended = inside && blank;
    at = end;
  }
  if (inside) blocks.push(text.slice(begin));
  return blocks;
}

/** Throws, with the line, where the program's reader would: ten columns, words numbered from 1. */
export function checkConllu(blocks) {
  let number = 0;
  for (const block of blocks) {
    let word = 0;
    for (const line of block.replace(/\n$/, "").split("\n")) {
      const plain = line.replace(/\r$/, "").replace(/^\uFEFF/, ""), columns = plain.split("\t"), fail = (what) => { throw new Error(`line ${number}: ${what}`); };
      number += 1;
      if (!plain || plain.startsWith("#")) continue;
      if (columns.length !== 10) fail("ten columns between tabs expected");
      if (/[-.]/.test(columns[0])) continue;
      word += 1;
      if (columns[0] !== String(word)) fail(`'${columns[0].slice(0, 40)}' where word ${word} is expected`);
    }
  }
}

const isWord = (line) => /^[0-9]+\t/.test(line);
const isNumber = (column) => /^[0-9]+$/.test(column);
const given = (column) => (column === undefined || column === "_" ? "" : column.replace(/\r?\n$/, ""));

const isFlag = (line) => /^# *flag *= *yes *\r?\n?$/.test(line);

/** What a block says: { id, text, note, flag, words: [{ form, lemma, tag, xpos, feats, misc, head, label, joined }] }. */
export function parseConllu(block) {
  const found = { id: "", text: "", note: "", flag: false, words: [] };
  for (const line of block.replace(/^\uFEFF/, "").split("\n")) {
    const comment = /^# *(sent_id|text|note) *= *(.*?)\r?$/.exec(line);
    if (comment) found[comment[1] === "sent_id" ? "id" : comment[1]] = comment[2];
    if (isFlag(line)) found.flag = true;
    if (!isWord(line)) continue;
    const c = line.split("\t");
    const head = isNumber(c[6]) ? Number(c[6]) : null, misc = given(c[9]);
    found.words.push({ form: c[1], lemma: given(c[2]), tag: given(c[3]), xpos: given(c[4]), feats: given(c[5]), misc, head, label: given(c[7]), joined: /(^|\|)SpaceAfter=No(\||$)/.test(misc) });
  }
  return found;
}

/**
 * The block with other heads and labels; heads[0] and labels[0] are of no word. An empty label leaves the old one. edits: { word: { lemma, upos,
 * feats } }, what was given there.
 */
export function writeConllu(block, heads, labels, edits = {}) {
  let v = 0;
  return block.replace(/[^\n]*\n?/g, (line) => {
    if (!isWord(line.replace(/^\uFEFF/, ""))) return line;
    const c = line.split("\t");
    const before = `${c[6]}:${c[7]}`;
    v += 1;
    if (!isNumber(c[6]) || Number(c[6]) !== heads[v]) c[6] = String(heads[v]);
    if (labels[v]) c[7] = labels[v];
    const { lemma, upos, feats } = edits[v] ?? {};
    c[2] = lemma ?? c[2];
    c[3] = upos ?? c[3];
    c[5] = feats ?? c[5];
    c[8] = enhanced(c[8], before, `${c[6]}:${c[7]}`);
    return c.join("\t");
  });
}

/** The block with this note and flag, as comments before its words. */
export function writeNote(block, note, flag) {
  const end = block.includes("\r\n") ? "\r\n" : "\n", lines = block.split(/(?<=\n)/), gone = (line) => /^# *note *= */.test(line) || isFlag(line);
  const kept = lines.filter((line) => !gone(line)), at = kept.findIndex((line) => isWord(line.replace(/^\uFEFF/, "")) || /^[0-9]/.test(line));
  kept.splice(Math.max(at, 0), 0, ...(note ? [`# note = ${note}${end}`] : []), ...(flag ? [`# flag = yes${end}`] : []));
  return kept.join("");
}

// The enhanced graph follows where it has the arc of the tree; all else in it stays.
function enhanced(column, before, after) {
  if (before === after || !column) return column;
  const arcs = column.split("|");
  if (!arcs.includes(before)) return column;
  const number = (arc) => parseFloat(arc);
  return [...new Set(arcs.map((arc) => (arc === before ? after : arc)))].sort((a, b) => number(a) - number(b)).join("|");
}
/** The words that changed, and of which the enhanced graph did not follow. */
export function staleWords(block, heads, labels) {
  const stale = [];
  let v = 0;
  for (const line of block.replace(/^\uFEFF/, "").split("\n")) {
    if (!isWord(line)) continue;
    const c = line.split("\t");
    v += 1;
    const moved = Number(c[6]) !== heads[v] || (labels[v] && labels[v] !== c[7]);
    if (moved && given(c[8]) && !c[8].split("|").includes(`${c[6]}:${c[7]}`)) stale.push(v);
  }
  return stale;
}

/** A block for words that no file has. */
export function makeConllu(id, words, heads, labels) {
  const lines = words.map((word, i) => [i + 1, word || "_", "_", "_", "_", "_", heads[i + 1], labels[i + 1] || "_", "_", "_"].join("\t"));
  return `# sent_id = ${id}\n${lines.join("\n")}\n\n`;
}
