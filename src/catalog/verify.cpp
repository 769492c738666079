#include "catalog/verify.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/safetensors.h"
#include "text/tokenizer.h"
#include "text/tokenizer_files.h"
#include "text/wordpiece.h"

#include <algorithm>
#include <functional>
#include <system_error>

namespace gass {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFiles = 100'000;

class Verifier {
  public:
    Verifier(const ModelLocation& location, std::string_view variant, const NetworkCheck& check_network)
        : location_(location), variant_(variant), check_network_(check_network) {}

    Verification run() {
        attempt([&] { check_files(ModelFolder(location_.path)); });
        attempt([&] { check_model(open_model(location_, variant_)); });
        return std::move(result_);
    }

  private:
    /// Notes an error and lets the check go on; the same error found twice is noted once.
    void attempt(const std::function<void()>& check) {
        try {
            check();
        } catch (const Error& error) {
            const std::string text = error.what();
            auto& problems = result_.problems;
            if (std::find(problems.begin(), problems.end(), text) == problems.end()) problems.push_back(text);
        }
    }

    void check_files(const ModelFolder& folder) {
        std::error_code error;
        fs::recursive_directory_iterator walk(folder.root(), error);
        for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
            if (++result_.files > kMaxFiles) {
                fail(ErrorCode::model_invalid, folder.root().string(), "more than {} files", kMaxFiles);
            }
            const fs::path relative = walk->path().lexically_relative(folder.root());
            if (fs::is_directory(walk->symlink_status()) && !is_checked(relative)) {
                --result_.files;
                continue;
            }
            attempt([&] { check_file(folder, relative); });
        }
        if (error) fail(ErrorCode::io, folder.root().string(), "cannot read the folder: {}", error.message());
    }

    /// The files whose content we know how to check.
    static bool is_checked(const fs::path& path) {
        return path.extension() == ".json" || path.extension() == ".safetensors";
    }

    void check_file(const ModelFolder& folder, const fs::path& relative) {
        const fs::path path = folder.file(relative);  // also refuses links that lead out
        if (relative.extension() == ".json") {
            folder.json(relative);
        } else if (relative.extension() == ".safetensors") {
            check_weights(SafetensorsFile(path), folder.shown(relative));
        }
    }

    void check_weights(const SafetensorsFile& file, const std::string& where) {
        for (const TensorInfo& tensor : file.tensors()) {
            ++result_.tensors;
            result_.parameters += tensor.element_count();
            attempt([&] {
                const std::uint64_t bad = count_non_finite(tensor.dtype, file.bytes(tensor));
                if (bad == 0) return;
                fail(ErrorCode::model_invalid, where, "tensor {}: {} of {} values are NaN or infinite",
                     in_quotes(tensor.name), bad, tensor.element_count());
            });
        }
    }

    static void check_tokenizer(const Model& model, const ModelComponent& part) {
        const auto tokenizer =
            part.class_name == kWordPieceClass ? load_wordpiece(part.folder) : load_tokenizer(part.folder);
        if (const auto tokens = tokens_of_encoder(model, part.name))
            check_ids(*tokenizer, *tokens, part.folder.root().string());
    }

    /// How many tokens the network knows that reads what a tokenizer makes, as far as its config says so:
    /// "text_encoder_2" stands beside "tokenizer_2", a single network beside its "tokenizer".
    static std::optional<std::int64_t> tokens_of_encoder(const Model& model, std::string_view tokenizer) {
        constexpr std::string_view kTokenizer = "tokenizer";
        const ModelComponent* encoder = model.find("model");
        if (encoder == nullptr)
            encoder = model.find("text_encoder" + std::string(tokenizer.substr(kTokenizer.size())));
        if (encoder == nullptr || !encoder->folder.has("config.json")) return std::nullopt;
        const Json config = encoder->folder.json("config.json");
        for (const Json* object : {json_member(config, "text_config"), &config}) {
            const Json* tokens = object == nullptr ? nullptr : json_member(*object, "vocab_size");
            if (tokens != nullptr && tokens->is_number_integer()) return tokens->get<std::int64_t>();
        }
        return std::nullopt;
    }

    void check_model(const Model& model) {
        for (const ModelComponent& part : model.components) {
            if (part.kind == ComponentKind::tokenizer) attempt([&] { check_tokenizer(model, part); });
            if (part.kind == ComponentKind::scheduler)
                attempt([&] { part.folder.json("scheduler_config.json"); });
            if (part.kind == ComponentKind::network) attempt([&] { part.folder.json("config.json"); });
            if (part.kind == ComponentKind::network && check_network_) attempt([&] { check_network_(part); });
        }
        for (const std::string& encoder : {model.defaults.guide, model.defaults.judge}) {
            if (!encoder.empty()) attempt([&] { open_model(find_model(encoder)); });
        }
    }

    ModelLocation location_;
    std::string variant_;
    const NetworkCheck& check_network_;
    Verification result_;
};

}  // namespace

Verification verify_model(const ModelLocation& location, std::string_view variant,
                          const NetworkCheck& check_network) {
    return Verifier(location, variant, check_network).run();
}

}  // namespace gass
