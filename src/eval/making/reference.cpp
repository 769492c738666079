#include "eval/making/reference.h"

#include "catalog/known_encoders.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/wording.h"
#include "measure/gather.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>

#include <utility>

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
             "\"embeddings\" and \"class\" do not belong together");
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

const ReferenceFeatures& Reference::features(const Encoder& encoder,
                                             const std::function<void(std::size_t, std::size_t)>& advance,
                                             const std::function<bool()>& should_stop) {
    const auto known = known_.find(encoder.key());
    if (known != known_.end()) return known->second;
    ReferenceFeatures own{.name = name_, .groups = {}, .statistics = {}};
    const FeatureEncoder* network = encoder.feature_encoder();
    if (set_ && network != nullptr) {
        own = from_pictures(encoder, advance, should_stop);
    } else if (network != nullptr && network->name() == encoder_) {
        own.groups = embeddings_of(encoder_);
    }
    return known_.emplace(encoder.key(), std::move(own)).first->second;
}

ReferenceFeatures Reference::from_pictures(const Encoder& encoder,
                                           const std::function<void(std::size_t, std::size_t)>& advance,
                                           const std::function<bool()>& should_stop) const {
    ImageSet set = *set_;
    const std::size_t count = set.image_count();
    OptionalCache cache = OptionalCache::of_user();
    Gathered found = gather_features(set, encoder.source(),
                                     {.cache = cache,
                                      .advance =
                                          [&](std::size_t done) {
                                              if (advance) advance(done, count);
                                          },
                                      .should_stop = should_stop});
    if (!found.unreadable.empty())
        log::warn("[{}] {} of {} cannot be read and are left out, {} for instance: {}", name_,
                  found.unreadable.size(), counted(count + set_->unreadable.size(), "picture"),
                  found.unreadable.front().file.string(), found.unreadable.front().reason);
    return {.name = name_, .groups = std::move(found.groups), .statistics = {}};
}

}  // namespace gass::eval
