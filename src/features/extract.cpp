#include "features/extract.h"

#include "core/fail.h"
#include "core/hash.h"
#include "io/file.h"
#include "io/image.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace gass {
namespace {

/// A picture on its way to the network.
struct Prepared {
    std::size_t file = 0;
    std::string hash;
    std::optional<std::vector<float>> cached;
    Pixels pixels;
    std::string unreadable;  // the reason, if it is
};

/// Pictures of more pixels than this are decoded one at a time: many at once would take all memory.
constexpr std::uint64_t kLargePicture = std::uint64_t{32} << 20U;

/// Pixels that a network is given at once: 8 to 16 pictures for most, whose layers a CPU's cache still holds;
/// a GPU wants more.
constexpr std::int64_t kPixelsOnGpu = std::int64_t{8} << 20U;
constexpr std::int64_t kPixelsOnCpu = 800'000;

/// Calls `work` for each index, on all threads.
void for_each_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
    at::parallel_for(0, static_cast<std::int64_t>(count), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) work(static_cast<std::size_t>(i));
    });
}

/// Of a picture in memory, in place of its file's.
std::string hash_of(const Image& image) {
    return hash_text(
        fmt::format("{} {} {}", image.width, image.height, hash_bytes(std::as_bytes(std::span(image.rgb)))));
}

class Extraction {
  public:
    Extraction(const FeatureSource& source, const ExtractOptions& options)
        : source_(source), options_(options), preparation_(source.preprocessing.description()) {}

