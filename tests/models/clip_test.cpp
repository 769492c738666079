#include "models/clip.h"

#include "support/expect_error.h"
#include "support/parity_case.h"
#include "support/temporary_folder.h"
#include "tensor/tensor_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace gass {
namespace {

using test::Tensors;

std::optional<at::Tensor> mask_of(const Tensors& in) {
    return in.contains("mask") ? std::optional(in.at("mask")) : std::nullopt;
}

TEST(ClipText, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("clip", "text")) {
        const auto config = ClipTextConfig::from_json(parity.config, parity.config_path);
        const auto network = nn::load_network<ClipText>(parity.weights, config, parity.placement, "ClipText");
        test::expect_parity(parity, [&](const Tensors& in) {
            const ClipTextOutput output = network.encode(in.at("embeddings"), in.at("ids"), mask_of(in));
            Tensors out{{"embedded", network.embed(in.at("ids"))},
                        {"last", output.last_hidden_state},
                        {"pooled", output.pooled},
                        {"text_embeds", output.text_embeds}};
            for (std::int64_t k = 1; k <= config.encoder.num_hidden_layers + 1; ++k)
                out["hidden-" + std::to_string(k)] = output.hidden_from_end(k);
            return out;
        });
    }
}

TEST(ClipVision, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("clip", "vision")) {
        const auto config = ClipVisionConfig::from_json(parity.config, parity.config_path);
        const auto network =
            nn::load_network<ClipVision>(parity.weights, config, parity.placement, "ClipVision");
        test::expect_parity(parity, [&](const Tensors& in) {
            const ClipVisionOutput output = network(in.at("pixels"));
            return Tensors{{"last", output.last_hidden_state},
                           {"pooled", output.pooled},
                           {"image_embeds", output.image_embeds}};
        });
    }
}

TEST(Clip, EqualsTheReference) {
    for (const test::ParityCase& parity : test::parity_cases("clip", "clip")) {
        const auto config = ClipConfig::from_json(parity.config, parity.config_path);
        const auto network = nn::load_network<Clip>(parity.weights, config, parity.placement, "Clip");
        test::expect_parity(parity, [&](const Tensors& in) {
            const at::Tensor text = network.text.encode(in.at("embeddings"), in.at("ids")).text_embeds;
            const at::Tensor image = network.vision(in.at("pixels")).image_embeds;
            return Tensors{{"text_embeds", text},
                           {"image_embeds", image},
                           {"logits", network.logits_per_text(text, image)}};
        });
    }
}

Json small_config() {
    return parse_json(R"({"model_type": "clip_text_model", "architectures": ["CLIPTextModelWithProjection"],
                          "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1,
                          "num_attention_heads": 2, "max_position_embeddings": 5, "vocab_size": 11,
                          "eos_token_id": 10, "projection_dim": 4})",
                      "small");
}

TEST(ClipTextConfig, RefusesWrongValues) {
    const std::vector<std::pair<const char*, const char*>> wrong{
        {"model_type", "\"bert\""},
        {"num_attention_heads", "3"},
        {"num_attention_heads", "0"},
        {"num_hidden_layers", "1000000000"},
        {"num_hidden_layers", "18446744073709551615"},
        {"hidden_size", "-8"},
        {"hidden_size", "8.5"},
        {"hidden_act", "\"mish\""},
        {"layer_norm_eps", "\"small\""},
        {"vocab_size", "1000000000000"},
        {"eos_token_id", "[10]"},
        {"architectures", "\"CLIPTextModel\""},
        {"is_decoder", "true"},
    };
    for (const auto& [key, value] : wrong) {
        SCOPED_TRACE(std::string(key) + " = " + value);
        Json config = small_config();
        config[key] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, "[wrong]",
                           [&] { ClipTextConfig::from_json(config, "wrong"); });
    }
}

TEST(ClipVisionConfig, RefusesWrongValues) {
    const std::vector<std::pair<const char*, const char*>> wrong{
        {"patch_size", "0"}, {"patch_size", "225"},      {"image_size", "[224, 112]"},
        {"image_size", "0"}, {"image_size", "10000000"}, {"num_channels", "1000000"},
    };
    for (const auto& [key, value] : wrong) {
        SCOPED_TRACE(std::string(key) + " = " + value);
        Json config = Json::object();
        config[key] = parse_json(value, "value");
        test::expect_error(ErrorCode::model_invalid, key,
                           [&] { ClipVisionConfig::from_json(config, "wrong"); });
    }
}

/// Notes what a network asks for.
class Recorder : public nn::ParameterSource {
  public:
    Tensors taken;

    at::Tensor take(const std::string& name, at::IntArrayRef shape) override {
        return taken[name] = at::full(shape, 0.1);
    }
    bool has(const std::string&) const override { return false; }
    void allow(const std::string&) override {}
};

class ClipTextFile : public testing::Test {
  protected:
    ClipTextFile() {
        Recorder recorder;
        const ClipText network(nn::Parameters(recorder), config_);
        tensors_ = recorder.taken;
    }
    ClipText load() const {
        write_tensors(folder_ / "model.safetensors", tensors_);
        return nn::load_network<ClipText>(Weights::open(ModelFolder(folder_.path())), config_, {},
                                          "ClipText");
    }

    const ClipTextConfig config_ = ClipTextConfig::from_json(small_config(), "small");
    const test::TemporaryFolder folder_;
    Tensors tensors_;
};

constexpr const char* kNorm = "text_model.final_layer_norm.weight";

TEST_F(ClipTextFile, LoadsWhenItFits) {
    const ClipTextOutput output = load()(at::full({2, 5}, 10, at::kLong));
    EXPECT_EQ(output.text_embeds.sizes(), at::IntArrayRef({2, 4}));
}

TEST_F(ClipTextFile, MissingTensorIsNamed) {
    tensors_.erase(kNorm);
    test::expect_error(ErrorCode::model_invalid, std::string("1 missing (\"") + kNorm + "\")",
                       [&] { load(); });
}

TEST_F(ClipTextFile, UnexpectedTensorIsNamed) {
    tensors_["text_model.extra"] = at::ones({2});
    test::expect_error(ErrorCode::model_invalid, "1 unexpected (\"text_model.extra\")", [&] { load(); });
}

TEST_F(ClipTextFile, MisshapenTensorIsNamed) {
    tensors_[kNorm] = at::ones({9});
    test::expect_error(ErrorCode::model_invalid, std::string("\"") + kNorm + "\" is [9], expected [8]",
                       [&] { load(); });
}

TEST_F(ClipTextFile, RefusesTooManyTokensAndUnknownHiddenStates) {
    const ClipText network = load();
    test::expect_error(ErrorCode::usage, "at most 5 tokens, not 6", [&] {
        network(at::full({1, 6}, 10, at::kLong));
    });
    const ClipTextOutput output = network(at::full({1, 3}, 10, at::kLong));
    test::expect_error(ErrorCode::usage, "-1 to -2, not -3", [&] { output.hidden_from_end(3); });
    test::expect_error(ErrorCode::usage, "-1 to -2", [&] { output.hidden_from_end(0); });
}

}  // namespace
}  // namespace gass
