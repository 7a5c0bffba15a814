"""A state as text: the same facts as the picture, in straight columns, the same on every run.

It is what a terminal, a screen reader and nbval read, so it holds no address, no time and nothing
that depends on the width of a window.
"""

from autodidact.trace.messages import paragraph
from autodidact.trace.plain import (
    aligned,
    expected_count,
    headline,
    is_result,
    place,
    plain_values,
    received_count,
    saved_name,
    shape_text,
    shorten,
    visible,
    who,
    width,
)
from autodidact.trace.text_case import case_lines
from autodidact.trace.text_cells import MOST_SOURCE, Cells
from autodidact.trace.text_scenes import engine_lines, scenes

TITLE_COLUMN = 53


def render(head, state, before, first, language=None):
    """The text form of one state.

    Args:
        head: the record without its states.
        state: the folded state to show.
        before: the folded state one step earlier, or None for the first.
        first: the folded state 0, for `.grad` as it was before the pass.
        language: "en" or "ru"; None takes the current one.

    Returns:
        Lines joined by newlines, with one newline at the end. Example: `Record.text()` calls this.
    """
    view = _View(head, state, before, first, language)
    parts = [
        view.title(),
        view.table(),
        view.current(),
        view.leaves(),
        *scenes(view),
        view.events(),
        view.error(),
        view.case(),
        view.notes(),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


class _View(Cells):
    """One state being written; each method returns the lines of one part."""

    # ---- the parts

    def title(self):
        options = self.head["options"]
        what = [f"{name}=True" for name in ("retain_graph", "create_graph") if options[name]]
        if "directions" in options:
            what.append(self.say("text.directions", n=options["directions"]))
        if options["inputs"] is not None:
            asked = "text.returned" if options.get("returns") else "text.asked"
            what.append(self.say(asked, what=[visible(name) for name in options["inputs"]]))
        root = visible(self.head["root"] or self.say("title.output"))
        left = (
            self.say("title.options", root=root, what=what)
            if what
            else self.say("title.pass", root=root)
        )
        return [left + " " * max(3, TITLE_COLUMN - width(left)) + self._progress()]

    def _progress(self):
        total = sum(1 for status in self.state["status"].values() if status != "skipped")
        end, done = self.state["end"], self.state["step"]
        part = self.state.get("part")
        if part:
            return self.say("title.event", step=done, total=total, **part)
        message = {
            None: "title.paused",
            "ok": "title.ended",
            "error": "title.error",
            "stopped": "title.stopped",
        }[end]
        return self.say(message, done=done, total=done if end == "ok" else total)

    def table(self):
        titles = ("order", "node", None, "receives", "state", *(["saved"] if self.saves else []))
        rows = [
            [
                "  " + self.say("text.order"),
                *(self.say(f"text.{t}") if t else "" for t in titles[1:]),
            ]
        ]
        for order, node in enumerate(self.head["nodes"], 1):
            status = self.state["status"].get(node["id"], "waiting")
            mark = {"next": "> ", "failed": "! "}.get(status, "  ")
            rows.append(
                [
                    mark + ("-" if status == "skipped" else str(order)),
                    shorten(headline(node), MOST_SOURCE),
                    self.named(node),
                    self.receives(node, status),
                    self.status(node, status),
                    *self.saved(node),
                ]
            )
        return aligned(rows)

    def named(self, node):
        """The node's name, and its device where not all is in the CPU's memory."""
        name, where = visible(node["name"]), node.get("device")
        return self.say("text.on", who=name, device=visible(where)) if where else name

    def current(self):
        """The node that runs next, or the one that failed: what it saved, what it will send."""
        failed = self.state["error"]["node"] if self.state["error"] else None
        node = self.nodes.get(self.state["next"] or failed or "")
        if node is None:
            return []
        inside = "part" in self.state
        now = "text.failed" if failed else "text.running" if inside else "text.next"
        title = self.say(now, who=headline(node))
        about = visible(node["name"]) + ("" if node["number"] is None else f" #{node['number']}")
        about = ", ".join(
            part
            for part in (about, place(node, self.language), visible(node["module"] or ""),
                         self.calls(node))
            if part
        )
        rows = [
            *self._labelled("receives", self._contributions(node)),
            *self._labelled("saved", self._entries(node)),
            *self._labelled("context", [[self.say("text.pairs", what=node["context"])]]
                            if node.get("context") else []),
            *self._labelled("would_send" if failed else "sends", self._sends(node)),
        ]
        added = any(event["kind"] == "accumulate" for event in self.state["events"]) and inside
        if node["kind"] == "leaf" and not failed and not added:
            rows += self._labelled("adds", [self._adds(node)])
        return [f"{title}   {about}", *aligned(rows, gap=4)]

    def leaves(self):
        ids = [node["id"] for node in self.head["nodes"] if node["kind"] == "leaf"]
        ids += [i for i in self.state["grads"] if i in self.nodes and i not in ids]
        if not ids:
            return []
        titles = ("leaf", "value", "received", "grad_before", "grad_now")
        rows = [[self.say(f"text.{title}") for title in titles]]
        for i in ids:
            node = self.nodes[i]
            value = self.value(node["value"]) if node["value"] else "-"
            rows.append(
                [
                    self.who(i),
                    value,
                    self.received(node),
                    self.grad(i, self.first),
                    self.grad_now(i),
                ]
            )
        return aligned(rows)

    def events(self):
        if not self.state["events"]:
            return []
        counts = {i: received_count(i, self.before) for i in self.nodes}
        rows = [self._event(event, counts) for event in self.state["events"]]
        lines = aligned([["  " + row[0], *row[1:]] for row in rows])
        return [self.say("text.events", step=self.state["step"]), *lines]

    def error(self):
        error = self.state["error"]
        if not error:
            return []
        return [
            line
            for line in (
                paragraph(error["say"], self.language),
                f"{visible(error['class'])}: {visible(error['message'])}",
                *self._repairs(error.get("repairs", ())),
            )
            if line
        ]

    def case(self):
        found = self.state.get("clinic")
        return case_lines(found, self.language) if found else self.silent()

    def silent(self):
        """What has gone wrong in earlier steps without an exception."""
        return [f"{self.say('text.silent', who=self.who(key))} {paragraph([told], self.language)}"
                for key, told in self.state.get("silent", {}).items()]

    def _repairs(self, found):
        """How the program could be mended, a line each."""
        lines = [f"  {paragraph([each], self.language)}" for each in found]
        return [self.say("repair.title"), *lines] if lines else []

    def notes(self):
        lines = [
            self.say("text.wrong", who=self.who(key), value=self.instead(mark))
            for key, mark in self.state.get("wrong", {}).items()
        ]
        if any(node["saved"] for node in self.head["nodes"]):
            lines.append(self.say("text.bytes", bytes=f"{self.state['bytes']} B"))
        lines += [
            self.say("text.hooks", who=self.who(key), what=hooks)
            for key, hooks in self.state.get("hooks", {}).items()
            if hooks
        ]
        if self.state["outside"]:
            lines.append(
                self.say("text.outside", what=[visible(name) for name in self.state["outside"]])
            )
        lines += [self._edit(edit) for edit in self.head.get("edits", ())
                  if edit["step"] <= self.state["step"]]
        if "directions" in self.head["options"]:
            lines.append(self.say("text.directions.rows", n=self.head["options"]["directions"]))
        if self.head.get("simulated"):
            what = [visible(name) for name in self.head["simulated"]]
            lines.append(self.say("text.simulated", what=what))
        if self.head["engine"] in ("torch", "torch_by_hand"):
            lines += engine_lines(self)
        elif not self.head["recorded"]:
            lines.append(self.say("text.unrecorded"))
        return list(dict.fromkeys(lines))

    def _edit(self, edit):
        message = "text.edited" if edit["key"] is None else "text.edited_saved"
        message = "text.repaired" if edit.get("repair") else message
        before, after = (self.value(edit[name]) for name in ("before", "after"))
        return self.say(message, step=edit["step"], who=self.who(edit["node"]), before=before,
                        after=after)

    # ---- the current node

    def _labelled(self, title, rows):
        return [
            ["  " + (self.say(f"text.{title}") if i == 0 else ""), *row]
            for i, row in enumerate(rows)
        ]

    def _contributions(self, node):
        received = self.state["received"].get(node["id"], [])
        several = len(node["outputs"]) > 1
        return [
            [
                (f"[{slot}] " if several else "")
                + self.say(
                    "text.receives_from",
                    value=self.value(part["value"], 60),
                    who=self._sender(part),
                )
            ]
            for slot, parts in enumerate(received)
            for part in parts
        ]

    def _sender(self, part):
        edge = self.edges.get(part["edge"] or "")
        return self.who(edge["from"]) if edge else self.say("text.start")

    def _entries(self, node):
        tensors, values = plain_values(node, self.state)
        rows = []
        for entry in tensors:
            status = self.state["saved"].get(entry["key"], {"expected": None, "actual": None})
            version = (
                "" if status["expected"] is None else self.say("text.version", **_versions(status))
            )
            about = [
                shape_text(entry["shape"]),
                visible(entry["dtype"]),
                f"{entry['bytes']} B",
                version,
            ]
            if "packed" in status and "place" not in status["packed"]:
                about = ["", "", "", self.say("text.version_off")]
                packed = status["packed"]
                what = self.say("text.packed", what=visible(packed["what"]),
                                hook=visible(packed["hook"]))
                rows.append([self._name(node, entry), what, *about, self.entry_state(entry)])
                continue
            value = self.value(entry["value"], 40) if entry["value"] else "-"
            value = f"{visible(entry['var'])} = {value}" if entry["var"] else value
            rows.append([self._name(node, entry), value, *about, self.entry_state(entry)])
        for entry in values:
            value = self.value(entry["value"], 40) if entry["value"] else "-"
            rows.append([visible(entry["name"]), value, *[""] * 4, self.say("saved.none")])
        return [[line] for line in aligned(rows, gap=2)]

    def _name(self, node, entry):
        """What a formula calls an entry; what part it plays for a custom Function: "0 input"."""
        name = visible(entry["name"])
        role = self.say(f"role.{entry['role']}")
        return f"{name} {role}" if node["kind"] == "function" else name

    def _sends(self, node):
        rules = {rule["edge"]: rule["text"] for rule in node["rules"]}
        held, rows = {}, []
        for edge in (e for e in self.head["edges"] if e["from"] == node["id"]):
            predicted = self.state["predicted"].get(edge["id"])
            steps = [visible(rules[edge["id"]])] if rules.get(edge["id"]) else []
            if predicted and predicted["numbers"]:
                steps.append(visible(predicted["numbers"]))
            steps.append(self._sent_or_will(edge, predicted))
            to = self.say("text.to", who=self.who(edge["to"]))
            rows.append([to, " = ".join(steps), "  " + self._then(edge, predicted, held)])
        return [[line] for line in aligned(rows, gap=2)]

    def _sent_or_will(self, edge, predicted):
        """The value that goes along an edge: sent already, or known in advance, or "?"."""
        if predicted is None and edge["id"] not in self.state["sent"]:
            return self.say("text.unknown")
        return self.value(predicted["value"] if predicted else self.state["sent"][edge["id"]], 60)

    def _then(self, edge, predicted, held):
        """What the receiver will hold: sum + this = new sum; `held` remembers earlier edges."""
        if not predicted or predicted["then"] is None:
            return ""
        to, slot = edge["to"], edge["slot"]
        totals = self.state["total"].get(to, [])
        got, total = held.get((to, slot)) or (
            received_count(to, self.state),
            totals[slot] if slot < len(totals) else None,
        )
        held[to, slot] = got + 1, predicted["then"]
        value = self.value(predicted["then"])
        if total is not None and total["label"] == "value" and predicted["value"] is not None:
            value = f"{self.value(total)} + {self.value(predicted['value'])} = {value}"
        of = expected_count(self.nodes[to])
        return self.say("text.then", who=self.who(to), value=value, got=got + 1, of=of)

    def _adds(self, node):
        total = (self.state["total"].get(node["id"]) or [None])[0]
        before = self.grad(node["id"], self.state)
        return [self.say("text.adds_to", value=self.value(total, 60), who=who(node), before=before)]

    # ---- events

    def _event(self, event, counts):
        kind, args = event["kind"], event.get("args") or {}
        name = self.who(event["node"])
        if kind == "send":
            return self._send_event(event, name, counts)
        if kind == "accumulate":
            before, now = (self.grad(event["node"], state) for state in (self.before, self.state))
            return [self.say("event.accumulate", who=name, before=before, now=now)]
        if kind in ("unpack", "free"):
            entry = self.keys.get(event.get("key") or "")
            saved = saved_name(entry) if entry else self.say("text.saved")
            if "hook" in args:
                return [self.say("event.unpacked_by", who=name, saved=saved,
                                 hook=visible(args["hook"]))]
            return [self.say(f"event.{kind}", who=name, saved=saved)]
        shown = {
            key: value if isinstance(value, (dict, list)) else visible(value)
            for key, value in args.items()
        }
        if kind == "line":
            told = [self.say("event.line.set", set=args["set"])] if args.get("set") else []
            return [self.say("event.line", who=name, **shown), *told]
        if kind == "hook":
            word = next((word for word in ("after", "failed") if word in shown), None)
            kind = {"after": "hook_changed", "failed": "hook_failed", None: kind}[word]
        if kind == "error" and "class" not in shown and self.state["error"]:
            shown["class"] = visible(self.state["error"]["class"])
        return [self.say(f"event.{kind}", **{"who": name} | shown)]

    def _send_event(self, event, name, counts):
        edge = self.edges.get(event.get("edge") or "")
        if edge is None:
            return [self.say("event.send", who=name, value="-", to="-")]
        to = edge["to"]
        counts[to] += 1
        of = expected_count(self.nodes[to])
        ready = "ready" if counts[to] >= of else "left"
        if ready == "ready" and is_result(self.head, self.nodes[to]):
            ready = "result"
        target = self.who(to)
        return [
            self.say(
                "event.send",
                who=name,
                value=self.value(self.state["sent"].get(edge["id"])),
                to=target,
            ),
            self.say(f"event.send.{ready}", got=counts[to], of=of, to=target),
        ]


def _versions(status):
    return {name: "-" if status[name] is None else status[name] for name in ("expected", "actual")}
