#pragma once

#include "catalog/preprocessor_config.h"
#include "io/image.h"
#include "io/resample.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gass {

/// A picture as a network takes it.
struct Pixels {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::vector<float> values;  // [3][height][width]
};

/// How a picture gets its size.
enum class Scaling {
    none,
    shortest_edge,  ///< by Pillow: the shorter side gets the length, the longer one keeps the shape
    exact,          ///< by Pillow
    clean,          ///< clean-fid's: exact, but each colour in floats
    interpolated,   ///< pytorch-fid's: exact, by torch's interpolation without antialiasing
};

/// Where the middle lies if it has no half pixels, and on which side the larger border of a picture comes
/// that is smaller than its crop: transformers and torchvision round differently.
enum class Middle { transformers, torchvision };

/// What is done to a picture before a network sees it, as the pipeline does that its metric is known from: to
/// the bit as far as levels of 8 bits go.
struct Preprocessing {
    std::int64_t lanczos_first = 0;  // makes every picture N×N first, as the paper's evaluation does; 0: off
    Scaling scaling = Scaling::shortest_edge;
    Filter filter = Filter::bicubic;
    PictureSize size{224, 224};                               // for the shortest edge both the same
    std::optional<PictureSize> crop = PictureSize{224, 224};  // of the middle; what is missing is black
    Middle middle = Middle::transformers;
    double factor = 1.0 / 255;                                            // levels of 0…255 times this, …
    std::array<double, 3> mean{0.48145466, 0.4578275, 0.40821073};        // … less this, …
    std::array<double, 3> deviation{0.26862954, 0.26130258, 0.27577711};  // … over this

    /// As the file of a CLIP or a DINOv2 asks for.
    static Preprocessing from(const PreprocessorConfig& config);

    /// CLIP without such a file.
    static Preprocessing clip(std::int64_t side);
    /// DINOv2 without such a file.
    static Preprocessing dinov2();
    /// SSCD's network takes any shape; what counts is the shorter side.
    static Preprocessing sscd(std::int64_t side, const std::array<double, 3>& mean,
                              const std::array<double, 3>& deviation);
    /// The Inception-v3 of the vendi-score package: no mean and deviation, although its network was made for
    /// them.
    static Preprocessing inception();
    /// pytorch-fid's Inception-v3, or clean-fid's.
    static Preprocessing inception_fid(bool clean);
    /// LPIPS's: it compares pictures of one size, and this makes them so.
    static Preprocessing lpips(std::int64_t side);
    static Preprocessing image_reward(std::int64_t side, const std::array<double, 3>& mean,
                                      const std::array<double, 3>& deviation);
    /// 32×32 levels, as in the pixel variant of vendi-score.
    static Preprocessing pixels();

    /// The size of every result; none where it depends on the picture.
    std::optional<PictureSize> result_size() const;
    /// Throws model_invalid for a picture whose shape would make a result that no network takes.
    Pixels operator()(const Image& image) const;
    /// Everything above as text: two preprocessings with the same text do the same.
    std::string description() const;
};

}  // namespace gass
