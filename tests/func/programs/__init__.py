"""Programs in PyTorch's words about transforms; `data/answers.json` has PyTorch's answers."""
