"""page_test.py: the page of `gass serve` in a real Chromium, the whole way from a prompt to its pictures.

PAGE_TEST_SERVER is the server's command, with {port} and {folder} in it; without it the mock server answers. Further arguments
are those of unittest."""

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "compare"))

from axe_playwright_python.sync_playwright import Axe
from browser import find_browser
from playwright.sync_api import expect, sync_playwright

MOCK = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'mock_server.py'))} --port {{port}}"
COMMAND = os.environ.get("PAGE_TEST_SERVER", MOCK)
WEB = HERE.parents[1] / "web"
BIRD = "a photo of a bird"
MAKING = 120_000  # the longest that a set may take, ms
SLOW_STEPS = "60"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(more=""):
    """The address of a server that runs as long as it is needed."""
    folder = tempfile.mkdtemp()
    port = free_port()
    process = subprocess.Popen(shlex.split(COMMAND.format(port=port, folder=folder) + " " + more), stdout=subprocess.DEVNULL,
                               env={**os.environ, "XDG_CONFIG_HOME": folder})
    try:
        address = f"http://127.0.0.1:{port}/"
        end = time.monotonic() + 60
        while True:
            try:
                if urllib.request.urlopen(address + "health", timeout=2).status == 200:
                    break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"the server did not start: {COMMAND}") from None
                time.sleep(0.05)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


