"""Writes tokenizer folders and what Hugging Face transformers makes of many texts with them.

    tokenizer_fixtures.py OUT_DIR

OUT_DIR/cases.json holds the texts and the ids; the folders lie beside it. Needs transformers and sentencepiece. The
same call gives the same texts every time.
"""

import json
import random
import shutil
import sys
from pathlib import Path

import sentencepiece
import transformers
from transformers import CLIPTokenizer, T5Tokenizer

EMBEDDED = Path(__file__).resolve().parents[2] / "models" / "mini-clip"
BOS, EOS = "<|startoftext|>", "<|endoftext|>"
SENTINELS = [f"<extra_id_{i}>" for i in range(100)]

SUBJECTS = """a dog|two cats|an old sailor|the queen of owls|a red bicycle|three wooden boats|a café in Zürich|
my grandmother's kitchen|a naïve painter|an astronaut|a fox in the snow|seven paper lanterns|a robot that doesn't sleep|
the lighthouse keeper|a bowl of ramen|a señorita with a fan|mountains at 4:30am|a 1967 convertible|a glass whale|
Dvořák at the piano|a très petite souris""".replace("\n", "").split("|")
PLACES = """in the rain|on the moon|under a bridge|by the sea, at dusk|in a crowded market|beside a river|
inside a snow globe|on top of a skyscraper|in an empty theatre|where the road ends|in 2049|at the world's edge""".replace(
    "\n", "").split("|")
STYLES = """oil on canvas|35mm photo, f/1.8|watercolour|isometric 3D render|line art|ukiyo-e woodblock print|
8k, highly-detailed!!|pencil sketch (unfinished)|[soft light:0.8]|((masterpiece)), best quality|pixel-art|
in the style of a 1920's poster|b&w|50% grey background, #ff8800 accents""".replace("\n", "").split("|")

SPACES = "\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000\u2003\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
MARKS = "\u0300\u0301\u0308\u0323\u0327\u0331\u0334\u0345\u035c\u0897\u08d3\u093c\u0947\u0c3c\u1abf\u1acf\u1df6\u20d0\u20e3\ufe0f\u3099\U0001e4ec\U00011930"
EMOJI = ["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇺🇦", "1️⃣", "❤️", "🧑🏿‍🚀", "☺️", "©️", "™️", "🫠", "🫨", "🐦‍🔥", "#️⃣"]
CONTRACTIONS = "I'm|YOU'RE|they'Ve|she'LL|we'd|it's|Don'T|'s|''s|'sS|rock'n'roll|x'rey|l'été|o'clock|ǅ's|’s|'ſ|y'all'd've".split("|")
SPECIALS = [BOS, EOS, BOS.upper(), "<|EndOfText|>", "<|endoftext|", "|endoftext|>", f"{EOS}{EOS}", f"!!{BOS}!!", f"!{EOS}!",
            f"x{BOS}y", f" {EOS} ", "!", "!!", " ! ", "a!b", "! !", "<pad>", "</s>", "<unk>", "<s>", "</s>a", "<PAD>",
            "<extra_id_0>", "<extra_id_99>", "<extra_id_100>", "a<extra_id_3>b", " <extra_id_4> x", "＜ｐａｄ＞", "＜/ｓ＞",
            "<new>", "<NEW>", "a<new>b", " <new>  b", "dog", "DOG", "hotdogs", "dog_", "dog's", "é<new>", "▁", "a▁b▁▁c", "▁▁", " ▁ ",
            "<user>", "x<user>y", "\u0130stanbul", "ΟΔΟΣ", "ẞ", "ǅ", "ﬁ\u0301x", "ª\u0301", "½\u20dd", "ﬃ", "㌖", "ﷺ", "①²", "\u0344", "\u212b",
            "\uac00", "\u1100\u1161\u11a8", "क्ष", "\u0958", "กำ", "\x00", "a\x00b", "\x7f", "\xad", "\ufffd", "\uffff", "\U0010ffff"]


def prompt(rng):
    parts = [rng.choice(SUBJECTS), rng.choice(PLACES)]
    parts += rng.sample(STYLES, rng.randrange(3))
    rng.random() < 0.2 and parts.insert(1, rng.choice(CONTRACTIONS))
    text = rng.choice([", ", " ", ". ", " - ", ";", "\n"]).join(parts)
    return rng.choice([str, str, str.upper, str.title, str.swapcase])(text)


def code_point(rng):
    first, last = rng.choice([(0, 0x7F), (0, 0x24F), (0x250, 0x7FF), (0x800, 0x1FFF), (0x2000, 0x2FFF), (0x3000, 0xD7FF),
                              (0xE000, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x323AF), (0x10000, 0x10FFFF)])
    return chr(rng.randint(first, last))


