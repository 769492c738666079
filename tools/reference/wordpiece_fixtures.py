"""Writes vocabularies for WordPiece and what Hugging Face transformers makes of many texts with them.

    wordpiece_fixtures.py OUT_DIR

OUT_DIR/cases.json holds the texts and the ids; the folders lie beside it. The texts are those of
tokenizer_fixtures.py and some more; the same call gives the same texts every time.
"""

import json
import random
import sys
import unicodedata
from pathlib import Path

from tokenizer_fixtures import PLACES, STYLES, SUBJECTS, make_code_point_texts, make_texts
from transformers import BertTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MORE_TEXTS = [*SPECIAL, "[DEC] a [ENC]", "a[SEP]b", "[sep]", "[ CLS ]", "x[MASK]y", "##s", "dog##s", "日本語 in 東京", "İSTANBUL",
              "Ångström naïve ÇA", "\u1e9b\u0323", "한국어", "a" * 100, "a" * 101, "ab" * 50 + " c", "é" * 100, "é" * 101,
              "\u0301" * 300, "a\u302e\u302f\u0301b", "\U0001d15f\U0001d16d", "don't", "e-mail@x.y", "\x00a\x00b\ufffd", "[UNK] [PAD]"]


def plain_vocabulary() -> list[str]:
    """Letters, pieces and whole words that occur in the texts."""
    rng = random.Random(7)
    words = sorted({word.lower() for text in SUBJECTS + PLACES + STYLES for word in text.split() if word.isalpha()})
    letters = [chr(c) for c in range(33, 127) if not chr(c).isupper()]
    letters += [chr(c) for c in range(0xA1, 0x2000) if unicodedata.category(chr(c))[0] in "LNP" and rng.random() < 0.7]
    letters += list("、。「」日本東京語한국어ᄒ\u1161ᆫ\u302e\u302f‘’“”€…😀") + [chr(c) for c in range(0x4E00, 0x4E80)]
    pieces = [word[a:b] for word in words for a, b in [sorted(rng.sample(range(len(word) + 1), 2))] if b - a > 1]
    continuing = [f"##{piece}" for piece in [*letters, *pieces] if rng.random() < 0.9]
    return SPECIAL + letters + words[::2] + sorted(set(pieces)) + continuing


def make_folders(out: Path) -> list[Path]:
    plain = plain_vocabulary()
    # Equal lines, empty ones, space at the end, other line ends, special tokens in the middle.
    odd = [*plain[5:400], "", *plain[:5], "dog \u3000", "cat\r", "", "##s\x85", " ram", *plain[5:200], *plain[400:]]
    blip = {"do_lower_case": True, "model_max_length": 512, "tokenizer_class": "BertTokenizer", "bos_token": "[DEC]",
            "additional_special_tokens": ["[ENC]"]}
    folders = {"plain": (plain, None), "odd": (odd, None), "blip": (plain, blip)}
    for name, (vocabulary, config) in folders.items():
        folder = out / name
        folder.mkdir(parents=True)
        (folder / "vocab.txt").write_bytes(("\n".join(vocabulary) + "\n").encode())
        if config:
            (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return [out / name for name in folders]


def expected(folder: Path, texts: list[str], padded_texts: list[str]) -> dict:
    tokenizer = BertTokenizer.from_pretrained(folder)
    padded = []
    for text in padded_texts:
        for length in (2, 3, 9, 35):
            result = tokenizer(text, padding="max_length", truncation=True, max_length=length)
            padded.append({"text": text, "length": length, "ids": result.input_ids, "used": sum(result.attention_mask)})
    return {"folder": folder.name, "pad_id": tokenizer.pad_token_id, "vocab_size": len(tokenizer),
            "ids": tokenizer(texts).input_ids, "padded": padded}


def main():
    out = Path(sys.argv[1])
    texts = [*MORE_TEXTS, *make_texts(), *make_code_point_texts()]
    tokenizers = [expected(folder, texts, texts[:120]) for folder in make_folders(out)]
    (out / "cases.json").write_text(json.dumps({"texts": texts, "tokenizers": tokenizers}, ensure_ascii=False))


if __name__ == "__main__":
    main()
