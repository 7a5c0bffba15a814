// Formulas. The record carries MathML as text; it is parsed as XML and rebuilt from a list of allowed elements,
// so nothing else gets in.

import { visible } from "./dom";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = words(
  "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover",
  "mtable mtr mtd mstyle mpadded mphantom mmultiscripts none",
);
const ATTRIBUTES = words(
  "display displaystyle scriptlevel mathvariant stretchy fence separator form lspace rspace width height depth",
  "linethickness accent accentunder columnalign rowspacing columnspacing minsize maxsize",
);
// turn the direction of what follows; invisible operators (U+2061 to U+2064) are MathML's own and stay
const DIRECTIONS = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g;
const VALUE = /^[\w .%#+-]*$/;

function words(...lines: string[]): Set<string> {
  return new Set(lines.join(" ").split(" "));
}

function copy(source: Element): Element | null {
  if (!ELEMENTS.has(source.localName)) return null;
  const target = document.createElementNS(MATHML, source.localName);
  for (const attribute of source.attributes) {
    if (ATTRIBUTES.has(attribute.name) && VALUE.test(attribute.value))
      target.setAttribute(attribute.name, attribute.value);
  }
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE)
      target.append(document.createTextNode((child.textContent ?? "").replace(DIRECTIONS, "")));
    else if (child instanceof Element) {
      const inner = copy(child);
      if (inner) target.append(inner);
    }
  }
  return target;
}

/** The formula as an element, or null when the text is not well-formed MathML. */
export function formula(source: string | null): Element | null {
  if (!source || source.length > 20_000) return null;
  const parsed = new DOMParser().parseFromString(source, "application/xml").documentElement;
  // what is not well-formed comes back with a report of the error inside
  if (!parsed || parsed.localName !== "math" || parsed.querySelector("parsererror")) return null;
  return copy(parsed);
}

function element(tag: string, ...children: (Element | string)[]): Element {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}

/** The gradient's own sign: the partial derivative of the root with respect to a variable. */
export function partial(root: string, of: string): Element {
  const part = (name: string) => element("mrow", element("mo", "∂"), element("mi", visible(name)));
  return element("math", element("mrow", element("mfrac", part(root), part(of))));
}
