#include "core/fail.h"
#include "core/quote.h"
#include "core/text.h"
#include "io/image.h"
#include "io/picture_format.h"
#include "measure/metric/metric.h"
#include "measure/metric/result.h"
#include "record/record_json.h"
#include "server/app.h"
#include "server/http/multipart.h"

#include <gass/measure.h>

#include <fmt/format.h>

#include <mutex>
#include <span>
#include <utility>

namespace gass::server {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::vector<http::FormPart> form_of(const Call& call, const RequestLimits& limits) {
    const std::string* type = call.request().header("content-type");
    constexpr std::size_t kFields = 16;
    return http::parse_form(type == nullptr ? "" : *type, call.request().body, limits.uploads + kFields);
}

/// Uploads are looked at before they are unpacked: a small file may hold a picture that fills the memory.
class Pictures {
  public:
    explicit Pictures(const RequestLimits& limits) : limits_(limits) {}

    ImageInfo look(std::string_view content, const std::string& where) {
        ImageInfo info = decode_image_info(bytes_of(content), where);
        pixels_ += std::uint64_t{info.width} * info.height;
        if (pixels_ > limits_.upload_pixels)
            fail(ErrorCode::usage, where, "more than {} pixels in all", limits_.upload_pixels);
        return info;
    }
    Image read(std::string_view content, const std::string& where) {
        look(content, where);
        return decode_image(bytes_of(content), where).image;
    }

  private:
    const RequestLimits& limits_;
    std::uint64_t pixels_ = 0;
};

MeasureRequest measure_request_of(const App& app, const Call& call) {
    const RequestLimits& limits = app.options.limits;
    MeasureRequest request;
    request.cache = false;  // nobody keeps what somebody uploads
    request.device = app.models.device(0);
    Pictures pictures(limits);
    for (const http::FormPart& part : form_of(call, limits)) {
        if (part.name == "images") {
            if (request.pictures.size() == limits.uploads)
                fail(ErrorCode::usage, SettingKey("images"), "at most {}", limits.uploads);
            request.pictures.push_back(
                pictures.read(part.content, fmt::format("images[{}]", request.pictures.size())));
        } else if (part.name == "prompt") {
            check_prompt(part.content, SettingKey("prompt"));
            request.prompt = std::string(part.content);
        } else if (part.name == "metrics") {
            if (part.content.size() > 1000 || !is_utf8(part.content))
                fail(ErrorCode::usage, SettingKey("metrics"), "no names of metrics");
            for (const std::string_view name : split(part.content, ',')) request.metrics.emplace_back(name);
        } else {
            fail(ErrorCode::usage, "body", "there is no field {}; expected images, metrics and prompt",
                 in_quotes(part.name));
        }
    }
    if (request.pictures.empty()) fail(ErrorCode::usage, SettingKey("images"), "no picture came");
    return request;
}

void measure_pictures(const App& app, const Call& call) {
    const MeasureRequest request = measure_request_of(app, call);
    static std::mutex one_at_a_time;  // each takes all of the device
    const std::unique_lock lock(one_at_a_time, std::try_to_lock);
    if (!lock) throw Busy("other pictures are being measured; try again in a moment");
    Json json{{"schema", "gass.measure/1"}};
    json.update(to_json(measure(request), request));
    call.json(200, json);
}

Json texts_of(const ImageInfo& info) {
    Json record;
    if (const std::string* text = find_text(info, kRecordKey)) {
        try {
            record = parse_json(*text, kRecordKey);
            (void)read_record(record, kRecordKey);
        } catch (const Error&) {
            record = nullptr;  // somebody else's, under our name
        }
    }
    const std::string* parameters = find_text(info, kParametersKey);
    return {{"record", std::move(record)},
            {"parameters", parameters == nullptr ? Json() : Json(*parameters)}};
}

void inspect_picture(const App& app, const Call& call) {
    const RequestLimits& limits = app.options.limits;
    Pictures pictures(limits);
    const std::vector<http::FormPart> form = form_of(call, limits);
    if (form.size() != 1 || form.front().name != "image")
        fail(ErrorCode::usage, SettingKey("image"), "expected one picture in the field `image`");
    call.json(200, texts_of(pictures.look(form.front().content, "image")));
}

}  // namespace

void add_picture_routes(Router& router, const App& app) {
    const auto add = [&](std::string pattern, void (*act)(const App&, const Call&)) {
        router.add({.method = "POST",
                    .pattern = std::move(pattern),
                    .handler = [&app, act](const std::shared_ptr<Call>& call) { act(app, *call); },
                    .body_bytes = app.options.limits.upload_bytes});
    };
    add("/api/v1/measure", measure_pictures);
    add("/api/v1/inspect", inspect_picture);
}

}  // namespace gass::server
