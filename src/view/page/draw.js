// Drawings: arcs over words (in a row or in a column), and trees of graphs that are no sentences.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}
export function drawn(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}
function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== "" && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

let canvas = null, family = "";
const widths = new Map();
export function widthOf(text, size) {
  canvas ??= document.createElement("canvas").getContext("2d");
  family ||= getComputedStyle(document.body).fontFamily;
  const key = `${size} ${text}`;
  if (!widths.has(key)) {
    if (widths.size > 20000) widths.clear();
    canvas.font = `${size}px ${family}`;
    widths.set(key, canvas.measureText(text).width);
  }
  return widths.get(key);
}

// Control characters have no picture of their own.
export const visible = (text) => text.replace(/[\u0000-\u001F\u007F]/g, (c) => (c === "\u007F" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0))));

/**
 * picture: {
 *   size, word(v), tag(v), rtl;  heads, label(v);
 *   arcs: [[head, dependent, label], ...] of all trees that are to share their places;
 *   kind(v): classes of the arc into v;  about(v): what hovering says;
 *   overlay: [[head, dependent, label, classes], ...] arcs of other trees;
 *   token(v): classes of a word;  note(v): a short text beside it;
 * }
 * The diagram is computed with the words along one axis; `point` puts it across or down.
 */
export function diagram(coppice, picture, across) {
  const { size, heads } = picture, rise = across ? (picture.arcs.some(([, , l]) => l) ? 25 : 19) : 13, legGap = across ? 6 : 4;
  const { centre, room, length } = placeWords(picture, across);
  const there = new Set(picture.arcs.map(([h, v]) => `${h} ${v}`)), all = [...picture.arcs, ...(picture.overlay ?? []).filter(([h, v]) => !there.has(`${h} ${v}`))], places = coppice.layout(all.map(([h, v]) => [h, v]), room, legGap);
  const place = new Map(all.map(([h, v], i) => [`${h} ${v}`, places[i]]));
  const levels = Math.max(0, ...places.map((p) => p.level)), depth = 34 + rise * levels + 10;
  const mirror = across && picture.rtl;
  const along = (a) => (mirror ? length - a : a);
  const point = (a, d) => (across ? `${along(a).toFixed(1)} ${d.toFixed(1)}` : `${d.toFixed(1)} ${a.toFixed(1)}`);
  const svg = drawn("svg", { class: across ? "across" : "down", role: "group", "aria-label": describe(picture) });
  const arc = (head, v, kind, label, title) => {
    const x = centre[v], { level, leg } = place.get(`${head} ${v}`);
    const group = drawn("g", { class: `arc ${kind}`, "data-head": head, "data-dependent": v, "data-label": label });
    let labelAlong = x, labelDepth = 12;
    const shapes = [];
    if (head === 0) {
      shapes.push(`M${point(x, 17)}L${point(x, depth - 6)}`);
    } else {
      const from = centre[head] + leg, top = depth - rise * level - 4;
      const bend = Math.min(8, Math.abs(x - from) / 2) * Math.sign(x - from), flat = top + Math.abs(bend);
      shapes.push(`M${point(from, depth - 1)}L${point(from, flat)}Q${point(from, top)} ${point(from + bend, top)}` +
        `L${point(x - bend, top)}Q${point(x, top)} ${point(x, flat)}L${point(x, depth - 6)}`);
      labelAlong = (x + from) / 2;
      labelDepth = top - 5;
    }
    group.append(drawn("path", { class: "reach", d: shapes[0] }), drawn("path", { class: "line", d: shapes[0] }),
      drawn("path", { class: "tip", d: `M${point(x, depth)}L${point(x - 4, depth - 8)}L${point(x + 4, depth - 8)}z` }));
    if (across && label) group.append(drawn("text", { x: along(labelAlong), y: labelDepth }, visible(label)));
    if (title) group.append(drawn("title", {}, title));
    return group;
  };
  const order = Array.from({ length: size }, (_, i) => i + 1).sort((a, b) => place.get(`${heads[b]} ${b}`).level - place.get(`${heads[a]} ${a}`).level);
  for (const [h, v, label, kind] of picture.overlay ?? []) svg.append(arc(h, v, `overlay ${kind}`.trim(), label, ""));
  for (const v of order) svg.append(arc(heads[v], v, picture.kind(v), picture.label(v), picture.about(v)));
  let widest = 0;
  for (let v = 1; v <= size; ++v) {
    const name = visible(picture.word(v)), tag = visible(picture.tag(v)), note = picture.note(v);
    const token = drawn("g", { class: `token ${picture.token(v)}`, "data-word": v });
    if (across) {
      const x = along(centre[v]), half = room[v];
      token.append(drawn("rect", { class: "hit", x: x - half, y: depth, width: 2 * half, height: 44, rx: 7 }),
        drawn("text", { class: "word", x, y: depth + 19 }, name), drawn("text", { class: "tag", x, y: depth + 34 }, tag),
        drawn("text", { class: "number", x, y: depth + 55 }, String(v)));
      if (note) token.append(drawn("title", {}, note));
    } else {
      const label = visible(picture.label(v)), y = centre[v] + 5;
      token.append(drawn("rect", { class: "hit", x: depth + 1, y: centre[v] - (picture.roomy ? 22 : 13), width: 1, height: picture.roomy ? 44 : 26, rx: 6 }),
        drawn("text", { class: "number", x: depth + 24, y }, String(v)), drawn("text", { class: "word", x: depth + 32, y }, name));
      let at = depth + 42 + widthOf(name, 15);
      for (const [kind, shown] of [["tag", tag], ["label", label]]) {
        if (!shown) continue;
        token.append(drawn("text", { class: kind, x: at, y }, shown));
        at += widthOf(shown, 12) + 9;
      }
      if (note) token.append(drawn("title", {}, note));
      widest = Math.max(widest, at - depth);
    }
    svg.append(token);
  }
  if (!across) for (const hit of svg.querySelectorAll(".hit")) hit.setAttribute("width", widest);
  sized(svg, ...(across ? [length, depth + 60] : [depth + widest + 8, length]));
  return svg;
}

