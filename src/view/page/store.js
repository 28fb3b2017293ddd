// The browser's own storage: an item for each sentence, so that two tabs do not write over each other.
import { isTouched } from "./work.js";
import { readWork } from "./session.js";

export class Store {
  // Throws nothing, ever: what could not be kept is in `unsaved`, what could not be read in `broken`.
  constructor(key, sentences) {
    Object.assign(this, { key, sentences, unsaved: new Map(), broken: new Set(), known: new Map() });
  }
  name(index) { return `coppice:${this.key}:${index}`; }
  get storage() {
    try {
      return window.localStorage;
    } catch {
      return null;  // blocked
    }
  }

  /** All that is kept: [[index, work], ...]. */
  read() {
    this.adopt();
    const found = [];
    for (let i = 0; i < this.sentences.length; ++i) {
      const work = this.one(i);
      if (work) found.push([i, work]);
    }
    return found;
  }
  one(index) {
    const text = this.storage?.getItem(this.name(index)) ?? null;
    this.known.set(index, text);
    this.broken.delete(index);
    try {
      return text === null ? null : readWork(JSON.parse(text), this.sentences[index]);
    } catch {
      this.broken.add(index);
      return null;
    }
  }
  // Up to version 0.9 all sentences were one item.
  adopt() {
    const name = `coppice:${this.key}`;
    try {
      const old = JSON.parse(this.storage.getItem(name));
      for (const { index, ...work } of old?.sentences ?? []) {
        if (this.storage.getItem(this.name(index)) === null) this.storage.setItem(this.name(index), JSON.stringify(work));
      }
      this.storage.removeItem(name);
    } catch {
      // It cannot be read, or there is no room: then it stays.
    }
  }

  write(index, work) {
    const text = isTouched(work) ? JSON.stringify(work) : null;
    try {
      if (text === null) this.storage.removeItem(this.name(index));
      else this.storage.setItem(this.name(index), text);
      this.known.set(index, text);
      this.unsaved.delete(index);
      this.broken.delete(index);
    } catch {
      this.unsaved.set(index, work);
    }
  }
  /** Room may have been made. Where another tab was there meanwhile, what is accepted wins, then what is newer: [[index, its work], ...]. */
  retry() {
    const taken = [];
    for (const [index, work] of [...this.unsaved]) {
      const other = this.changed(index) ? this.one(index) : null;
      if (other && (Boolean(other.done) !== Boolean(work.done) ? other.done : other.at > work.at)) {
        this.unsaved.delete(index);
        taken.push([index, other]);
      } else {
        this.write(index, work);
      }
    }
    return taken;
  }

  /** What another tab did to a sentence since we looked; undefined where it did nothing. Nothing decided is `untouched`. */
  seen(index, untouched) {
    return !this.unsaved.has(index) && this.changed(index) ? this.one(index) ?? untouched : undefined;
  }
  changed(index) {
    return (this.storage?.getItem(this.name(index)) ?? null) !== (this.known.get(index) ?? null);
  }
}
