#include "generation_events.h"

#include "interrupt.h"

namespace gass::cli {

Events events_for(Progress& progress) {
    Events events;
    events.progress = [&progress, phase = std::string()](std::string_view name, std::size_t done,
                                                         std::size_t total) mutable {
        if (name != phase) progress.start(phase = name, total);
        progress.advance(done);
    };
    events.should_stop = is_interrupted;
    return events;
}

}  // namespace gass::cli
