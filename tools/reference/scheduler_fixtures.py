"""Writes the timesteps of diffusers' schedulers and the way of x through them, with a function for a network.

usage: scheduler_fixtures.py OUT_DIR

OUT_DIR/cases.json holds for each case
  name, config       the scheduler_config.json
  method, karras     what replaces the file's class and levels, as on our command line; method may be null
  steps, tokens      what is asked for
  timesteps, scale   what the scheduler makes of it
OUT_DIR/paths.safetensors holds `noise` and `pattern`, and under each name x before the first step and after each.
"""

import itertools
import json
import pathlib
import sys

import numpy as np
import torch
from diffusers import (
    DDIMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    FlowMatchEulerDiscreteScheduler,
    PNDMScheduler,
)
from diffusers.pipelines.stable_diffusion_3.pipeline_stable_diffusion_3 import calculate_shift
from safetensors.torch import save_file

CLASSES = {
    "ddim": DDIMScheduler,
    "euler": EulerDiscreteScheduler,
    "dpm++2m": DPMSolverMultistepScheduler,
    "plms": PNDMScheduler,
}
STEPS = [1, 2, 3, 5, 14, 15, 28, 50]
SPACINGS = ["leading", "linspace", "trailing"]
SD = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# Published files.
SD15 = SD | {
    "_class_name": "PNDMScheduler", "_diffusers_version": "0.6.0", "num_train_timesteps": 1000,
    "set_alpha_to_one": False, "skip_prk_steps": True, "steps_offset": 1, "trained_betas": None, "clip_sample": False,
}  # fmt: skip
SD21 = SD15 | {"_class_name": "DDIMScheduler", "prediction_type": "v_prediction"}
SD21_BASE = SD15 | {"prediction_type": "epsilon"}
SD3 = {"_class_name": "FlowMatchEulerDiscreteScheduler", "num_train_timesteps": 1000, "shift": 3.0}
SD35 = SD3 | {
    "base_image_seq_len": 256, "base_shift": 0.5, "invert_sigmas": False, "max_image_seq_len": 4096, "max_shift": 1.15,
    "shift_terminal": None, "use_beta_sigmas": False, "use_dynamic_shifting": False, "use_exponential_sigmas": False,
    "use_karras_sigmas": False,
}  # fmt: skip
UNIPC = SD | {
    "_class_name": "UniPCMultistepScheduler", "solver_order": 2, "solver_type": "bh2", "predict_x0": True,
    "disable_corrector": [], "solver_p": None, "timestep_spacing": "linspace", "steps_offset": 1,
}  # fmt: skip


def in_turn(values: list) -> itertools.cycle:
    """Spreads values over a product of settings that would be too large with them as one more factor."""
    return itertools.cycle(values)


def scheduler_of(config: dict, method: str | None, karras: bool):
    """The scheduler as StableDiffusionPipeline or StableDiffusion3Pipeline would use it."""
    by_name = {kind.__name__: kind for kind in [*CLASSES.values(), FlowMatchEulerDiscreteScheduler]}
    if config["_class_name"].startswith("FlowMatch"):
        return FlowMatchEulerDiscreteScheduler.from_config(config, **({"use_karras_sigmas": True} if karras else {}))
    kind = CLASSES[method] if method else by_name[config["_class_name"]]
    settings = {"steps_offset": 1}
    if kind is DDIMScheduler:
        settings["clip_sample"] = False
    if kind is PNDMScheduler and method:
        settings["skip_prk_steps"] = True
    if karras:
        settings["use_karras_sigmas"] = True
    return kind.from_config(config, **settings)


def set_timesteps(scheduler, steps: int, tokens: int) -> None:
    if not scheduler.config.get("use_dynamic_shifting", False):
        scheduler.set_timesteps(steps)
        return
    config = scheduler.config
    mu = calculate_shift(
        tokens,
        config.get("base_image_seq_len", 256),
        config.get("max_image_seq_len", 4096),
        config.get("base_shift", 0.5),
        config.get("max_shift", 1.16),
    )
    scheduler.set_timesteps(steps, mu=mu)


