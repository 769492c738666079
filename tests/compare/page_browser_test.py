"""The page of gass compare in a real browser: wide, on a phone, light and dark, on paper."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
import page_checks

SAMPLE = sys.argv.pop(1)  # the program that writes sample pages


class Page(page_checks.PageTest):
    sample = SAMPLE

    def test_pictures_are_there(self):
        self.open("plain")
        self.assertEqual(self.browser.evaluate("document.images.length"), 24 + 1)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main img')].filter(i => !i.naturalWidth).length"), 0)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main img')].filter(i => !i.alt).length"), 0)

    def test_hostile_text_stays_text(self):
        self.open("hostile")
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 1)
        self.assertEqual(self.browser.evaluate("[...document.images].filter(i => i.src && !i.src.startsWith('data:')).length"), 0)
        self.assertIn("<script>alert(1)</script>", self.browser.evaluate("document.body.innerText"))

    def test_wide_tables_scroll_in_their_box(self):
        self.open("plain", 375)
        box = "document.querySelector('.scroll')"
        self.assertTrue(self.browser.evaluate(f"{box}.scrollWidth > {box}.clientWidth"))
        self.assertLessEqual(self.browser.evaluate(f"{box}.getBoundingClientRect().right"), 375)

    def test_pictures_grow_and_can_be_walked_through(self):
        self.open("plain")
        self.browser.evaluate("document.querySelector('.pictures img').click()")
        shown = "document.querySelector('dialog[open] img').alt"
        self.assertEqual(self.browser.evaluate(shown), "none, seed 42")
        for key, expected in (("ArrowRight", "none, seed 43"), ("ArrowDown", "gass:strength=0.3, seed 43"),
                              ("ArrowUp", "none, seed 43"), ("ArrowLeft", "none, seed 42"), ("ArrowLeft", "none, seed 49")):
            self.browser.press(key)
            self.assertEqual(self.browser.evaluate(shown), expected)
        self.browser.evaluate("document.querySelector('dialog').click()")
        self.assertIsNone(self.browser.evaluate("document.querySelector('dialog[open]')"))
        self.assert_calm()

    def test_paper(self):
        self.open("plain", 718, media="print")
        self.assert_calm()
        pdf = self.browser.call("Page.printToPDF", printBackground=False)["data"]
        self.assertGreater(len(json.dumps(pdf)), 10000)

    def test_table_has_headers(self):
        self.open("plain")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('thead th[scope=col]').length"), 8)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('tbody th[scope=row]').length"), 4)


if __name__ == "__main__":
    unittest.main()
