"""Every network beside its Python reference: time, memory and agreement. Both sides run in turn in this one run.

usage: networks.py BIN_DIR [--device cuda] [--dtype bfloat16] [--only TEXT] [--full [--tiny]] [--rounds 4] [--repeats 5]
                   [--check]

Without --full the embedded models; with it the published architectures at 512×512 with random weights, in a folder
that is removed before the next network. A process of its own makes each case and then waits to be timed, so that
memory is comparable. Errors are max |a − b| / max |b|. With --check a network fails that is farther from the fp32
reference than the reference in its own type is, by more than a quarter.
"""

import argparse
import gc
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

DTYPES = ("float32", "bfloat16")


def random_weights(network, generator) -> None:
    """In the network's own type, small enough that attention stays soft: bf16 is then near fp32 in the reference."""
    import torch

    with torch.no_grad():
        for name, tensor in network.named_parameters():
            noise = torch.randn(tensor.shape, generator=generator, device=tensor.device, dtype=tensor.dtype)
            if tensor.dim() > 1:
                tensor.copy_(noise.mul_(0.5 / max(tensor[0].numel(), 1) ** 0.5))
            else:
                tensor.copy_(noise.mul_(0.1).add_(1.0 if "norm" in name and name.endswith("weight") else 0.0))


def make_case(row, kind, folder: pathlib.Path, device: str, dtype, tiny: bool):
    """Writes the case; the reference in `dtype` and its inputs, ready to run."""
    import torch
    from network_rows import MODELS
    from safetensors.torch import save_file

    generator = torch.Generator(device).manual_seed(1)
    if row.config is None:
        shutil.copytree(MODELS / row.folder, folder)
        network = kind.open(folder).to(device)
    else:
        folder.mkdir()
        default = torch.get_default_dtype()
        torch.set_default_dtype(dtype)
        with torch.device(device):
            network = kind.build(row.config | (row.tiny if tiny else {})).to(dtype)
        torch.set_default_dtype(default)
        random_weights(network, generator)
        network.save_pretrained(folder)
    inputs = {}
    for name, shape in row.inputs.items():
        if name == "ids":
            inputs[name] = torch.randint(3, row.tokens, shape, generator=generator, device=device)
            inputs[name][:, -1] = getattr(network.config, "eos_token_id", None) or 1
        elif name == "timestep":
            inputs[name] = torch.randint(1, 1000, shape, generator=generator, device=device).float()
        else:
            inputs[name] = torch.randn(shape, generator=generator, device=device).to(dtype)

    network = network.eval().float()
    wide = {name: value.float() if value.is_floating_point() else value for name, value in inputs.items()}
    with torch.inference_mode():
        exact = kind.run(network, wide).float().cpu()
        network = network.to(dtype)
        result = kind.run(network, inputs).cpu()
    record = {f"in.{name}": value.cpu() for name, value in inputs.items()}
    record |= {"out.result": result.contiguous(), "exact.result": exact.contiguous()}
    save_file(record, folder / "io.safetensors")
    name = "clip_text" if row.kind == "clip_text_projected" else row.kind
    (folder / "case.json").write_text(json.dumps({"network": name, "dtype": str(dtype), "options": {}}))
    error = ((result.double() - exact.double()).abs().max() / exact.double().abs().max()).item()
    return network, inputs, error


def reset_peak(device: str) -> None:
    import torch

    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    else:
        pathlib.Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes(device: str) -> float:
    import torch

    if device == "cuda":
        return torch.cuda.max_memory_allocated() / 1e6
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM:"))


def reference(name: str, folder: pathlib.Path, device: str, dtype_name: str, full: bool, tiny: bool) -> None:
    """The Python side: makes the case, then runs it for each number of repeats that comes in."""
    import torch
    from network_rows import EMBEDDED, FULL, KINDS

    torch.backends.cudnn.allow_tf32 = False
    row = next(row for row in (FULL if full else EMBEDDED) if row.name == name)
    kind = KINDS[row.kind]
    network, inputs, error = make_case(row, kind, folder, device, getattr(torch, dtype_name), tiny)

    def milliseconds() -> float:
        start = time.perf_counter()
        kind.run(network, inputs)
        if device == "cuda":
            torch.cuda.synchronize()
        return (time.perf_counter() - start) * 1e3

    print(json.dumps({"exact_error": error}), flush=True)
    with torch.inference_mode():
        for line in sys.stdin:
            for _ in range(2):
                milliseconds()
            reset_peak(device)
            times = sorted(milliseconds() for _ in range(int(line)))
            report = {"milliseconds": times[len(times) // 2], "peak_megabytes": peak_megabytes(device)}
            print(json.dumps(report), flush=True)


def measure(row, options: argparse.Namespace, folder: pathlib.Path) -> str:
    """The row of the table."""
    flags = [flag for flag in ("full", "tiny") if getattr(options, flag)]
    command = [sys.executable, __file__, str(options.bin), "--reference", row.name, "--folder", str(folder)]
    command += ["--device", options.device, "--dtype", options.dtype, *(f"--{flag}" for flag in flags)]
    program = [options.bin / "bench_networks", folder, options.device, options.dtype, str(options.repeats)]
    ours, theirs = [], []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as python:
        made = python.stdout.readline()
        if not made:
            raise RuntimeError(f"the reference of {row.name} failed")
        for _ in range(options.rounds):
            output = subprocess.run(program, capture_output=True, text=True, check=False)
            if output.returncode != 0:
                python.stdin.close()
                raise RuntimeError(f"bench_networks failed: {output.stderr[-2000:]}")
            ours.append(json.loads(output.stdout))
            print(options.repeats, file=python.stdin, flush=True)
            theirs.append(json.loads(python.stdout.readline()))
        python.stdin.close()
    our_time, their_time = (min(run["milliseconds"] for run in side) for side in (ours, theirs))
    our_peak, their_peak = (max(run["peak_megabytes"] for run in side) for side in (ours, theirs))
    errors = (ours[0]["error"], ours[0]["exact_error"], json.loads(made)["exact_error"])
    if options.check and not errors[1] <= 1.25 * errors[2] + 1e-4:
        raise RuntimeError(f"{errors[1]:.1e} from the fp32 reference, which itself is at {errors[2]:.1e}")
    return (
        f"| {row.name} | {our_time:.2f} | {their_time:.2f} | {our_time / their_time:.2f} | {our_peak:.0f} "
        f"| {their_peak:.0f} | {' | '.join(f'{error:.1e}' for error in errors)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32", choices=DTYPES)
    parser.add_argument("--only", default="")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--reference", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.reference:
        reference(options.reference, options.folder, options.device, options.dtype, options.full, options.tiny)
        return
    from network_rows import EMBEDDED, FULL

    print(f"{options.device}, {options.dtype}; least of {options.rounds} medians of {options.repeats} runs\n")
    columns = ["network", "C++ ms", "Python ms", "ratio", "C++ peak MB", "Python peak MB"]
    columns += ["C++ − Python", "C++ − fp32", "Python − fp32"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|", flush=True)
    failed = False
    for row in FULL if options.full else EMBEDDED:
        if options.only not in row.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(measure(row, options, pathlib.Path(folder) / "case"), flush=True)
            except RuntimeError as error:
                failed = True
                print(f"| {row.name} | failed: {error} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
