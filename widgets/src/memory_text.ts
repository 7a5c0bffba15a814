// The memory of a pass as text: line for line what `Memory.text()` prints in Python (`autodidact/trace/memory_text.py`).

import { visible } from "./dom";
import type { Frame } from "./frame";
import { type Life, MemoryModel, storageName } from "./memory_model";
import { shapeText, who } from "./scene";
import type { Session } from "./session";
import { aligned, columns, cutTo } from "./text_words";

const TITLE_COLUMN = 53;
const MOST_LINES = 40;
const MOST_NAME = 24;
const BAR = 30;

type Line = [string, string, number, number];

export function memoryText(frame: Frame, session: Session): string {
  const model = new MemoryModel(frame.scene, session);
  const { catalogue } = frame;
  const root = visible(frame.scene.head.root || catalogue.text("title.output"));
  const left = catalogue.text("memory.title", { root });
  const total = Object.values(frame.first.status).filter((status) => status !== "skipped").length;
  const count = catalogue.text("ui.count", { done: frame.position, total });
  const title = left + " ".repeat(Math.max(3, TITLE_COLUMN - columns(left))) + count;
  return (
    [[title], curve(frame, model), storages(frame, model)].map((part) => part.join("\n")).join("\n\n") + "\n"
  );
}

function curve(frame: Frame, model: MemoryModel): string[] {
  const { catalogue, position, ran } = frame;
  const up = model.forward().map(({ bytes, parameters }, k): Line => {
    return [`${catalogue.text("text.forward")} ${k + 1}`, who(model.forwardOrder[k]!), bytes, parameters];
  });
  const down = Array.from({ length: position }, (_, k): Line => {
    const { bytes, parameters } = model.at(k + 1);
    return [String(k + 1), frame.scene.name(ran[k] ?? null), bytes, parameters];
  });
  let lines = [...up, ...down];
  if (lines.length > MOST_LINES)
    lines = lines.filter((line, k, all) => {
      const before = all[k - 1];
      return !before || line[2] !== before[2] || line[3] !== before[3] || k === all.length - 1;
    });
  const peak = Math.max(0, ...lines.map((line) => line[2])) || 1;
  const titles = ["memory.step", "text.node", "memory.kept", "memory.parameters"].map((id) =>
    catalogue.text(id),
  );
  const rows = lines.map(([step, name, bytes, parameters]) => [
    (step === String(position) ? "> " : "  ") + step,
    cutTo(name, MOST_NAME),
    `${bytes} B`,
    `${parameters} B`,
    "#".repeat(round((BAR * bytes) / peak)),
  ]);
  return aligned([["  " + titles[0]!, ...titles.slice(1)], ...rows]);
}

/** As Python rounds: a half goes to the even neighbour. */
function round(value: number): number {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.round(value);
  return whole % 2 === 0 ? whole : whole + 1;
}

function storages(frame: Frame, model: MemoryModel): string[] {
  const { catalogue, position } = frame;
  const ids = [
    "memory.storage",
    "memory.kept_by",
    "memory.shape",
    "memory.bytes",
    "text.state",
    "memory.life",
  ];
  const titles = ids.map((id) => catalogue.text(id));
  const rows = model.lives.map((life) => {
    const absent = (life.uses[0]!.again ?? 0) > position;
    const kept = model.isAlive(life, position);
    const word = catalogue.text(kept ? "saved.kept" : absent ? "saved.absent" : "saved.freed");
    const { entry } = life.uses[0]!;
    return [
      "  " + cutTo(storageName(life), MOST_NAME),
      users(life, frame),
      `${shapeText(entry.shape)} ${visible(entry.dtype ?? "None")}`,
      String(life.bytes),
      life.parameter ? catalogue.text("memory.parameter", { state: word }) : word,
      lifetime(life, frame),
    ];
  });
  const n = model.lives.filter((life) => model.isAlive(life, position)).length;
  const sum = catalogue.text("memory.sum", { n, ...model.at(position) });
  return [...aligned([["  " + titles[0]!, ...titles.slice(1)], ...rows]), "  " + sum];
}

function users(life: Life, frame: Frame): string {
  const words = life.uses.map(
    (use) => `${cutTo(who(use.node), MOST_NAME)} ${frame.catalogue.text(`role.${use.entry.role}`)}`,
  );
  return [...new Set(words)].join(", ");
}

/** From which forward operation to which step of the pass, as far as this state knows. */
function lifetime(life: Life, { catalogue, position }: Frame): string {
  const { again } = life.uses[0]!;
  if (again !== null) return catalogue.text("memory.again", { step: again });
  const start = Math.min(...life.uses.map((use) => use.from));
  const ends = life.uses.map((use) => use.until);
  if (ends.some((end) => end === null || end > position)) return catalogue.text("memory.since", { start });
  return catalogue.text("memory.from_to", { start, end: Math.max(...ends.map(Number)) });
}
