#include "interrupt.h"

#include <csignal>

namespace gass::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

void note_stop(int signal) {
    if (stop_asked != 0) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
    stop_asked = 1;
}

}  // namespace

void catch_interrupt() {
    struct sigaction action {};
    action.sa_handler = note_stop;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup has asked for that
    }
}

bool is_interrupted() {
    return stop_asked != 0;
}

}  // namespace gass::cli
