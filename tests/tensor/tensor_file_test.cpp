#include "tensor/tensor_file.h"

#include "support/expect_error.h"
#include "support/temporary_folder.h"

#include <ATen/ATen.h>

namespace gass {
namespace {

at::Tensor load(const std::shared_ptr<const SafetensorsFile>& file, std::string_view name) {
    return load_tensor({file, file->find(name)});
}

TEST(Tensors, EveryElementTypeOfThePythonPackageIsRead) {
    const auto file = std::make_shared<const SafetensorsFile>(GASS_FIXTURES_DIR "/tensors/types.safetensors");
    const at::Tensor values = at::tensor({-2.0, -1.0, 0.0, 0.5, 1.0, 3.0}, at::kDouble);
    for (const char* name : {"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"}) {
        const at::Tensor tensor = load(file, name);
        EXPECT_EQ(tensor.scalar_type(), scalar_type(file->find(name)->dtype)) << name;
        EXPECT_TRUE(at::equal(tensor.to(at::kFloat).to(at::kDouble), values)) << name;
    }
    const at::Tensor whole = at::tensor({0, 1, 2, 3, 100, 127}, at::kLong);
    for (const char* name : {"I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"}) {
        EXPECT_TRUE(at::equal(load(file, name).to(at::kLong), whole)) << name;
    }
    EXPECT_TRUE(at::equal(load(file, "BOOL"), values > 0));
    EXPECT_TRUE(at::equal(at::real(load(file, "C64")).to(at::kDouble), values));
    EXPECT_EQ(load(file, "scalar").dim(), 0);
    EXPECT_EQ(load(file, "scalar").item<float>(), 7.0F);
    EXPECT_EQ(load(file, "empty").sizes(), (at::IntArrayRef{0, 3}));
    EXPECT_EQ(file->metadata().at("note"), "é");
    EXPECT_EQ(file->tensors().size(), 18U);
}

TEST(Tensors, AViewKeepsItsFileOpenAndCostsNoCopy) {
    auto file = std::make_shared<const SafetensorsFile>(GASS_FIXTURES_DIR "/tensors/noise.safetensors");
    const TensorInfo& info = *file->find("42/1x16x64x64");
    const at::Tensor tensor = load_tensor({file, &info});
    EXPECT_EQ(tensor.const_data_ptr(), static_cast<const void*>(file->bytes(info).data()));
    const double sum = tensor.sum().item<double>();
    file.reset();
    EXPECT_EQ(tensor.sum().item<double>(), sum);
}

TEST(Tensors, WhatIsWrittenReadsBack) {
    const test::TemporaryFolder folder;
    const std::map<std::string, at::Tensor> tensors{
        {"a", at::randn({3, 4})},
        {"b", at::randn({5}).to(at::kBFloat16)},
        {"c", at::arange(7)},
        {"t", at::randn({4, 6}).t()},  // not contiguous
        {"half", at::randn({1}).to(at::kHalf)},
        {"byte", at::ones({3}, at::kByte)},
        {"none", at::zeros({0})},
    };
    write_tensors(folder / "x.safetensors", tensors, {{"made", "here"}});
    const auto file = std::make_shared<const SafetensorsFile>(folder / "x.safetensors");
    ASSERT_EQ(file->tensors().size(), tensors.size());
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor read = load(file, name);
        EXPECT_EQ(read.scalar_type(), tensor.scalar_type());
        EXPECT_TRUE(at::equal(read, tensor)) << name;
    }
    EXPECT_EQ(file->metadata().at("made"), "here");
}

TEST(Tensors, AMisalignedTensorIsCopied) {
    const test::TemporaryFolder folder;
    // A header of 61 bytes puts the float at an odd address.
    std::string header = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    header.resize(61, ' ');
    std::string content(8, '\0');
    content[0] = static_cast<char>(header.size());
    const float value = 2.5F;
    content += header;
    content.append(reinterpret_cast<const char*>(&value), sizeof(value));
    const auto file = std::make_shared<const SafetensorsFile>(folder.write("odd.safetensors", content));
    EXPECT_EQ(load(file, "x").item<float>(), 2.5F);
}

}  // namespace
}  // namespace gass
