#include "io/npy.h"

#include "io/numpy_samples.h"
#include "support/expect_error.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>

#include <cstring>

namespace gass {
namespace {

using test::expect_error;

NumpyArray decode(std::string_view file) {
    return decode_npy(std::as_bytes(std::span(file)), "file");
}

template <class Number>
std::vector<Number> numbers(const NumpyArray& array) {
    std::vector<Number> result(array.bytes.size() / sizeof(Number));
    std::memcpy(result.data(), array.bytes.data(), result.size() * sizeof(Number));
    return result;
}

/// A file of format 1.0 with this header text, right or wrong.
std::string npy_bytes(std::string_view header, std::string_view data = {}) {
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xFFU);
    file += static_cast<char>(header.size() >> 8U);
    return file.append(header).append(data);
}

void expect_refused(std::string_view file, const std::string& part) {
    expect_error(ErrorCode::model_invalid, part, [&] { decode(file); });
}

TEST(Npy, ReadsWhatNumpyWrote) {
    const std::vector<float> wanted{0, 1, 2, 3, 4, 5};
    for (const std::string_view file : {test::kNpyFloat, test::kNpyFortranBigEndian}) {
        const NumpyArray array = decode(file);
        EXPECT_EQ(array.dtype, Dtype::F32);
        EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
        EXPECT_EQ(numbers<float>(array), wanted);
    }
    const NumpyArray half = decode(test::kNpyHalf);
    EXPECT_EQ(half.dtype, Dtype::F16);
    EXPECT_EQ(numbers<std::uint16_t>(half), (std::vector<std::uint16_t>{0x3C00, 0xC000}));
    const NumpyArray scalar = decode(test::kNpyScalar);
    EXPECT_TRUE(scalar.shape.empty());
    EXPECT_EQ(numbers<std::int64_t>(scalar), std::vector<std::int64_t>{-5});
}

TEST(Npy, ObjectsAndStructuresAreRefused) {
    expect_refused(test::kNpyObject, "pickles are never opened");
    expect_refused(test::kNpyStructured, "structured");
}

TEST(Npy, EveryTruncationIsRefused) {
    for (const std::string_view whole :
         {test::kNpyFloat, test::kNpyFortranBigEndian, test::kNpyHalf, test::kNpyScalar}) {
        ASSERT_NO_THROW(decode(whole));
        for (std::size_t length = 0; length < whole.size(); ++length)
            EXPECT_THROW(decode(whole.substr(0, length)), Error) << length;
        EXPECT_THROW(decode(std::string(whole) + "x"), Error);
    }
}

TEST(Npy, FortranOrderOfAnyRankIsConverted) {
    // Element (i, j, k) of shape (2, 3, 4) lies at i + 2 j + 6 k; its value is its place in C order.
    std::string data(24, '\0');
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 4; ++k)
                data[i + 2 * j + 6 * k] = static_cast<char>(i * 12 + j * 4 + k);
        }
    }
    const NumpyArray array =
        decode(npy_bytes("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4)}", data));
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(array.bytes[i], static_cast<std::byte>(i));
    const auto empty = decode(npy_bytes("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 0, 4)}"));
    EXPECT_TRUE(empty.bytes.empty());
}

