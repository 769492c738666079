#include "io/npz.h"

#include "core/fail.h"
#include "core/quote.h"
#include "io/file.h"

#include <zip.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace gass {
namespace {

// A covariance of 11,000 features; those of Inception have 2,048.
constexpr std::uint64_t kMaxUnpacked = std::uint64_t{1} << 30U;
constexpr std::int64_t kMaxMembers = 65536;
// Deflate's longest match of 258 bytes takes two bits.
constexpr std::uint64_t kMostPerPackedByte = 1032;
constexpr std::string_view kExtension = ".npy";

struct CloseMember {
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};
struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct FreeSource {
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Source = std::unique_ptr<zip_source_t, FreeSource>;

/// libzip's account of what went wrong.
class ZipError {
  public:
    ZipError() { zip_error_init(&error_); }
    ~ZipError() { zip_error_fini(&error_); }
    ZipError(const ZipError&) = delete;
    ZipError& operator=(const ZipError&) = delete;
    zip_error_t* get() { return &error_; }
    std::string text() { return zip_error_strerror(&error_); }

  private:
    zip_error_t error_{};
};

/// An archive over bytes that outlive it.
class NpzReader {
  public:
    NpzReader(std::span<const std::byte> file, std::string_view where) : where_(where) {
        ZipError error;
        packed_limit_ = file.size();
        Source source(zip_source_buffer_create(file.data(), file.size(), 0, error.get()));
        if (source) archive_.reset(zip_open_from_source(source.get(), ZIP_RDONLY, error.get()));
        if (!archive_) fail(ErrorCode::model_invalid, where_, "not a .npz file: {}", error.text());
        (void)source.release();  // the archive's now
    }

    std::map<std::string, NumpyArray> arrays() {
        const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
        if (count < 1) fail(ErrorCode::model_invalid, where_, "not a .npz file, or one without arrays");
        if (count > kMaxMembers)
            fail(ErrorCode::model_invalid, where_, "{} members; at most {} are read", count, kMaxMembers);
        std::map<std::string, NumpyArray> arrays;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
            const zip_stat_t member = checked_member(i);
            const std::string_view file_name = member.name;
            const std::string name(file_name.substr(0, file_name.size() - kExtension.size()));
            const std::string label = fmt::format("{}, {}", where_, in_quotes(file_name));
            const std::vector<std::byte> unpacked = unpack(member, label);
            if (!arrays.emplace(name, decode_npy(unpacked, label)).second)
                fail(ErrorCode::model_invalid, label, "the name occurs twice in the archive");
        }
        return arrays;
    }

  private:
    /// What the archive says of a member, as far as it can be true.
    zip_stat_t checked_member(std::uint64_t index) {
        zip_stat_t member;
        zip_stat_init(&member);
        constexpr zip_uint64_t kNeeded =
            ZIP_STAT_NAME | ZIP_STAT_INDEX | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
        if (zip_stat_index(archive_.get(), index, ZIP_FL_ENC_RAW, &member) != 0 ||
            (member.valid & kNeeded) != kNeeded)
            fail(ErrorCode::model_invalid, where_, "member {} of the archive has no complete entry", index);
        const std::string_view name = member.name;
        if (!name.ends_with(kExtension))
            fail(ErrorCode::model_invalid, where_, "{} is not an array; a .npz file holds .npy files only",
                 in_quotes(name));
        if ((member.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && member.encryption_method != ZIP_EM_NONE)
            fail(ErrorCode::model_invalid, where_, "{} is encrypted", in_quotes(name));
        const bool stored = member.comp_method == ZIP_CM_STORE;
        if (!stored && member.comp_method != ZIP_CM_DEFLATE)
            fail(ErrorCode::model_invalid, where_,
                 "{} is packed with method {}; only stored and deflated are read", in_quotes(name),
                 member.comp_method);
        const bool possible =
            stored ? member.size == member.comp_size : member.size / kMostPerPackedByte <= member.comp_size;
        if (!possible || member.comp_size > packed_limit_)
            fail(ErrorCode::model_invalid, where_, "{} claims {} bytes in {} packed ones", in_quotes(name),
                 member.size, member.comp_size);
        if (member.size > kMaxUnpacked - claimed_)
            fail(ErrorCode::model_invalid, where_, "the arrays claim more than {} bytes", kMaxUnpacked);
        claimed_ += member.size;
        return member;
    }

    std::vector<std::byte> unpack(const zip_stat_t& member, std::string_view label) {
        const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen_index(archive_.get(), member.index, 0));
        if (!file)
            fail(ErrorCode::model_invalid, label, "cannot be opened: {}", zip_strerror(archive_.get()));
        std::vector<std::byte> bytes(member.size);
        std::uint64_t done = 0;
        while (done < bytes.size()) {
            const zip_int64_t count = zip_fread(file.get(), bytes.data() + done, bytes.size() - done);
            if (count == 0) complain_of(label, member.size, fmt::format("it ends after {}", done));
            if (count < 0) complain_of(label, member.size, zip_file_strerror(file.get()));
            done += static_cast<std::uint64_t>(count);
        }
        // The end must be here; looking for it also makes libzip compare the checksum.
        std::byte surplus{};
        const zip_int64_t count = zip_fread(file.get(), &surplus, 1);
        if (count > 0) complain_of(label, member.size, "it goes on");
        if (count < 0) complain_of(label, member.size, zip_file_strerror(file.get()));
        return bytes;
    }

    [[noreturn]] static void complain_of(std::string_view label, std::uint64_t size,
                                         std::string_view reason) {
        fail(ErrorCode::model_invalid, label, "does not unpack to the {} bytes it claims: {}", size, reason);
    }

    std::string_view where_;
    std::uint64_t packed_limit_ = 0;
    Archive archive_;
    std::uint64_t claimed_ = 0;
};

/// The archive's bytes, once it is closed.
std::vector<std::byte> content_of(zip_source_t* source, std::string_view where) {
    zip_stat_t info;
    zip_stat_init(&info);
    if (zip_source_stat(source, &info) != 0 || zip_source_open(source) != 0)
        fail(ErrorCode::failure, where, "cannot make the archive");
    std::vector<std::byte> bytes(info.size);
    const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    if (count < 0 || static_cast<std::uint64_t>(count) != info.size)
        fail(ErrorCode::failure, where, "cannot make the archive");
    return bytes;
}

}  // namespace

