"""What every page of gass must pass in a real browser: wide, on a phone, light and dark."""

import pathlib
import subprocess
import tempfile
import unittest

from browser import Browser

# Text whose contrast to what lies behind it is below WCAG's 4.5 : 1.
FAINT_TEXT = """
(() => {
  const rgb = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = color => {
    const [r, g, b] = color.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = node => {
    for (; node; node = node.parentElement) {
      const color = rgb(getComputedStyle(node).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const node of document.querySelectorAll('h1,h2,h3,p,a,td,small,th,strong,bdi,summary,figcaption,dt,dd,.letter,svg text')) {
    const style = getComputedStyle(node);
    const mark = node.matches('svg text.letter') ? rgb(getComputedStyle(node.previousElementSibling).fill) : behind(node);
    const [one, two] = [light(rgb(node.closest('svg') ? style.fill : style.color).slice(0, 3)), light(mark)];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < 4.5) faint.push(node.tagName + ' ' + contrast.toFixed(2) + ' ' + node.textContent.slice(0, 40));
  }
  return faint;
})()"""

# Labels within one plot that lie on each other by more than a pixel.
OVERLAPPING_LABELS = """
[...document.querySelectorAll('svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
  return boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    // The box of a line is a third higher than its letters.
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) - p.height / 3;
    return across > 1 && down > 1;
  }).map(([b]) => a + ' / ' + b));
})"""


class PageTest(unittest.TestCase):
    """What every page of ours must pass; `sample` is the program that writes plain.html and hostile.html."""

    sample = None

    @classmethod
    def setUpClass(cls):
        cls._temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls._temporary.cleanup)
        cls.folder = pathlib.Path(cls._temporary.name)
        subprocess.run([cls.sample, cls.folder], check=True, timeout=60)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, name, width=1280, **options):
        self.browser.open(self.folder / f"{name}.html", width, **options)

    def assert_calm(self):
        """Nothing on the console, no request, no dialog, and no scrolling sideways."""
        self.assertEqual(self.browser.messages, [])
        wide = self.browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(wide, 0)

    def test_every_window_and_scheme(self):
        for name in ("plain", "hostile"):
            for width in (320, 375, 820, 1280, 2560):
                for dark in (False, True):
                    with self.subTest(page=name, width=width, dark=dark):
                        self.open(name, width, dark=dark)
                        self.assert_calm()
                        self.browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
                        self.assert_calm()
                        self.assertEqual(self.browser.evaluate(FAINT_TEXT), [])
                        self.assertEqual(self.browser.evaluate(OVERLAPPING_LABELS), [])

    def test_schemes_differ(self):
        background = "getComputedStyle(document.body).backgroundColor"
        self.open("plain", dark=False)
        light = self.browser.evaluate(background)
        light_picture = self.browser.screenshot()
        self.open("plain", dark=True)
        self.assertNotEqual(self.browser.evaluate(background), light)
        self.assertNotEqual(self.browser.screenshot(), light_picture)
