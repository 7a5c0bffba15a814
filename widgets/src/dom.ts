// Making elements. Every string ends in a text node or an attribute: nothing is ever parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An HTML element: `h("span", {class: "quiet"}, "text")`. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

// Characters that draw nothing or turn the direction of the text around them: a learner must see that they are there.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

function spelled(character: string): string {
  const point = character.codePointAt(0)!;
  return point < 0x10000
    ? "\\u" + point.toString(16).padStart(4, "0")
    : "\\U" + point.toString(16).padStart(8, "0");
}

/** A learner's text on one line, characters that would not show spelled out (`\u202e`), as in `trace/plain.py`. */
export function visible(text: string): string {
  return text.replace(/\s+/g, " ").replace(UNSEEN, spelled);
}

/** At most `limit` characters; the middle gives way. */
export function shorten(text: string, limit: number): string {
  const letters = Array.from(
    text.length > 4 * limit ? text.slice(0, 2 * limit) + text.slice(-2 * limit) : text,
  );
  if (letters.length <= limit) return text;
  const tail = Math.floor((limit - 1) / 3);
  return letters.slice(0, limit - 1 - tail).join("") + "…" + letters.slice(letters.length - tail).join("");
}

/** A name or a piece of program, in the code face. Long ones are shortened; the whole (up to a page) is in the tooltip. */
export function code(text: string, limit = 60): HTMLElement {
  const shown = visible(text);
  const short = shorten(shown, limit);
  return h("b", { class: "code", title: short === shown ? null : shorten(shown, 600) }, short);
}

/** Program text that is not the point of its line: the code face, plain weight. */
export function quietCode(text: string, limit = 60): HTMLElement {
  const element = code(text, limit);
  element.classList.add("plain");
  return element;
}

/**
 * A box whose content is too wide scrolls: then it can be reached with the keyboard, and has a name.
 * Returns what is to be called, with that name, when the content has been drawn anew.
 */
export function reachableWhenWide(element: HTMLElement): (name: string) => void {
  let name = "";
  const look = () => {
    const wide = element.scrollWidth > element.clientWidth;
    for (const [key, value] of Object.entries({ role: "group", tabindex: "0", "aria-label": name })) {
      if (wide) element.setAttribute(key, value);
      else element.removeAttribute(key);
    }
  };
  new ResizeObserver(look).observe(element);
  return (named) => {
    name = named;
    requestAnimationFrame(look);
  };
}

/** Replaces what an element holds. */
export function set(element: Element, ...children: Child[]): void {
  element.replaceChildren(
    ...(children.filter((c) => c !== null && c !== undefined && c !== false) as (Node | string)[]).map((c) =>
      c instanceof Node ? c : String(c),
    ),
  );
}
