#include "io/npz.h"

#include "io/numpy_samples.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>

#include <cstring>

namespace gass {
namespace {

using test::expect_error;
using Arrays = std::map<std::string, NumpyArray>;

NumpyArray doubles(std::vector<std::int64_t> shape, const std::vector<double>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {Dtype::F64, std::move(shape), {bytes.begin(), bytes.end()}};
}

const Arrays kStatistics{{"mu", doubles({2}, {1, 2})}, {"sigma", doubles({2, 2}, {1, 0, 0, 1})}};

class Npz : public testing::Test {
  protected:
    Arrays read(std::string_view file) const { return read_npz(folder_.write("x.npz", file)); }
    void expect_refused(std::string_view file, const std::string& part) const {
        expect_error(ErrorCode::model_invalid, part, [&] { read(file); });
    }
    std::string written(const Arrays& arrays) const {
        write_npz(folder_ / "w.npz", arrays);
        return read_text_file(folder_ / "w.npz");
    }

    test::TemporaryFolder folder_;
};

/// Puts a little-endian number at an offset from the entry of the first member in the archive's directory.
std::string with_entry_field(std::string file, std::size_t offset, std::uint64_t value, std::size_t bytes) {
    const std::size_t entry = file.find("PK\x01\x02");
    for (std::size_t i = 0; i < bytes; ++i)
        file[entry + offset + i] = static_cast<char>(value >> (8 * i) & 0xFFU);
    return file;
}
constexpr std::size_t kFlags = 8;
constexpr std::size_t kMethod = 10;
constexpr std::size_t kChecksum = 16;
constexpr std::size_t kPackedSize = 20;
constexpr std::size_t kSize = 24;

TEST_F(Npz, ReadsWhatNumpyWrote) {
    EXPECT_EQ(read(test::kNpzStored), kStatistics);
    EXPECT_EQ(read(test::kNpzPacked), kStatistics);
}

TEST_F(Npz, WhatIsWrittenIsStoredAndAlwaysTheSame) {
    const std::string file = written(kStatistics);
    EXPECT_EQ(read(file), kStatistics);
    EXPECT_EQ(written(kStatistics), file);
    const auto& sigma = kStatistics.at("sigma").bytes;
    EXPECT_NE(file.find(std::string_view(reinterpret_cast<const char*>(sigma.data()), sigma.size())),
              std::string::npos);
}

TEST_F(Npz, SizesAreNotBelieved) {
    for (const std::string& file : {std::string(test::kNpzPacked), written(kStatistics)}) {
        ASSERT_NO_THROW(read(file));
        for (const std::uint64_t size : {0U, 1U, 143U, 145U, 100'000U, 0xFFFFFFFEU})
            EXPECT_THROW(read(with_entry_field(file, kSize, size, 4)), Error) << size;
        for (const std::uint64_t size : {0U, 1U, 0xFFFFFFFEU})
            EXPECT_THROW(read(with_entry_field(file, kPackedSize, size, 4)), Error) << size;
        // Both large: nothing may be taken for what cannot be in the file.
        expect_refused(
            with_entry_field(with_entry_field(file, kSize, 0xFFFFFFFEU, 4), kPackedSize, 0xFFFFFFFEU, 4),
            "packed ones");
        expect_refused(with_entry_field(file, kChecksum, 12345, 4), "CRC");
    }
    expect_refused(with_entry_field(std::string(test::kNpzPacked), kSize, 0xFFFFFFFEU, 4),
                   "claims 4294967294 bytes");
}

TEST_F(Npz, OtherMembersAreRefused) {
    const std::string file = written({{"ab", doubles({1}, {1})}});
    const auto renamed = [&](std::string_view name) {
        std::string other = file;
        for (std::size_t at = other.find("ab.npy"); at != std::string::npos; at = other.find("ab.npy"))
            other.replace(at, 6, name);
        return other;
    };
    EXPECT_TRUE(read(renamed("cd.npy")).contains("cd"));
    expect_refused(renamed("ab.pkl"), "\"ab.pkl\" is not an array");
    expect_refused(renamed("folde/"), "not an array");
    expect_refused(with_entry_field(file, kMethod, 12, 2), "packed with method 12");
    expect_refused(with_entry_field(file, kFlags, 1, 2), "encrypted");
    expect_refused(test::kNpzObject, "pickles are never opened");
    std::string twice = written({{"ab", doubles({1}, {1})}, {"cd", doubles({1}, {2})}});
    for (std::size_t at = twice.find("cd.npy"); at != std::string::npos; at = twice.find("cd.npy"))
        twice.replace(at, 2, "ab");
    expect_refused(twice, "occurs twice");
}

TEST_F(Npz, EveryTruncationIsRefused) {
    for (const std::string_view whole : {test::kNpzStored, test::kNpzPacked}) {
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_THROW(read(whole.substr(0, length)), Error) << length;
    }
    expect_refused(test::kNpyFloat, "not a .npz file");
    expect_refused(std::string("PK\x05\x06") + std::string(18, '\0'), "without arrays");
    expect_error(ErrorCode::model_not_found, "No such file", [&] { read_npz(folder_ / "absent"); });
}

TEST_F(Npz, WriterRefusesNonsense) {
    const auto refused = [&](const Arrays& arrays, const std::string& part) {
        expect_error(ErrorCode::usage, part, [&] { write_npz(folder_ / "y.npz", arrays); });
    };
    refused({}, "no array");
    refused({{"", doubles({1}, {1})}}, "cannot be the name");
    refused({{"\xFF", doubles({1}, {1})}}, "cannot be the name");
    refused({{std::string("a\0b", 3), doubles({1}, {1})}}, "cannot be the name");
    refused({{"a", doubles({2}, {1})}}, "do not fill");
    test::with_full_disk_after(1000, [&] {
        expect_error(ErrorCode::io, "cannot write", [&] {
            write_npz(folder_ / "y.npz", {{"a", doubles({500}, std::vector<double>(500))}});
        });
    });
    EXPECT_EQ(folder_.count_files(), 0U);
}

RC_GTEST_FIXTURE_PROP(Npz, AnyArraysReadBack, (const std::map<std::string, std::vector<double>>& drawn)) {
    Arrays arrays{{"always", doubles({0}, {})}};
    for (const auto& [name, values] : drawn) {
        std::string key = "é";
        for (const char c : name) key += static_cast<char>('a' + (static_cast<unsigned char>(c) % 26));
        arrays[key] = doubles({static_cast<std::int64_t>(values.size()), 1}, values);
    }
    RC_ASSERT(read(written(arrays)) == arrays);
}

RC_GTEST_FIXTURE_PROP(Npz, AChangedByteNeverCrashes, ()) {
    std::string file(*rc::gen::element(test::kNpzStored, test::kNpzPacked));
    for (int i = 0; i < 2; ++i)
        file[*rc::gen::inRange<std::size_t>(0, file.size())] = *rc::gen::arbitrary<char>();
    try {
        read(file);
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::model_invalid);
    }
}

}  // namespace
}  // namespace gass
