#include "io/safetensors.h"

#include "support/expect_error.h"
#include "support/safetensors_bytes.h"
#include "support/temporary_folder.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace gass {
namespace {

using test::expect_error;
using test::safetensors_bytes;

SafetensorsHeader parse(const std::string& file) {
    return parse_safetensors_header(std::as_bytes(std::span(file)), "file");
}

void expect_refused(const std::string& file, const std::string& part) {
    expect_error(ErrorCode::model_invalid, part, [&] { parse(file); });
}

const std::string kTwoTensors =
    R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[1,3],"data_offsets":[8,11]}})";

TEST(Safetensors, ReadsAHeader) {
    const SafetensorsHeader header = parse(safetensors_bytes(kTwoTensors + "   ", std::string(11, 'x')));
    ASSERT_EQ(header.tensors.size(), 2U);
    EXPECT_EQ(header.tensors[1].name, "b");
    EXPECT_EQ(header.tensors[1].shape, (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(header.tensors[1].element_count(), 3U);
    EXPECT_EQ(header.data_offset, 8 + kTwoTensors.size() + 3);
    EXPECT_TRUE(parse(safetensors_bytes("{}")).tensors.empty());
    EXPECT_EQ(parse(safetensors_bytes(R"({"__metadata__":{"k":"v"}})")).metadata.at("k"), "v");
}

TEST(Safetensors, EveryTruncationIsRefused) {
    const std::string file = safetensors_bytes(kTwoTensors, std::string(11, 'x'));
    ASSERT_NO_THROW(parse(file));
    for (std::size_t length = 0; length < file.size(); ++length) {
        EXPECT_THROW(parse(file.substr(0, length)), Error) << length;
    }
    expect_refused(file + "x", "goes on for 1 byte after the last tensor");
}

TEST(Safetensors, HeaderLengthIsNotBelieved) {
    expect_refused("", "too short");
    expect_refused(std::string("\0\0\0\0\0\0\0\x80{}", 10), "claims 9223372036854775808 bytes");
    expect_refused(std::string(8, '\xff') + "{}", "claims 18446744073709551615");
    expect_refused(std::string("\x40\0\0\0\0\0\0\0{}", 10), "only 2 follow");
    expect_refused(std::string(8, '\0'), "must begin with '{'");
}

TEST(Safetensors, OffsetsMustFillTheFile) {
    const auto tensor = [](const char* offsets) {
        return safetensors_bytes(
            std::string(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)") + offsets + "}}", "1234");
    };
    ASSERT_NO_THROW(parse(tensor("[0,4]")));
    expect_refused(tensor("[1,5]"), "ends at byte 5");
    expect_refused(tensor("[4,0]"), "run backwards");
    expect_refused(tensor("[0,3]"), "has 4 bytes, but data_offsets [0, 3] hold 3");
    expect_refused(tensor("[0]"), "must be two numbers");
    expect_refused(tensor("[0,4,4]"), "more than 2 numbers");
    expect_refused(tensor("[-4,0]"), "expected a whole number of 0 or more");
    expect_refused(tensor("[0,4.0]"), "expected ',' or ']'");
    expect_refused(tensor("[18446744073709551612,18446744073709551616]"), "below 2^64");
}

TEST(Safetensors, OverlapsAndGapsAreRefused) {
    const auto two = [](const char* second) {
        return safetensors_bytes(
            std::string(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":)") + second + "}",
            "12345678");
    };
    ASSERT_NO_THROW(parse(two(R"({"dtype":"U8","shape":[4],"data_offsets":[4,8]})")));
    expect_refused(two(R"({"dtype":"U8","shape":[4],"data_offsets":[2,6]})"), "tensors overlap");
    expect_refused(two(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})"), "tensors overlap");
    expect_refused(two(R"({"dtype":"U8","shape":[3],"data_offsets":[5,8]})"), "gap before it");
}

TEST(Safetensors, OverflowingShapesAreRefused) {
    const auto shape = [](const char* text) {
        return safetensors_bytes(std::string(R"({"a":{"dtype":"F64","shape":)") + text +
                                 R"(,"data_offsets":[0,0]}})");
    };
    ASSERT_NO_THROW(parse(shape("[0]")));
    ASSERT_NO_THROW(parse(shape("[0,9223372036854775807]")));
    expect_refused(shape("[4294967296,4294967296]"), "overflows");
    expect_refused(shape("[2305843009213693952]"), "overflows");  // 2^61 elements of 8 bytes
    expect_refused(shape("[18446744073709551615,0]"), "overflows");
    expect_refused(shape("[[0]]"), "expected a whole number");
    expect_refused(shape("\"0\""), "expected an array");
    std::string many = "[1";
    for (int i = 0; i < 40; ++i) many += ",1";
    expect_refused(shape((many + "]").c_str()), "more than 32 numbers");
}

TEST(Safetensors, TheHeaderHasOneForm) {
    const auto refused = [](const std::string& header, const char* part) {
        expect_refused(safetensors_bytes(header), part);
    };
    refused("[]", "must begin with '{'");
    refused(R"({"a":1})", "expected an object at byte 5 of the header, found \"1}\"");
    refused(R"({"a":{}})", "\"dtype\" is missing");
    refused(R"({"a":{"dtype":"F32","shape":[0]}})", "\"data_offsets\" is missing");
    refused(R"({"a":{"dtype":"F33","shape":[0],"data_offsets":[0,0]}})", "unknown element type \"F33\"");
    refused(R"({"a":{"dtype":4,"shape":[0],"data_offsets":[0,0]}})", "expected a string");
    refused(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", "unknown key \"x\"");
    refused(R"({"a":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", "occurs twice");
    refused(
        R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        "\"a\" occurs twice");
    refused(R"({"__metadata__":{"k":"1","k":"2"}})", "\"k\" occurs twice");
    refused(R"({"__metadata__":{},"__metadata__":{}})", "occurs twice");
    refused(R"({"__metadata__":{"k":1}})", "expected a string");
    refused(R"({"__metadata__":{"k":{}}})", "expected a string");
    refused(R"({"__metadata__":"x"})", "expected an object");
    refused("{\"\xff\":{}}", "not UTF-8");
    refused("{\"a\":" + std::string(50'000'000, '['), "expected an object");
    refused("{\"a\":{\"shape\":" + std::string(100'000, '['), "expected a whole number");
    refused("{} x", "expected the end of the header");
    refused(R"({"a":{"dtype":"U8","shape":[01],"data_offsets":[0,1]}})", "expected a whole number");
    refused("{\"a\nb\":{}}", "no control character");
    refused("{\"a", "the end of a string");
    refused("{\"a\\", "the end of a string");
    refused(R"({"\q":{}})", "not valid JSON");
    refused(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},})", "expected a string");
}

TEST(Safetensors, OtherFormatsAreNamed) {
    expect_refused("\x80\x02}q\x01.", "a Python pickle");
    expect_refused("PK\x03\x04....................", "PyTorch checkpoint");
    expect_refused("GGUF............", "GGUF");
    expect_refused("version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
    expect_refused("<!DOCTYPE html><html>", "HTML page");
}

TEST(Safetensors, AHeaderLengthThatLooksLikeAPickleIsNone) {
    std::string header = kTwoTensors;
    header.resize(640, ' ');  // its length field begins with the bytes 80 02
    EXPECT_EQ(parse(safetensors_bytes(header, std::string(11, 'x'))).tensors.size(), 2U);
}

TEST(Safetensors, EscapesInNamesAreDecoded) {
    const std::string header =
        R"({"\u00e9\"\\\ud83d\ude97":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
    EXPECT_EQ(parse(safetensors_bytes(header)).tensors[0].name, "é\"\\🚗");
}

TEST(Safetensors, WriterRefusesNonsense) {
    const test::TemporaryFolder folder;
    const std::string data(4, 'x');
    const auto bytes = std::as_bytes(std::span(data));
    expect_error(ErrorCode::usage, "needs 8 bytes, 4 were given", [&] {
        write_safetensors(folder / "x", {{"a", Dtype::F32, {2}, bytes}});
    });
    expect_error(ErrorCode::usage, "twice", [&] {
        write_safetensors(folder / "x", {{"a", Dtype::F32, {1}, bytes}, {"a", Dtype::U8, {4}, bytes}});
    });
    EXPECT_EQ(folder.count_files(), 0U);
}

RC_GTEST_PROP(Safetensors, WhatIsWrittenReadsBack, (const std::vector<std::vector<std::uint8_t>>& blobs)) {
    const test::TemporaryFolder folder;
    std::vector<TensorToWrite> tensors;
    for (std::size_t i = 0; i < blobs.size(); ++i) {
        // Every second one as 16-bit elements, where the length allows it.
        const bool wide = i % 2 == 1 && blobs[i].size() % 2 == 0;
        tensors.push_back({"tensor \"" + std::to_string(i) + "\" é",
                           wide ? Dtype::BF16 : Dtype::U8,
                           {static_cast<std::int64_t>(blobs[i].size()) / (wide ? 2 : 1)},
                           std::as_bytes(std::span(blobs[i]))});
    }
    write_safetensors(folder / "x.safetensors", tensors, {{"k", "v\n"}});
    const SafetensorsFile file(folder / "x.safetensors");
    RC_ASSERT(file.tensors().size() == tensors.size());
    RC_ASSERT(file.metadata().at("k") == "v\n");
    for (const TensorToWrite& tensor : tensors) {
        const TensorInfo* read = file.find(tensor.name);
        RC_ASSERT(read != nullptr && read->dtype == tensor.dtype && read->shape == tensor.shape);
        RC_ASSERT(std::ranges::equal(file.bytes(*read), tensor.bytes));
        // Widest first and a padded header: whoever maps the file finds every tensor aligned.
        RC_ASSERT(reinterpret_cast<std::uintptr_t>(file.bytes(*read).data()) % byte_size(read->dtype) == 0U);
    }
}

RC_GTEST_PROP(Safetensors, AChangedByteNeverCrashes, ()) {
    std::string file = safetensors_bytes(kTwoTensors, std::string(11, 'x'));
    const auto position = *rc::gen::inRange<std::size_t>(0, file.size());
    file[position] = *rc::gen::arbitrary<char>();
    try {
        const SafetensorsHeader header = parse(file);
        for (const TensorInfo& tensor : header.tensors)
            RC_ASSERT(header.data_offset + tensor.end <= file.size());
    } catch (const Error& error) {
        RC_ASSERT(error.code() == ErrorCode::model_invalid);
    }
}

}  // namespace
}  // namespace gass
