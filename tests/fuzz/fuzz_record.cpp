#include "record/group_json.h"
#include "record/method_step_json.h"
#include "record/record_json.h"
#include "record/spread_json.h"

#include <gass/error.h>

#include <cstdint>
#include <cstdlib>

namespace {

/// As another process would read it.
gass::Json written(const gass::Json& json) {
    return gass::parse_json(json.dump(), "fuzz");
}

/// Whatever was accepted is written so that it reads back as itself.
void check(const gass::Json& json) {
    try {
        const gass::Record record = gass::read_record(json, "fuzz");
        if (gass::read_record(written(to_json(record)), "fuzz") != record) std::abort();
    } catch (const gass::Error&) {
    }
    try {
        const gass::RecordedGroup group = gass::read_group(json, "fuzz");
        if (group.spread && gass::read_spread(written(to_json(*group.spread)), "fuzz") != *group.spread)
            std::abort();
        const gass::Json steps = written(gass::to_json(group.method_steps));
        if (gass::read_method_steps(steps, "fuzz") != group.method_steps) std::abort();
    } catch (const gass::Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    gass::Json json;
    try {
        json = gass::parse_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const gass::Error&) {
        return 0;
    }
    check(json);
    return 0;
}
