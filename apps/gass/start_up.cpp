#include "start_up.h"

#include "io/mapping_guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace gass::cli {

void start_up() {
    // Otherwise the next file that is opened is the standard output, and what is printed goes into it.
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor) ::_exit(1);
    }
    std::signal(SIGXFSZ, SIG_IGN);
    guard_mappings();
}

}  // namespace gass::cli
