// The other side of workshop.js: runs in a worker, and answers one job after the other.
import { load } from "../../../wasm/coppice.js";
import { Sentence } from "./work.js";

/** A function that does jobs: { id, subject, method, args } gives { id, result } or { id, error }. */
export async function worker() {
  const coppice = await load();
  let sentence = null;
  return ({ id, subject, method, args }) => {
    try {
      if (subject) {
        sentence?.free();
        sentence = new Sentence(coppice, null, subject.data, { ...subject.own, load: () => subject.arrays }, subject.labelNames);
      }
      return { id, result: sentence[method](...args) };
    } catch (error) {
      return { id, error: error.message };
    }
  };
}

export function serve(port) {
  const ready = worker();
  port.onmessage = async ({ data }) => port.postMessage((await ready)(data));
}
