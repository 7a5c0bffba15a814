// Sentences by message id: the same rules as `autodidact/trace/messages.py`, but names of the learner's program
// come out in the code face.

import type { Arg, Args, Sentence } from "./record";
import { code, type Child, visible } from "./dom";

type Entry = string | { count: string; one?: string; few?: string; other: string };
/** A run of text; `name`: it is a name or a piece of the learner's program. */
interface Token {
  text: string;
  name?: boolean;
}
type Words = Record<string, Token[]>;

/** Which wording a number asks for (Russian has three). */
function form(count: Arg | undefined, entry: Exclude<Entry, string>, language: string): string {
  const n = Math.abs(Math.trunc(Number(Array.isArray(count) ? count.length : (count ?? NaN))));
  const pick = (name: "one" | "few" | "other") => entry[name] ?? entry.other;
  if (Number.isNaN(n)) return entry.other;
  if (language !== "ru" || !entry.few) return pick(n === 1 ? "one" : "other");
  if (n % 10 === 1 && n % 100 !== 11) return pick("one");
  return pick(n % 10 >= 2 && n % 10 <= 4 && !(n % 100 >= 12 && n % 100 <= 14) ? "few" : "other");
}

export class Catalogue {
  /** @param names names and pieces of source of this record: an argument that equals one is shown as code */
  constructor(
    private readonly entries: Record<string, Entry>,
    private readonly language: string,
    private readonly names: ReadonlySet<string>,
  ) {}

  has(id: string): boolean {
    return Object.prototype.hasOwnProperty.call(this.entries, id);
  }

  /** The sentence as plain text, for labels and the text form. */
  text(id: string, args: Args = {}): string {
    return this.tokens(id, args)
      .map((token) => token.text)
      .join("");
  }

  /** The sentence as text and code elements. An unknown id comes back in brackets, a missing argument as "-". */
  pieces(id: string, args: Args = {}): Child[] {
    return this.tokens(id, args).map((token) => (token.name ? code(token.text) : token.text));
  }

  sentences(list: Sentence[]): Child[] {
    return list.flatMap((each, k) => [k > 0 && " ", ...this.pieces(each.id, each.args ?? {})]);
  }

  private tokens(id: string, args: Args): Token[] {
    const words: Words = {};
    for (const [name, value] of Object.entries(args)) words[name] = this.word(id, value);
    return this.fill(id, words, args);
  }

  private fill(id: string, words: Words, args: Args = {}): Token[] {
    let entry = this.has(id) ? this.entries[id] : undefined;
    if (entry === undefined) return [{ text: `[${id}]` }];
    if (typeof entry !== "string") entry = form(args[entry.count], entry, this.language);
    return entry.split(/(\{\w+\}(?:\.grad)?)/).flatMap((part): Token[] => {
      const field = /^\{(\w+)\}(\.grad)?$/.exec(part);
      if (!field) return part === "" ? [] : [{ text: part }];
      const found = Object.prototype.hasOwnProperty.call(words, field[1]!)
        ? words[field[1]!]!
        : [{ text: "-" }];
      if (!field[2]) return found;
      // `a.grad` is one piece of code
      return found.length === 1 && found[0]!.name
        ? [{ text: found[0]!.text + field[2], name: true }]
        : [...found, { text: field[2] }];
    });
  }

  private word(id: string, value: Arg): Token[] {
    if (Array.isArray(value)) return this.joined(value.map((each) => this.item(id, each)));
    if (value === null) return this.fill("value.none", {});
    if (typeof value === "object") return this.tokens(value.id, value.args ?? {});
    const text = String(value);
    return [{ text: visible(text), name: this.names.has(text) }];
  }

  private item(id: string, value: Arg): Token[] {
    if (!Array.isArray(value)) return this.word(id, value);
    return this.tokens(`${id}.item`, Object.fromEntries(value.map((each, k) => [String(k), each])));
  }

  /** "a", "a and b", "a, b and c". */
  private joined(words: Token[][]): Token[] {
    const first = words[0] ?? [];
    if (words.length < 2) return first;
    if (words.length === 2) return this.fill("list.two", { 0: first, 1: words[1]! });
    const front = words
      .slice(1, -1)
      .reduce((before, each) => this.fill("list.comma", { 0: before, 1: each }), first);
    return this.fill("list.last", { 0: front, 1: words[words.length - 1]! });
  }
}
