"""Handwritten digits with convolutions: 8 by 8 pixels, two layers of windows, ten classes.

With `import torch` in place of `import autodidact as torch` the same numbers come out.
"""

from sklearn.datasets import load_digits
from tqdm.auto import tqdm

import autodidact as torch

nn, F = torch.nn, torch.nn.functional

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
labels = torch.tensor(digits.target)
data = torch.utils.data.TensorDataset(images, labels)
train, test = torch.utils.data.random_split(data, [1437, 360])
loader = torch.utils.data.DataLoader(train, batch_size=64, shuffle=True)


class Net(nn.Module):
    """Two convolutions, the largest of each four pixels, one linear layer."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.norm = nn.BatchNorm2d(32)
        self.out = nn.Linear(32 * 4 * 4, 10)

    def forward(self, x):
        """Scores of the ten classes."""
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.norm(self.conv2(x))), 2)
        return self.out(x.flatten(1))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
print(model)

for _ in tqdm(range(6), leave=False):
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
