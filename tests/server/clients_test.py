"""The clients that people have, as PyPI has them, unmodified."""

import asyncio
import base64
import io
import json
import threading
import unittest

import openai
import PIL.Image
import sd_parsers
import webuiapi

from support import OwnServerTest, ServerTest, wait_for

SMALL = {"size": "64x64"}


def picture(text):
    return PIL.Image.open(io.BytesIO(base64.b64decode(text)))


class OpenAI(ServerTest):
    models = ("mini-turbo", "mini-flow")
    arguments = ("--api-key", "a-key-for-clients")

    def client(self, key="a-key-for-clients"):
        return openai.OpenAI(base_url=f"http://127.0.0.1:{self.server.port}/v1", api_key=key)

    def jobs(self, query=""):
        return self.server.get("/api/v1/jobs" + query, headers={"X-Api-Key": "a-key-for-clients"}).json["jobs"]

    def test_generate(self):
        answer = self.client().images.generate(prompt="a red car", model="mini-turbo", n=2, **SMALL)
        self.assertEqual([picture(image.b64_json).size for image in answer.data], [(64, 64)] * 2)
        self.assertEqual(answer.usage.output_tokens, 2)

    def test_plain_fields_of_ours(self):
        extra = {"seed": 3, "steps": 2, "negative_prompt": "blue", "cfg_scale": 1.0, "method": "cads", "vary": None, "strength": None}
        answer = self.client().images.generate(prompt="a red car", extra_body=extra, **SMALL)
        self.assertEqual(answer.data[0].model_extra["seed"], 3)
        plan = self.jobs()[0]["plan"]
        self.assertEqual((plan["seed"], plan["steps"], plan["negative_prompt"], plan["method"].split(":")[0]), (3, 2, "blue", "cads"))
        again = self.client().images.generate(prompt="a red car", extra_body=extra, **SMALL)
        self.assertEqual(again.data[0].b64_json, answer.data[0].b64_json)

    def test_formats_and_links(self):
        for form in ("jpeg", "webp", "png"):
            answer = self.client().images.generate(prompt="a car", output_format=form, output_compression=80, **SMALL)
            self.assertEqual(picture(answer.data[0].b64_json).format.lower(), form)
        answer = self.client().images.generate(prompt="a car", response_format="url", **SMALL)
        path = answer.data[0].url.split("/", 3)[3]
        self.assertTrue(self.server.get("/" + path, headers={"X-Api-Key": "a-key-for-clients"}).body.startswith(b"\x89PNG"))

    def test_stream(self):
        events = list(self.client().images.generate(prompt="a car", model="mini-flow", n=2, stream=True, partial_images=2, extra_body={"steps": 8}, **SMALL))
        partial = [event for event in events if event.type == "image_generation.partial_image"]
        completed = [event for event in events if event.type == "image_generation.completed"]
        self.assertEqual(events, partial + completed)
        self.assertEqual([event.model_extra["image_index"] for event in completed], [0, 1])
        self.assertEqual([event.partial_image_index for event in partial], [0, 0, 1, 1])
        self.assertEqual({picture(event.b64_json).format for event in partial}, {"JPEG"})
        self.assertEqual({picture(event.b64_json).size for event in completed}, {(64, 64)})
        self.assertEqual(completed[0].usage.output_tokens, 2)

    def test_async_and_several_at_once(self):
        async def several():
            async with openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{self.server.port}/v1", api_key="a-key-for-clients") as client:
                asked = [client.images.generate(prompt="a car", extra_body={"seed": seed}, **SMALL) for seed in range(4)]
                streamed = [event async for event in await client.images.generate(prompt="a car", stream=True, **SMALL)]
                return await asyncio.gather(*asked), streamed

        answers, streamed = asyncio.run(several())
        self.assertEqual(len({answer.data[0].b64_json for answer in answers}), 4)
        self.assertEqual([event.type for event in streamed], ["image_generation.completed"])

    def test_models(self):
        self.assertEqual([model.id for model in self.client().models.list()], ["mini-turbo", "mini-flow"])
        self.assertEqual(self.client().models.retrieve("mini-flow").owned_by, "gass")
        with self.assertRaises(openai.NotFoundError):
            self.client().models.retrieve("dall-e-3")

    def test_errors_are_theirs(self):
        with self.assertRaises(openai.AuthenticationError):
            self.client("wrong").images.generate(prompt="a car")
        with self.assertRaises(openai.NotFoundError):
            self.client().images.generate(prompt="a car", model="dall-e-3")
        with self.assertRaises(openai.BadRequestError) as refused:
            self.client().images.generate(prompt="a car", size="65x64")
        self.assertEqual(refused.exception.body["param"], "width")
        for wrong in ({"n": 11}, {"size": "big"}, {"response_format": "file"}, {"extra_body": {"seed": "x"}}):
            with self.assertRaises(openai.BadRequestError):
                self.client().images.generate(prompt="a car", **wrong)

    def test_a_set_that_fails_is_not_made_three_times(self):
        """The client tries again by itself where it is not told not to."""
        answer = self.server.post("/v1/images/generations", {"prompt": "a", "n": 99}, headers={"X-Api-Key": "a-key-for-clients"})
        self.assertEqual((answer.status, answer.headers["x-should-retry"]), (400, "false"))

    def test_who_goes_away_ends_his_set(self):
        for stream in (False, True):
            client = openai.OpenAI(base_url=f"http://127.0.0.1:{self.server.port}/v1", api_key="a-key-for-clients", timeout=1.0, max_retries=0)
            with self.assertRaises(openai.APIConnectionError):
                list(client.images.generate(prompt=f"a boat {stream}", model="mini-flow", n=8, stream=stream, extra_body={"steps": 150}))
            wait_for(lambda: self.jobs(f"?query=boat%20{stream}")[0]["state"] == "cancelled", 10)


