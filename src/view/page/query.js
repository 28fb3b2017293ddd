// What the search box understands: words of the text, and words by what is known of them.

const FIELDS = { word: "form", form: "form", lemma: "lemma", upos: "tag", xpos: "xpos", feats: "feats", deprel: "label", label: "label", flag: "flag" };
const UPOS = new Set("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" "));
const isStructured = (term, tags) => tags.has(term) || (UPOS.has(term) && term !== "X") || /^(head|child)$/.test(term) || /^[A-Za-z]+=./.test(term) || /^[a-z]+:[a-z]+$/.test(term);

/**
 * A test of sentences, each { text, id, words: [{ form, lemma, tag, xpos, feats, label, head }] }; tags: all that the page has.
 * "what if" is text, of the sentence or its note. VERB, nsubj:pass, lemma=go, Number=Plur and upos=NOUN ask for a word with all of them;
 * "head VERB child ADV" for an arc between such words.
 */
export function query(text, tags) {
  const wanted = text.trim(), low = wanted.toLowerCase(), terms = wanted.split(/\s+/);
  if (!wanted) return () => true;
  const inText = (s) => s.text.toLowerCase().includes(low) || s.words.map((w) => w.form).join(" ").toLowerCase().includes(low) || s.id.toLowerCase().includes(low) || s.note?.toLowerCase().includes(low);
  if (!terms.some((term) => isStructured(term, tags))) {
    // One word may also be a lemma or a label.
    return terms.length > 1 ? inText : (s) => inText(s) || s.words.some((w) => w.lemma?.toLowerCase() === low || w.label === wanted);
  }
  const sides = { word: [], head: [], child: [] };
  let side = "word";
  for (const term of terms) {
    if (term === "head" || term === "child") side = term;
    else sides[side].push(term);
  }
  const fits = (w, all) => all.every((term) => hasTerm(w, term));
  const root = { form: "root", label: "", tag: "" };
  return (s) => s.words.some((w) => fits(w, sides.word) && fits(w, sides.child) &&
    (!sides.head.length || (w.head !== null && w.head !== undefined && fits(w.head === 0 ? root : s.words[w.head - 1] ?? root, sides.head))));
}

function hasTerm(w, term) {
  const [name, value] = term.split(/=(.*)/s), field = FIELDS[name.toLowerCase()];
  if (value !== undefined && field && field !== "feats") return (w[field] ?? "").toLowerCase() === value.toLowerCase();
  const feature = field === "feats" ? value : term;
  return w.form.toLowerCase() === term.toLowerCase() || w.lemma?.toLowerCase() === term.toLowerCase() || w.tag === term || w.label === term ||
    (w.feats ?? "").split("|").includes(feature);
}
