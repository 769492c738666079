#include "nn/libtorch_error.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace gass::nn {

bool is_out_of_memory(const std::exception& error) {
    if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
    // Of LibTorch's allocator; and of oneDNN, which does not say more of what it could not do.
    constexpr std::array<std::string_view, 3> kComplaints{
        "can't allocate memory", "could not create a memory object", "could not create a primitive"};
    const std::string text = first_line(error);
    return std::ranges::any_of(kComplaints, [&](std::string_view complaint) {
        return text.find(complaint) != std::string_view::npos;
    });
}

std::string first_line(const std::exception& error) {
    const auto* of_libtorch = dynamic_cast<const c10::Error*>(&error);
    const std::string text = of_libtorch == nullptr ? error.what() : of_libtorch->what_without_backtrace();
    return text.substr(0, text.find('\n'));
}

}  // namespace gass::nn
