"""The memory of a pass as text: the curve as a table with bars, then the storages."""

from autodidact.trace.messages import say
from autodidact.trace.plain import aligned, shape_text, shorten, visible, who, width

TITLE_COLUMN = 53
MOST_LINES = 40  # of a longer curve only the steps are told in which it changes
MOST_NAME = 24
BAR = 30


class MemoryText:
    """One state of a `Memory` as text."""

    def __init__(self, memory, step, language):
        self.memory, self.step, self.language = memory, step, language
        self.head = memory.record.head

    def say(self, message, /, **args):
        """A message in the language of this text."""
        return say(message, args, self.language)

    def render(self):
        """Title, curve, storages."""
        parts = [self.title(), self.curve(), self.storages()]
        return "\n\n".join("\n".join(part) for part in parts) + "\n"

    def title(self):
        """Whose memory, and how far the pass has gone."""
        left = self.say("memory.title", root=visible(self.head["root"] or self.say("title.output")))
        first = self.memory.record.state(0)["status"].values()
        total = sum(1 for status in first if status != "skipped")
        count = self.say("ui.count", done=self.step, total=total)
        return [left + " " * max(3, TITLE_COLUMN - width(left)) + count]

    def curve(self):
        """A line for each forward operation, then one for each backward step up to this one."""
        forward = self.say("text.forward")
        rows = [
            (f"{forward} {i}", who(node), *sizes)
            for i, (node, *sizes) in enumerate(self.memory.forward(), 1)
        ]
        nodes = {node["id"]: node for node in self.head["nodes"]}
        for k in range(1, self.step + 1):
            ran = nodes.get(self.memory.record.states[k]["ran"])
            rows.append((str(k), who(ran) if ran else "-", *self.memory.at(k)))
        if len(rows) > MOST_LINES:
            rows = [
                row
                for before, row in zip([None, *rows], rows, strict=False)
                if before is None or row[2:] != before[2:] or row is rows[-1]
            ]
        peak = max([size for *_, size, _ in rows], default=0) or 1
        lines = [
            [
                "  " + self.say("memory.step"),
                self.say("text.node"),
                self.say("memory.kept"),
                self.say("memory.parameters"),
            ]
        ]
        for step, name, size, parameters in rows:
            bar = "#" * round(BAR * size / peak)
            lines.append(
                [
                    ("> " if step == str(self.step) else "  ") + step,
                    shorten(name, MOST_NAME),
                    f"{size} B",
                    f"{parameters} B",
                    bar,
                ]
            )
        return aligned(lines)

    def storages(self):
        """Every storage: who keeps it, as what, and whether it is still there."""
        now = self.memory.kept(self.step)
        rows = [
            [
                "  " + self.say("memory.storage"),
                self.say("memory.kept_by"),
                self.say("memory.shape"),
                self.say("memory.bytes"),
                self.say("text.state"),
                self.say("memory.life"),
            ]
        ]
        for life in self.memory.lives():
            kept = life["storage"] in now
            again = life["entries"][0]["again"]
            absent = again is not None and self.step < again
            word = self.say("saved.kept" if kept else "saved.absent" if absent else "saved.freed")
            if life["parameter"]:
                word = self.say("memory.parameter", state=word)
            entry = life["entries"][0]["entry"]
            rows.append(
                [
                    "  " + self.name(life),
                    self.users(life),
                    f"{shape_text(entry['shape'])} {visible(entry['dtype'])}",
                    str(life["bytes"]),
                    word,
                    self.life(life),
                ]
            )
        size, parameters = self.memory.at(self.step)
        total = self.say("memory.sum", n=len(now), bytes=size, parameters=parameters)
        return [*aligned(rows), "  " + total]

    def name(self, life):
        """What a storage is called: the learner's name for one of its tensors."""
        return storage_name(life)

    def users(self, life):
        """Which operations keep a storage, and as what: "relu output, linear 2 input"."""
        words = [
            f"{shorten(who(use['node']), MOST_NAME)} {self.say('role.' + use['entry']['role'])}"
            for use in life["entries"]
        ]
        return ", ".join(dict.fromkeys(words))

    def life(self, life):
        """From which forward operation to which step of the pass, as far as this state knows."""
        start, again = min(use["from"] for use in life["entries"]), life["entries"][0]["again"]
        if again is not None:
            return self.say("memory.again", step=again)
        ends = [use["until"] for use in life["entries"]]
        if any(end is None or end > self.step for end in ends):
            return self.say("memory.since", start=start)
        return self.say("memory.from_to", start=start, end=max(ends))


def storage_name(life):
    """The learner's name for a storage, else the operation and the formula's name."""
    for use in life["entries"]:
        if use["entry"]["var"]:
            return shorten(visible(use["entry"]["var"]), MOST_NAME)
    use = life["entries"][0]
    return shorten(f"{who(use['node'])}: {visible(use['entry']['name'])}", MOST_NAME)