def mixture(rng):
    kinds = [lambda: prompt(rng), lambda: rng.choice(SPACES) * rng.randint(1, 3), lambda: rng.choice(EMOJI),
             lambda: rng.choice(SPECIALS), lambda: rng.choice(CONTRACTIONS), lambda: code_point(rng),
             lambda: rng.choice("aeiouqAEIO가ㄱ") + "".join(rng.choices(MARKS, k=rng.randint(1, 4))),
             lambda: str(rng.randrange(10**6)), lambda: rng.choice("!?.,;:'\"()[]{}<>|/\\-_=+*&^%$#@~`")]
    return "".join(rng.choice(kinds)() for _ in range(rng.randint(2, 8)))


def make_texts():
    rng = random.Random(20240607)
    texts = ["", " ", "a", "  a  ", *SPECIALS, *CONTRACTIONS, *EMOJI, *SUBJECTS, *PLACES, *STYLES, *SPACES, SPACES]
    texts += [f"a{c}b" for c in SPACES + MARKS] + [f"{c}{d}" for c in "ae1!ª" for d in MARKS]
    texts += [prompt(rng) for _ in range(1500)]
    texts += [mixture(rng) for _ in range(2500)]
    texts += ["".join(code_point(rng) for _ in range(rng.randint(1, 24))) for _ in range(1500)]
    texts += ["".join(rng.choices(MARKS + "aeo", k=rng.randint(2, 12))) for _ in range(300)]
    texts += ["".join(chr(rng.randrange(32, 127)) for _ in range(rng.randint(1, 60))) for _ in range(400)]
    texts += [" ".join(prompt(rng) for _ in range(40)) for _ in range(5)] + ["ab" * 3000, "!" * 3000, "é" * 2000, "7" * 2000]
    return texts


def make_code_point_texts():
    """Every code point of the planes in use, and some of the others, where its kind makes a difference."""
    points = [*range(0x40000), *range(0xE0000, 0xE0200), *range(0x40000, 0x110000, 0x1357)]
    points = [p for p in points if not 0xD800 <= p < 0xE000]
    return [" ".join(f"a{chr(p)}!{chr(p)}" for p in points[i:i + 64]) for i in range(0, len(points), 64)]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def token(content, **changes):
    return {"content": content, "lstrip": False, "normalized": True, "rstrip": False, "single_word": False, **changes}


def typed(content, **changes):
    return {"__type": "AddedToken", **token(content, **changes)}


def clip_folder(out, name, config=None, special=None, added=None, fast=None):
    folder = out / name
    folder.mkdir()
    if fast is None:
        shutil.copy(EMBEDDED / "vocab.json", folder)
        shutil.copy(EMBEDDED / "merges.txt", folder)
    files = {"tokenizer_config": config, "special_tokens_map": special, "added_tokens": added, "tokenizer": fast}
    for stem, content in files.items():
        content is not None and write_json(folder / f"{stem}.json", content)
    return folder


def make_clip_folders(out):
    plain = {"bos_token": BOS, "eos_token": EOS, "unk_token": EOS, "pad_token": EOS, "model_max_length": 77,
             "tokenizer_class": "CLIPTokenizer"}
    vocab = json.loads((EMBEDDED / "vocab.json").read_text(encoding="utf-8"))
    embedded = out / "clip-embedded"
    embedded.mkdir()
    for file in EMBEDDED.iterdir():
        file.suffix in (".json", ".txt") and shutil.copy(file, embedded)
    clip_folder(out, "clip-nothing-said")
    exclamation = clip_folder(out, "clip-pad-exclamation", {**plain, "pad_token": "!"})
    named = {"bos_token": token(BOS), "eos_token": token(EOS), "unk_token": token(EOS)}
    clip_folder(out, "clip-normalized-tokens", {**plain, "pad_token": EOS}, {**named, "pad_token": "!"})
    clip_folder(out, "clip-typed-tokens", {**plain, "bos_token": typed(BOS), "eos_token": typed(EOS), "unk_token": typed(EOS)})
    clip_folder(out, "clip-stripping-tokens", {**plain, "bos_token": typed(BOS, lstrip=True), "pad_token": typed("dog", single_word=True),
                                              "cls_token": typed("<new>", lstrip=True, rstrip=True, normalized=False)})
    clip_folder(out, "clip-added-tokens-file", plain, None, {"dog": 700, "<new>": 5000, EOS: vocab[EOS], "Zürich": 5001})
    decoder = {"0": token("!", normalized=False, special=True), str(vocab[BOS]): token(BOS, special=True),
               str(vocab[EOS]): token(EOS, normalized=False, special=True), "4000": token("<new>", special=False, rstrip=True)}
    clip_folder(out, "clip-decoder", {**plain, "pad_token": "!", "added_tokens_decoder": decoder}, {"pad_token": "dog"})
    clip_folder(out, "clip-extra-tokens", {**plain, "extra_special_tokens": ["<new>", "<user>"], "style_token": "watercolour"})
    CLIPTokenizer.from_pretrained(exclamation).save_pretrained(out / "clip-saved")
    fast = json.loads((out / "clip-saved" / "tokenizer.json").read_text(encoding="utf-8"))
    clip_folder(out, "clip-fast-only", fast=fast)
    fast["model"]["merges"] = [" ".join(pair) for pair in fast["model"]["merges"]]
    fast["added_tokens"] = [{"id": vocab[EOS], "special": True, **token(EOS)}]
    clip_folder(out, "clip-fast-older", plain, fast=fast)
    used = {piece for pair in fast["model"]["merges"] for piece in pair.split(" ")}
    fast["model"]["vocab"] = {t: i for t, i in vocab.items() if t in used or t.replace("</w>", "") not in "QZqzð%é" or len(t) > 5}
    for merge in fast["model"]["merges"]:
        fast["model"]["vocab"][merge.replace(" ", "")] = vocab[merge.replace(" ", "")]
    clip_folder(out, "clip-unknown-bytes", {**plain, "unk_token": "a"}, fast=fast)


