#include "picture_watch.h"

#include "core/log.h"
#include "interrupt.h"

#include <algorithm>
#include <string>

namespace gass::cli {

PictureWatch::PictureWatch(ProgressMode mode) : mode_(mode) {
    events_.progress = [this](std::string_view encoder, std::size_t done, std::size_t total) {
        show(encoder, done, total);
    };
    events_.unreadable = [this](const UnreadableFile& file) { unreadable_.push_back(file); };
    events_.should_stop = is_interrupted;
}

PictureWatch::~PictureWatch() {
    constexpr std::size_t kShown = 20;
    progress_.reset();
    for (std::size_t i = 0; i < std::min(unreadable_.size(), kShown); ++i)
        log::error("[{}] {}", unreadable_[i].file.string(), unreadable_[i].reason);
    if (unreadable_.size() > kShown)
        log::error("and {} more files could not be read", unreadable_.size() - kShown);
}

void PictureWatch::show(std::string_view encoder, std::size_t done, std::size_t total) {
    if (done == 0) {
        progress_.emplace(mode_, std::string(encoder));
        progress_->start("pictures", total);
        return;
    }
    progress_->advance(done);
    if (done == total) progress_.reset();
}

}  // namespace gass::cli
