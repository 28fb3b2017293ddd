// The library in JavaScript gives the program's trees, bit by bit, on all bundled sentences.
// Usage: node answers_test.mjs COPPICE DATA-FOLDER    (COPPICE_JS: of another build than wasm/)
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const { load, CoppiceError } = await import(process.env.COPPICE_JS ?? "../../wasm/coppice.js");
const [program, data] = process.argv.slice(2);
const source = readFileSync(new URL("../../src/view/page/npz.js", import.meta.url), "utf8");
const { readNpz } = await import("data:text/javascript," + encodeURIComponent(source));
const coppice = await load();
const treebanks = ["English-EWT", "Lithuanian-HSE", "Livvi-KKPP", "Marathi-UFAL", "Uyghur-UDT"];
const arrays = async (name) => readNpz(new Uint8Array(readFileSync(join(data, "ud-scores", name))));

async function graphs(name) {
  const { lengths, scores } = await arrays(`${name}.npz`);
  let at = 0;
  return Array.from(lengths.data, (n) => coppice.matrix(scores.data.subarray(at, (at += (n + 1) ** 2))));
}

// What the program writes: for every sentence its trees.
function decoded(name, ...options) {
  const lines = execFileSync(program, ["decode", join(data, "ud-scores", `${name}.npz`), ...options], { maxBuffer: 1 << 30 });
  const sentences = [];
  for (const line of lines.toString().split("\n").filter(Boolean)) {
    const tree = JSON.parse(line);
    if (tree.rank === 1) sentences.push([]);
    sentences.at(-1).push(tree);
  }
  return sentences;
}

const listed = (trees) => trees.map(({ score, heads }) => ({ score, heads: Array.from(heads).slice(1) }));
const written = (trees) => trees.map(({ score, heads }) => ({ score, heads }));

for (const name of treebanks) {
  for (const root of ["single", "any"]) {
    test(`${name}, 50 trees, ${root}`, async () => {
      const native = decoded(name, "-k", "50", "--root", root);
      const all = await graphs(name);
      assert.equal(native.length, all.length);
      all.forEach((graph, i) => {
        assert.deepEqual(listed(graph.kbest(50, { root })), written(native[i]), `sentence ${i}`);
        graph.free();
      });
    });
  }
}

test("constraints and rules", async () => {
  const all = (await graphs("Uyghur-UDT")).slice(0, 300);
  const asked = { root: "single", forbidden: [[0, 1]], rules: ["projective", "max-children=4"] };
  const native = decoded("Uyghur-UDT", "-k", "5", "--limit", "300", "--forbid", "0:1", "--rule", "projective", "--rule", "max-children=4");
  all.forEach((graph, i) => {
    const trees = graph.kbest(5, asked);
    assert.deepEqual(listed(trees), trees.length ? written(native[i]) : [], `sentence ${i}`);
  });
});

test("labels and ud", async () => {
  const { lengths, scores } = await arrays("English-EWT.npz"), labels = await arrays("English-EWT.labels.npz");
  const text = join(data, "en_ewt-ud-test.conllu"), limit = 60;
  const options = ["-k", "5", "--limit", String(limit), "--text", text, "--labels", join(data, "ud-scores", "English-EWT.labels.npz")];
  const words = readFileSync(text, "utf8").split("\n\n").map((block) => block.split("\n").filter((line) => /^\d+\t/.test(line))
    .map((line) => line.split("\t")).map((c) => ({ tag: c[3], feats: c[5], misc: c[9] })));
  const per = labels.lp.data.length / scores.data.length;
  const plainLists = decoded("English-EWT", ...options), legal = decoded("English-EWT", ...options, "--rule", "ud");
  let at = 0;
  for (let i = 0; i < limit; ++i) {
    const nodes = lengths.data[i] + 1, edges = { sources: [], targets: [], weights: [], labels: [] };
    for (let arc = 0; arc < nodes * nodes; ++arc) {
      for (let choice = 0; choice < per; ++choice) {
        const score = labels.lp.data[(at + arc) * per + choice];
        if (score === -Infinity || scores.data[at + arc] === -Infinity) continue;
        edges.sources.push(Math.floor(arc / nodes));
        edges.targets.push(arc % nodes);
        edges.weights.push(scores.data[at + arc] + score);
        edges.labels.push(labels.id.data[(at + arc) * per + choice]);
      }
    }
    at += nodes * nodes;
    const graph = coppice.edges(nodes, edges, { words: words[i], labelNames: labels.names.data });
    for (const [native, rules] of [[plainLists[i], []], [legal[i], ["ud"]]]) {
      const trees = graph.kbest(5, { root: "single", rules });
      assert.deepEqual(listed(trees), written(native), `sentence ${i}`);
      assert.deepEqual(trees.map((t) => t.labels.slice(1)), native.map((t) => t.labels), `sentence ${i}`);
      if (rules.length) for (const t of trees) assert.deepEqual(coppice.incidents(t.heads, t.labels.slice(1), words[i]), []);
    }
    graph.free();
  }
});

