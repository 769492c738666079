"""Writes what the methods that gass is compared with must do, worked out from their formulas in fp64.

usage: rivals_fixtures.py OUT_DIR

OUT_DIR/cases.json holds a list of
  name, method       the latter as on our command line
  family             "flow" or "diffusion"
  images, shield     how many there are in the group and, beyond it, to stay away from
  hook               "steer", "start", "guidance", "condition" or "unconditional", called once for each of
  calls              index, count, timestep, time, signal, noise: where the group stands (not for "start"), and
                     expect    "same": the argument itself comes back; "equal": the same numbers do;
                               "still": nothing moves but by rounding; "move": see the tensors
                     cfg, weight      "guidance": what goes in and what must come out
                     radius, active   SPELL: what it must report
OUT_DIR/tensors.safetensors holds `projection`, [48, 32], of the small vision that the methods look through, and for
call K of a case, in fp32 but for what must come out, in fp64,
  NAME/K/clean, x, move              "steer"
  NAME/K/noise, move                 "start"
  NAME/K/sequence, pooled, sequence_out, pooled_out   "condition", "unconditional"
  NAME/shield
"""

import json
import math
import pathlib
import sys
from dataclasses import dataclass

import torch
from safetensors.torch import save_file
from torch.nn.functional import adaptive_avg_pool2d, interpolate

FP64 = torch.float64
INFINITY = float("inf")
UNSEEN = "0.000000001"  # so little noise that fp32 does not show it: ours cannot be drawn here


# Where a group stands.


@dataclass(frozen=True)
class Level:
    """x = signal · x0 + noise · eps, at a step of a schedule."""

    index: int
    count: int
    timestep: float
    signal: float
    noise: float

    @property
    def time(self) -> float:
        return self.timestep / 1000

    @property
    def ve(self) -> float:
        return self.noise / self.signal if self.signal > 0 else INFINITY

    @property
    def length(self) -> float:
        return math.hypot(self.signal, self.noise)

    def json(self) -> dict:
        return {
            "index": self.index, "count": self.count, "timestep": self.timestep, "time": self.time,
            "signal": self.signal, "noise": self.noise,
        }  # fmt: skip


def sd3(steps: int = 28, shift: float = 3.0) -> list[Level]:
    """FlowMatchEulerDiscreteScheduler, which shifts its lower end twice."""

    def shifted(sigma: float) -> float:
        return shift * sigma / (1 + (shift - 1) * sigma)

    lowest = shifted(1 / 1000)
    levels = []
    for i in range(steps):
        sigma = shifted(1 + i * (lowest - 1) / (steps - 1))
        levels.append(Level(i, steps, 1000 * sigma, 1 - sigma, sigma))
    return levels


