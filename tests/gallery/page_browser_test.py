"""The page of a set in a real browser: wide, on a phone, light and dark, with its pictures beside it."""

import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compare"))
import page_checks

SAMPLE = sys.argv.pop(1)  # the program that writes sample pages

PICTURES = "[...document.querySelectorAll('.pictures img')]"
ENLARGED = "document.querySelector('dialog[open] img')"


class SetPage(page_checks.PageTest):
    sample = SAMPLE

    def wait_until(self, condition):
        deadline = time.monotonic() + 30
        while not self.browser.evaluate(condition):
            self.assertLess(time.monotonic(), deadline, condition)
            time.sleep(0.01)

    def test_pictures_are_there(self):
        self.open("plain")
        self.assertEqual(self.browser.evaluate(f"{PICTURES}.map(i => i.alt)"),
                         ["0000.png, seed 42, at night"] +
                         [f"000{i}.png, seed {42 + i}, at noon {round(100 * i / 7)} %" for i in range(1, 7)] +
                         ["0007.png, seed 49, at noon"])
        self.wait_until(f"{PICTURES}.every(i => i.complete && i.naturalWidth === 128)")  # they come when they are seen
        self.assertEqual(self.browser.evaluate(f"{PICTURES}.filter(i => !i.src.startsWith('file:')).length"), 0)
        self.assert_calm()

    def test_hostile_text_stays_text(self):
        self.open("hostile")
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 1)
        self.assertIn("<script>alert(1)</script>", self.browser.evaluate("document.body.innerText"))
        self.assertEqual(self.browser.evaluate(f"{PICTURES}.length"), 5)
        self.wait_until(f"{PICTURES}[0].naturalWidth === 128")  # for all that its name is
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('a')].filter(a => !a.href.startsWith('file:')).length"), 0)

    def test_pictures_grow_and_can_be_walked_through(self):
        self.open("plain")
        small = self.browser.evaluate(f"{PICTURES}[0].getBoundingClientRect().width")
        self.wait_until(f"{PICTURES}[0].naturalWidth === 128")
        self.browser.evaluate(f"{PICTURES}[0].click()")
        self.assertEqual(self.browser.evaluate(f"{ENLARGED}.alt"), "0000.png, seed 42, at night")
        self.assertGreater(self.browser.evaluate(f"{ENLARGED}.getBoundingClientRect().width"), small)
        for key, expected in (("ArrowRight", "seed 43"), ("ArrowLeft", "seed 42"), ("ArrowLeft", "seed 49"), ("ArrowDown", "seed 49")):
            self.browser.press(key)
            self.assertIn(expected, self.browser.evaluate(f"{ENLARGED}.alt"))
        for kind in ("keyDown", "keyUp"):  # the browser itself closes it, which goes by the key's number
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="Escape", windowsVirtualKeyCode=27)
        self.assertIsNone(self.browser.evaluate("document.querySelector('dialog[open]')"))
        self.assert_calm()

    def test_without_a_mouse(self):
        self.open("plain")
        for key in ("Enter", " "):
            self.browser.evaluate(f"{PICTURES}[2].focus()")
            self.browser.press(key)
            self.assertIn("seed 44", self.browser.evaluate(f"{ENLARGED}.alt"))
            self.browser.evaluate("document.querySelector('dialog').close()")
        self.assertEqual(self.browser.evaluate("document.activeElement.getAttribute('src')"), "0002.png")  # where one was

    def test_the_recipe_is_copied(self):
        self.open("plain")
        command = self.browser.evaluate("document.querySelector('pre').textContent")
        self.assertTrue(command.startswith("gass generate -p 'a red car' --model models/mini-flow/ "), command)
        self.assertTrue(command.endswith(" --seed 42"), command)
        self.assertEqual(self.browser.evaluate("JSON.parse(document.querySelectorAll('pre')[1].textContent).seeds.length"), 8)
        self.browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        self.browser.evaluate("document.querySelector('.copy').click()")
        self.wait_until("document.querySelector('.copy').textContent !== 'Copy'")
        self.assertIn(self.browser.evaluate("document.querySelector('.copy').textContent"), ("Copied", "Selected: press Ctrl+C"))
        self.assertEqual(self.browser.evaluate("getSelection().toString()"), command)
        self.assert_calm()

    def test_the_recipe_is_selected_where_nothing_can_be_copied(self):
        self.open("plain")
        self.browser.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        self.browser.evaluate("document.querySelector('.copy').click()")
        self.wait_until("document.querySelector('.copy').textContent === 'Selected: press Ctrl+C'")
        self.assertEqual(self.browser.evaluate("getSelection().toString()"),
                         self.browser.evaluate("document.querySelector('pre').textContent"))
        self.assert_calm()

    def test_flags_stay_whole(self):
        for width in (320, 375, 1280):
            self.open("plain", width)
            self.assertEqual(self.browser.evaluate(
                "[...document.querySelectorAll('.flag')].filter(f => f.getClientRects().length !== 1).length"), 0)

    def test_pictures_on_a_phone_are_two_in_a_row(self):
        self.open("plain", 375)
        self.assertEqual(self.browser.evaluate(f"new Set({PICTURES}.map(i => Math.round(i.getBoundingClientRect().left))).size"), 2)

    def test_paper(self):
        self.open("plain", 718, media="print")
        self.assert_calm()


if __name__ == "__main__":
    unittest.main()
