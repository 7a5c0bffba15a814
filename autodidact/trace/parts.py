"""The picture of a part of a graph: its nodes, the leaves they send to, where the rest joins on.

What comes from outside has its cells, an arrow and the sender's name, as the first gradient of a
whole graph has; what is sent outside has the receiver's name.
"""

from autodidact.trace.layout import Layout, num

__all__ = ["lay_out_part"]

ABOVE = 8          # the words above a card that sends outside


def lay_out_part(head, ids):
    """The LAYOUT of some nodes of a head.

    Beside what `lay_out` gives, "texts" may hold {"id": "text.part.from" or "text.part.to", "node",
    "edges", "x", "y"}: words about edges that leave the picture.

    Args:
        head: the record without its states.
        ids: ids of the nodes; leaves that they send to come with them.
    """
    kinds = {node["id"]: node["kind"] for node in head["nodes"]}
    own = {each for each in ids if kinds.get(each) != "leaf"}
    leaves = {edge["to"] for edge in head["edges"]
              if edge["from"] in own and kinds[edge["to"]] == "leaf"}
    inside = [e for e in head["edges"] if e["from"] in own and e["to"] in own | leaves]
    entering = [e for e in head["edges"] if e["from"] not in own and e["to"] in own]
    leaving = [e for e in head["edges"] if e["from"] in own and e["to"] not in own | leaves]
    part = {**head, "edges": inside, "roots": [key for key in head["roots"] if key in own],
            "nodes": [node for node in head["nodes"] if node["id"] in own | leaves]}
    return _Part(part, entering, leaving).result()


class _Part(Layout):
    """A layout whose nodes receive from outside."""

    top = 34

    def __init__(self, head, entering, leaving):
        self.entering, self.leaving = {}, {}
        for edge in entering:
            self.entering.setdefault(edge["to"], []).append(edge)
        for edge in leaving:
            self.leaving.setdefault(edge["from"], []).append(edge)
        super().__init__(head)

    def arriving(self, node):
        """All edges to a node; one of a leaf from outside the picture is not there."""
        return [*self.into[node["id"]], *self.entering.get(node["id"], ())]

    def result(self):
        """Everything in the frame."""
        told = super().result()
        for node, edges in self.entering.items():
            box = self.box_of[node]
            for edge in edges:
                x = self.lanes.cell_x(box, edge["id"]) + self.shift
                told["seed"][f"{node} {edge['id']}"] = (
                    f"M{num(x)} {num(box.bottom + 30)}V{num(box.bottom + box.overhang)}")
            told["texts"].append(self.words("from", box, edges, box.bottom + 22))
        for node, edges in self.leaving.items():
            box = self.box_of[node]
            told["texts"].append(self.words("to", box, edges, box.y - ABOVE))
        return told

    def words(self, which, box, edges, y):
        """Where the words about a node's edges to the outside stand."""
        return {"id": f"text.part.{which}", "node": box.node["id"],
                "edges": [edge["id"] for edge in edges],
                "x": num(box.x + 26 + self.shift), "y": num(y)}
