#pragma once

#include <gass/export.h>
#include <gass/image.h>
#include <gass/interval.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// How far images differ, how well they match their prompt, and how close they come to other images.
namespace gass {

/// What is measured, and how. A member that is left as it is means what `gass measure` does without its flag.
struct MeasureRequest {
    // One of these three.
    /// Files, patterns with * ? or [ ], folders (a folder in it is a group of its own), sets of gass, and
    /// lists of files and prompts: .jsonl, .json, .csv, .tsv.
    std::vector<std::string> images = {};
    std::vector<Image> pictures = {};  ///< in memory; one group
    std::string features = {};         ///< .npy or .safetensors: a row of numbers for each image

    std::optional<std::string> prompt = {};  ///< of every image; "{class}" in it is its group's name
    std::string prompt_file = {};    ///< lines "file<TAB>prompt", or a line for each image in their order
    std::string text_features = {};  ///< of the prompt, or one row for each image; for `features`
    bool pooled = false;             ///< all images are one group

    std::vector<std::string> metrics = {};  ///< by name, "prdc" for four at once; empty: what can be measured
    /// Images to compare with: a place as in `images`, features, or statistics (.npz) for fid.
    std::string reference = {};
    std::string reference_features = {};  ///< the same, and certainly no images

    /// A CLIP, DINOv2, SSCD or Inception by name or folder, "pixels", an ImageReward or an LPIPS. Each metric
    /// is measured by all that can; empty: by the usual one for it.
    std::vector<std::string> encoders = {};
    std::int64_t resize_first = 0;  ///< makes every picture N×N by Lanczos before anything else; 0: off

    std::vector<double> orders = {1.0};   ///< of vendi, from 0 up, infinity among them
    std::int64_t k = 5;                   ///< neighbours of precision, recall, density and coverage
    bool inclusive = false;               ///< counts a neighbour at just the radius, as torch-fidelity does
    std::int64_t draws = 16;              ///< of Algorithm 1's axis, that spp is the mean of
    std::uint64_t metric_seed = 0;        ///< of those draws, of scendi and of intervals; below 2^32
    std::int64_t kid_subsets = 100;       ///< that kid is the mean of
    std::int64_t kid_subset_size = 1000;  ///< images in each
    std::int64_t inception_splits = 10;   ///< parts of the images that inception_score is the mean of
    std::int64_t bootstrap = 1000;        ///< resamples for intervals; 0: no intervals

    std::string device = "auto";  ///< "cpu", "cuda", "cuda:N"; "auto": a GPU if there is one
    std::int64_t max_batch = 0;   ///< pictures that are prepared at once; 0: 32
    std::int64_t threads = 0;     ///< of the whole process, from now on; 0: as they are
    bool cache = true;            ///< takes features from the user's cache, and keeps new ones there
};

/// How a caller watches networks look at pictures, and stops them. Each may be empty.
struct MeasureEvents {
    /// `done` of `total` pictures are behind this network. It starts at 0, and again for what is compared
    /// with.
    std::function<void(std::string_view encoder, std::size_t done, std::size_t total)> progress = {};
    /// A picture is left out. A result names them too; an error has none.
    std::function<void(const UnreadableFile&)> unreadable = {};
    /// Asked between batches; an answer of true ends it with ErrorCode::interrupted.
    std::function<bool()> should_stop = {};
};

/// The network that a number comes from. Of features from a file only what that file says is known.
struct EncoderInfo {
    std::string name;                          ///< as it was asked for, or the features' file
    std::optional<std::string> weights;        ///< their fingerprint; empty for "pixels"
    std::optional<std::string> preprocessing;  ///< what is done to a picture before it, in words
};

/// A number or word that decides a metric's value, or stands beside it: "k", "order", "mean_cosine".
struct MetricParameter {
    std::string name;
    std::variant<bool, std::int64_t, double, std::string> value;
};

/// A metric's value for one group of images.
struct GroupValue {
    std::string name;
    std::int64_t images = 0;
    std::optional<double> value;
    std::string reason;                            ///< why there is none
    std::optional<Interval> interval = {};         ///< as of a MetricResult
    std::vector<MetricParameter> parameters = {};  ///< numbers that stand beside this value
};

/// A metric's value for one image.
struct ImageValue {
    std::filesystem::path file;  ///< "pictures[0]" of one in memory, "features[0]" of a row of features
    std::string group;           ///< empty if there is only one
    double value = 0;
};

/// One number, with all that another person needs to get the same.
struct MetricResult {
    std::string metric;
    std::optional<double> value;
    std::optional<Interval> interval;  ///< 95 %, by bootstrap; none where that means nothing
    std::string reason;                ///< why there is no value
    std::int64_t images = 0;
    std::optional<double> deviation;  ///< over groups, if there are several
    std::vector<GroupValue> groups;   ///< if there are several and the metric is a mean over them
    /// Of clip_score, clip_score_w, image_reward and lpips, which are means of what each image has.
    std::vector<ImageValue> per_image;
    EncoderInfo encoder;
    std::vector<MetricParameter> parameters;  ///< "k", "draws" and whatever else decides the value
    std::vector<std::string> notes;           ///< what a reader should know about the value

    /// nullptr if there is none of that name.
    const MetricParameter* find_parameter(std::string_view parameter) const {
        for (const MetricParameter& one : parameters) {
            if (one.name == parameter) return &one;
        }
        return nullptr;
    }
};

struct MeasureResult {
    std::vector<MetricResult> results;  ///< in the order of the metrics; of one by several encoders in turn
    std::size_t images = 0;             ///< that were measured
    std::size_t groups = 0;             ///< which they are in
    std::size_t from_cache = 0;         ///< features that were known, of all networks
    std::vector<UnreadableFile> unreadable;  ///< pictures that are left out
};

/// Measures images. Everything is opened and checked before the first picture is looked at. A metric that
/// cannot be computed has a reason in place of a value. Throws gass::Error: usage for a request that does not
/// fit together, model_invalid if no picture can be read. For several threads at once, except that `threads`
/// is the whole process's.
GASS_API MeasureResult measure(const MeasureRequest& request, const MeasureEvents& events = {});

/// Which pictures a network looks at, and the file that its features go into. Members as in MeasureRequest.
struct FeaturesRequest {
    std::vector<std::string> images = {};
    std::vector<Image> pictures = {};  ///< in memory, in place of `images`
    std::string encoder = "mini-clip";
    std::int64_t resize_first = 0;
    /// A row for each image in .npy and .safetensors, which also says what made them; in .npz their mean and
    /// covariance.
    std::string output = {};

    std::string device = "auto";
    std::int64_t max_batch = 0;
    std::int64_t threads = 0;
    bool cache = true;
};

struct FeaturesResult {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    EncoderInfo encoder;
    double seconds = 0;  ///< of looking at the pictures; opening the network does not count
    std::size_t from_cache = 0;
    std::vector<std::filesystem::path> files;  ///< of the rows
    std::vector<UnreadableFile> unreadable;    ///< pictures that are left out
};

/// Writes what a network sees in images. Throws as measure() does.
GASS_API FeaturesResult save_features(const FeaturesRequest& request, const MeasureEvents& events = {});

}  // namespace gass
