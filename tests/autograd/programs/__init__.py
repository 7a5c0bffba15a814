"""Small programs, one for each behaviour, grouped by topic; each takes the library to be observed.

A program is a public function of a topic file: `def name(torch)` returns plain data (numbers,
words, lists, dicts). Its docstring, or its name, says what is observed. `../data/answers.json`
holds what PyTorch 2.13 answers; `../record.py` writes it. The same program runs on both libraries.
"""