// Every word has room for itself and its tag, and two neighbours for the label between them.
function placeWords({ size, word, tag, arcs, roomy }, across) {
  const centre = [0], room = [0];
  const between = new Map();
  for (const [head, v, label] of arcs) {
    if (Math.abs(head - v) !== 1 || head === 0 || !label) continue;
    const key = Math.min(head, v);
    between.set(key, Math.max(between.get(key) ?? 0, widthOf(label, 11) + 18));
  }
  let along = across ? 14 : 10;
  for (let v = 1; v <= size; ++v) {
    const wide = across ? Math.max(widthOf(visible(word(v)), 15), widthOf(visible(tag(v)), 10.5), roomy ? 28 : 18) : roomy ? 31 : 13;
    room[v] = wide / 2 + (across ? 8 : 5);
    centre[v] = along + wide / 2;
    if (across && v > 1) centre[v] = Math.max(centre[v], centre[v - 1] + (between.get(v - 1) ?? 0));
    along = centre[v] + wide / 2 + (across ? 20 : 14);
  }
  return { centre, room, length: along - (across ? 6 : 4) };
}

function sized(svg, width, height) {
  for (const [key, value] of [["width", width], ["height", height], ["viewBox", `0 0 ${width} ${height}`]]) svg.setAttribute(key, value);
}

export const describe = ({ size, heads, word }) => Array.from({ length: size }, (_, i) => visible(`${word(heads[i + 1])} → ${word(i + 1)}`)).join(", ");

/** A tree of a graph that is no sentence: the root above, children below. The same picture as diagram() takes. */
export function nodeLink(picture) {
  const { size, heads, word } = picture, children = Array.from({ length: size + 1 }, () => []);
  for (let v = 1; v <= size; ++v) children[heads[v]].push(v);
  const x = new Array(size + 1).fill(0), y = new Array(size + 1).fill(0), order = [0];
  for (let i = 0; i < order.length; ++i) {
    for (const v of children[order[i]]) {
      y[v] = y[order[i]] + 1;
      order.push(v);
    }
  }
  let next = 0;
  const widths = Array.from({ length: size + 1 }, (_, v) => Math.max(30, widthOf(visible(word(v)), 13) + 18));
  // Leaves from left to right, parents above the middle of their children; without recursion.
  const stack = [[0, 0]];
  while (stack.length) {
    const top = stack.at(-1), [v, done] = top;
    if (done < children[v].length) {
      top[1] += 1;
      stack.push([children[v][done], 0]);
      continue;
    }
    stack.pop();
    if (children[v].length) {
      x[v] = (x[children[v][0]] + x[children[v].at(-1)]) / 2;
    } else {
      x[v] = next + widths[v] / 2;
      next += widths[v] + 14;
    }
  }
  const svg = drawn("svg", { class: "links", role: "group", "aria-label": describe(picture) }), row = 74, deep = Math.max(...y);
  const left = 20, at = (v) => [left + x[v], 24 + row * y[v]];
  for (let v = 1; v <= size; ++v) {
    const [hx, hy] = at(heads[v]), [vx, vy] = at(v), label = picture.label(v) === "root" ? "" : picture.label(v);
    const group = drawn("g", { class: `arc ${picture.kind(v)}`, "data-head": heads[v], "data-dependent": v, "data-label": picture.label(v) });
    const d = `M${hx} ${hy + 13}C${hx} ${hy + 40} ${vx} ${vy - 44} ${vx} ${vy - 20}`;
    group.append(drawn("path", { class: "reach", d }), drawn("path", { class: "line", d }), drawn("path", { class: "tip", d: `M${vx} ${vy - 13}l-4 -8h8z` }));
    if (label) group.append(drawn("text", { x: (hx + vx) / 2, y: (hy + vy) / 2 }, visible(label)));
    if (picture.about(v)) group.append(drawn("title", {}, picture.about(v)));
    svg.append(group);
  }
  for (let v = 0; v <= size; ++v) {
    const [vx, vy] = at(v), token = drawn("g", { class: `token ${v ? picture.token(v) : "top"}`, "data-word": v });
    token.append(drawn("rect", { class: "hit node", x: vx - widths[v] / 2 + 3, y: vy - 13, width: widths[v] - 6, height: 26, rx: 13 }),
      drawn("text", { class: "word", x: vx, y: vy + 5 }, visible(word(v))));
    svg.append(token);
  }
  sized(svg, Math.max(next, x[0] * 2, widths[0]) + 2 * left - 14, 24 + row * deep + 30);
  return svg;
}

/** A drawing as a document of its own, with the colours it has on paper. */
export function standalone(svg, style) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  copy.prepend(drawn("style", {}, style));
  for (const gone of copy.querySelectorAll(".reach, .token title")) gone.remove();
  for (const one of copy.querySelectorAll("[data-label], [role]")) for (const name of ["data-label", "role", "tabindex", "aria-label", "aria-pressed"]) one.removeAttribute(name);
  // What XML has no place for.
  return new XMLSerializer().serializeToString(copy).replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu, "\uFFFD");
}
