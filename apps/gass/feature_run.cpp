#include "feature_run.h"

#include "core/fail.h"
#include "core/hash.h"
#include "core/log.h"
#include "engine/device.h"
#include "interrupt.h"
#include "nn/process.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>
#include <span>

namespace gass::cli {
namespace {

/// Takes pictures out of a set; groups without pictures go too.
void keep_only(ImageSet& set, const std::vector<std::size_t>& kept) {
    std::size_t index = 0;
    auto next = kept.begin();
    for (ImageGroup& group : set.groups) {
        std::erase_if(group.images, [&](const MeasuredImage&) {
            const bool is_kept = next != kept.end() && *next == index++;
            if (is_kept) ++next;
            return !is_kept;
        });
    }
    std::erase_if(set.groups, [](const ImageGroup& group) { return group.images.empty(); });
}

std::vector<std::filesystem::path> files_of(const ImageSet& set) {
    std::vector<std::filesystem::path> files;
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) files.push_back(image.file);
    }
    return files;
}

}  // namespace

FeatureRun::FeatureRun(const Settings& settings, const PictureOptions& options)
    : placement_{.dtype = at::kFloat, .device = find_device(settings.text("device"))},
      batch_(settings.find("max_batch")->get<std::int64_t>()),
      resize_first_(options.resize_first),
      progress_(progress_mode(settings.text("progress"))),
      cache_(options.no_cache ? OptionalCache() : OptionalCache::of_user()) {
    if (std::ranges::find(options.encoders, "") != options.encoders.end())
        fail(ErrorCode::usage, "--encoder", "a name is empty");
    constexpr std::int64_t kUsualBatch = 32;
    if (batch_ == 0) batch_ = kUsualBatch;
    nn::use_threads(settings.find("threads")->get<std::int64_t>());
    nn::keep_freed_memory();
    prepare_device(placement_);
}

std::unique_ptr<FeatureEncoder> FeatureRun::open(const std::string& name, bool clean) const {
    return open_encoder({.name = name, .resize_first = resize_first_, .clean = clean}, placement_);
}

RewardModel FeatureRun::open_reward(const std::string& name) const {
    return RewardModel(name, resize_first_, placement_);
}

std::vector<at::Tensor> FeatureRun::rows(ImageSet& set, const FeatureSource& source,
                                         const std::string& name) {
    const std::vector<std::filesystem::path> files = files_of(set);
    Progress progress(progress_, name);
    progress.start("pictures", files.size());
    const ExtractOptions options{.batch = batch_,
                                 .cache = cache_,
                                 .advance = [&](std::size_t done) { progress.advance(done); },
                                 .should_stop = is_interrupted};
    Extracted extracted = extract_features(files, source, options);
    progress.finish();
    from_cache_ += extracted.from_cache;
    std::ranges::move(extracted.unreadable, std::back_inserter(unreadable_));
    if (extracted.files.empty()) {
        report_unreadable(unreadable_);
        fail(ErrorCode::model_invalid, "pictures", "none of the {} files could be read", files.size());
    }
    keep_only(set, extracted.files);
    std::vector<std::int64_t> sizes;
    for (const ImageGroup& group : set.groups)
        sizes.push_back(static_cast<std::int64_t>(group.images.size()));
    return at::split_with_sizes(extracted.features, sizes);
}

at::Tensor FeatureRun::text_feature(const FeatureEncoder& encoder, const std::string& prompt) {
    if (!cache_.is_on()) return encoder.encode_text(prompt);
    const FeatureKey key{hash_text(prompt), encoder.fingerprint(), "text"};
    if (const auto known = cache_.find(std::span(&key, 1)).front();
        known && known->size() == static_cast<std::size_t>(encoder.dimension()))
        return at::tensor(*known, at::kFloat);
    const at::Tensor feature = encoder.encode_text(prompt).contiguous();
    const auto* values = feature.const_data_ptr<float>();
    const std::pair<FeatureKey, std::vector<float>> entry{
        key, std::vector<float>(values, values + feature.numel())};
    cache_.store(std::span(&entry, 1));
    return feature;
}

at::Tensor FeatureRun::text_features(const FeatureEncoder& encoder,
                                     const std::vector<MeasuredImage>& images) {
    std::map<std::string, at::Tensor> by_prompt;
    for (const MeasuredImage& image : images) {
        if (image.prompt.empty()) return {};
        if (!by_prompt.contains(image.prompt)) by_prompt[image.prompt] = text_feature(encoder, image.prompt);
    }
    if (by_prompt.size() == 1) return by_prompt.begin()->second;
    std::vector<at::Tensor> texts;
    for (const MeasuredImage& image : images) texts.push_back(by_prompt.at(image.prompt));
    return at::stack(texts);
}

std::vector<GroupFeatures> FeatureRun::features(ImageSet& set, const FeatureEncoder& encoder) {
    const std::vector<at::Tensor> found =
        rows(set, source_of(encoder, !placement_.device.is_cpu()), encoder.name());
    std::vector<GroupFeatures> groups;
    for (std::size_t i = 0; i < set.groups.size(); ++i) {
        const ImageGroup& group = set.groups[i];
        groups.push_back({group.name, found[i],
                          encoder.reads_text() ? text_features(encoder, group.images) : at::Tensor()});
    }
    return groups;
}

std::vector<GroupFeatures> FeatureRun::scores(ImageSet& set, const RewardModel& model) {
    std::vector<std::string> prompts;
    for (const ImageGroup& group : set.groups) {
        for (const MeasuredImage& image : group.images) prompts.push_back(image.prompt);
    }
    const std::vector<at::Tensor> found =
        rows(set, source_of(model, std::move(prompts), !placement_.device.is_cpu()), model.name());
    std::vector<GroupFeatures> groups;
    for (std::size_t i = 0; i < set.groups.size(); ++i) groups.push_back({set.groups[i].name, found[i], {}});
    return groups;
}

void report_unreadable(const std::vector<UnreadableFile>& files) {
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i)
        log::error("[{}] {}", files[i].file.string(), files[i].reason);
    if (files.size() > kShown) log::error("and {} more files could not be read", files.size() - kShown);
}

ImageSet image_set_of(const PictureOptions& options) {
    if (options.images.empty())
        fail(ErrorCode::usage, "gass", "no images are named: files, folders, patterns or a list of them");
    return find_images({.places = options.images,
                        .prompt = options.prompt,
                        .prompt_file = options.prompt_file,
                        .pooled = options.pooled});
}

}  // namespace gass::cli
