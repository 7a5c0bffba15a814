"""A transformer that learns to spell: every letter looks back at those before it.

The text is that of Python's `this` module. With `import torch` in place of `import autodidact as
torch` the same numbers come out.
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
length, batch, size = 24, 16, 32


class Speller(nn.Module):
    """Letters and positions as vectors, two layers of attention, scores of the next letter."""

    def __init__(self):
        super().__init__()
        self.letter = nn.Embedding(len(letters), size)
        self.position = nn.Embedding(length, size)
        layer = nn.TransformerEncoderLayer(size, 4, 64, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(size, len(letters))

    def forward(self, x):
        """Scores at every position."""
        n = x.size(1)
        hidden = self.letter(x) + self.position(torch.arange(n))
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        return self.out(self.layers(hidden, mask, is_causal=True))


torch.manual_seed(0)
model = Speller()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

for _ in tqdm(range(80), leave=False):
    starts = torch.randint(0, len(codes) - length - 1, (batch,)).tolist()
    x = torch.stack([codes[s:s + length] for s in starts])
    y = torch.stack([codes[s + 1:s + length + 1] for s in starts])
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x).reshape(-1, len(letters)), y.reshape(-1))
    loss.backward()
    optimizer.step()
final_loss = loss.item()

model.eval()
with torch.no_grad():
    written = "Beautiful is "
    for _ in range(40):
        x = torch.tensor([[number[letter] for letter in written[-length:]]])
        written += letters[model(x)[0, -1].argmax().item()]
print(f"loss {final_loss:.4f}: {written!r}")