class WebUi(ServerTest):
    models = ("mini-turbo", "mini-flow")

    def api(self):
        return webuiapi.WebUIApi(host="127.0.0.1", port=self.server.port, sampler="Euler a", scheduler="automatic", steps=4)

    def test_txt2img(self):
        result = self.api().txt2img(prompt="a red car", negative_prompt="blue", seed=9, width=64, height=64, batch_size=2, cfg_scale=1)
        self.assertEqual([image.size for image in result.images], [(64, 64)] * 2)
        self.assertEqual(len(result.info["all_seeds"]), 2)
        self.assertEqual(len(result.info["infotexts"]), 2)
        self.assertIn("Steps: 4", result.info["infotexts"][0])
        self.assertEqual(result.parameters["prompt"], "a red car")
        parsed = sd_parsers.ParserManager().parse(result.images[0])
        self.assertEqual(parsed.prompts[0].value, "a red car")
        self.assertEqual(parsed.negative_prompts[0].value, "blue")
        self.assertEqual(parsed.samplers[0].parameters["seed"], str(result.info["seed"]))

    def test_our_fields_as_a_script(self):
        for alwayson in ({"GASS": {"args": ["cads", None, ""]}}, {"gass": {"args": [{"method": "cads"}]}}):
            result = self.api().txt2img(prompt="a car", width=64, height=64, alwayson_scripts=alwayson)
            self.assertTrue(result.info["gass"]["method"].startswith("cads"))
        result = self.api().txt2img(prompt="a car", width=64, height=64, script_name="GASS", script_args=["gass", 0.9])
        self.assertIn("strength=0.9", result.info["gass"]["method"])
        with self.assertRaisesRegex(RuntimeError, "422"):
            self.api().txt2img(prompt="a car", alwayson_scripts={"ADetailer": {"args": []}})
        with self.assertRaisesRegex(RuntimeError, "422"):
            self.api().txt2img(prompt="a car", enable_hr=True)

    def test_what_clients_ask_for_at_the_start(self):
        api = self.api()
        self.assertEqual(api.util_get_model_names(), ["mini-flow", "mini-turbo"])
        self.assertEqual(api.util_get_current_model(), "mini-turbo")
        self.assertIn("Euler a", api.util_get_sampler_names())
        self.assertIn("karras", api.util_get_scheduler_names())
        self.assertIn("ram", api.get_memory())
        self.assertEqual(api.get_scripts()["txt2img"], ["gass"])
        self.assertEqual(api.get_progress()["progress"], 0)
        for ask in (api.get_cmd_flags, api.get_loras, api.get_upscalers, api.get_sd_vae, api.get_embeddings, api.get_prompt_styles):
            ask()
        api.refresh_checkpoints()

    def test_the_model_is_the_requests_own(self):
        """Nobody changes what others get (overlapping calls break elsewhere)."""
        result = self.api().txt2img(prompt="a car", width=64, height=64, override_settings={"sd_model_checkpoint": "mini-flow"})
        self.assertEqual(result.info["sd_model_name"], "mini-flow")
        self.assertEqual(self.server.post("/sdapi/v1/options", {"sd_model_checkpoint": "mini-flow"}).status, 409)
        self.assertIsNone(self.api().set_options({"sd_model_checkpoint": "mini-turbo"}))

    def test_progress_and_interrupt(self):
        results = []
        slow = {"prompt": "a car", "batch_size": 8, "steps": 150, "override_settings": {"sd_model_checkpoint": "mini-flow"}, "width": 128, "height": 128}
        thread = threading.Thread(target=lambda: results.append(self.api().txt2img(**slow)))
        thread.start()
        wait_for(lambda: self.api().get_progress()["progress"] > 0)
        progress = self.api().get_progress()
        self.assertEqual(progress["state"]["job_count"], 1)
        self.assertIn(progress["state"]["sampling_steps"], range(20, 150))  # fewer than asked for: gass takes the first ones at once
        wait_for(lambda: self.api().get_progress()["current_image"])
        self.assertEqual(self.api().interrupt(), {})
        thread.join(120)
        self.assertEqual(results[0].images, [])
        self.assertTrue(results[0].info["interrupted"])

    def test_png_info(self):
        image = self.api().txt2img(prompt="a red car", width=64, height=64).images[0]
        info = self.api().png_info(image)
        self.assertIn("a red car", info.info)
        self.assertEqual(self.server.post("/sdapi/v1/png-info", {"image": "?"}).status, 422)

    def test_overlapping_calls(self):
        results = {}

        def ask(seed):
            results[seed] = self.api().txt2img(prompt=f"car {seed}", seed=seed, width=64, height=64)

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for seed, result in results.items():
            self.assertEqual(result.info["prompt"], f"car {seed}")
            self.assertIn(f"car {seed}", result.info["infotexts"][0])


class Complaints(OwnServerTest):
    """Who may see and end whose work, with keys."""

    def test_nobody_sees_or_ends_what_is_anothers(self):
        server = self.start("--api-key", "the-first-key", "--api-key", "the-second-key", models=("mini-flow",))
        mine, other = {"X-Api-Key": "the-first-key"}, {"X-Api-Key": "the-second-key"}
        answers = []
        body = {"prompt": "a car", "steps": 40, "batch_size": 4, "width": 128, "height": 128}
        thread = threading.Thread(target=lambda: answers.append(server.post("/sdapi/v1/txt2img", body, headers=mine)))
        thread.start()
        wait_for(lambda: server.get("/sdapi/v1/progress", headers=mine).json["progress"] > 0)
        self.assertEqual(server.get("/sdapi/v1/progress", headers=other).json["state"]["job_count"], 0)
        server.post("/sdapi/v1/interrupt", headers=other)
        thread.join(300)
        self.assertEqual(len(json.loads(answers[0].body)["images"]), 4)


if __name__ == "__main__":
    unittest.main()
