#include "engine.h"
#include "nn/libtorch_error.h"

namespace gass::cli {

Error as_error(const std::exception& error) {
    if (nn::is_out_of_memory(error))
        return {ErrorCode::out_of_memory, "memory", "memory ran out (" + nn::first_line(error) + ")"};
    return {ErrorCode::failure, "gass", nn::first_line(error)};
}

}  // namespace gass::cli