test("trees that differ", async () => {
  const native = decoded("Marathi-UFAL", "-k", "5", "--distance", "3");
  (await graphs("Marathi-UFAL")).forEach((graph, i) =>
    assert.deepEqual(listed(graph.diverse(5, 3, { root: "single" })), written(native[i]), `sentence ${i}`));
  const graph = coppice.edges(3, { sources: [0, 0, 1, 2], targets: [1, 2, 2, 1], weights: [4, 1, 2, 1], labels: [0, 0, 1, 0] }, { labelNames: ["x", "punct"] });
  assert.equal(graph.diverse(5, 1, { root: "any" }).length, 3);
  assert.equal(graph.diverse(5, 1, { root: "any" }, { ignoredLabels: ["punct"] }).length, 2);
  assert.equal(graph.diverse(1e300, Infinity, { root: "any" }).length, 1);
  assert.throws(() => graph.diverse(5, 0, { root: "any" }), /distance is 0/);
  assert.throws(() => graph.diverse(5, 1.5, { root: "any" }), /distance is 1.5, must be a whole number/);
  assert.throws(() => graph.diverse(5, NaN, { root: "any" }), /distance is NaN/);
  assert.throws(() => graph.diverse(undefined, 2, { root: "any" }), RangeError);
  assert.throws(() => graph.diverse(5, 1, { root: "any" }, { ignoredLabels: ["none"] }), /none of these labels/);
});

test("streams are the lists", async () => {
  for (const graph of (await graphs("Marathi-UFAL")).slice(0, 40)) {
    const some = [];
    for (const tree of graph.stream({ root: "single" })) if (some.push(tree) === 20) break;
    assert.deepEqual(listed(some), listed(graph.kbest(20, { root: "single" })));
  }
});

test("probabilities are the program's", async () => {
  const native = decoded("Livvi-KKPP", "-k", "3", "--probabilities");
  (await graphs("Livvi-KKPP")).forEach((graph, i) => {
    const { logPartition, arcs } = graph.marginals({ root: "single" });
    for (const tree of native[i]) assert.ok(Math.abs(Math.exp(tree.score - logPartition) - tree.probability) < 1e-12);
    for (let v = 1; v < graph.nodes; ++v) {
      let sum = 0;
      for (let h = 0; h < graph.nodes; ++h) sum += arcs[h * graph.nodes + v];
      assert.ok(Math.abs(sum - 1) < 1e-12);
    }
  });
});

test("marginals and max-marginals against all trees", async () => {
  for (const graph of (await graphs("Marathi-UFAL")).filter((g) => g.nodes <= 6)) {
    const trees = graph.kbest(100000, { root: "single" }), n = graph.nodes;
    const { logPartition, arcs } = graph.marginals({ root: "single" }), best = graph.maxMarginals({ root: "single" });
    const sums = new Float64Array(n * n), tops = new Float64Array(n * n).fill(-Infinity);
    for (const tree of trees) {
      for (let v = 1; v < n; ++v) {
        sums[tree.heads[v] * n + v] += Math.exp(tree.score - logPartition);
        tops[tree.heads[v] * n + v] = Math.max(tops[tree.heads[v] * n + v], tree.score);
      }
    }
    for (let arc = 0; arc < n * n; ++arc) {
      assert.ok(Math.abs(sums[arc] - arcs[arc]) < 1e-10);
      assert.ok(tops[arc] === best[arc] || Math.abs(tops[arc] - best[arc]) < 1e-9);
    }
  }
});