TEST(Npy, TheHeaderHasOneForm) {
    const auto header = [](const std::string& text, std::string_view data = "1234") {
        return npy_bytes(text, data);
    };
    ASSERT_NO_THROW(decode(header(R"({"shape":(4,),"descr":"|i1","fortran_order":False})")));
    ASSERT_NO_THROW(
        decode(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1L,), }   \n")));  // Python 2
    ASSERT_NO_THROW(decode(header("{'descr': '<f4', 'fortran_order': False, 'shape': ()}")));
    expect_refused(header("{'descr': '<f4', 'fortran_order': False}"), "\"shape\" is missing");
    expect_refused(header("{'fortran_order': False, 'shape': (1,)}"), "\"descr\" is missing");
    expect_refused(header("{'descr': '<f4', 'shape': (1,)}"), "\"fortran_order\" is missing");
    expect_refused(header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"),
                   "occurs twice");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}"),
                   "\"x\" is unknown");
    expect_refused(header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"), "True or False");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}"), "parentheses");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1)}"), "not a tuple");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}"), "',' or ')'");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (,)}"), "a size");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}"), "a size");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}"), "',' or ')'");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)"), "'}'");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x"),
                   "the end of the header");
    expect_refused(header("{'descr': '<f4"), "an element type");
    expect_refused(header("{'de\\x73cr': '<f4'}"), "a key");
    expect_refused(header(std::string("{'de\0cr': '<f4'}", 16)), "a key");
    expect_refused(header("__import__('os').system('x')"), "a dictionary");
    expect_refused(header(""), "a dictionary");
    expect_refused(header(std::string(60'000, '(')), "a dictionary");
    expect_refused(header("{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(60'000, '(')),
                   "a size");
}

TEST(Npy, OtherElementsAreRefused) {
    for (const char* type : {"<c8", "<c16", "<U4", "|S4", "<M8[ns]", "|V4", "|f4", "=f4", "f4", "<f16", "<i3",
                             "", "<", "|O4x"}) {
        EXPECT_THROW(
            decode(npy_bytes("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (1,)}",
                             "1234")),
            Error)
            << type;
    }
}

TEST(Npy, SizesAreNotBelieved) {
    const auto shape = [](const std::string& text, const char* order = "False") {
        return npy_bytes("{'descr': '<f8', 'fortran_order': " + std::string(order) + ", 'shape': " + text +
                         "}");
    };
    ASSERT_NO_THROW(decode(shape("(0,)")));
    ASSERT_NO_THROW(decode(shape("(0, 9223372036854775807)", "True")));
    expect_refused(shape("(-1,)"), "a size of 0 or more");
    expect_refused(shape("(-0,)"), "a size of 0 or more");
    expect_refused(shape("(9223372036854775808,)"), "below 2^63");
    expect_refused(shape("(4294967296, 4294967296)"), "needs too many bytes");
    expect_refused(shape("(2305843009213693952,)"), "needs too many bytes");
    expect_refused(shape("(1000000000000,)"), "needs 8000000000000 bytes, but 0 follow");
    std::string many = "(0";
    for (int i = 0; i < 40; ++i) many += ", 1";
    expect_refused(shape(many + ")"), "more than 32 dimensions");
}

TEST(Npy, OtherFilesAreNamed) {
    expect_refused("", "not a .npy file");
    expect_refused("PK\x03\x04", "not a .npy file");
    expect_refused(std::string_view("\x93NUMPY\x04\x00\x00\x00", 10), "version 4.0");
    expect_refused(std::string_view("\x93NUMPY\xFF\x07\x00\x00", 10), "version 255.7");
    expect_refused(std::string_view("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), "claims 4294967295 bytes");
    expect_refused(std::string_view("\x93NUMPY\x01\x00\x20\x00{}", 12), "claims 32 bytes");
    expect_refused(std::string_view("\x93NUMPY\x01\x00\x20", 9), "ends in its header");
    const test::TemporaryFolder folder;
    expect_error(ErrorCode::model_not_found, "No such file", [&] { read_npy(folder / "x.npy"); });
}

TEST(Npy, WriterRefusesNonsense) {
    const test::TemporaryFolder folder;
    const auto refused = [&](const NumpyArray& array, const std::string& part) {
        expect_error(ErrorCode::usage, part, [&] { write_npy(folder / "x.npy", array); });
    };
    refused({Dtype::BF16, {1}, std::vector<std::byte>(2)}, "no element type BF16");
    refused({Dtype::F32, {2}, std::vector<std::byte>(4)}, "4 bytes do not fill");
    refused({Dtype::F32, {-1}, std::vector<std::byte>(4)}, "do not fill");
    refused({Dtype::F32, std::vector<std::int64_t>(33, 1), std::vector<std::byte>(4)}, "do not fill");
    EXPECT_EQ(folder.count_files(), 0U);
    test::with_full_disk_after(1000, [&] {
        expect_error(ErrorCode::io, "cannot write", [&] {
            write_npy(folder / "x.npy", {Dtype::U8, {5000}, std::vector<std::byte>(5000)});
        });
    });
    EXPECT_EQ(folder.count_files(), 0U);
}

RC_GTEST_PROP(Npy, WhatIsWrittenReadsBack, ()) {
    NumpyArray array;
    array.dtype = *rc::gen::element(Dtype::F64, Dtype::F32, Dtype::F16, Dtype::I64, Dtype::I32, Dtype::I16,
                                    Dtype::I8, Dtype::U64, Dtype::U32, Dtype::U16, Dtype::U8, Dtype::BOOL);
    std::size_t bytes = byte_size(array.dtype);
    for (auto rank = *rc::gen::inRange(0, 5); rank > 0; --rank) {
        array.shape.push_back(*rc::gen::inRange(0, 5));
        bytes *= static_cast<std::size_t>(array.shape.back());
    }
    for (const std::uint8_t byte :
         *rc::gen::container<std::vector<std::uint8_t>>(bytes, rc::gen::arbitrary<std::uint8_t>()))
        array.bytes.push_back(static_cast<std::byte>(byte));
    const test::TemporaryFolder folder;
    write_npy(folder / "x.npy", array);
    RC_ASSERT(read_npy(folder / "x.npy") == array);
    RC_ASSERT(decode_npy(encode_npy(array), "x") == array);
    RC_ASSERT(npy_header(array).size() % 64 == 0U);
}

RC_GTEST_PROP(Npy, AChangedByteNeverCrashes, ()) {
    std::string file(test::kNpyFortranBigEndian);
    for (int i = 0; i < 3; ++i)
        file[*rc::gen::inRange<std::size_t>(0, file.size())] = *rc::gen::arbitrary<char>();
    try {
        RC_ASSERT(decode(file).bytes.size() <= file.size());
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::model_invalid);
    }
}

}  // namespace
}  // namespace gass
