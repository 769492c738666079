#include "server/zip_file.h"

#include "core/fail.h"

#include <zip.h>

#include <memory>

namespace gass::server {
namespace {

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

}  // namespace

void write_zip(const std::filesystem::path& zip, const std::vector<std::filesystem::path>& files,
               const std::string& folder) {
    int code = 0;
    std::unique_ptr<zip_t, Discard> archive(zip_open(zip.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) fail(ErrorCode::io, "zip", "cannot be written (libzip's error {})", code);
    for (const std::filesystem::path& file : files) {
        const std::string name = folder + "/" + file.filename().string();
        zip_source_t* const source = zip_source_file(archive.get(), file.c_str(), 0, -1);
        const zip_int64_t index =
            source == nullptr ? -1 : zip_file_add(archive.get(), name.c_str(), source, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(source);
            fail(ErrorCode::io, "zip", "cannot be written: {}", zip_strerror(archive.get()));
        }
        zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    }
    if (zip_close(archive.get()) != 0)
        fail(ErrorCode::io, "zip", "cannot be written: {}", zip_strerror(archive.get()));
    (void)archive.release();  // closing has freed it
}

}  // namespace gass::server