def train_sentencepiece(folder, rng, **settings):
    folder.mkdir()
    sentences = [prompt(rng) for _ in range(6000)] + ["Grüße aus Köln, être où ça", "¿Qué tal? ½ ② ﬁ"] * 5
    sentences += [f"<{word}>" for word in ("pad", "b", "i")] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_prefix=str(folder / "spiece"), model_type="unigram", pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, character_coverage=0.999, hard_vocab_limit=False, num_threads=1, minloglevel=2,
        **{"vocab_size": 1000, **settings})
    (folder / "spiece.vocab").unlink()
    return folder


def make_t5_folders(out):
    rng = random.Random(7)
    plain = train_sentencepiece(out / "t5-plain", rng)
    train_sentencepiece(out / "t5-identity", rng, normalization_rule_name="identity", user_defined_symbols=["<user>", "dog"])
    T5Tokenizer.from_pretrained(plain).save_pretrained(out / "t5-saved")
    config = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>", "extra_ids": 100, "model_max_length": 512,
              "additional_special_tokens": SENTINELS, "tokenizer_class": "T5Tokenizer"}
    size = len(T5Tokenizer.from_pretrained(plain))
    ids = {0: "<pad>", 1: "</s>", 2: "<unk>", **{size - 1 - i: text for i, text in enumerate(SENTINELS)}}
    stripping = {str(i): token(t, normalized=False, special=True, lstrip=i > 2, rstrip=i > 2) for i, t in ids.items()}
    special = {"eos_token": token("</s>", normalized=False), "additional_special_tokens": SENTINELS}
    for name, settings in {"t5-published": {"tokenizer_config": config, "special_tokens_map": special},
                           "t5-stripping": {"tokenizer_config": {**config, "added_tokens_decoder": stripping}},
                           "t5-few-sentinels": {"tokenizer_config": {"extra_ids": 5, "pad_token": "<new>"}}}.items():
        (out / name).mkdir()
        shutil.copy(plain / "spiece.model", out / name)
        for stem, content in settings.items():
            write_json(out / name / f"{stem}.json", content)


def expected(folder, texts, code_point_texts):
    kind = CLIPTokenizer if folder.name.startswith("clip") else T5Tokenizer
    tokenizer = kind.from_pretrained(folder)
    if folder.name in ("clip-embedded", "t5-plain"):
        texts = texts + code_point_texts
    padded = [{"text": text, "length": length,
               "ids": tokenizer(text, padding="max_length", truncation=True, max_length=length).input_ids}
              for text in texts[:40] + texts[1000:1040] for length in (2, 3, 9, 77)]
    return {"folder": folder.name, "pad_id": tokenizer.pad_token_id, "vocab_size": len(tokenizer),
            "max_length": min(tokenizer.model_max_length, 10**6), "ids": tokenizer(texts).input_ids, "padded": padded}


def main():
    transformers.logging.set_verbosity_error()
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    make_clip_folders(out)
    make_t5_folders(out)
    texts, code_point_texts = make_texts(), make_code_point_texts()
    folders = sorted(path for path in out.iterdir() if path.is_dir())
    write_json(out / "cases.json", {"texts": texts, "code_point_texts": code_point_texts,
                                    "tokenizers": [expected(folder, texts, code_point_texts) for folder in folders]})


if __name__ == "__main__":
    main()