class PageCase(unittest.TestCase):
    """A browser for all tests, and a fresh context for each, in which nothing may be said on the console."""

    @classmethod
    def setUpClass(cls):
        cls.resources = contextlib.ExitStack()
        cls.address = cls.resources.enter_context(server())
        cls.playwright = cls.resources.enter_context(sync_playwright())
        cls.browser = cls.playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        cls.resources.callback(cls.browser.close)
        cls.can = cls.api("capabilities").get("can", [])

    @classmethod
    def tearDownClass(cls):
        cls.resources.close()

    @classmethod
    def api(cls, path):
        with urllib.request.urlopen(cls.address + "api/v1/" + path) as answer:
            return json.load(answer)

    def setUp(self):
        self.said = []
        self.page = self.new_page()

    def tearDown(self):
        self.page.context.close()
        self.assertEqual(self.said, [])

    def new_page(self, width=1200, height=900, scheme="light", phone=False, address=None):
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, is_mobile=phone, has_touch=phone,
                                           permissions=["clipboard-read", "clipboard-write"], accept_downloads=True)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"exception: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(address or self.address)
        return page

    def make(self, prompt=BIRD, page=None):
        page = page or self.page
        page.locator(".basics").wait_for()
        page.fill("#prompt", prompt)
        page.press("#prompt", "Enter")
        page.wait_for_url("**#set/*")
        page.get_by_role("heading", name=prompt, exact=True).wait_for()

    def until_done(self, page=None):
        (page or self.page).locator(".set .actions").wait_for(timeout=MAKING)

    def open_more(self):
        self.page.locator(".more > summary").click()

    def seeds(self, page=None):
        return [tile.get_attribute("data-seed") for tile in (page or self.page).locator(".tile").all()]

    def until(self, expression, argument=None, page=None, seconds=20):
        """playwright's own wait_for_function calls eval, which the page's policy forbids."""
        end = time.monotonic() + seconds
        while not (page or self.page).evaluate(expression, argument):
            self.assertLess(time.monotonic(), end, expression)
            time.sleep(0.05)

    def assert_all_loaded(self, selector, page=None):
        self.until("s => { const all = [...document.querySelectorAll(s)]; return all.length > 0 && all.every(i => i.complete && i.naturalWidth > 0); }",
                   selector, page)

    def assert_accessible(self, where, page=None):
        page = page or self.page
        page.wait_for_timeout(350)  # colours of things that move are no one's
        found = Axe().run(page).response["violations"]
        told = [f"{where}: {one['id']}, {one['help']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]
        self.assertEqual(told, [])


class FromPromptToSet(PageCase):
    def test_all_images_are_there_at_once_and_sharpen(self):
        self.page.evaluate("""() => { window.sources = new Set(); new MutationObserver(all => { for (const one of all) {
            if (one.target.matches?.('.tile img')) sources.add(one.target.src); } }).observe(document.body, {subtree: true, attributes: true, attributeFilter: ['src']}); }""")
        self.page.locator(".basics").wait_for()
        self.page.fill("#images", "6")
        self.make()
        expect(self.page.locator(".tile")).to_have_count(6)
        self.until_done()
        self.assert_all_loaded(".tile img")
        sources = self.page.evaluate("[...sources]")
        self.assertTrue(any("previews/" in source or source.startswith("data:") for source in sources), "no preview was shown")
        self.assertEqual(self.page.locator(".tile.blank, .tile.rough").count(), 0)
        expect(self.page.locator(".numbers-part")).to_contain_text("These 6 images are worth about")
        expect(self.page.locator(".ended")).to_contain_text("6 images in")
        self.assertEqual(self.page.title(), f"{BIRD} – gass")
        expect(self.page.locator("#announce")).to_contain_text("6 images")

    def test_first_choice_is_the_fast_model_where_there_is_one(self):
        names = [model["name"] for model in self.api("capabilities")["models"]]
        self.page.locator(".basics").wait_for()
        if "mini-turbo" in names:
            expect(self.page.locator("#model")).to_have_value("mini-turbo")

    def test_same_seed_makes_the_same_set_and_no_seed_another(self):
        self.make()
        self.until_done()
        first = self.seeds()
        self.open_more()
        self.page.fill("#seed", "7")
        sets = []
        for _ in range(2):
            self.page.evaluate("document.querySelector('.set').remove()")
            self.make()
            self.until_done()
            sets.append(self.seeds())
        self.assertEqual(sets[0], sets[1])
        self.assertNotEqual(first, sets[0])

    def test_prompt_is_text_whatever_it_holds(self):
        hostile = "<img src=x onerror=alert(1)> \"quoted\" 'single' & a}b"
        self.make(hostile)
        self.until_done()
        expect(self.page.locator(".set h2")).to_have_text(hostile)
        self.page.click("#to-history")
        expect(self.page.locator(".card strong").first).to_have_text(hostile)

    def test_empty_prompt_is_answered_beside_it(self):
        self.page.locator(".basics").wait_for()
        self.page.press("#prompt", "Enter")
        expect(self.page.locator("#prompt-error")).to_have_text("Write what the images should show.")
        expect(self.page.locator("#prompt")).to_be_focused()

    def test_refusal_stands_at_the_field_and_loses_nothing(self):
        self.page.locator(".basics").wait_for()
        self.page.select_option("#size", "own")
        self.page.fill("#width", "100")
        self.page.fill("#height", "128")
        self.page.fill("#prompt", BIRD)
        self.page.press("#prompt", "Enter")
        expect(self.page.locator("#width")).to_have_attribute("aria-invalid", "true")
        expect(self.page.locator("#prompt-error")).to_contain_text("multiple of 8")
        expect(self.page.locator("#prompt")).to_have_value(BIRD)
        self.said.clear()  # Chromium notes the answer 400

    def test_method_and_its_parameters_and_axes_are_sent(self):
        self.page.locator(".basics").wait_for()
        self.open_more()
        self.page.locator(".method-form summary").click()
        self.page.get_by_label("Candidates").fill("2")
        self.page.get_by_role("button", name="Add an axis").click()
        self.page.get_by_label("The axis begins at").fill("at night")
        self.page.get_by_label("The axis ends at").fill("at noon")
        self.page.locator("#strength").fill("0.8")
        with self.page.expect_request("**/api/v1/jobs") as sent:
            self.make()
        body = sent.value.post_data_json
        self.assertEqual((body["method"], body["strength"], body["vary"], body["images"]), ("gass:candidates=2", 0.8, "at night|at noon", 8))
        self.until_done()
        expect(self.page.locator(".set-head")).to_contain_text("Varied from “at night” to “at noon”")
        for caption in self.page.locator("figcaption").all():
            expect(caption).to_contain_text("at n")

    def test_methods_without_a_dial_say_so(self):
        self.page.locator(".basics").wait_for()
        self.open_more()
        self.page.get_by_label("Without").fill("blur")
        self.page.select_option("#method", "interval")
        self.open_more()
        expect(self.page.locator(".pins .chip")).to_have_text(["without blur×", "method interval×"])
        self.open_more()
        expect(self.page.locator("#strength")).to_be_disabled()
        expect(self.page.locator("#strength-says")).to_contain_text("has no dial")
        self.page.get_by_text("Parameters of interval").click()
        self.page.get_by_label("High").fill("0.7")
        with self.page.expect_request("**/api/v1/jobs") as sent:
            self.make()
        self.assertEqual(sent.value.post_data_json["method"], "interval:high=0.7")
        self.assertNotIn("strength", sent.value.post_data_json)
        self.until_done()


class WhileItRuns(PageCase):
    def start_slow(self, prompt=BIRD, steps=SLOW_STEPS):
        self.page.locator(".basics").wait_for()
        self.open_more()
        self.page.get_by_label("Steps", exact=True).fill(steps)
        self.make(prompt)
        self.page.get_by_text("Making the images: step").wait_for(timeout=MAKING)

    def test_stop(self):
        self.start_slow(steps="200")
        self.page.get_by_role("button", name="Stop").click()
        expect(self.page.locator(".ended")).to_contain_text("Stopped", timeout=MAKING)
        identifier = self.page.url.split("#set/")[1]
        self.assertEqual(self.api(f"jobs/{identifier}")["state"], "cancelled")

    def test_reload_finds_the_job_again(self):
        self.start_slow()
        identifier = self.page.url.split("#set/")[1]
        self.page.reload()
        self.page.get_by_text("Making the images: step").wait_for()
        self.assert_all_loaded(".tile:not(.blank) img")
        expect(self.page.locator("#prompt")).to_have_value(BIRD)
        self.until_done()
        self.assertEqual(self.page.url.split("#set/")[1], identifier)
        self.assert_all_loaded(".tile img")

    def test_lost_connection_is_found_again(self):
        dropped = []

        def drop_once(route):
            if dropped:
                return route.continue_()
            dropped.append(route.request.url)
            return route.abort()
        self.page.route("**/events", drop_once)
        self.make()
        self.until_done()
        self.assertEqual(len(dropped), 1)
        self.said.clear()  # Chromium notes the request that failed

    def test_waiting_sets_say_how_many_are_before_them(self):
        links = []
        for prompt in (BIRD, "a red car", "a blue car"):
            if links:
                self.make(prompt)
            else:
                self.start_slow(prompt, "200")
            links.append(self.page.url)
        expect(self.page.locator(".running .line")).to_have_text("Waiting: 2 sets before this one")
        self.cancel(links[1])
        expect(self.page.locator(".running .line")).to_have_text("Waiting: 1 set before this one")
        self.page.get_by_role("button", name="Stop").click()
        expect(self.page.locator(".ended")).to_contain_text("Stopped")
        self.cancel(links[0])

    def cancel(self, link):
        address = f"{self.address}api/v1/jobs/{link.split('#set/')[1]}/cancel"
        urllib.request.urlopen(urllib.request.Request(address, method="POST")).close()


class AfterIt(PageCase):
    def setUp(self):
        super().setUp()
        self.make()
        self.until_done()

    def select(self, *indices):
        for index in indices:
            self.page.locator(".tile .pick input").nth(index).check()

    def test_keep_these_and_make_the_others_again(self):
        if "keep" not in self.can:
            self.select(0)
            self.assertEqual(self.page.get_by_text("Keep these").count(), 0)
            return
        before, first = self.seeds(), self.page.url
        self.select(1, 4)
        expect(self.page.get_by_role("region", name="Selected images")).to_contain_text("2 of 8 selected")
        self.page.get_by_role("button", name="Keep these, make the others again").click()
        self.until("first => location.href !== first", first)
        self.until_done()
        after = self.seeds()
        self.assertEqual((after[1], after[4]), (before[1], before[4]))
        self.assertNotEqual(after, before)
        expect(self.page.locator(".set-head")).to_contain_text("2 images kept from another set")

    def test_more_like_this_and_away_from_these(self):
        for name, key, chosen in (("More like this", "like", [2]), ("A set away from these", "away", [0, 3])):
            with self.subTest(name):
                self.until("document.querySelectorAll('.tile .pick:not([hidden])').length === 8")
                self.select(*chosen)
                control = self.page.locator(".chosen").get_by_role("button", name=name)
                if key not in self.can:
                    self.assertEqual(control.count(), 0)
                    continue
                first = self.page.url
                with self.page.expect_request("**/api/v1/jobs") as sent:
                    control.click()
                body = sent.value.post_data_json
                self.assertEqual(body[key]["job"], first.split("#set/")[1])
                self.assertEqual(body[key].get("images", [body[key].get("image")]), chosen)
                if key == "away":
                    self.assertIn("spell", body["method"])
                self.until("first => location.href !== first", first)
                self.until_done()

    def test_map(self):
        self.page.get_by_role("button", name="Map", exact=True).click()
        thumbs = self.page.locator(".thumb")
        expect(thumbs).to_have_count(8)
        self.assert_all_loaded(".thumb img")
        self.page.locator(".map-field").scroll_into_view_if_needed()
        boxes = [thumb.bounding_box() for thumb in thumbs.all()]
        field = self.page.locator(".map-field").bounding_box()
        for box in boxes:
            self.assertGreaterEqual(box["x"], field["x"])
            self.assertLessEqual(box["x"] + box["width"], field["x"] + field["width"])
        self.page.get_by_role("button", name="Zoom in").click()
        self.assertGreater(thumbs.first.bounding_box()["width"], boxes[0]["width"])
        x, y = field["x"] + 30, field["y"] + field["height"] - 30
        before = thumbs.first.bounding_box()
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 80, y - 10, steps=4)
        self.page.mouse.up()
        self.assertAlmostEqual(thumbs.first.bounding_box()["x"], before["x"] + 80, delta=6)
        self.page.get_by_role("button", name="Show all").click()
        self.assertEqual([thumb.bounding_box() for thumb in thumbs.all()], boxes)

    def test_method_tells_what_it_did(self):
        self.page.get_by_text("What the method did").click()
        self.assert_all_loaded(".story img")

    def test_recipe_is_copied(self):
        self.page.get_by_role("button", name="Copy the command").click()
        self.assertIn(f"gass generate -p '{BIRD}'", self.page.evaluate("navigator.clipboard.readText()"))
        self.page.get_by_text("The same as JSON").click()
        self.page.get_by_role("button", name="Copy the JSON").click()
        self.until("navigator.clipboard.readText().then(text => text.startsWith('{'))")
        record = json.loads(self.page.evaluate("navigator.clipboard.readText()"))
        self.assertEqual((record["prompt"], len(record["images"])), (BIRD, 8))

    def test_downloads(self):
        def download(name):
            self.page.locator(".menu > summary").click()
            with self.page.expect_download() as found:
                self.page.get_by_role("button", name=name).click()
            return found.value
        archive = download("All in a zip")
        self.assertTrue(archive.suggested_filename.endswith(".zip"), archive.suggested_filename)
        self.assertEqual(pathlib.Path(archive.path()).read_bytes()[:2], b"PK")
        self.assertEqual(pathlib.Path(download("Contact sheet").path()).read_bytes()[1:4], b"PNG")
        self.select(3)
        with self.page.expect_download() as found:
            self.page.locator(".chosen").get_by_role("button", name="Download").click()
        self.assertEqual(found.value.suggested_filename, f"a-photo-of-a-bird-{self.seeds()[3]}.png")

    def test_settings_are_used_again(self):
        self.page.fill("#prompt", "something else")
        self.page.get_by_role("button", name="Use these settings").click()
        expect(self.page.locator("#prompt")).to_have_value(BIRD)
        expect(self.page.locator(".pins")).to_contain_text("first seed")
        before = self.seeds()
        for is_same in (True, False):
            self.page.evaluate("document.querySelector('.set').remove()")
            self.make()
            self.until_done()
            (self.assertEqual if is_same else self.assertNotEqual)(self.seeds(), before)
            if is_same:
                self.page.get_by_role("button", name="Take back: first seed").click()

    def picture(self):
        with urllib.request.urlopen(f"{self.address}api/v1/jobs/{self.page.url.split('#set/')[1]}/images/0") as answer:
            return answer.read()

    def test_picture_tells_its_recipe(self):
        file = {"name": "mine.png", "mimeType": "image/png", "buffer": self.picture()}
        with self.page.expect_file_chooser() as chooser:
            self.page.get_by_role("button", name="Open a picture…").click()
        chooser.value.set_files([file])
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_contain_text(BIRD)
        expect(dialog).to_contain_text("1 of 8")
        self.assert_accessible("a picture's recipe")
        self.page.fill("#prompt", "something else")
        before = self.seeds()
        dialog.get_by_role("button", name="Use these settings").click()
        expect(self.page.locator("#prompt")).to_have_value(BIRD)
        self.page.evaluate("document.querySelector('.set').remove()")
        self.make()
        self.until_done()
        self.assertEqual(self.seeds(), before)

    def test_picture_is_dropped_and_steered_away_from(self):
        self.page.evaluate("""bytes => { const data = new DataTransfer(); data.items.add(new File([new Uint8Array(bytes)], 'mine.png', {type: 'image/png'}));
            for (const kind of ['dragover', 'drop']) document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true})); }""",
                           list(self.picture()))
        dialog = self.page.get_by_role("dialog")
        expect(dialog).to_contain_text(BIRD)
        if "away_picture" not in self.can:
            self.assertEqual(dialog.get_by_role("button", name="Keep my sets away from it").count(), 0)
            return
        dialog.get_by_role("button", name="Keep my sets away from it").click()
        expect(self.page.locator(".away")).to_contain_text("Kept away from")
        with self.page.expect_request("**/api/v1/jobs") as sent:
            self.page.press("#prompt", "Enter")
        self.assertEqual(len(sent.value.post_data_json["away"]["pictures"]), 1)
        self.assertIn("spell", sent.value.post_data_json["method"])

    def test_delete(self):
        identifier = self.page.url.split("#set/")[1]
        self.page.get_by_role("button", name="Delete").click()
        self.page.get_by_role("button", name="Keep it").click()
        self.assertEqual(self.api(f"jobs/{identifier}")["state"], "completed")
        self.page.get_by_role("button", name="Delete").click()
        self.page.get_by_role("button", name="Delete for good").click()
        self.until("!location.hash.includes('set')")
        with self.assertRaises(urllib.error.HTTPError):
            self.api(f"jobs/{identifier}")
        self.page.goto(f"{self.address}#set/{identifier}")
        expect(self.page.locator("#view")).to_contain_text("not there any more")
        self.said.clear()  # Chromium notes the answer 404


