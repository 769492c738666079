"""What the documents point at is there: links with their headings, pictures, files of the repository, targets of make."""

import pathlib
import re
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("[a-z]*/README.md")])
FENCE = re.compile(r"```.*?```", re.S)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|(?:href|src)=\"([^\"]+)\"")
FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and re.match("[a-z]", path.name) and not path.name.startswith("build"))
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w./*-]*[\w/*-]")


def prose(document):
    return FENCE.sub("", document.read_text())


def links(document):
    return [one or other for one, other in LINK.findall(SPAN.sub("", prose(document)))]


def anchors(document):
    """As GitHub makes them of headings."""
    headings = re.findall(r"(?m)^#+ +(.+?)\s*$", prose(document))
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).lower()).replace(" ", "-") for text in headings}


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        count = 0
        for document in DOCUMENTS:
            for link in links(document):
                if re.match(r"[a-z]+:", link):
                    continue
                with self.subTest(f"{document.relative_to(ROOT)}: {link}"):
                    count += 1
                    path, _, anchor = urllib.parse.unquote(link).partition("#")
                    target = (document.parent / path).resolve() if path else document
                    self.assertTrue(target.exists(), "no such file")
                    self.assertTrue(target.is_relative_to(ROOT), "outside of the repository")
                    if anchor:
                        self.assertIn(anchor, anchors(target))
        self.assertGreater(count, 100, "the links of the documents are not found")

    def test_pictures_are_shown(self):
        shown = {(document.parent / link).resolve() for document in DOCUMENTS for link in links(document) if "/" in link}
        pictures = [path for path in (ROOT / "docs" / "images").rglob("*") if path.is_file()]
        self.assertGreater(len(pictures), 10)
        self.assertEqual([path.name for path in sorted(pictures) if path not in shown], [])

    def test_every_document_is_reached_from_the_first(self):
        reached, todo = set(), [ROOT / "README.md"]
        while todo:
            document = todo.pop()
            if document in reached:
                continue
            reached.add(document)
            targets = [(document.parent / link.partition("#")[0]).resolve() for link in links(document) if ".md" in link]
            todo += [target for target in targets if target.is_file()]
        self.assertEqual([str(document.relative_to(ROOT)) for document in DOCUMENTS if document not in reached], [])

    def test_files_that_are_named_exist(self):
        count = 0
        for document in DOCUMENTS:
            named = {word for span in SPAN.findall(prose(document)) for word in span.split() if PATH.fullmatch(word)}
            for block in re.findall(r"```(?:console|sh)\n(.*?)```", document.read_text(), re.S):
                named |= {word for word in re.split(r"[\s'\"=]+", block) if PATH.fullmatch(word)}
            for name in sorted(named):
                with self.subTest(f"{document.relative_to(ROOT)}: {name}"):
                    count += 1
                    name = name.replace("xxx", "*")  # any of a kind
                    self.assertTrue([*ROOT.glob(name), *ROOT.glob(f"{name}.*")], "no such file")
        self.assertGreater(count, 50, "the files that documents name are not found")

    def test_targets_of_make(self):
        targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text()))
        count = 0
        for document in DOCUMENTS:
            for target in re.findall(r"(?m)(?:`|^)make ([a-z]+)", document.read_text()):
                with self.subTest(f"{document.relative_to(ROOT)}: make {target}"):
                    count += 1
                    self.assertIn(target, targets)
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
