#!/usr/bin/env python3
"""layers_test.py SRC: every folder of SRC includes only what the table in SRC/CMakeLists.txt lets it."""
import pathlib
import re
import sys
import tempfile
import unittest

SRC = pathlib.Path(sys.argv.pop(1))


def read_layers(src):
    """Each folder's libraries and all folders that it may include."""
    layers, problems = {}, []
    for row in re.findall(r"^gass_layer\(([^)]*)\)", (src / "CMakeLists.txt").read_text(), re.MULTILINE):
        names, _, uses = row.partition(" USES ")
        folder, *libraries = names.split()
        allowed = {folder}
        for used in uses.split():
            if used not in layers:
                problems.append(f"{folder} uses {used}, which does not stand above it")
            elif layers[used][0] != {"gass_base"} and libraries == ["gass_base"]:
                problems.append(f"{folder} knows no tensors, {used} does")
            else:
                allowed |= layers[used][1]
        layers[folder] = (set(libraries), allowed)
    return layers, problems


def layer_of(path, layers):
    """The folder of the table that a path below SRC lies in; the innermost, if some lie in others."""
    parents = [parent.as_posix() for parent in pathlib.PurePosixPath(path).parents]
    return next((parent for parent in parents if parent in layers), None)


def violations(src):
    layers, problems = read_layers(src)
    for file in sorted(src.rglob("*")):
        name = file.relative_to(src).as_posix()
        if file.suffix not in (".h", ".cpp") or "/" not in name:
            continue
        own = layer_of(name, layers)
        if own is None:
            problems.append(f"{name} lies in no layer")
            continue
        for included in re.findall(r'^#include "([^"]+/[^"]+)"', file.read_text(), re.MULTILINE):
            if layer_of(included, layers) not in layers[own][1]:
                problems.append(f"{name} includes {included}, and {own} may not")
    return problems


class Layers(unittest.TestCase):
    def made(self, table, files):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        src = pathlib.Path(folder)
        (src / "CMakeLists.txt").write_text(table)
        for name, text in files.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text)
        return violations(src)

    def test_ours_hold(self):
        self.assertEqual(violations(SRC), [])

    def test_the_wrong_direction_is_found(self):
        table = "gass_layer(low gass_base)\ngass_layer(mid gass_base USES low)\ngass_layer(top gass_tensor USES mid)\n"
        fine = {"top/a.cpp": '#include "low/a.h"\n#include "mid/a.h"\n#include <fmt/format.h>\n'}
        self.assertEqual(self.made(table, fine), [])
        self.assertEqual(self.made(table, {"low/a.cpp": '#include "mid/a.h"\n'}),
                         ["low/a.cpp includes mid/a.h, and low may not"])
        self.assertEqual(self.made(table, {"new/a.cpp": ""}), ["new/a.cpp lies in no layer"])

    def test_so_is_a_wrong_table(self):
        self.assertEqual(self.made("gass_layer(a gass_base USES b)\ngass_layer(b gass_base)\n", {}),
                         ["a uses b, which does not stand above it"])
        self.assertEqual(self.made("gass_layer(a gass_tensor)\ngass_layer(b gass_base USES a)\n", {}),
                         ["b knows no tensors, a does"])

    def test_an_inner_folder_may_be_a_layer(self):
        table = "gass_layer(a/low gass_base)\ngass_layer(a/top gass_base USES a/low)\n"
        self.assertEqual(self.made(table, {"a/top/x.h": '#include "a/low/y.h"\n'}), [])
        self.assertEqual(len(self.made(table, {"a/low/y.h": '#include "a/top/x.h"\n'})), 1)


if __name__ == "__main__":
    unittest.main()