    Extracted run(std::span<const PictureInput> inputs) {
        const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(options_.batch, 1));
        // On a CPU the network has all threads for itself; a GPU computes while the CPU prepares what is
        // next.
        const auto policy = source_.on_gpu ? std::launch::async : std::launch::deferred;
        const auto prepare_from = [&](std::size_t begin) {
            const std::size_t count = std::min(batch, inputs.size() - begin);
            return std::async(policy, [this, inputs = inputs.subspan(begin, count), begin] {
                return prepared(inputs, begin);
            });
        };
        std::future<std::vector<Prepared>> next = prepare_from(0);
        for (std::size_t begin = 0; begin < inputs.size(); begin += batch) {
            if (options_.should_stop && options_.should_stop())
                fail(ErrorCode::interrupted, "features", "stopped after {} of {} pictures", begin,
                     inputs.size());
            std::vector<Prepared> pictures = next.get();
            if (begin + batch < inputs.size()) next = prepare_from(begin + batch);
            keep(inputs, std::move(pictures));
            if (options_.advance) options_.advance(std::min(begin + batch, inputs.size()));
        }
        result_.features = rows_.empty() ? at::empty({0, source_.dimension}) : at::cat(rows_);
        return std::move(result_);
    }

    at::Tensor run(const std::vector<Image>& images) const {
        std::vector<Prepared> pictures(images.size());
        for_each_parallel(images.size(), [&](std::size_t i) {
            pictures[i].file = i;
            pictures[i].pixels = source_.preprocessing(images[i]);
        });
        std::vector<at::Tensor> rows;
        for (const auto& [index, row] : encoded(pictures))
            rows.push_back(row.reshape({1, source_.dimension}));
        return rows.empty() ? at::empty({0, source_.dimension}) : at::cat(rows);
    }

  private:
    /// What the file and all that goes in beside it are called in the cache.
    FeatureKey key_of(const Prepared& picture) const {
        std::string hash = picture.hash;
        if (source_.extra_input) {
            const std::string both = hash + source_.extra_input(picture.file);
            hash = hash_text(both);
        }
        return {hash, source_.encoder, preparation_};
    }

    /// `begin`: where these stand among all.
    std::vector<Prepared> prepared(std::span<const PictureInput> inputs, std::size_t begin) {
        std::vector<Prepared> pictures(inputs.size());
        std::vector<std::optional<MappedFile>> mapped(inputs.size());
        const bool looks_up = options_.cache.is_on();
        const auto try_each = [&](const std::function<void(std::size_t)>& work) {
            for_each_parallel(inputs.size(), [&](std::size_t i) {
                if (!pictures[i].unreadable.empty()) return;
                try {
                    work(i);
                } catch (const Error& error) {
                    pictures[i].unreadable = error.message();
                } catch (const std::bad_alloc&) {
                    pictures[i].unreadable = "there is not enough memory for it";
                }
            });
        };
        try_each([&](std::size_t i) {
            pictures[i].file = begin + i;
            const Image* image = inputs[i].image;
            if (image == nullptr) mapped[i].emplace(map_image(inputs[i].file));
            if (looks_up)
                pictures[i].hash = image != nullptr ? hash_of(*image) : hash_bytes(mapped[i]->bytes());
        });
        if (looks_up) look_up(pictures);
        try_each([&](std::size_t i) {
            const Image* image = inputs[i].image;
            if (!pictures[i].cached)
                pictures[i].pixels = image != nullptr ? source_.preprocessing(*image)
                                                      : decoded(mapped[i]->bytes(), inputs[i].file.string());
            mapped[i].reset();
        });
        return pictures;
    }

    Pixels decoded(std::span<const std::byte> bytes, const std::string& where) {
        const ImageInfo info = decode_image_info(bytes, where);
        std::unique_lock<std::mutex> alone;
        if (std::uint64_t{info.width} * info.height > kLargePicture) alone = std::unique_lock(large_);
        return source_.preprocessing(decode_image(bytes, where, Orientation::as_stored).image);
    }

    void look_up(std::vector<Prepared>& pictures) {
        std::vector<FeatureKey> keys;
        for (const Prepared& picture : pictures) keys.push_back(key_of(picture));
        std::vector<std::optional<std::vector<float>>> found = options_.cache.find(keys);
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            if (found[i] && found[i]->size() == static_cast<std::size_t>(source_.dimension))
                pictures[i].cached = std::move(found[i]);
        }
    }

    /// Indices of the pictures that the network must see, in batches of one size, none too large for memory.
    std::vector<std::vector<std::size_t>> batches(const std::vector<Prepared>& pictures) const {
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> by_size;
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            if (pictures[i].unreadable.empty() && !pictures[i].cached)
                by_size[{pictures[i].pixels.height, pictures[i].pixels.width}].push_back(i);
        }
        std::vector<std::vector<std::size_t>> all;
        for (const auto& [size, indices] : by_size) {
            const std::int64_t pixels = source_.on_gpu ? kPixelsOnGpu : kPixelsOnCpu;
            const auto most =
                static_cast<std::size_t>(std::max<std::int64_t>(pixels / (size.first * size.second), 1));
            for (std::size_t first = 0; first < indices.size(); first += most)
                all.emplace_back(
                    indices.begin() + static_cast<std::ptrdiff_t>(first),
                    indices.begin() + static_cast<std::ptrdiff_t>(std::min(first + most, indices.size())));
        }
        return all;
    }

    /// The features of those pictures that were not in the cache, as rows by their index.
    std::map<std::size_t, at::Tensor> encoded(const std::vector<Prepared>& pictures) const {
        std::map<std::size_t, at::Tensor> rows;
        for (const std::vector<std::size_t>& indices : batches(pictures)) {
            const Pixels& first = pictures[indices.front()].pixels;
            at::Tensor batch =
                at::empty({static_cast<std::int64_t>(indices.size()), 3, first.height, first.width});
            auto* values = batch.mutable_data_ptr<float>();
            std::vector<std::size_t> files;
            for (const std::size_t i : indices) {
                values = std::ranges::copy(pictures[i].pixels.values, values).out;
                files.push_back(pictures[i].file);
            }
            const at::Tensor features = source_.encode(batch, files).contiguous();
            for (std::size_t i = 0; i < indices.size(); ++i)
                rows[indices[i]] = features[static_cast<std::int64_t>(i)];
        }
        return rows;
    }

    void keep(std::span<const PictureInput> inputs, std::vector<Prepared> pictures) {
        std::map<std::size_t, at::Tensor> rows = encoded(pictures);
        if (options_.cache.is_on()) store(pictures, rows);
        for (std::size_t i = 0; i < pictures.size(); ++i) {
            if (!pictures[i].unreadable.empty()) {
                result_.unreadable.push_back({inputs[pictures[i].file].file, pictures[i].unreadable});
                continue;
            }
            if (pictures[i].cached) {
                rows[i] = at::tensor(*pictures[i].cached, at::kFloat);
                ++result_.from_cache;
            }
            rows_.push_back(rows[i].reshape({1, source_.dimension}));
            result_.files.push_back(pictures[i].file);
        }
    }

    void store(const std::vector<Prepared>& pictures, const std::map<std::size_t, at::Tensor>& rows) const {
        std::vector<std::pair<FeatureKey, std::vector<float>>> entries;
        for (const auto& [index, row] : rows) {
            const auto* values = row.const_data_ptr<float>();
            entries.emplace_back(key_of(pictures[index]), std::vector<float>(values, values + row.numel()));
        }
        options_.cache.store(entries);
    }

    const FeatureSource& source_;
    const ExtractOptions& options_;
    std::string preparation_;
    std::mutex large_;
    Extracted result_;
    std::vector<at::Tensor> rows_;
};

}  // namespace

Extracted extract_features(const std::vector<PictureInput>& pictures, const FeatureSource& source,
                           const ExtractOptions& options) {
    return Extraction(source, options).run(std::span(pictures));
}

at::Tensor features_of(const std::vector<Image>& images, const FeatureSource& source) {
    OptionalCache none;
    return Extraction(source, {.batch = 1, .cache = none, .advance = {}, .should_stop = {}}).run(images);
}

}  // namespace gass
