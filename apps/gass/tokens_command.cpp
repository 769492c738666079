#include "catalog/model.h"
#include "command_line.h"
#include "core/fail.h"
#include "core/quote.h"
#include "io/model_lookup.h"
#include "output.h"
#include "text/tokenizer.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

namespace gass::cli {
namespace {

/// How one text encoder reads a prompt.
struct EncodedPrompt {
    std::string encoder;
    std::string class_name;
    std::vector<std::int32_t> ids;
    std::vector<std::string> tokens;  // the ids as text
    std::size_t limit = 0;            // ids that the encoder sees; the rest is cut

    bool is_cut() const { return ids.size() > limit; }
    /// What the encoder never sees. Cutting keeps the last place for the end token.
    std::string cut_text() const {
        std::string text;
        for (std::size_t i = limit - 1; i + 1 < tokens.size(); ++i) text += tokens[i];
        return text;
    }
};

/// "tokenizer_2" feeds "text_encoder_2"; a network with its tokenizer beside it is called "model".
std::string encoder_name(const Model& model, std::string name) {
    const std::string encoder = "text_encoder" + name.substr(std::string_view("tokenizer").size());
    return model.find(encoder) != nullptr ? encoder : "model";
}

std::vector<EncodedPrompt> encode(const Model& model, const std::string& prompt,
                                  std::size_t max_sequence_length) {
    std::vector<EncodedPrompt> prompts;
    for (const ModelComponent& part : model.components) {
        if (part.kind != ComponentKind::tokenizer) continue;
        const auto tokenizer = load_tokenizer(part.folder);
        EncodedPrompt encoded{
            encoder_name(model, part.name), part.class_name, tokenizer->encode(prompt), {}, 0};
        // Only T5's length is a choice; CLIP's is fixed by its position table.
        encoded.limit = part.class_name.starts_with("T5") ? max_sequence_length : tokenizer->max_length();
        for (const std::int32_t id : encoded.ids) encoded.tokens.push_back(tokenizer->token_text(id));
        prompts.push_back(std::move(encoded));
    }
    if (prompts.empty()) {
        fail(ErrorCode::model_invalid, model.location.path.string(), "this model has no tokenizer");
    }
    return prompts;
}

Json to_json(const std::vector<EncodedPrompt>& prompts) {
    Json encoders = Json::array();
    for (const EncodedPrompt& prompt : prompts) {
        encoders.push_back({{"name", prompt.encoder},
                            {"tokenizer", prompt.class_name},
                            {"ids", prompt.ids},
                            {"tokens", prompt.tokens},
                            {"count", prompt.ids.size()},
                            {"limit", prompt.limit},
                            {"cut", prompt.is_cut()}});
    }
    return {{"encoders", encoders}};
}

std::string to_text(const std::vector<EncodedPrompt>& prompts) {
    std::string out;
    for (const EncodedPrompt& prompt : prompts) {
        out += fmt::format("{} ({}): {} of {} tokens\n", prompt.encoder, prompt.class_name, prompt.ids.size(),
                           prompt.limit);
        for (std::size_t i = 0; i < prompt.ids.size(); ++i) {
            out += fmt::format("  {:>6}  {}\n", prompt.ids[i], in_quotes(prompt.tokens[i]));
        }
        if (prompt.is_cut())
            out += fmt::format("  the encoder does not see: {}\n", in_quotes(prompt.cut_text()));
    }
    return out;
}

/// The prompt as given, or standard input for "-".
std::string read_prompt(const std::string& given) {
    if (given != "-") return given;
    constexpr std::size_t kLimit = std::size_t{16} << 20U;
    std::string text(kLimit + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), stdin));
    if (text.size() > kLimit)
        fail(ErrorCode::usage, "--prompt", "more than {} bytes on standard input", kLimit);
    return text;
}

}  // namespace

void add_tokens_command(CLI::App& app, CommandLine& line) {
    struct Options {
        std::optional<std::string> prompt;
        bool json = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        add_command(app, line, "tokens", "Show how a model's text encoders read a prompt", [&line, options] {
            const Settings& settings = line.resolve();
            if (line.print_config()) return 0;
            if (!options->prompt) fail(ErrorCode::usage, "--prompt", "is required");
            const Model model = open_model(find_model(settings.text("model")), settings.text("variant"));
            const auto prompts = encode(model, read_prompt(*options->prompt),
                                        settings.find("max_sequence_length")->get<std::size_t>());
            if (options->json)
                write_json("tokens/1", to_json(prompts));
            else
                write_stdout(to_text(prompts));
            return 0;
        });
    command->add_option("-p,--prompt", options->prompt, "the prompt; - reads standard input");
    command->add_flag("--json", options->json, "print JSON");
    line.add_settings(*command, {"model", "variant", "max_sequence_length", "log_level"});
}

}  // namespace gass::cli
