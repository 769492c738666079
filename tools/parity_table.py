"""The table of docs/parity.md, from what the parity tests print.

usage: for test in build/tests/test_models_*; do $test; done | python3 tools/parity_table.py
"""

import collections
import sys


def main() -> None:
    worst = collections.defaultdict(lambda: [0, 0, 0.0, 0.0])  # cases, with gradients, worst output, worst gradient
    for line in sys.stdin:
        words = line.split()
        if len(words) != 6 or words[0] != "parity":
            continue
        row = worst[words[1], words[3]]
        row[0] += 1
        row[2] = max(row[2], float(words[4]))
        if words[5] != "-":
            row[1] += 1
            row[3] = max(row[3], float(words[5]))
    print("| network | type | cases | with gradients | outputs | input gradients |")
    print("|---|---|---|---|---|---|")
    for (network, dtype), (cases, compared, output, gradient) in sorted(worst.items(), key=lambda item: (item[0][0], item[0][1] != "fp32")):
        shown = f"{gradient:.1e}" if compared else ""
        print(f"| {network} | {dtype} | {cases} | {compared} | {output:.1e} | {shown} |")


if __name__ == "__main__":
    main()
