"""Draws what the dial does: one picture for a prompt, a row of images for each strength.

    python study/strength_sheets.py [--gass build/bin/gass] [--out docs/images] [--model mini-flow]

Writes strength-MODEL-N.jpg for the prompts below, which are of the half that nothing was tuned on.
"""

import argparse
import pathlib
import subprocess
import tempfile

from PIL import Image, ImageDraw, ImageFont

PROMPTS = ["a photo of a cat", "a photo of a bird", "a photo of a mountain", "a photo of a street", "a red car", "a black dog"]
STRENGTHS = [0, 0.25, 0.5, 0.75, 1]
SIDE, GAP, LEFT, TOP = 96, 4, 64, 34


def font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", size)


def sheet(prompt: str, rows: list[tuple[float, list[Image.Image]]]) -> Image.Image:
    columns = len(rows[0][1])
    picture = Image.new("RGB", (LEFT + columns * (SIDE + GAP), TOP + len(rows) * (SIDE + GAP)), "#fafaf8")
    draw = ImageDraw.Draw(picture)
    draw.text((GAP, 7), f"{prompt}, by strength", font=font(15), fill="#1c1c1c")
    for r, (strength, images) in enumerate(rows):
        y = TOP + r * (SIDE + GAP)
        draw.text((GAP, y + SIDE // 2 - 8), f"{strength:g}", font=font(14), fill="#555555")
        for c, image in enumerate(images):
            picture.paste(image.resize((SIDE, SIDE), Image.LANCZOS), (LEFT + c * (SIDE + GAP), y))
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gass", default="build/bin/gass")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("docs/images"))
    parser.add_argument("--model", default="mini-flow")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prompts = pathlib.Path(folder) / "prompts.txt"
        prompts.write_text("\n".join(PROMPTS) + "\n")
        for strength in STRENGTHS:
            subprocess.run([options.gass, "generate", "-m", options.model, "--prompt-file", prompts, "-n", "8", "-s", "7",
                            "--method", "gass", "--strength", str(strength), "-o", f"{folder}/{strength}", "--progress", "none"],
                           check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        for i, prompt in enumerate(PROMPTS):
            rows = []
            for strength in STRENGTHS:
                (group,) = pathlib.Path(folder, str(strength)).glob(f"{i:04}-*")
                rows.append((strength, [Image.open(path).convert("RGB") for path in sorted(group.glob("0*.png"))]))
            sheet(prompt, rows).save(options.out / f"strength-{options.model}-{i + 1}.jpg", quality=88)


if __name__ == "__main__":
    main()
