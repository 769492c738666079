"""The page of gass eval in a real browser: wide, on a phone, light and dark, on paper."""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "compare"))
import page_checks

SAMPLE = sys.argv.pop(1)  # the program that writes sample pages


class ReportPage(page_checks.PageTest):
    sample = SAMPLE

    def test_pictures_are_there_and_grow(self):
        self.open("plain")
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('main img')].filter(i => !i.naturalWidth || !i.alt).length"), 0)
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('main img').length"), 4)
        small = self.browser.evaluate("document.querySelector('.sheets img').getBoundingClientRect().width")
        self.browser.evaluate("document.querySelector('.sheets img').click()")
        self.assertGreater(self.browser.evaluate("document.querySelector('dialog[open] img').getBoundingClientRect().width"), small)
        self.assert_calm()

    def test_hostile_text_stays_text(self):
        self.open("hostile")
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 1)
        self.assertIn("<script>alert(1)</script>", self.browser.evaluate("document.body.innerText"))

    def test_wide_tables_scroll_in_their_box(self):
        self.open("plain", 375)
        box = "document.querySelector('#table-table3 .scroll')"
        self.assertTrue(self.browser.evaluate(f"{box}.scrollWidth > {box}.clientWidth"))
        self.assertLessEqual(self.browser.evaluate(f"{box}.getBoundingClientRect().right"), 375)

    def test_numbers_of_a_column_end_at_one_line(self):
        self.open("plain")
        # The last digit of each value in the first column of numbers, by a range over its text.
        ends = self.browser.evaluate("""
[...document.querySelectorAll('#table-table3 tbody td:nth-child(2)')].map(cell => {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  range.selectNodeContents(walker.nextNode());
  return Math.round(range.getBoundingClientRect().right * 2) / 2;
})""")
        self.assertEqual(len(ends), 7)
        self.assertLessEqual(max(ends) - min(ends), 0.5)

    def test_links_lead_to_what_is_there(self):
        self.open("plain")
        self.assertEqual(self.browser.evaluate(
            "[...document.querySelectorAll('nav a')].filter(a => !document.getElementById(a.hash.slice(1))).length"), 0)
        self.assertGreaterEqual(self.browser.evaluate("document.querySelectorAll('nav a').length"), 7)

    def test_paper(self):
        self.open("plain", 718, media="print")
        self.assert_calm()
        pdf = self.browser.call("Page.printToPDF", printBackground=False)["data"]
        self.assertGreater(len(json.dumps(pdf)), 10000)


if __name__ == "__main__":
    unittest.main()
