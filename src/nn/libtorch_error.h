#pragma once

#include <exception>
#include <string>

namespace gass::nn {

/// Whether memory ran out, of a GPU or of the host: an exception of LibTorch's or of oneDNN's.
bool is_out_of_memory(const std::exception& error);

/// What it complains of, without LibTorch's list of frames.
std::string first_line(const std::exception& error);

}  // namespace gass::nn
