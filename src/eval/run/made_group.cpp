#include "eval/run/made_group.h"

#include "core/fail.h"

#include <cstring>
#include <span>

namespace gass::eval {
namespace {

Json binary(std::span<const std::byte> bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return Json::binary(std::vector<std::uint8_t>(data, data + bytes.size()));
}

std::vector<std::byte> bytes_of(const Json& value) {
    const auto& data = value.get_binary();
    std::vector<std::byte> bytes(data.size());
    if (!bytes.empty()) std::memcpy(bytes.data(), data.data(), data.size());
    return bytes;
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const MadeGroup& group) {
    Json files = Json::array();
    for (const GroupFile& file : group.files)
        files.push_back({{"name", file.name}, {"bytes", binary(file.bytes)}});
    Json features = Json::array();
    for (const ImageFeatures& one : group.features)
        features.push_back({{"encoder", one.encoder},
                            {"rows", one.rows},
                            {"columns", one.columns},
                            {"numbers", binary(std::as_bytes(std::span(one.numbers)))}});
    return Json::to_msgpack(Json{{"record", group.record}, {"files", files}, {"features", features}});
}

MadeGroup made_group_from_bytes(const std::vector<std::uint8_t>& bytes) {
    try {
        const Json json = Json::from_msgpack(bytes);
        MadeGroup group{.record = json.at("record"), .files = {}, .features = {}};
        for (const Json& file : json.at("files"))
            group.files.push_back({file.at("name").get<std::string>(), bytes_of(file.at("bytes"))});
        for (const Json& one : json.at("features")) {
            ImageFeatures images{.encoder = one.at("encoder").get<std::string>(),
                                 .rows = one.at("rows").get<std::int64_t>(),
                                 .columns = one.at("columns").get<std::int64_t>(),
                                 .numbers = {}};
            const std::vector<std::byte> numbers = bytes_of(one.at("numbers"));
            const auto count = static_cast<std::size_t>(images.rows * images.columns);
            if (images.rows < 0 || images.columns < 0 || numbers.size() != count * sizeof(float))
                fail(ErrorCode::failure, "eval", "a group's features have another size than they say");
            images.numbers.resize(count);
            if (count > 0) std::memcpy(images.numbers.data(), numbers.data(), numbers.size());
            group.features.push_back(std::move(images));
        }
        return group;
    } catch (const Json::exception& error) {
        fail(ErrorCode::failure, "eval", "a group from another process arrived damaged: {}", error.what());
    }
}

}  // namespace gass::eval
