"""Tensors, and what else has a `repr`, print as in PyTorch, character for character."""

import json
from pathlib import Path

import pytest

import autodidact as ad
from tests.functions.printed_tensors import CODES, text_of, torchs_texts

RECORDED = json.loads(Path(__file__).with_name("printed_tensors.json").read_text())


def test_there_are_more_than_two_hundred():
    assert len(set(CODES)) == len(CODES) >= 200
    assert list(RECORDED) == CODES


@pytest.mark.parametrize("code", CODES)
def test_text(code):
    assert text_of(ad, code) == RECORDED[code]


def test_the_recorded_texts_are_torchs(oracle):
    assert torchs_texts(oracle) == RECORDED
