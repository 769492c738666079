#include "server/answer_pictures.h"

#include "io/file.h"
#include "io/image.h"
#include "io/picture_format.h"
#include "io/set_folder.h"
#include "text/base64.h"

#include <span>

namespace gass::server {

std::string image_bytes(const App& app, const Job& job, std::size_t index) {
    const MappedFile file(app.jobs.folder_of(job.id) / picture_name(index, picture_format("png")));
    return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string image_bytes_as(const App& app, const Job& job, std::size_t index, std::string_view format,
                           int quality) {
    std::string png = image_bytes(app, job, index);
    if (format == "png") return png;
    const ImageFile picture = decode_image(std::as_bytes(std::span(png)), "image");
    const EncodedPicture encoded = encode_picture(
        picture.image, {.format = &picture_format(format), .quality = quality}, picture.info.text);
    return {reinterpret_cast<const char*>(encoded.bytes.data()), encoded.bytes.size()};
}

std::size_t image_count(const Job& job) {
    return job.result.is_object() ? job.result.at("images").size() : 0;
}

std::string base64_of(std::string_view bytes) {
    return encode_base64(std::as_bytes(std::span(bytes)));
}

}  // namespace gass::server
