#include "io/npy.h"

#include <gass/error.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const gass::NumpyArray array = gass::decode_npy(std::as_bytes(std::span(data, size)), "fuzz");
        // Whatever was accepted must lie in the file, and be the same when it is written and read again.
        if (array.bytes.size() > size) std::abort();
        if (gass::decode_npy(gass::encode_npy(array), "fuzz") != array) std::abort();
    } catch (const gass::Error& error) {
        if (error.code() != gass::ErrorCode::model_invalid) std::abort();
    }
    return 0;
}