class Comparing(PageCase):
    def test_methods_side_by_side(self):
        self.page.locator(".basics").wait_for()
        self.page.fill("#images", "4")
        self.page.fill("#prompt", BIRD)
        self.open_more()
        self.page.get_by_label("interval", exact=True).check()
        self.page.locator("#strength").fill("0.8")
        with self.page.expect_request("**/api/v1/compare") as sent:
            self.page.get_by_role("button", name="Make and compare").click()
        self.assertEqual(sent.value.post_data_json["methods"], ["none", "gass:strength=0.8", "interval"])
        self.page.wait_for_url("**#compare/*")
        expect(self.page.locator(".rows article")).to_have_count(3)
        expect(self.page.locator(".tile")).to_have_count(12)
        expect(self.page.get_by_role("button", name="Stop all")).to_be_hidden(timeout=MAKING)
        self.assert_all_loaded(".tile img")
        expect(self.page.locator("tbody tr")).to_have_count(3)
        seeds = self.seeds()
        methods = [heading.inner_text() for heading in self.page.locator(".rows h3").all()]
        plain, interval = (next(k for k, text in enumerate(methods) if name in text) for name in ("none", "interval"))
        self.assertEqual(seeds[4 * plain:4 * plain + 4], seeds[4 * interval:4 * interval + 4])
        self.assert_accessible("compare")
        self.page.reload()
        expect(self.page.locator("tbody tr")).to_have_count(3)
        expect(self.page.locator("#prompt")).to_have_value(BIRD)

    def test_one_method_is_not_enough(self):
        self.page.locator(".basics").wait_for()
        self.page.fill("#prompt", BIRD)
        self.open_more()
        self.page.locator(".choices input[value=gass]").uncheck()
        self.page.get_by_role("button", name="Make and compare").click()
        expect(self.page.locator("#prompt-error")).to_contain_text("two methods or more")


