#include "describe.h"

namespace gass::cli {

Json describe_location(const ModelLocation& location) {
    Json json = {
        {"name", location.name}, {"source", to_string(location.source)}, {"path", location.path.string()}};
    if (!location.revision.empty()) json["revision"] = location.revision;
    return json;
}

}  // namespace gass::cli
