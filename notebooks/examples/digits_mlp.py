"""Handwritten digits with a small network: 64 pixels, one hidden layer, ten classes.

With `import torch` in place of `import autodidact as torch` the same numbers come out.
"""

from sklearn.datasets import load_digits
from tqdm.auto import tqdm

import autodidact as torch

nn, F = torch.nn, torch.nn.functional

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.data, dtype=torch.float32) / 16
labels = torch.tensor(digits.target)
data = torch.utils.data.TensorDataset(images, labels)
train, test = torch.utils.data.random_split(data, [1437, 360])
loader = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
print(model)

for _ in tqdm(range(12), leave=False):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

model.eval()
with torch.no_grad():
    x, y = images[test.indices], labels[test.indices]
    scores = model(x)
    final_loss = F.cross_entropy(scores, y).item()
    accuracy = (scores.argmax(1) == y).float().mean().item()
print(f"loss {final_loss:.4f}, {accuracy:.1%} of {len(y)} digits right")
