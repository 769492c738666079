#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <string_view>

// jpeglib.h needs FILE; jerror.h takes other codes without jpeglib.h before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

namespace gass {

/// Silent error handling for libjpeg: errors, and the warnings that `on_warning` picks, jump to `jump`.
struct JpegErrors {
    jpeg_error_mgr manager{};
    std::jmp_buf jump{};
    bool (*on_warning)(int message) = nullptr;
    std::array<char, JMSG_LENGTH_MAX> text{};

    template <class Jpeg>
    jpeg_error_mgr* install(Jpeg* jpeg) {
        jpeg->client_data = this;
        jpeg_std_error(&manager);
        manager.error_exit = give_up;
        manager.output_message = [](j_common_ptr) {};
        manager.emit_message = [](j_common_ptr common, int level) {
            auto* self = static_cast<JpegErrors*>(common->client_data);
            const bool warning = level < 0;
            if (warning && self->on_warning != nullptr && self->on_warning(common->err->msg_code))
                give_up(common);
        };
        return &manager;
    }

    int code() const { return manager.msg_code; }
    std::string_view message() const { return text.data(); }

    [[noreturn]] static void give_up(j_common_ptr common) {
        auto* self = static_cast<JpegErrors*>(common->client_data);
        common->err->format_message(common, self->text.data());
        std::longjmp(self->jump, 1);
    }
};

/// What an XMP packet follows in its APP1 marker.
inline constexpr std::string_view kXmpMark{"http://ns.adobe.com/xap/1.0/\0", 29};

/// Whether "key: value" in a JPEG comment stands for a text of that key.
bool is_comment_key(std::string_view key) noexcept;

}  // namespace gass