class Writer:
    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.noise = torch.randn(2, 4, 4, 4, generator=generator)
        self.pattern = torch.randn(2, 4, 4, 4, generator=generator)
        self.paths = {"noise": self.noise, "pattern": self.pattern}
        self.cases = []

    def add(self, name: str, config: dict, steps: int, method=None, karras=False, tokens=1024) -> None:
        name = f"{name}-{steps}"
        assert name not in self.paths, name
        scheduler = scheduler_of(config, method, karras)
        set_timesteps(scheduler, steps, tokens)
        if hasattr(scheduler, "set_begin_index"):
            scheduler.set_begin_index(0)  # it looks the first timestep up, and would find its double if there is one
        scale = float(getattr(scheduler, "init_noise_sigma", 1.0))
        x = self.noise * scale
        path = [x]
        for t in scheduler.timesteps:
            scaled = scheduler.scale_model_input(x, t) if hasattr(scheduler, "scale_model_input") else x
            output = torch.tanh(0.3 * scaled + 0.001 * float(t) * self.pattern)
            x = scheduler.step(output, t, x, return_dict=False)[0]
            path.append(x)
        self.paths[name] = torch.stack(path)
        assert self.paths[name].isfinite().all(), name
        self.cases.append(
            {
                "name": name, "config": config, "method": method, "karras": karras, "steps": steps, "tokens": tokens,
                "timesteps": [float(t) for t in scheduler.timesteps], "scale": scale,
            }
        )  # fmt: skip

    def write(self, out: pathlib.Path) -> None:
        (out / "cases.json").write_text(json.dumps(self.cases))
        save_file(self.paths, out / "paths.safetensors")


def alpha_cases(writer: Writer) -> None:
    ends = in_turn([True, False])
    for spacing, prediction, zero_snr, steps in itertools.product(
        SPACINGS, ["epsilon", "v_prediction", "sample"], [False, True], STEPS
    ):
        if zero_snr and prediction == "epsilon" and spacing != "leading":
            continue  # begins without signal
        config = SD | {
            "_class_name": "DDIMScheduler", "prediction_type": prediction, "timestep_spacing": spacing,
            "rescale_betas_zero_snr": zero_snr, "set_alpha_to_one": next(ends), "steps_offset": 0,
        }  # fmt: skip
        writer.add(f"ddim-{spacing}-{prediction}-{zero_snr}", config, steps)
    for spacing, prediction, one, steps in itertools.product(
        SPACINGS, ["epsilon", "v_prediction"], [True, False], [*STEPS, 7]
    ):
        config = SD | {
            "_class_name": "PNDMScheduler", "prediction_type": prediction, "timestep_spacing": spacing,
            "skip_prk_steps": True, "set_alpha_to_one": one,
        }  # fmt: skip
        writer.add(f"plms-{spacing}-{prediction}-{one}", config, steps)
    for kind, spacing in itertools.product(["DDIMScheduler", "PNDMScheduler"], ["linspace", "trailing"]):
        config = SD | {"_class_name": kind, "timestep_spacing": spacing, "skip_prk_steps": True}
        writer.add(f"long-{kind}-{spacing}", config, 1000)


def sigma_cases(writer: Writer) -> None:
    forms = [{}, {"use_karras_sigmas": True}, {"use_exponential_sigmas": True}, {"rescale_betas_zero_snr": True}]
    for spacing, prediction, (number, form), final, steps in itertools.product(
        SPACINGS, ["epsilon", "v_prediction", "sample"], enumerate(forms), ["zero", "sigma_min"], STEPS
    ):
        euler = SD | form | {
            "_class_name": "EulerDiscreteScheduler", "prediction_type": prediction, "timestep_spacing": spacing,
            "final_sigmas_type": final,
        }  # fmt: skip
        writer.add(f"euler-{spacing}-{prediction}-{number}-{final}", euler, steps)
        dpm = euler | {"_class_name": "DPMSolverMultistepScheduler"}
        writer.add(f"dpm-{spacing}-{prediction}-{number}-{final}", dpm, steps)

    for steps in [*STEPS, 999, 1000]:
        config = SD | {"_class_name": "EulerDiscreteScheduler"}
        writer.add("euler-defaults", config, steps)
        writer.add("euler-leading", config | {"timestep_spacing": "leading"}, steps)
        writer.add("euler-log-linear", config | {"interpolation_type": "log_linear"}, steps)
    limits = {"sigma_min": 0.05, "sigma_max": 10.0}
    for kind, form in itertools.product(
        ["EulerDiscreteScheduler", "DPMSolverMultistepScheduler"], ["use_karras_sigmas", "use_exponential_sigmas"]
    ):
        writer.add(f"limits-{kind}-{form}", SD | limits | {"_class_name": kind, form: True}, 10)
    log_karras = SD | {"_class_name": "EulerDiscreteScheduler", "interpolation_type": "log_linear"}
    writer.add("euler-log-linear-karras", log_karras, 20, karras=True)


