#include "models/image_normalization.h"

#include "core/quote.h"

#include <fmt/format.h>

#include <cmath>

namespace gass {
namespace {

std::array<double, 3> three_numbers(const Json& config, nn::ConfigReader& reader, std::string_view key) {
    reader.ignore({key});
    const auto it = config.find(key);
    if (it == config.end()) reader.refuse(fmt::format("the key {} is missing", in_quotes(key)));
    if (!it->is_array() || it->size() != 3)
        reader.refuse(fmt::format("{} must be three numbers", in_quotes(key)));
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < 3; ++i) {
        const Json& value = (*it)[i];
        numbers.at(i) = value.is_number() ? value.get<double>() : std::nan("");
        if (!std::isfinite(numbers.at(i)))
            reader.refuse(fmt::format("{} must be three numbers", in_quotes(key)));
    }
    return numbers;
}

}  // namespace

ImageNormalization ImageNormalization::from_json(const Json& config, nn::ConfigReader& reader) {
    constexpr std::int64_t kLargestSide = 4096;
    ImageNormalization image;
    image.size = reader.integer("image_size", std::nullopt, 1, kLargestSide);
    image.mean = three_numbers(config, reader, "image_mean");
    image.deviation = three_numbers(config, reader, "image_std");
    for (const double deviation : image.deviation) {
        if (deviation <= 0) reader.refuse("\"image_std\" must be positive");
    }
    return image;
}

}  // namespace gass
