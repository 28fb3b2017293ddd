// Two texts over the same sentences: where they differ, how well they agree, and which of them is right.
import { parseConllu, splitConllu, checkConllu } from "./conllu.js";

/** The trees of a text, one for each of these sentences, { heads, labels } or null; throws where it is about other words. */
export function treesOf(text, sentences) {
  const blocks = splitConllu(text);
  checkConllu(blocks);
  if (blocks.length !== sentences.length) throw new Error(`${blocks.length} sentences, but the page has ${sentences.length}`);
  return blocks.map((block, i) => {
    const { words } = parseConllu(block), own = sentences[i].words;
    if (words.length !== own.length || words.some((w, v) => w.form !== own[v])) throw new Error(`sentence ${i + 1} has other words than ${sentences[i].id}`);
    const good = words.length > 0 && words.every((w, v) => w.head !== null && w.head <= words.length && w.head !== v + 1);
    return good ? { heads: [-1, ...words.map((w) => w.head)], labels: ["", ...words.map((w) => w.label)] } : null;
  });
}

/** The words in which two trees differ. */
export function differing(a, b) {
  const list = [];
  for (let v = 1; a && b && v < a.heads.length; ++v) if (a.heads[v] !== b.heads[v] || a.labels[v] !== b.labels[v]) list.push(v);
  return list;
}

/**
 * How well two lists of trees agree: { words, uas, las, kappa, differ }. uas and las: of all words those with the same head, and with the same
 * head and label; kappa: Cohen's, of the labels; differ: how many sentences do.
 */
export function agreement(as, bs) {
  let words = 0, heads = 0, both = 0, labels = 0, differ = 0;
  const left = new Map(), right = new Map(), add = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1);
  as.forEach((a, i) => {
    const b = bs[i];
    if (!a || !b) return;
    differ += differing(a, b).length > 0;
    for (let v = 1; v < a.heads.length; ++v) {
      words += 1;
      const head = a.heads[v] === b.heads[v], label = a.labels[v] === b.labels[v];
      heads += head;
      labels += label;
      both += head && label;
      add(left, a.labels[v]);
      add(right, b.labels[v]);
    }
  });
  let chance = 0;
  for (const [name, n] of left) chance += (n / words) * ((right.get(name) ?? 0) / words);
  return { words, uas: heads / words, las: both / words, kappa: chance === 1 ? 1 : (labels / words - chance) / (1 - chance), differ };
}
