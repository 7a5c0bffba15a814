// The events of a step, a line each, for the text form.

import type { Args, RecordEvent } from "./record";
import { visible } from "./dom";
import { arrived } from "./scene";
import { aligned, savedName } from "./text_words";
import type { TextView } from "./textform";

export function eventLines(view: TextView): string[] {
  const events = view.state.events;
  if (events.length === 0) return [];
  const counts = new Map<string, number>();
  const rows = events.map((event) => eventRow(view, event, counts));
  return [
    view.say("text.events", { step: view.state.step }),
    ...aligned(rows.map(([first, ...rest]) => ["  " + first, ...rest])),
  ];
}

function eventRow(view: TextView, event: RecordEvent, counts: Map<string, number>): string[] {
  return eventParts(view, event, counts).map(([id, args]) => view.say(id, args));
}

/** An event as one or two messages with their arguments. `counts` remembers what has arrived where. */
export function eventParts(
  view: TextView,
  event: RecordEvent,
  counts: Map<string, number>,
): [string, Args][] {
  const { kind, node } = event;
  const name = view.who(node);
  if (kind === "send") return sendParts(view, event, name, counts);
  if (kind === "accumulate") {
    const now = { before: view.grad(node, view.before), now: view.grad(node, view.state) };
    return [["event.accumulate", { who: name, ...now }]];
  }
  if (kind === "unpack" || kind === "free") {
    const entry = view.scene.head.nodes.flatMap((each) => each.saved).find((each) => each.key === event.key);
    const saved = entry ? savedName(entry) : view.say("text.saved");
    const hook = event.args?.hook;
    if (hook !== undefined) return [["event.unpacked_by", { who: name, saved, hook: visible(String(hook)) }]];
    return [[`event.${kind}`, { who: name, saved }]];
  }
  if (kind === "line") {
    const { line, code, set } = event.args ?? {};
    const first: [string, Args] = [
      "event.line",
      { who: name, line: String(line), code: visible(String(code)) },
    ];
    return Array.isArray(set) && set.length ? [first, ["event.line.set", { set }]] : [first];
  }
  const shown: Args = {};
  for (const [key, value] of Object.entries(event.args ?? {}))
    shown[key] = value !== null && typeof value === "object" ? value : visible(pythonText(value));
  if (kind === "hook") return [[hookMessage(shown), { who: name, ...shown }]];
  if (kind === "error" && !("class" in shown) && view.state.error)
    shown.class = visible(view.state.error.class);
  return [[`event.${kind}`, { who: name, ...shown }]];
}

/** A hook ran; it changed something; it stopped. */
function hookMessage(args: Args): string {
  return "after" in args ? "event.hook_changed" : "failed" in args ? "event.hook_failed" : "event.hook";
}

/** As Python's `str` writes it. */
function pythonText(value: string | number | boolean | null): string {
  return value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value);
}

function sendParts(
  view: TextView,
  event: RecordEvent,
  name: string,
  counts: Map<string, number>,
): [string, Args][] {
  const edge = view.scene.edges.get(event.edge ?? "");
  if (!edge) return [["event.send", { who: name, value: "-", to: "-" }]];
  const got = (counts.get(edge.to) ?? arrived(view.before, edge.to)) + 1;
  counts.set(edge.to, got);
  const of = view.scene.expected(edge.to);
  const to = view.who(edge.to);
  return [
    ["event.send", { who: name, value: view.value(view.state.sent[edge.id]), to }],
    [`event.send.${got < of ? "left" : view.scene.isResult(edge.to) ? "result" : "ready"}`, { got, of, to }],
  ];
}