class History(PageCase):
    def test_search_reopen_compare_delete(self):
        for prompt in ("a photo of a heron", "a photo of a wren", "a red lighthouse"):
            self.make(prompt)
            self.until_done()
        self.page.click("#to-history")
        self.page.fill("#search", "photo of a heron")
        expect(self.page.locator(".card strong")).to_have_text(["a photo of a heron"])
        self.assert_all_loaded(".card img")
        self.page.fill("#search", "no such words")
        expect(self.page.locator(".history")).to_contain_text("No set has this in its prompt.")
        self.page.fill("#search", "lighthouse")
        self.page.get_by_role("link", name="a red lighthouse").click()
        self.page.get_by_role("heading", name="a red lighthouse").wait_for()
        self.until_done()
        self.page.go_back()
        self.page.locator(".card").first.wait_for()
        self.page.fill("#search", "photo of a")
        expect(self.page.get_by_role("link", name="a red lighthouse")).to_have_count(0)
        self.page.get_by_role("checkbox", name="a photo of a heron").check()
        self.page.get_by_role("checkbox", name="a photo of a wren").check()
        self.page.get_by_role("button", name="Compare them").click()
        expect(self.page.locator(".rows article")).to_have_count(2)
        self.page.click("#to-history")
        self.page.fill("#search", "lighthouse")
        expect(self.page.locator(".card")).to_have_count(1)
        self.page.get_by_role("button", name="Delete a red lighthouse").click()
        self.page.get_by_role("button", name="Delete for good").click()
        expect(self.page.locator(".card")).to_have_count(0)
        self.assertEqual(self.api("jobs?query=lighthouse")["jobs"], [])