def sd21(steps: int = 50) -> list[Level]:
    """DDIMScheduler, "leading", offset 1; of ε and v alike."""
    roots = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=FP64)
    alpha_bars = torch.cumprod(1 - roots**2, 0)
    levels = []
    for i in range(steps):
        timestep = (1000 // steps) * (steps - 1 - i) + 1
        alpha_bar = alpha_bars[timestep].item()
        levels.append(Level(i, steps, float(timestep), math.sqrt(alpha_bar), math.sqrt(1 - alpha_bar)))
    return levels


def in_ve_units(levels: list[Level]) -> list[Level]:
    """The same of a solver that keeps x = x0 + σ eps."""
    return [Level(at.index, at.count, at.timestep, 1.0, at.ve) for at in levels]


SD3, SD21 = sd3(), sd21()
SD21_VE = in_ve_units(SD21)
SCHEDULES = {"sd3": ("flow", SD3), "sd21": ("diffusion", SD21), "sd21ve": ("diffusion", SD21_VE)}


# What is seen of latents.


class SmallVision:
    def __init__(self, projection: torch.Tensor):
        self.projection = projection

    def embed(self, latents: torch.Tensor) -> torch.Tensor:
        """Of the decoded latents."""
        pixels = interpolate(torch.tanh(latents[:, :3]), scale_factor=2, mode="nearest")
        features = adaptive_avg_pool2d(pixels, (4, 4)).flatten(1) @ self.projection
        return features / features.norm(dim=-1, keepdim=True)


# The methods. Each gives the move of the clean estimate, None where it leaves it alone.


def others(index: int, count: int) -> list[int]:
    return [j for j in range(count) if j != index]


def repulsion(points: torch.Tensor) -> torch.Tensor:
    """Particle Guidance: minus the gradient of Σ_j k(x_i, x_j) with respect to x_i, row by row, its bandwidth
    held. By autograd, so that no formula for it is shared with what is tested."""
    count = len(points)
    rows = []
    for i in range(count):
        away = points[others(i, count)]
        distances = (points[i] - away).norm(dim=1)
        bandwidth = distances.sort().values[(count - 2) // 2] ** 2 / math.log(count - 1)  # the lower median
        mover = points[i].clone().requires_grad_(True)
        potential = torch.exp(-((mover - away) ** 2).sum(1) / bandwidth).sum()
        rows.append(-torch.autograd.grad(potential, mover)[0])
    return torch.stack(rows)


def clean_move_for_noise(noise_move: torch.Tensor, at: Level) -> torch.Tensor:
    """x stays: signal · Δx0 + noise · Δeps = 0."""
    return -at.noise / at.signal * noise_move


def particle_guidance(x, clean, at: Level, family: str, coefficient=30.0, gate=1.0, port="score"):
    if len(clean) < 3 or coefficient == 0 or at.ve < gate:
        return None
    points = x.flatten(1) / at.length if family == "diffusion" else x.flatten(1)
    away = repulsion(points).reshape(x.shape)
    if family == "diffusion":
        return clean_move_for_noise(-coefficient * at.ve * away, at)
    sigma = at.noise
    if port == "score":
        if at.signal == 0:
            return None
        velocity_move = -coefficient * sigma / (1 - sigma) * away
    else:
        velocity_move = -coefficient * sigma * away
    return -sigma * velocity_move  # x0 = x − σ v


def feature_guidance(x, clean, at: Level, family: str, vision, coefficient=8.0, gate=3.0):
    if len(clean) < 3 or coefficient == 0 or at.signal == 0 or not at.ve > gate:
        return None
    # With respect to x in the units of the network and at a fixed output of it: ε for diffusion, v for flow.
    if family == "diffusion":
        a, b = at.signal / at.length, at.noise / at.length
        seen = (x / at.length).requires_grad_(True)
        output = (seen.detach() - a * clean) / b
        estimate = (seen - b * output) / a
    else:
        seen = x.clone().requires_grad_(True)
        output = (seen.detach() - clean) / at.noise
        estimate = seen - at.noise * output
    features = vision.embed(estimate)
    away = coefficient * repulsion(features.detach())
    gradient = torch.autograd.grad((features * away).sum(), seen)[0]
    return clean_move_for_noise(-gradient, at)


def dpp(clean, at: Level, vision, scale=0.12, spread=3.0, start=0.9, until=0.2):
    count = len(clean)
    if count < 2 or scale == 0 or not until < at.time <= start:
        return None
    leaf = clean.clone().requires_grad_(True)
    features = vision.embed(leaf)
    squares = ((features[:, None] - features[None]) ** 2).sum(-1)
    rows, columns = torch.triu_indices(count, count, 1)
    median = squares.detach()[rows, columns].median()
    kernel = torch.exp(-spread * squares / median)
    objective = torch.logdet(kernel) - torch.logdet(kernel + torch.eye(count, dtype=FP64))
    gradient = torch.autograd.grad(objective, leaf)[0]
    rms = gradient.flatten(1).norm(dim=1).square().mean().sqrt()
    lengths = clean.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
    return scale * lengths * gradient / rms


class Spell:
    def __init__(self, radius=-1.0, overcompensation=1.6, percentile=30.0, calibrate_time=0.8):
        self.radius, self.overcompensation = radius, overcompensation
        self.percentile, self.calibrate_time = percentile, calibrate_time
        self.kept = None

    def radius_at(self, clean: torch.Tensor, at: Level) -> float:
        if self.radius >= 0:
            return self.radius
        if self.kept is not None:
            return self.kept
        if len(clean) < 2:
            return 0.0
        radius = torch.quantile(torch.pdist(clean.flatten(1)), self.percentile / 100).item()
        if at.time <= self.calibrate_time:
            self.kept = radius
        return radius

    def __call__(self, clean: torch.Tensor, at: Level, shield: torch.Tensor | None):
        """The move, the radius, the share of images that move."""
        radius = self.radius_at(clean, at)
        points = clean.flatten(1)
        move = torch.zeros_like(points)
        for i in range(len(points)):
            balls = [points[j] for j in others(i, len(points))]
            balls += [] if shield is None else list(shield.flatten(1))
            for ball in balls:
                offset = points[i] - ball
                move[i] += max(radius / offset.norm().item() - 1, 0.0) * offset
        active = (move != 0).any(1).to(FP64).mean().item()
        return self.overcompensation * move.reshape(clean.shape), radius, active


def cosines(size: int) -> torch.Tensor:
    """The orthonormal DCT-II, a mode in each row."""
    modes = torch.arange(size, dtype=FP64)[:, None]
    places = torch.arange(size, dtype=FP64)[None]
    matrix = torch.cos(math.pi * modes * (2 * places + 1) / (2 * size)) * math.sqrt(2 / size)
    matrix[0] /= math.sqrt(2)
    return matrix


def initial_noise(noise: torch.Tensor, kind: str, scale=1.5, modes=4):
    """What to start from in place of the noise; None: the noise."""
    count = len(noise)
    if kind == "antithetic":
        if count < 2:
            return None
        result = noise.clone()
        for second in range(1, count, 2):
            result[second] = -noise[second - 1]
        return result
    if kind == "orthogonal":
        rows = noise.flatten(1)
        if count > rows.shape[1] or count < 2:
            return None
        lengths = rows.norm(dim=1, keepdim=True)
        left, _, right = torch.linalg.svd(rows / lengths, full_matrices=False)
        return (left @ right * lengths).reshape(noise.shape)
    down, across = cosines(noise.shape[2]), cosines(noise.shape[3])
    spectrum = down @ noise @ across.T
    spectrum[:, :, :modes, :modes] *= scale
    return down.T @ spectrum @ across


def clarity(time: float, tau1: float, tau2: float) -> float:
    if time <= tau1:
        return 1.0
    return 0.0 if time >= tau2 else (tau2 - time) / (tau2 - tau1)


def without_noise(text: torch.Tensor, gamma: float, mix: float) -> torch.Tensor:
    """CADS but for its noise."""
    given = text.flatten(1)
    mixed = math.sqrt(gamma) * given
    rescaled = (mixed - mixed.mean(1, keepdim=True)) / mixed.std(1, keepdim=True)
    rescaled = rescaled * given.std(1, keepdim=True) + given.mean(1, keepdim=True)
    return (mix * rescaled + (1 - mix) * mixed).reshape(text.shape)


def guidance_level(at: Level, family: str, level: str) -> float:
    if level == "time":
        return at.time
    if level == "sigma":
        return at.noise if family == "flow" else at.noise / at.length
    return at.ve if level == "ve" else 1 - at.index / at.count


# The cases.


def spec(name: str, **parameters) -> str:
    listed = ",".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}:{listed}" if listed else name


class Writer:
    def __init__(self, out: pathlib.Path):
        self.out = out
        self.cases: list[dict] = []
        self.random = torch.Generator().manual_seed(20)
        projection = torch.randn(48, 32, generator=self.random)
        self.tensors = {"projection": projection}
        self.vision = SmallVision(projection.to(FP64))

    def randn(self, *shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=self.random)

    def latents(self, images: int, spread: float = 0.6, size: tuple[int, int] = (8, 8)) -> torch.Tensor:
        """Clean ones of one text: alike, and not equally so."""
        common, own = self.randn(1, 4, *size), self.randn(images, 4, *size)
        how_much = spread * (0.6 + 0.8 * torch.rand(images, 1, 1, 1, generator=self.random))
        return common * 0.7 + own * how_much

    def noisy(self, clean: torch.Tensor, at: Level) -> torch.Tensor:
        return at.signal * clean + at.noise * self.randn(*clean.shape)

    def case(self, name: str, method: str, family: str, images: int, hook: str = "steer", shield=None) -> list[dict]:
        assert all(case["name"] != name for case in self.cases), name
        calls: list[dict] = []
        self.cases.append({
            "name": name, "method": method, "family": family, "images": images, "hook": hook,
            "shield": 0 if shield is None else len(shield), "calls": calls,
        })  # fmt: skip
        if shield is not None:
            self.tensors[f"{name}/shield"] = shield
        return calls

    def keep(self, name: str, call: int, **tensors: torch.Tensor) -> None:
        for key, tensor in tensors.items():
            self.tensors[f"{name}/{call}/{key}"] = tensor.detach().contiguous().clone()

    def steered(self, name: str, calls: list[dict], at: Level, clean, x, move, nothing: str = "same", **more) -> None:
        """Adds a call; `nothing` is what to expect without a move."""
        self.keep(name, len(calls), clean=clean, x=x)
        if move is not None:
            self.keep(name, len(calls), move=move)
        calls.append(at.json() | {"expect": nothing if move is None else "move"} | more)

    def write(self) -> None:
        (self.out / "cases.json").write_text(json.dumps(self.cases))
        save_file(self.tensors, self.out / "tensors.safetensors")


def particle_cases(writer: Writer) -> None:
    def add(name: str, family: str, images: int, at: Level, **parameters) -> None:
        clean = writer.latents(images)
        x = writer.noisy(clean, at)
        calls = writer.case(name, spec("pg", **parameters), family, images)
        move = particle_guidance(x.to(FP64), clean.to(FP64), at, family, **parameters)
        writer.steered(name, calls, at, clean, x, move)

    for images in (1, 2, 3, 8):
        for index in (0, 1, 5, 12, 20, 21, 27):
            add(f"pg-sd3-{images}-{index}", "flow", images, SD3[index])
            add(f"pg-sd3-naive-{images}-{index}", "flow", images, SD3[index], port="naive")
        for name, levels in (("sd21", SD21), ("sd21ve", SD21_VE)):
            for index in (0, 10, 25, 31, 32, 49):
                add(f"pg-{name}-{images}-{index}", "diffusion", images, levels[index])
    for images in (4, 5):  # an odd and an even number of neighbours
        add(f"pg-sd3-{images}", "flow", images, SD3[3])
        add(f"pg-sd21-{images}", "diffusion", images, SD21[3])
    for gate in (0, 3):
        for name, (family, levels) in SCHEDULES.items():
            for index in (8, 13, 14, 15, 16, 24):
                add(f"pg-{name}-gate{gate}-{index}", family, 4, levels[index], gate=gate)
    edge = Level(3, 28, 500.0, 0.5, 0.5)
    add("pg-on-the-gate", "flow", 4, edge)
    for name, (family, levels) in SCHEDULES.items():
        add(f"pg-{name}-off", family, 8, levels[3], coefficient=0)
        add(f"pg-{name}-300", family, 8, levels[3], coefficient=300)


def feature_cases(writer: Writer) -> None:
    def add(name: str, family: str, images: int, at: Level, size=(8, 8), **parameters) -> None:
        clean = writer.latents(images, size=size)
        x = writer.noisy(clean, at)
        calls = writer.case(name, spec("pg-features", **parameters), family, images)
        move = feature_guidance(x.to(FP64), clean.to(FP64), at, family, writer.vision, **parameters)
        writer.steered(name, calls, at, clean, x, move)

    for images in (1, 2, 3, 8):
        for index in (0, 1, 5, 13, 14):
            add(f"features-sd3-{images}-{index}", "flow", images, SD3[index])
        for name, levels in (("sd21", SD21), ("sd21ve", SD21_VE)):
            for index in (0, 7, 15, 16, 40):
                add(f"features-{name}-{images}-{index}", "diffusion", images, levels[index])
    add("features-on-the-gate", "flow", 4, Level(3, 28, 750.0, 0.25, 0.75))
    for name, (family, levels) in SCHEDULES.items():
        add(f"features-{name}-off", family, 8, levels[3], coefficient=0)
        add(f"features-{name}-late", family, 5, levels[23], coefficient=80, gate=0.1)
        add(f"features-{name}-wide", family, 4, levels[2], size=(8, 12))


def spell_cases(writer: Writer) -> None:
    def add(name: str, family: str, run: list[tuple[torch.Tensor, Level]], shield=None, expect=None, **parameters):
        images = len(run[0][0])
        calls = writer.case(name, spec("spell", **parameters), family, images, shield=shield)
        method = Spell(**parameters)
        for clean, at in run:
            guarded = None if shield is None else shield.to(FP64)
            move, radius, active = method(clean.to(FP64), at, guarded)
            x = writer.noisy(clean, at)
            if parameters.get("radius") == 0 or images == 1 and shield is None:
                writer.steered(name, calls, at, clean, x, None, nothing="same" if images > 1 else "equal")
            elif expect == "still":
                writer.steered(name, calls, at, clean, x, None, nothing="still", radius=radius)
            elif active == 0:
                writer.steered(name, calls, at, clean, x, None, nothing="equal", radius=radius, active=0.0)
            else:
                writer.steered(name, calls, at, clean, x, move, radius=radius, active=active)

    def growing(images: int, levels: list[Level]) -> list[tuple[torch.Tensor, Level]]:
        """Estimates that part on the way."""
        common, own = writer.randn(1, 4, 8, 8), writer.randn(images, 4, 8, 8)
        return [
            (common * 0.7 + own * (0.2 + 0.6 * (1 - at.time)) + 0.1 * writer.randn(images, 4, 8, 8), at)
            for at in levels
        ]

    def near(clean: torch.Tensor, count: int) -> torch.Tensor:
        return clean[:1] + 0.5 * writer.randn(count, *clean.shape[1:])

    def between(clean: torch.Tensor, share: float) -> float:
        return round(torch.quantile(torch.pdist(clean.flatten(1)), share).item() + 1.0, 3)

    for name, (family, levels) in SCHEDULES.items():
        for images in (1, 2, 3, 8):
            for index in (0, 9, len(levels) - 1):
                clean = writer.latents(images)
                radius = 12.5 if images == 1 else between(clean, 0.45)
                at = [(clean, levels[index])]
                add(f"spell-{name}-{images}-{index}", family, at, radius=radius)
                for shields in (1, 3):
                    add(f"spell-{name}-{images}-{index}-shield{shields}", family, at, near(clean, shields),
                        radius=radius)  # fmt: skip
        for images in (3, 8):
            add(f"spell-{name}-{images}-run", family, growing(images, levels[3:18:2]))
            shield = near(growing(images, levels[:1])[0][0], 2)
            add(f"spell-{name}-{images}-run-shield", family, growing(images, levels[3:18:2]), shield)
            add(f"spell-{name}-{images}-late", family, growing(images, levels[17:24:2]))
            add(f"spell-{name}-{images}-75", family, growing(images, levels[::3]), percentile=75, calibrate_time=0.5,
                overcompensation=1)  # fmt: skip
        alone, pair, three = (growing(images, levels[8:16:2]) for images in (1, 2, 3))
        add(f"spell-{name}-alone", family, alone)
        add(f"spell-{name}-pair", family, pair, expect="still")  # the one distance is the radius
        add(f"spell-{name}-pair-shield", family, [(pair[0][0], pair[0][1])], near(pair[0][0], 2), radius=14)
        add(f"spell-{name}-off", family, three, near(three[0][0], 2), radius=0)
        add(f"spell-{name}-small", family, three, radius=0.5)
        add(f"spell-{name}-large", family, three, radius=350)
        add(f"spell-{name}-over", family, three, radius=16, overcompensation=3)


def dpp_cases(writer: Writer) -> None:
    def add(name: str, family: str, images: int, at: Level, size=(8, 8), **parameters) -> None:
        clean = writer.latents(images, size=size)
        written = {"from" if key == "start" else key: value for key, value in parameters.items()}
        calls = writer.case(name, spec("dpp", **written), family, images)
        writer.steered(name, calls, at, clean, writer.noisy(clean, at), dpp(clean.to(FP64), at, writer.vision,
                                                                            **parameters))  # fmt: skip

    for name, (family, levels) in SCHEDULES.items():
        indices = (0, 6, 7, 16, 24, 25) if name == "sd3" else (0, 4, 5, 20, 38, 40, 45)
        for images in (1, 2, 3, 8):
            for index in indices:
                add(f"dpp-{name}-{images}-{index}", family, images, levels[index])
        add(f"dpp-{name}-off", family, 8, levels[12], scale=0)
        add(f"dpp-{name}-strong", family, 5, levels[12], scale=0.5, spread=1.5)
        add(f"dpp-{name}-always", family, 4, levels[0], start=1, until=0)
        add(f"dpp-{name}-wide", family, 4, levels[12], size=(12, 8))
    for timestep in (900.0, 200.0):
        sigma = timestep / 1000
        add(f"dpp-on-the-edge-{timestep:.0f}", "flow", 4, Level(3, 28, timestep, 1 - sigma, sigma))


def noise_cases(writer: Writer) -> None:
    def add(name: str, shape: tuple[int, ...], kind: str, **parameters) -> None:
        for family in ("flow", "diffusion"):
            noise = writer.randn(*shape)
            calls = writer.case(f"{name}-{family}", spec("noise", kind=kind, **parameters), family, shape[0], "start")
            result = initial_noise(noise.to(FP64), kind, **parameters)
            writer.keep(f"{name}-{family}", 0, noise=noise)
            if result is not None:
                writer.keep(f"{name}-{family}", 0, move=result - noise.to(FP64))
            calls.append({"expect": "equal" if result is None else "move"})

    for images in (1, 2, 3, 8):
        add(f"antithetic-{images}", (images, 4, 8, 8), "antithetic")
        add(f"coarse-{images}", (images, 4, 8, 8), "coarse")
        if images > 1:
            add(f"orthogonal-{images}", (images, 4, 8, 8), "orthogonal")
    add("orthogonal-full", (8, 2, 2, 2), "orthogonal")  # as many as there are dimensions
    add("orthogonal-crowd", (8, 1, 2, 3), "orthogonal")
    add("coarse-wide", (3, 4, 8, 12), "coarse", scale=2.5, modes=6)
    add("coarse-one", (3, 16, 9, 7), "coarse", scale=0, modes=1)
    add("coarse-weak", (2, 4, 8, 8), "coarse", scale=0.5, modes=2)
    add("coarse-all", (2, 4, 8, 12), "coarse", scale=2, modes=10)  # more than there are down


def guidance_cases(writer: Writer) -> None:
    def add(name: str, method: str, schedule: str, weight, cfg: float = 7.0, levels=None) -> None:
        family, all_levels = SCHEDULES[schedule]
        calls = writer.case(name, method, family, 4, "guidance")
        for at in levels or all_levels:
            calls.append(at.json() | {"cfg": cfg, "weight": weight(at, family)})

    for schedule in SCHEDULES:
        add(f"cfg-{schedule}", "cfg", schedule, lambda at, family: 7.0)
        add(f"cfg-{schedule}-zero", "cfg:scale=0", schedule, lambda at, family: 7.0)
        add(f"cfg-{schedule}-own", "cfg:scale=3.5", schedule, lambda at, family: 3.5)
        for method in ("interval", "ig"):
            add(f"{method}-{schedule}", method, schedule,
                lambda at, family: 7.0 if 0.2 < at.time <= 0.8 else 1.0)  # fmt: skip
        for level in ("time", "sigma", "ve", "fraction"):
            for low, high in ((0.2, 0.8), (0.1, 0.9), (0.0, 1.0), (0.28, 5.42)):
                if high > 1 and level != "ve":
                    continue
                add(f"interval-{schedule}-{level}-{low}-{high}", spec("interval", low=low, high=high, level=level),
                    schedule,
                    lambda at, family, low=low, high=high, level=level:
                        7.0 if low < guidance_level(at, family, level) <= high else 1.0)  # fmt: skip
    edges = [Level(0, 10, 1000 * sigma, 1 - sigma, sigma) for sigma in (0.81, 0.8, 0.5, 0.21, 0.2, 0.1)]
    add("interval-edges", "interval", "sd3", lambda at, family: 7.0 if 0.2 < at.time <= 0.8 else 1.0, levels=edges)


def cads_cases(writer: Writer) -> None:
    def add(name: str, hook: str, acts: bool, noises_pooled=True, tau1=0.9, tau2=1.2, has_pooled=True, **parameters):
        for schedule, (family, levels) in SCHEDULES.items():
            given = {"tau1": tau1, "tau2": tau2, "scale": UNSEEN} | parameters
            full = f"{name}-{schedule}"
            calls = writer.case(full, spec("cads", **given), family, 3, hook)
            for at in levels[:12]:
                sequence = writer.randn(3, 5, 6) * 2 + 0.7
                pooled = writer.randn(3, 7) - 0.4
                texts = {"sequence": sequence} | ({"pooled": pooled} if has_pooled else {})
                writer.keep(full, len(calls), **texts)
                time = at.time if parameters.get("time", "timestep") == "timestep" else 1 - at.index / at.count
                gamma = clarity(time, tau1, tau2)
                changed = acts and gamma < 1
                if changed:
                    mix = parameters.get("mix", 1)
                    results = {"sequence_out": without_noise(sequence.to(FP64), gamma, mix)}
                    if has_pooled:
                        results["pooled_out"] = (
                            without_noise(pooled.to(FP64), gamma, mix) if noises_pooled else pooled.to(FP64)
                        )
                    writer.keep(full, len(calls), **results)
                calls.append(at.json() | {"expect": "move" if changed else "same"})

    for mix in (0, 0.5, 1):
        add(f"cads-mix{mix}", "condition", True, mix=mix)
        add(f"cads-mix{mix}-sd21", "condition", True, mix=mix, tau2=1.3)
    for mix in (0, 0.5):
        add(f"cads-fraction-{mix}", "condition", True, mix=mix, time="fraction")
        add(f"cads-early-{mix}", "condition", True, mix=mix, tau1=0.6, tau2=1.1)
    add("cads-pooled-off", "condition", True, noises_pooled=False, mix=0, pooled="off")
    add("cads-no-pooled", "condition", True, has_pooled=False, mix=0)
    add("cads-uncond-off", "unconditional", False, mix=0)
    add("cads-uncond-on", "unconditional", True, mix=0, uncond="on")
    add("cads-uncond-on-pooled-off", "unconditional", True, noises_pooled=False, mix=0.5, uncond="on", pooled="off")
    add("cads-uncond-on-cond", "condition", True, mix=0, uncond="on")


def main() -> None:
    torch.set_num_threads(1)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    writer = Writer(out)
    particle_cases(writer)
    feature_cases(writer)
    spell_cases(writer)
    dpp_cases(writer)
    noise_cases(writer)
    guidance_cases(writer)
    cads_cases(writer)
    writer.write()


if __name__ == "__main__":
    main()
