#include "eval/reference.h"

#include "catalog/known_encoders.h"
#include "core/fail.h"
#include "core/log.h"
#include "features/extract.h"
#include "features/feature_sources.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>

namespace gass::eval {
namespace {

/// The last part of a group's name: the folder that its pictures lie in.
std::string class_of(const std::string& group) {
    return std::filesystem::path(group).filename().string();
}

}  // namespace

std::vector<GroupFeatures> embeddings_of(const std::string& encoder) {
    const Model model = open_encoder_model(encoder);
    const auto file = std::make_shared<const SafetensorsFile>(model.folder.file("reference.safetensors"));
    const auto load = [&](const char* name) {
        const TensorInfo* tensor = file->find(name);
        if (tensor == nullptr)
            fail(ErrorCode::model_invalid, file->path().string(), "it has no tensor \"{}\"", name);
        return load_tensor({file, tensor});
    };
    const at::Tensor rows = load("embeddings").to(at::kFloat);
    const at::Tensor numbers = load("class").to(at::kLong);
    if (rows.dim() != 2 || numbers.dim() != 1 || rows.size(0) != numbers.size(0))
        fail(ErrorCode::model_invalid, file->path().string(),
             "\"embeddings\" and \"class\" do not fit each other");
    const Json config = model.folder.json("config.json");
    JsonReader reader(config, model.folder.shown("config.json"));
    const Json& names = reader.at("classes");
    if (!names.is_array()) fail(ErrorCode::model_invalid, reader.where(), "\"classes\" must be a list");
    std::vector<GroupFeatures> groups;
    std::int64_t number = 0;
    for (const Json& name : names) {
        const at::Tensor own = rows.index({numbers == number++});
        if (own.size(0) > 0) groups.push_back({name.get<std::string>(), own, {}});
    }
    return groups;
}

Reference::Reference(const SuiteReference& reference) : name_(reference.images), encoder_(reference.encoder) {
    if (reference.images.empty()) {
        name_ = reference.encoder;
        return;
    }
    set_ = find_images({.places = {reference.images}, .where = "reference"});
    for (ImageGroup& group : set_->groups) group.name = class_of(group.name);
}

const ReferenceFeatures& Reference::seen_by(const Look& look,
                                            const std::function<void(std::size_t, std::size_t)>& advance,
                                            const std::function<bool()>& should_stop) {
    const auto known = seen_.find(look.key());
    if (known != seen_.end()) return known->second;
    ReferenceFeatures features{.name = name_, .groups = {}, .statistics = {}};
    if (set_ && look.encoder() != nullptr) {
        features = from_pictures(look, advance, should_stop);
    } else if (look.encoder() != nullptr && look.encoder()->name() == encoder_) {
        features.groups = embeddings_of(encoder_);
    }
    return seen_.emplace(look.key(), std::move(features)).first->second;
}

ReferenceFeatures Reference::from_pictures(const Look& look,
                                           const std::function<void(std::size_t, std::size_t)>& advance,
                                           const std::function<bool()>& should_stop) const {
    std::vector<std::filesystem::path> files;
    for (const ImageGroup& group : set_->groups) {
        for (const MeasuredImage& image : group.images) files.push_back(image.file);
    }
    OptionalCache cache = OptionalCache::of_user();
    const Extracted extracted = extract_features(files, look.source(),
                                                 {.cache = cache,
                                                  .advance =
                                                      [&](std::size_t done) {
                                                          if (advance) advance(done, files.size());
                                                      },
                                                  .should_stop = should_stop});
    if (!extracted.unreadable.empty())
        log::warn("[{}] {} of {} pictures cannot be read and are left out, {} for instance: {}", name_,
                  extracted.unreadable.size(), files.size(), extracted.unreadable.front().file.string(),
                  extracted.unreadable.front().reason);
    ReferenceFeatures features{.name = name_, .groups = {}, .statistics = {}};
    std::size_t first = 0;
    std::size_t row = 0;
    for (const ImageGroup& group : set_->groups) {
        const std::size_t begin = row;
        while (row < extracted.files.size() && extracted.files[row] < first + group.images.size()) ++row;
        first += group.images.size();
        if (row > begin)
            features.groups.push_back({group.name,
                                       extracted.features.narrow(0, static_cast<std::int64_t>(begin),
                                                                 static_cast<std::int64_t>(row - begin)),
                                       {}});
    }
    return features;
}

}  // namespace gass::eval
