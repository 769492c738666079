"""What the mock server says that it can do: the shape of the real answer, with a few of its methods and models."""


def _number(name, default, minimum, maximum, text, kind="number"):
    return {"name": name, "kind": kind, "default": default, "minimum": minimum, "maximum": maximum, "choices": None, "help": text}


def _choice(name, default, choices, text):
    return {"name": name, "kind": "choice", "default": default, "minimum": None, "maximum": None, "choices": choices, "help": text}


def _flag(name, default, text):
    return {"name": name, "kind": "flag", "default": default, "minimum": None, "maximum": None, "choices": None, "help": text}


def _method(name, summary, remark, parameters, dial=False):
    return {"name": name, "summary": summary, "remark": remark, "has_dial": dial, "takes_axes": dial, "parameters": parameters}


def _model(name, steps, cfg_scale, text, **more):
    return {"name": name, "is_loaded": name == "mini-turbo", "is_default": name == "mini-flow", "family": "flow", "is_distilled": steps < 10,
            "width": 128, "height": 128, "steps": steps, "cfg_scale": cfg_scale, "description": text, **more}


METHODS = [
    _method("none", "plain classifier-free guidance", "What the others are measured against.", []),
    _method("gass", "spreads the set where its layout is decided: starting noise, guidance, choice and push",
            "The most spread at equal CLIPScore on both embedded models, for a little more time; past strength 0.5 images begin to miss the "
            "prompt.",
            [_number("strength", 0.5, 0.0, 1.0, "one dial: sets the next five, by the model's calibration, where they are not said"),
             _number("interval", 1.0, 0.0, 1.0, "guidance is off while the time (1 noise, 0 image) is above this; by strength"),
             _number("candidates", 1, 1, 64, "candidates for each image, 1 selects none; by strength; k for short", "integer"),
             _flag("push", False, "push the group apart"),
             _choice("targets", "ladder", ["ladder", "pairs"], "where the push leads")], dial=True),
    _method("interval", "guides in an interval of noise levels only", "Saves time, and is the next best on mini-flow.",
            [_number("low", 0.2, 0.0, 1.0, "lower end"), _number("high", 0.8, 0.0, 1.0, "upper end"),
             _choice("level", "time", ["time", "sigma", "ve", "fraction"], "what the ends are given in")]),
    _method("cads", "noises the prompt at first", "The values of the paper do next to nothing.",
            [_number("tau1", 0.9, 0.0, 1.0, "noise ends here"), _number("scale", 0.1, 0.0, 2.0, "how much noise")]),
    _method("spell", "SPELL: moves latents out of each other's and of a shield's way",
            "Hardly spreads where it does no harm; keeping away from given pictures is what no other method does.",
            [_number("radius", -1.0, -1.0, 10000.0, "radius of the balls; -1 takes the percentile"),
             _number("percentile", 30.0, 0.0, 100.0, "of the group's own distances")]),
]

MODELS = [
    _model("mini-flow", 28, 4.0, "flow matching, 34 million parameters"),
    _model("mini-turbo", 4, 1.0, "mini-flow distilled into four steps"),
    _model("mini-unet", 28, 4.0, "latent diffusion, U-Net", family="diffusion"),
]

SETTINGS = [
    {"name": "steps", "kind": "integer", "minimum": 1, "maximum": 1000, "default": None, "help": "denoising steps"},
    {"name": "cfg_scale", "kind": "number", "minimum": 0, "maximum": 100, "default": None, "help": "guidance scale; 1 is off"},
    {"name": "width", "kind": "integer", "minimum": 8, "maximum": 1024, "default": None, "help": "image width in pixels"},
    {"name": "height", "kind": "integer", "minimum": 8, "maximum": 1024, "default": None, "help": "image height in pixels"},
    {"name": "negative_prompt", "kind": "text", "minimum": None, "maximum": None, "default": None, "help": "what the images should not show"},
    {"name": "images", "kind": "integer", "minimum": 1, "maximum": 64, "default": 4, "help": "images in the set"},
    {"name": "seed", "kind": "integer", "minimum": -1, "maximum": 4294967295, "default": 42, "help": "first seed; -1 is a random one"},
    {"name": "method", "kind": "text", "minimum": None, "maximum": None, "default": "gass", "help": "how the set is made to differ"},
    {"name": "strength", "kind": "number", "minimum": 0, "maximum": 1, "default": None, "help": "how far gass spreads the set"},
    {"name": "vary", "kind": "text", "minimum": None, "maximum": None, "default": None, "help": "axes to spread the set along"},
    {"name": "sampling_method", "kind": "choice", "minimum": None, "maximum": None, "default": "default",
     "choices": ["default", "ddim", "euler", "dpm++2m", "plms"], "help": "solver; \"default\" is the model's own"},
    {"name": "scheduler", "kind": "choice", "minimum": None, "maximum": None, "default": "default", "choices": ["default", "karras"],
     "help": "spacing of the noise levels; karras is for euler and dpm++2m"},
]

CAPABILITIES = {
    "version": "0.0.0-mock", "schema": 1, "models": MODELS, "default_model": "mini-flow", "methods": METHODS,
    "samplers": ["default", "ddim", "euler", "dpm++2m", "plms"], "schedules": ["default", "karras"],
    "limits": {"images": 64, "width": 1024, "height": 1024, "steps": 1000, "body_bytes": 16 << 20, "prompt_bytes": 16384, "queue": 100},
    "settings": SETTINGS, "metrics": ["vendi", "spp", "pairwise", "clip_score"], "can": ["keep", "like", "away", "away_picture"],
}
