"""A recurrent network that learns to spell: the text of Python's `this` module, letter by letter.

With `import torch` in place of `import autodidact as torch` the same numbers come out.
"""

import codecs
import contextlib
import io

from tqdm.auto import tqdm

import autodidact as torch

with contextlib.redirect_stdout(io.StringIO()):
    import this

nn, F = torch.nn, torch.nn.functional

text = codecs.decode(this.s, "rot13")
letters = sorted(set(text))
number = {letter: i for i, letter in enumerate(letters)}
codes = torch.tensor([number[letter] for letter in text])


class Speller(nn.Module):
    """Letters as vectors, an LSTM, scores of the next letter."""

    def __init__(self, size=48):
        super().__init__()
        self.embedding = nn.Embedding(len(letters), 16)
        self.lstm = nn.LSTM(16, size, batch_first=True)
        self.out = nn.Linear(size, len(letters))

    def forward(self, x, state=None):
        """Scores at every position, and the state after the last one."""
        hidden, state = self.lstm(self.embedding(x), state)
        return self.out(hidden), state


torch.manual_seed(0)
model = Speller()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
length, batch = 24, 16

for _ in tqdm(range(80), leave=False):
    starts = torch.randint(0, len(codes) - length - 1, (batch,)).tolist()
    x = torch.stack([codes[s:s + length] for s in starts])
    y = torch.stack([codes[s + 1:s + length + 1] for s in starts])
    optimizer.zero_grad()
    scores, _ = model(x)
    loss = F.cross_entropy(scores.reshape(-1, len(letters)), y.reshape(-1))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
final_loss = loss.item()

with torch.no_grad():
    written, state = "Beautiful is ", None
    x = torch.tensor([[number[letter] for letter in written]])
    for _ in range(40):
        scores, state = model(x, state)
        x = scores[:, -1:].argmax(-1)
        written += letters[x.item()]
print(f"loss {final_loss:.4f}: {written!r}")