test("integers are exact", () => {
  const big = 2n ** 58n, graph = coppice.matrix(BigInt64Array.from([0n, big, 1n, 0n, 0n, 3n, 0n, 2n, 0n]));
  assert.equal(graph.best({ root: "single" }).integerScore, big + 3n);
  assert.equal(graph.best({ root: "single", minimize: true }).integerScore, 3n);
});

test("bad input is said", () => {
  const graph = coppice.matrix(Float32Array.from([0, 1, NaN, 0, 0, 1, 0, 1, 0]));
  assert.throws(() => graph.best({ root: "single" }), (e) => e instanceof CoppiceError && /0 -> 2 is NaN/.test(e.message));
  assert.throws(() => coppice.matrix(new Float32Array(5)), /no square matrix/);
  assert.throws(() => coppice.matrix([1, 2, 3, 4]), /Float32Array/);
  assert.throws(() => graph.kbest(0, { root: "single" }), /k is 0/);
  assert.throws(() => graph.best({}), /root is undefined/);
  assert.throws(() => coppice.matrix(new Float32Array(9)).best({ root: "any", rules: ["nonsense"] }), /rule nonsense/);
  assert.throws(() => coppice.edges(2, { sources: [0], targets: [7], weights: [1] }), /7/);
  assert.throws(() => coppice.edges(2, { sources: [0], targets: [1, 1], weights: [1] }), /targets: 2/);
});

test("nothing is cut to fit", () => {
  const edge = (more) => () => coppice.edges(2, { sources: [0], targets: [1], weights: [1], ...more });
  for (const bad of [2 ** 32, 0.5, NaN, "x"]) {
    assert.throws(edge({ sources: [bad] }), /sources: .* is no whole number/);
    assert.throws(edge({ labels: [bad] }), /labels/);
    assert.throws(() => coppice.edges(bad, { sources: [], targets: [], weights: [] }), /nodes/);
    assert.throws(() => coppice.incidents([-1, bad], ["root"], [{ tag: "X" }]), /heads/);
  }
  const graph = coppice.matrix(Float32Array.from([0, 1, 2, 0, 0, 3, 0, 4, 0]));
  assert.throws(() => graph.best({ root: "any", required: [[2 ** 32, 1]] }), /required/);
  for (const arc of [[1, 9], [-1, 1], [1, 2 ** 32]]) assert.throws(() => coppice.layout([arc], [1, 1, 1], 8), /arcs/);
  for (const bad of [-5, NaN]) {
    assert.throws(() => graph.kbest(9, { root: "any" }, { maxGap: bad }), /maxGap/);
    assert.throws(() => graph.stream({ root: "any" }, { maxGap: bad }).next(), /maxGap/);
    assert.throws(() => graph.kbest(9, { root: "any" }, { budget: bad }), /budget/);
  }
  assert.throws(() => graph.kbest(undefined, { root: "any" }), /k is undefined/);
  assert.equal(graph.kbest(Infinity, { root: "any" }).length, 3);
  assert.equal(graph.kbest(null, { root: "any" }, { maxGap: Infinity }).length, 3);
  const large = coppice.matrix(Float64Array.from([0, 1e300, 0, 0, 0, 0, 0, 0, 0]));
  assert.equal(large.kbest(null, { root: "any" }, { maxGap: 2e300 }).length, 3);
  graph.free();
  assert.throws(() => graph.best({ root: "any" }), /freed/);
});

test("the document's example", async () => {
  const text = readFileSync(new URL("../../docs/javascript.md", import.meta.url), "utf8");
  const [, code, shown] = /```js\n([^]*?)```[^]*?```\n([^]*?)```/.exec(text);
  const module = code.replace('"./coppice.js"', JSON.stringify(new URL("../../wasm/coppice.js", import.meta.url).href));
  const said = execFileSync(process.execPath, ["--input-type=module"], { input: module });
  assert.equal(said.toString(), shown);
});
