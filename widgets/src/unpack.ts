// A packed record put back together: the same as `unpacked` in `autodidact/trace/packing.py`.

interface Packed {
  pool?: unknown[];
  names?: string[][];
  [key: string]: unknown;
}

export function unpack(data: Packed): Record<string, unknown> {
  if (!data.pool) return data;
  const names = data.names ?? [];
  const pool: unknown[] = [];
  const full = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(full);
    if (value === null || typeof value !== "object") return value;
    const members = Object.entries(value);
    if (members.length !== 1 || members[0]![0] !== "$")
      return Object.fromEntries(members.map(([k, v]) => [k, full(v)]));
    const place = members[0]![1] as number | unknown[];
    if (!Array.isArray(place)) return pool[place];
    const [kind, ...parts] = place;
    return Object.fromEntries(names[kind as number]!.map((name, k) => [name, full(parts[k])]));
  };
  for (const entry of data.pool) pool.push(full(entry));
  const kept = Object.entries(data).filter(([key]) => key !== "pool" && key !== "names");
  return Object.fromEntries(kept.map(([key, value]) => [key, full(value)]));
}
