#include "nn/allocation.h"

#include <malloc.h>

namespace gass::nn {

void keep_freed_memory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value that glibc takes
    mallopt(M_TRIM_THRESHOLD, 1024 << 20);
#endif
}

}  // namespace gass::nn
