#include "features/reward_model.h"

#include "catalog/fingerprint.h"
#include "catalog/known_encoders.h"
#include "core/fail.h"
#include "core/quote.h"
#include "loading/component.h"
#include "models/prompt_tokens.h"
#include "text/wordpiece.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace gass {
namespace {

constexpr std::string_view kClass = "ImageReward";

const ModelComponent& network_part(const Model& model) {
    if (model.class_name != kClass) {
        fail(ErrorCode::usage, "reward model", "{} is a {}; pictures are rewarded by an ImageReward",
             in_quotes(model.location.name), in_quotes(model.class_name));
    }
    return *model.find("model");
}

std::unique_ptr<Tokenizer> prompt_tokenizer(const Model& model, const ImageRewardConfig& config) {
    if (!model.folder.has("vocab.txt")) {
        fail(ErrorCode::model_not_found, model.folder.shown("vocab.txt"),
             "prompts are read with bert-base-uncased's vocab.txt: put it there, or give it to "
             "tools/convert_weights.py by --vocab");
    }
    std::unique_ptr<Tokenizer> tokenizer = load_wordpiece(model.folder);
    check_ids(*tokenizer, config.text.vocab_size, model.folder.shown("vocab.txt"));
    return tokenizer;
}

}  // namespace

bool is_reward_model(const std::string& name) {
    return name != kPixels && open_encoder_model(name).class_name == kClass;
}

RewardModel::RewardModel(const std::string& name, std::int64_t resize_first, nn::Placement placement)
    : name_(name),
      placement_(placement),
      model_(open_encoder_model(name)),
      config_(config_of<ImageRewardConfig>(network_part(model_))),
      preprocessing_(
          Preprocessing::image_reward(config_.image.size, config_.image.mean, config_.image.deviation)),
      tokenizer_(prompt_tokenizer(model_, config_)),
      network_(network_of<ImageReward>(network_part(model_), config_, placement)) {
    preprocessing_.lanczos_first = resize_first;
}

const std::string& RewardModel::fingerprint() const {
    if (fingerprint_.empty()) fingerprint_ = gass::fingerprint(model_);
    return fingerprint_;
}

at::Tensor RewardModel::scores(const at::Tensor& pixels, const std::vector<std::string>& prompts) const {
    const at::NoGradGuard no_gradients;
    const std::int64_t length = config_.text_length;
    std::vector<at::Tensor> ids;
    std::vector<at::Tensor> masks;
    for (const std::string& prompt : prompts) {
        const auto read = std::min(length, static_cast<std::int64_t>(tokenizer_->encode(prompt).size()));
        ids.push_back(token_ids(*tokenizer_, prompt, length, placement_.device));
        masks.push_back((at::arange(length, ids.back().options()) < read).to(at::kLong).unsqueeze(0));
    }
    const at::Tensor placed = pixels.to(placement_.device, placement_.dtype);
    return (*network_.get())(placed, at::cat(ids), at::cat(masks)).to(at::kCPU, at::kFloat);
}

}  // namespace gass
