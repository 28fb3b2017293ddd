/** The K best trees of a directed graph: docs/javascript.md. */

export function load(): Promise<Coppice>;

/** Bad input: the text names the place and the value. */
export class CoppiceError extends Error {}

/** A word as CoNLL-U writes it, for rules; what is not known is left out. */
export interface Word { tag?: string; feats?: string; misc?: string }

export interface Facts {
  words?: Word[];          // words[0] is node 1
  labelNames?: string[];   // what the labels of edges mean
}

/** [head, dependent], and where edges have labels also one of them. */
export type Arc = [head: number, dependent: number, label?: string];

/** Which trees are meant. */
export interface Which {
  root: "single" | "any";  // how many edges may leave the root
  minimize?: boolean;
  required?: Arc[];
  forbidden?: Arc[];
  /** "projective", "at-most=1:nsubj,csubj", "max-children=3", "max-depth=6", "leaves=punct", "ud" */
  rules?: string[];
}

export interface HowMany {
  maxGap?: number;  // only trees whose score is within this of the best
  budget?: number;  // under rules: about so many solves at most
}

export interface Tree {
  heads: Int32Array;        // heads[0] is -1
  score: number;
  integerScore?: bigint;    // of a BigInt64Array
  edges?: Int32Array;       // of a graph of edges; edges[0] is -1
  labels?: (string | null)[];
}

export interface Marginals {
  logPartition: number;
  entropy: number;              // in nats
  arcs: Float64Array;           // [head][dependent], (N + 1)²
  edges: Float64Array | null;   // of a graph of edges
}

export interface Graph {
  readonly nodes: number;
  best(which: Which): Tree | null;
  /** k = null: all trees within maxGap. */
  kbest(k: number | null, which: Which, howMany?: HowMany): Tree[] & { complete: boolean };
  /** Any two trees differ in the heads of at least `distance` words. The budget is for each tree. */
  diverse(k: number, distance: number, which: Which, options?: { ignoredLabels?: string[]; budget?: number }): Tree[] & { complete: boolean };
  stream(which: Which, howMany?: HowMany): Generator<Tree, void>;
  /** Rules do not count. */
  marginals(which: Which): Marginals;
  /** The score of the best tree with each arc [head][dependent], or with each edge. Rules do not count. */
  maxMarginals(which: Which): Float64Array;
  free(): void;
}

export interface Edges {
  sources: ArrayLike<number>;
  targets: ArrayLike<number>;
  weights: ArrayLike<number>;
  labels?: ArrayLike<number>;
}

export interface Coppice {
  matrix(scores: Float32Array | Float64Array | BigInt64Array, facts?: Facts): Graph;
  edges(nodes: number, edges: Edges, facts?: Facts): Graph;
  /** What the validator of Universal Dependencies says of a tree. heads[0] is -1, labels[0] is word 1's. */
  incidents(heads: ArrayLike<number>, labels: string[], words: Word[]): { id: string; node: number }[];
  /** Where the arcs of a diagram lie. */
  layout(arcs: [number, number][], room: number[], legGap: number): { level: number; leg: number }[];
}