def multistep_cases(writer: Writer) -> None:
    base = SD | {"_class_name": "DPMSolverMultistepScheduler"}
    for order, solver, lower, euler, final, steps in itertools.product(
        [1, 2], ["midpoint", "heun"], [True, False], [True, False], ["zero", "sigma_min"], [1, 2, 5, 14, 15, 28]
    ):
        config = base | {
            "solver_order": order, "solver_type": solver, "lower_order_final": lower, "euler_at_final": euler,
            "final_sigmas_type": final,
        }  # fmt: skip
        writer.add(f"multistep-{order}-{solver}-{lower}-{euler}-{final}", config, steps)
    cosine = base | {"beta_schedule": "squaredcos_cap_v2", "lambda_min_clipped": -5.1}
    for spacing, steps in itertools.product(SPACINGS, [1, 3, 14, 20, 50]):
        writer.add(f"clipped-{spacing}", cosine | {"timestep_spacing": spacing}, steps)
        writer.add(f"clipped-karras-{spacing}", cosine | {"timestep_spacing": spacing}, steps, karras=True)
    for spacing in ["leading", "trailing"]:
        writer.add(f"dpm-long-{spacing}", base | {"timestep_spacing": spacing}, 400)


def noise_schedule_cases(writer: Writer) -> None:
    trained = {"trained_betas": [float(b) for b in np.geomspace(1e-4, 0.05, 200)], "num_train_timesteps": 200}
    schedules = {
        "linear": {}, "linear-other": {"beta_start": 0.0002, "beta_end": 0.03, "num_train_timesteps": 500},
        "cosine": {"beta_schedule": "squaredcos_cap_v2"}, "trained": trained,
    }  # fmt: skip
    for (name, schedule), kind, zero_snr in itertools.product(schedules.items(), CLASSES.values(), [False, True]):
        if name == "cosine" and kind in [EulerDiscreteScheduler, DDIMScheduler]:
            prediction = "v_prediction"  # its last level has no signal to speak of
        else:
            prediction = "epsilon"
        config = schedule | {
            "_class_name": kind.__name__, "rescale_betas_zero_snr": zero_snr, "timestep_spacing": "leading",
            "skip_prk_steps": True, "prediction_type": prediction,
        }  # fmt: skip
        writer.add(f"betas-{name}-{kind.__name__}-{zero_snr}", config, 10)


def flow_cases(writer: Writer) -> None:
    for steps in [*STEPS, 1000]:
        writer.add("sd3", SD3, steps)
        writer.add("sd35", SD35, steps)
        writer.add("sd35-karras", SD35, steps, karras=True)
        writer.add("flow-exponential", SD35 | {"use_exponential_sigmas": True}, steps)
    for steps in [2, 5, 28]:
        writer.add("flow-terminal", SD35 | {"shift_terminal": 0.1}, steps)
    for shift, form, tokens in itertools.product([{}, {"max_shift": 1.3, "base_shift": 0.6}],
                                                 ["exponential", "linear"], [64, 1024, 4096, 16384]):  # fmt: skip
        config = SD3 | shift | {"use_dynamic_shifting": True, "time_shift_type": form}
        name = f"dynamic-{form}-{len(shift)}-{tokens}"
        writer.add(name, config, 28, tokens=tokens)
        writer.add(f"{name}-terminal", config | {"shift_terminal": 0.02}, 7, tokens=tokens)
    for shift in [0.5, 1.0, 6.0]:
        writer.add(f"flow-{shift}", SD3 | {"shift": shift, "num_train_timesteps": 777}, 14)
    writer.add("flow-limits", SD3 | {"sigma_min": 0.01, "sigma_max": 0.98}, 9, karras=True)


def model_cases(writer: Writer) -> None:
    for name in ["mini-unet", "mini-flow"]:
        config = json.loads((MODELS / name / "scheduler" / "scheduler_config.json").read_text())
        for steps in [1, 20, 50]:
            writer.add(name, config, steps)
    turbo = json.loads((MODELS / "mini-turbo" / "scheduler" / "scheduler_config.json").read_text())
    for steps in [2, 4, 28]:
        writer.add("mini-turbo", turbo, steps)
    published = {"sd15": SD15, "sd21": SD21, "base": SD21_BASE}
    for (name, config), steps in itertools.product(published.items(), [1, 20, 50]):
        writer.add(name, config, steps)
    files = {
        "mini-unet": json.loads((MODELS / "mini-unet" / "scheduler" / "scheduler_config.json").read_text()),
        "unipc": UNIPC,
    } | published  # fmt: skip
    for (name, config), method, steps in itertools.product(files.items(), CLASSES, [1, 2, 20, 50]):
        writer.add(f"{name}-as-{method}", config, steps, method)
        if method in ["euler", "dpm++2m"]:
            writer.add(f"{name}-as-{method}-karras", config, steps, method, karras=True)


def main(out: pathlib.Path) -> None:
    writer = Writer()
    alpha_cases(writer)
    sigma_cases(writer)
    multistep_cases(writer)
    noise_schedule_cases(writer)
    flow_cases(writer)
    model_cases(writer)
    writer.write(out)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    main(folder)