class ForEverybody(PageCase):
    def test_keyboard_alone(self):
        page = self.page
        page.locator(".basics").wait_for()
        expect(page.locator("#prompt")).to_be_focused()
        page.keyboard.type(BIRD)
        page.keyboard.press("Enter")
        self.until_done()
        expect(page.locator("#prompt")).to_be_focused()
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.tile .open')"):
                break
        page.keyboard.press("ArrowRight")
        page.keyboard.press("x")
        expect(page.locator(".chosen")).to_contain_text("1 of 8 selected")
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Image 8 of 8")
        page.keyboard.press("ArrowRight")
        expect(dialog).to_contain_text("Image 1 of 8")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        self.assertTrue(page.evaluate("document.activeElement.matches('.tile .open')"), "the focus is not where it was")
        page.keyboard.press("m")
        page.locator(".map-field").wait_for()
        page.locator(".map-field").focus()
        width = page.locator(".thumb").first.bounding_box()["width"]
        page.keyboard.press("+")
        self.assertGreater(page.locator(".thumb").first.bounding_box()["width"], width)
        x = page.locator(".thumb").first.bounding_box()["x"]
        page.keyboard.press("ArrowLeft")
        self.assertGreater(page.locator(".thumb").first.bounding_box()["x"], x)
        page.keyboard.press("0")
        page.keyboard.press("Tab")
        page.keyboard.press("x")
        page.keyboard.press("g")
        if "keep" in self.can:
            first = page.url
            page.keyboard.press("k")
            self.until("first => location.href !== first", first, page)
            self.until_done()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("Keys")
        page.keyboard.press("Escape")
        page.keyboard.press("h")
        expect(page.get_by_role("heading", name="History")).to_be_focused()
        page.keyboard.press("/")
        expect(page.locator("#search")).to_be_focused()

    def test_single_letters_can_be_switched_off(self):
        self.page.locator(".basics").wait_for()
        self.page.click("#help")
        self.page.get_by_label("Use single letters as keys").uncheck()
        self.page.keyboard.press("Escape")
        self.page.locator("#help").focus()
        self.page.keyboard.press("h")
        self.page.wait_for_timeout(200)
        self.assertNotIn("history", self.page.url)

    def test_every_view_is_accessible_in_both_schemes_and_on_a_phone(self):
        for scheme, width, phone in (("light", 1200, False), ("dark", 1200, False), ("light", 390, True)):
            with self.subTest(scheme=scheme, width=width):
                page = self.new_page(width, 844, scheme, phone)
                page.locator(".basics").wait_for()
                self.assert_accessible("home", page)
                page.locator(".more > summary").click()
                page.get_by_role("button", name="Add an axis").click()
                page.locator(".method-form summary").click()
                self.assert_accessible("more", page)
                page.get_by_label("Steps", exact=True).fill("30")
                page.get_by_label("Remove this axis").click()
                self.make(page=page)
                self.assert_accessible("running", page)
                self.until_done(page)
                page.locator(".pick input").first.check()
                page.locator(".menu > summary").click()
                page.locator(".set details summary").last.click()
                self.assert_accessible("set", page)
                page.locator(".menu > summary").click()
                page.get_by_role("button", name="Map", exact=True).click()
                self.assert_accessible("map", page)
                page.locator(".thumb").last.click()
                self.assert_accessible("lightbox", page)
                page.keyboard.press("Escape")
                page.click("#to-history")
                page.locator(".card").first.wait_for()
                self.assert_accessible("history", page)
                page.click("#help")
                self.assert_accessible("keys", page)
                page.context.close()

    def test_schemes_follow_the_system_and_the_button(self):
        def lightness(page):
            return sum(int(part) for part in page.evaluate("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(",")[:3])
        dark = self.new_page(scheme="dark")
        self.assertGreater(lightness(self.page), 600)
        self.assertLess(lightness(dark), 100)
        dark.locator(".basics").wait_for()
        dark.get_by_role("button", name="Colours: auto").click()
        self.assertGreater(lightness(dark), 600)
        dark.reload()
        self.assertGreater(lightness(dark), 600)
        dark.context.close()

    def test_nothing_is_cut_off_on_a_phone(self):
        for width in (390, 320):
            page = self.new_page(width, 700, phone=True)
            wide = {}
            page.locator(".basics").wait_for()

            def look(name):
                page.wait_for_timeout(100)
                wide[name] = page.evaluate("document.documentElement.scrollWidth")
            look("home")
            page.locator(".more > summary").tap()
            page.get_by_role("button", name="Add an axis").tap()
            look("more")
            page.locator(".axes .quiet").tap()
            self.make("a photo of a bird that has an extraordinarilylongnamewithoutanyspaceinitwhichmustbebroken", page=page)
            look("running")
            self.until_done(page)
            page.locator(".pick").first.tap()
            look("set")
            page.get_by_role("button", name="Map", exact=True).tap()
            look("map")
            ids = ",".join(job["id"] for job in self.api("jobs?limit=2")["jobs"])
            page.goto(f"{self.address}#compare/{ids}")
            page.locator("table").wait_for()
            look("compare")
            page.locator("#to-history").tap()
            page.locator(".card").first.wait_for()
            look("history")
            self.assertEqual({name: found for name, found in wide.items() if found > width}, {}, f"at {width}")
            page.context.close()


class Pieces(PageCase):
    """Functions of the page's modules, where a browser finds them."""

    def call(self, module, expression, argument=None):
        return self.page.evaluate(f"async argument => {{ const it = await import('{self.address}assets/{module}.js'); return {expression}; }}", argument)

    def test_methods_are_read_as_they_are_written(self):
        self.assertEqual(self.call("words", "it.parseMethod('cads+gass:candidates=8,push=on')"),
                         [{"name": "cads", "parameters": {}}, {"name": "gass", "parameters": {"candidates": "8", "push": "on"}}])
        for spec, expected in {"none": "spell", "gass": "spell+gass", "spell": "spell", "spell:radius=3+gass": "spell:radius=3+gass",
                               "interval:low=0": "spell+interval:low=0"}.items():
            self.assertEqual(self.call("words", "it.withSpell(argument)", spec), expected)
        self.assertEqual(self.call("words", "it.withParameter('gass', 'strength', 0.8)"), "gass:strength=0.8")
        self.assertEqual(self.call("words", "it.withParameter('gass:push=on', 'strength', 0.8)"), "gass:push=on,strength=0.8")

    def test_numbers_are_said_in_words(self):
        self.assertEqual([self.call("words", "it.duration(argument)", seconds) for seconds in (0.2, 1, 59, 200, 9000)],
                         ["less than a second", "1 second", "59 seconds", "3 minutes", "3 hours"])
        self.assertEqual([self.call("words", "it.shown(argument, 2)", value) for value in (None, -0.001, -1.5, 2)], ["–", "0.00", "−1.50", "2.00"])
        self.assertEqual([self.call("words", "it.slug(argument)", text) for text in ("A red, car!", "Bäume im Wald", "  ", "../../etc")],
                         ["a-red-car", "bäume-im-wald", "set", "etc"])
        job = {"images": [{}] * 8, "spread": {"vendi": 1.2}, "plan": {"method": "none"}}
        self.assertIn("close to alike", self.call("words", "it.meaning(argument)", job))
        self.assertNotIn("guide", self.call("words", "it.meaning(argument)", job))

    def test_thumbnails_do_not_lie_on_each_other(self):
        centers = [[400 + 3 * i, 300 + 2 * (i % 5)] for i in range(24)]
        moved = self.call("fan", "it.separated(argument, 60, [1000, 600])", centers)
        overlaps = [(i, j) for i, (x, y) in enumerate(moved) for j, (u, v) in enumerate(moved[:i]) if abs(x - u) < 52 and abs(y - v) < 52]
        self.assertEqual(overlaps, [])
        self.assertTrue(all(30 <= x <= 970 and 30 <= y <= 570 for x, y in moved))

    def test_the_fan_has_the_prompt_at_its_pole(self):
        places = [[-0.4, 0.42], [0.4, 0.42], [0, 0.45]]
        found = self.call("fan", "argument.map(place => it.makeFan(argument, false).at(...place))", places)
        self.assertAlmostEqual(found[0][0], -found[1][0])
        self.assertEqual(found[2][0], 0)
        self.assertLess(found[2][1], found[0][1])
        steps = self.call("fan", "it.niceSteps(0.401, 0.447, 4)")
        self.assertEqual(([round(step, 9) for step in steps["steps"]], steps["decimals"]), ([0.42, 0.44], 2))


class LightAndSafe(PageCase):
    def test_size(self):
        total = sum(file.stat().st_size for file in WEB.rglob("*") if file.is_file())
        print(f"the page has {total / 1000:.1f} kB")
        self.assertLess(total, 150_000)

    def first_paint(self, address):
        context = self.browser.new_context()
        page = context.new_page()
        page.goto(address)
        entry = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        self.until(entry, page=page)
        time_to_paint = page.evaluate(entry)
        context.close()
        return time_to_paint

    def test_first_paint(self):
        """Beside what a page of one word takes, and longer where other programs take their share of the processors."""
        ours, least = (min(self.first_paint(address) for _ in range(5)) for address in (self.address, "data:text/html,<p>a"))
        share = max(1, os.getloadavg()[0] / os.cpu_count())
        print(f"first paint after {ours:.0f} ms, {least:.0f} ms of which any page takes; {share:.1f} programs for each processor")
        self.assertLess(ours - least, 200 * share)

    def test_nothing_is_fetched_from_elsewhere(self):
        asked = []
        self.page.on("request", lambda request: asked.append(request.url))
        self.make()
        self.until_done()
        self.assertEqual([url for url in asked if not url.startswith((self.address, "data:", "blob:" + self.address))], [])

    def test_key_is_asked_for_once_and_pictures_come_with_it(self):
        with server("--api-key secret-key") as address:
            page = self.new_page(address=address)
            page.get_by_role("textbox", name="API key").fill("wrong")
            page.get_by_role("button", name="Go on").click()
            page.get_by_role("textbox", name="API key").fill("secret-key")
            page.get_by_role("button", name="Go on").click()
            self.make(page=page)
            self.until_done(page)
            self.assert_all_loaded(".tile img", page)
            with page.expect_download() as found:
                page.locator(".menu > summary").click()
                page.get_by_role("button", name="All in a zip").click()
            self.assertEqual(pathlib.Path(found.value.path()).read_bytes()[:2], b"PK")
            page.reload()
            self.until_done(page)
            page.context.close()
        self.said = [text for text in self.said if "401" not in text]  # Chromium notes these answers


if __name__ == "__main__":
    unittest.main()
