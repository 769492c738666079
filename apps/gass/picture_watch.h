#pragma once

#include "core/settings.h"
#include "engine.h"
#include "progress.h"

#include <gass/measure.h>

#include <optional>
#include <vector>

// What gass measure and gass features share.
namespace gass::cli {

/// Watches networks look at pictures: a progress bar for each, and Ctrl-C. In the end, however it comes, it
/// names what could not be read.
class PictureWatch {
  public:
    explicit PictureWatch(ProgressMode mode);
    ~PictureWatch();
    PictureWatch(const PictureWatch&) = delete;
    PictureWatch& operator=(const PictureWatch&) = delete;

    const MeasureEvents& events() const { return events_; }

  private:
    void show(std::string_view encoder, std::size_t done, std::size_t total);

    ProgressMode mode_;
    std::optional<Progress> progress_;
    std::vector<UnreadableFile> unreadable_;
    MeasureEvents events_;
};

/// Puts the flags about pictures and the settings of a run into a request.
template <class Request>
void fill_in(Request& request, const PictureOptions& options, const Settings& settings) {
    request.images = options.images;
    request.resize_first = options.resize_first;
    request.cache = !options.no_cache;
    request.device = settings.text("device");
    request.max_batch = settings.find("max_batch")->get<std::int64_t>();
    request.threads = settings.find("threads")->get<std::int64_t>();
}

}  // namespace gass::cli