std::map<std::string, NumpyArray> read_npz(const std::filesystem::path& path) {
    const MappedFile file(path);
    const std::string where = path.string();
    return NpzReader(file.bytes(), where).arrays();
}

void write_npz(const std::filesystem::path& path, const std::map<std::string, NumpyArray>& arrays) {
    const std::string where = path.string();
    if (arrays.empty()) fail(ErrorCode::usage, where, "there is no array to write");
    std::vector<std::vector<std::byte>> members;  // they must live until the archive is closed
    members.reserve(arrays.size());
    ZipError error;
    const Source target(zip_source_buffer_create(nullptr, 0, 0, error.get()));
    Archive archive;
    if (target) archive.reset(zip_open_from_source(target.get(), ZIP_CREATE | ZIP_TRUNCATE, error.get()));
    if (!archive) fail(ErrorCode::failure, where, "cannot make the archive: {}", error.text());
    zip_source_keep(target.get());  // one reference is the archive's, one ours

    for (const auto& [name, array] : arrays) {
        if (name.empty() || !is_utf8(name) || name.find('\0') != std::string::npos)
            fail(ErrorCode::usage, where, "{} cannot be the name of an array", in_quotes(name));
        members.push_back(encode_npy(array));
        Source source(zip_source_buffer(archive.get(), members.back().data(), members.back().size(), 0));
        const std::string file_name = name + std::string(kExtension);
        const zip_int64_t index =
            source ? zip_file_add(archive.get(), file_name.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
        if (index < 0)
            fail(ErrorCode::failure, where, "cannot add {}: {}", in_quotes(name),
                 zip_strerror(archive.get()));
        (void)source.release();  // the archive's now
        // The first day of the format, so that the time of writing does not change the bytes.
        constexpr zip_uint16_t kFirstOfJanuary1980 = 0x21;
        if (zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0) != 0 ||
            zip_file_set_dostime(archive.get(), static_cast<zip_uint64_t>(index), 0, kFirstOfJanuary1980,
                                 0) != 0)
            fail(ErrorCode::failure, where, "cannot add {}: {}", in_quotes(name),
                 zip_strerror(archive.get()));
    }
    if (zip_close(archive.get()) != 0)
        fail(ErrorCode::failure, where, "cannot make the archive: {}", zip_strerror(archive.get()));
    (void)archive.release();  // closing frees it

    AtomicFile file(path);
    file.write(content_of(target.get(), where));
    file.commit();
}

}  // namespace gass
