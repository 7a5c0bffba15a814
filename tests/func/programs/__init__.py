"""Programs in PyTorch's words about transforms (contract 2.9 to 2.14); `data/answers.json` has PyTorch's answers."""
