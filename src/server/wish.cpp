#include "server/wish.h"

#include "core/fail.h"
#include "core/quote.h"
#include "core/settings.h"
#include "core/text.h"
#include "core/wording.h"
#include "engine/request.h"

#include <algorithm>
#include <array>
#include <set>

namespace gass::server {
namespace {

constexpr std::size_t kLongestClient = 200;
constexpr std::size_t kLongestText = 4096;

// Files of this machine, and what is the server's to say.
constexpr std::array<std::string_view, 2> kNotFromOutside{"shield", "max_batch"};

/// The fields beside settings.
constexpr std::array<std::string_view, 10> kOwnFields{
    "prompt", "model",  "client",         "previews",           "measure",
    "seeds",  "target", "variation_seed", "variation_strength", "methods"};

[[noreturn]] void refuse_kind(std::string_view key, std::string_view expected, const Json& value) {
    fail(ErrorCode::usage, SettingKey(key), "expected {}, got {}", expected,
         in_quotes(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// The members of a body that are not null, each of which must be asked for.
class Fields {
  public:
    explicit Fields(const Json& body) : body_(body) {
        if (!body.is_object()) fail(ErrorCode::usage, "body", "expected a JSON object");
    }

    const Json* find(std::string_view key) {
        known_.emplace(key);
        const auto found = body_.find(key);
        return found == body_.end() || found->is_null() ? nullptr : &*found;
    }
    std::optional<std::string> text(std::string_view key, std::size_t longest = kLongestText) {
        const Json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_string()) refuse_kind(key, "text", *value);
        const auto& text = value->get_ref<const std::string&>();
        if (text.size() > longest)
            fail(ErrorCode::usage, SettingKey(key), "{} bytes; at most {}", text.size(), longest);
        return text;
    }
    bool flag(std::string_view key, bool fallback) {
        const Json* value = find(key);
        if (value == nullptr) return fallback;
        if (!value->is_boolean()) refuse_kind(key, "true or false", *value);
        return value->get<bool>();
    }
    std::optional<double> number(std::string_view key) {
        const Json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_number()) refuse_kind(key, "a number", *value);
        return value->get<double>();
    }

    Json finish(const std::vector<std::string_view>& names) const {
        Json understood = Json::object();
        for (const auto& [key, value] : body_.items()) {
            if (!known_.contains(key))
                fail(ErrorCode::usage, SettingKey("body"), "there is no field {}{}", in_quotes(key),
                     did_you_mean(key, names));
            if (!value.is_null()) understood[key] = value;
        }
        return understood;
    }

  private:
    const Json& body_;
    std::set<std::string, std::less<>> known_;
};

std::vector<std::uint64_t> seeds_of(const Json& list, const RequestLimits& limits) {
    if (!list.is_array() || list.empty()) refuse_kind("seeds", "a list of seeds", list);
    constexpr std::size_t kSeedsOfAnImage = 64;
    if (list.size() > static_cast<std::size_t>(limits.images) * kSeedsOfAnImage)
        fail(ErrorCode::usage, SettingKey("seeds"), "{} seeds are too many", list.size());
    std::vector<std::uint64_t> seeds;
    for (const Json& seed : list) {
        if (!seed.is_number_unsigned() || seed.get<std::uint64_t>() > kMaxSeed)
            refuse_kind("seeds", fmt::format("seeds from 0 to {}", kMaxSeed), seed);
        seeds.push_back(seed.get<std::uint64_t>());
    }
    return seeds;
}

void read_settings(Fields& fields, Request& request, std::vector<std::string_view>& names) {
    Settings settings;
    visit_request(request, [&]<class Value>(std::string_view key, std::optional<Value>& value) {
        if (std::ranges::find(kNotFromOutside, key) != kNotFromOutside.end()) {
            if (fields.find(key) != nullptr)
                fail(ErrorCode::usage, SettingKey(key), "it cannot be set from outside");
            return;
        }
        names.push_back(key);
        const Json* given = fields.find(key);
        if (given == nullptr) return;
        settings.set(SettingLayer::flag, key, *given);
        value = settings.find(key)->get<Value>();
    });
}

void read_variation(Fields& fields, Request& request) {
    const auto strength = fields.number("variation_strength");
    const Json* seed = fields.find("variation_seed");
    if (strength && (*strength < 0 || *strength > 1))
        fail(ErrorCode::usage, SettingKey("variation_strength"), "expected 0 to 1, got {}", *strength);
    if (seed == nullptr) {
        if (strength)
            fail(ErrorCode::usage, SettingKey("variation_strength"),
                 "needs `variation_seed`, the seed to vary towards");
        return;
    }
    if (!seed->is_number_unsigned() || seed->get<std::uint64_t>() > kMaxSeed)
        refuse_kind("variation_seed", fmt::format("a seed from 0 to {}", kMaxSeed), *seed);
    request.variation = {seed->get<std::uint64_t>(), strength.value_or(0.5)};
}

}  // namespace

Json parse_body(std::string_view body) {
    try {
        return parse_json(body, "body");
    } catch (const Error& error) {
        throw Error(ErrorCode::usage, "body", error.message());
    }
}

Wish read_wish(const Json& body, const RequestLimits& limits, WishKind kind) {
    Fields fields(body);
    Wish wish;
    Request& request = wish.request;
    const auto prompt = fields.text("prompt", kMaxPromptBytes);
    if (!prompt) fail(ErrorCode::usage, SettingKey("prompt"), "it is missing");
    check_prompt(*prompt, SettingKey("prompt"));
    request.prompt = *prompt;
    wish.model = fields.text("model").value_or("");
    wish.client = fields.text("client", kLongestClient).value_or("");
    wish.previews = fields.flag("previews", true);
    if (!fields.flag("measure", true)) request.measure = false;
    std::vector<std::string_view> names(kOwnFields.begin(), kOwnFields.end());
    if (kind == WishKind::set) std::erase(names, "methods");
    read_settings(fields, request, names);
    if (request.negative_prompt) check_prompt(*request.negative_prompt, SettingKey("negative_prompt"));
    for (const auto& [key, text] : {std::pair{"method", &request.method}, {"vary", &request.vary}}) {
        if (*text && (*text)->size() > kLongestText)
            fail(ErrorCode::usage, SettingKey(key), "{} bytes; at most {}", (*text)->size(), kLongestText);
    }
    if (const Json* seeds = fields.find("seeds")) request.seeds = seeds_of(*seeds, limits);
    if (const auto target = fields.text("target")) request.target = Target::parse(*target);
    read_variation(fields, request);
    if (kind == WishKind::comparison) {
        const Json* methods = fields.find("methods");
        if (methods == nullptr || !methods->is_array() || methods->empty() ||
            methods->size() > static_cast<std::size_t>(limits.compared))
            fail(ErrorCode::usage, SettingKey("methods"), "expected a list of 1 to {} methods",
                 limits.compared);
        for (const Json& method : *methods) {
            if (!method.is_string() || method.get_ref<const std::string&>().size() > kLongestText)
                refuse_kind("methods", "names of methods", method);
            wish.methods.push_back(method.get<std::string>());
        }
    }
    wish.given = fields.finish(names);
    check_limits(limits, request.images.value_or(1), request.width.value_or(8), request.height.value_or(8),
                 request.steps.value_or(1));
    return wish;
}

void check_limits(const RequestLimits& limits, std::int64_t images, std::int64_t width, std::int64_t height,
                  std::int64_t steps) {
    const auto check = [](std::string_view key, std::int64_t value, std::int64_t most) {
        if (value > most)
            fail(ErrorCode::usage, SettingKey(key), "{}; this server makes at most {}", value, most);
    };
    check("images", images, limits.images);
    check("width", width, limits.side);
    check("height", height, limits.side);
    check("steps", steps, limits.steps);
}

}  // namespace gass::server
