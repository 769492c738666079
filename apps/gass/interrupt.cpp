#include "interrupt.h"

#include <csignal>

namespace gass::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

}  // namespace

void catch_interrupt() {
    struct sigaction action {};
    action.sa_handler = [](int) { stop_asked = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

bool is_interrupted() {
    return stop_asked != 0;
}

}  // namespace gass::cli
