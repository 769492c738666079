#pragma once

#include "io/npy.h"

#include <filesystem>
#include <map>
#include <string>

namespace gass {

/// The arrays of a .npz file, np.savez's or np.savez_compressed's, by their names (without ".npy"). Throws
/// model_invalid for archives that are damaged, encrypted, hold anything but arrays, or claim more than
/// 1 GiB; a member's claim is checked against its packed size before any memory is taken for it, and must be
/// exactly what it unpacks to.
std::map<std::string, NumpyArray> read_npz(const std::filesystem::path& path);

/// Writes a .npz file of unpacked members, which appears whole or not at all. The same arrays make the same
/// bytes. np.load reads it, and so does pytorch-fid if the names are "mu" and "sigma". Throws usage for names
/// that are empty or not UTF-8.
void write_npz(const std::filesystem::path& path, const std::map<std::string, NumpyArray>& arrays);

}  // namespace gass
