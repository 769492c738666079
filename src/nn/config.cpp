#include "nn/config.h"

#include "core/fail.h"
#include "core/log.h"
#include "core/quote.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace gass::nn {

void ConfigReader::refuse(const std::string& reason) const {
    fail(ErrorCode::model_invalid, where(), "{}", reason);
}

std::int64_t ConfigReader::integer(std::string_view key, std::optional<std::int64_t> fallback,
                                   std::int64_t minimum, std::int64_t maximum) {
    return reader_.integer(key, fallback, minimum, maximum);
}

std::int64_t ConfigReader::count(std::string_view key, std::optional<std::int64_t> fallback,
                                 std::int64_t minimum) {
    constexpr std::int64_t kMostLayers = 512;
    return integer(key, fallback, minimum, kMostLayers);
}

std::vector<std::int64_t> ConfigReader::integers(std::string_view key,
                                                 const std::optional<std::vector<std::int64_t>>& fallback,
                                                 std::int64_t minimum) {
    constexpr std::size_t kMostEntries = 512;
    constexpr std::int64_t kLargest = 1'000'000;
    if (fallback && reader_.find(key) == nullptr) return *fallback;
    const Json& value = reader_.at(key);
    const auto checked = [&](const Json& entry) {
        return checked_integer(entry, where(), key, minimum, kLargest);
    };
    if (!value.is_array()) return {checked(value)};
    if (value.size() > kMostEntries)
        refuse(fmt::format("{} has more than {} entries", in_quotes(key), kMostEntries));
    // Nothing is a value where it is the default.
    if (value.empty() && !(fallback && fallback->empty())) refuse(fmt::format("{} is empty", in_quotes(key)));
    std::vector<std::int64_t> numbers;
    for (const Json& entry : value) numbers.push_back(checked(entry));
    return numbers;
}

void ConfigReader::require(std::string_view key, std::initializer_list<Json> allowed) {
    const Json* value = reader_.find(key);
    if (value == nullptr || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return;
    refuse(fmt::format("{} = {} is not supported", in_quotes(key), in_quotes(value->dump())));
}

void ConfigReader::ignore(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) reader_.find(key);
}

void ConfigReader::finish() const {
    constexpr std::size_t kShown = 10;
    std::vector<std::string> unknown;
    std::size_t more = 0;
    for (const std::string& key : reader_.unknown_keys()) {
        if (key.starts_with('_')) continue;
        if (unknown.size() < kShown) {
            unknown.push_back(in_quotes(key));
        } else {
            ++more;
        }
    }
    if (!unknown.empty())
        log::warn("[{}] fields that are not known here and have no effect: {}{}", where(),
                  fmt::join(unknown, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

void ignore_transformers_fields(ConfigReader& reader) {
    reader.require("add_cross_attention", {false});
    reader.require("is_decoder", {false});
    reader.require("pruned_heads", {Json::object()});
    reader.ignore({"architectures",
                   "attention_dropout",
                   "bad_words_ids",
                   "begin_suppress_tokens",
                   "bos_token_id",
                   "chunk_size_feed_forward",
                   "cross_attention_hidden_size",
                   "decoder_start_token_id",
                   "diversity_penalty",
                   "do_sample",
                   "dropout",
                   "dtype",
                   "early_stopping",
                   "encoder_no_repeat_ngram_size",
                   "eos_token_id",
                   "exponential_decay_length_penalty",
                   "finetuning_task",
                   "forced_bos_token_id",
                   "forced_eos_token_id",
                   "gradient_checkpointing",
                   "id2label",
                   "initializer_factor",
                   "initializer_range",
                   "is_encoder_decoder",
                   "label2id",
                   "length_penalty",
                   "max_length",
                   "min_length",
                   "no_repeat_ngram_size",
                   "num_beam_groups",
                   "num_beams",
                   "num_return_sequences",
                   "output_attentions",
                   "output_hidden_states",
                   "output_scores",
                   "pad_token_id",
                   "prefix",
                   "problem_type",
                   "remove_invalid_values",
                   "repetition_penalty",
                   "return_dict",
                   "return_dict_in_generate",
                   "sep_token_id",
                   "suppress_tokens",
                   "task_specific_params",
                   "temperature",
                   "tf_legacy_loss",
                   "tie_encoder_decoder",
                   "tie_word_embeddings",
                   "tokenizer_class",
                   "top_k",
                   "top_p",
                   "torch_dtype",
                   "torchscript",
                   "transformers_version",
                   "typical_p",
                   "use_bfloat16",
                   "use_cache"});
}

}  // namespace gass::nn
