// SPDX-License-Identifier: Apache-2.0
// Convolutions choose the expected algorithms, each predicate is right on both
// sides of its limits, and the choices have the expected words.

#include "core/kernels/nn/conv_ops_choose.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/kernel_choices.h"
#include "core/framework/node_def.pb.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// A convolution of `size` x `size` pixels, SAME, stride 1.
Conv2DDimensions Square(int64_t batch, int64_t size, int64_t taps,
                        int64_t in_depth, int64_t out_depth) {
  Conv2DDimensions d;
  d.batch = batch;
  d.in_depth = in_depth;
  d.out_depth = out_depth;
  for (WindowDim* w : {&d.rows, &d.cols}) {
    w->input = w->output = size;
    w->filter = taps;
    w->pad_before = w->pad_after = taps / 2;
  }
  return d;
}

constexpr ConvPass kPasses[] = {ConvPass::kForward, ConvPass::kInputGrad,
                                ConvPass::kFilterGrad};

TEST(ConvOpsChooseTest, WinogradForLargeFiltersOfThreeAndFive) {
  for (const ConvPass pass : kPasses) {
    for (const int64_t taps : {3, 5}) {
      const Conv2DDimensions d = Square(8, 56, taps, 64, 64);
      EXPECT_TRUE(CanWinograd(pass, d)) << AgainstWinograd(pass, d);
      EXPECT_EQ(ChooseConv(pass, d), ConvAlgorithm::kWinograd);
      EXPECT_GT(WinogradGain(pass, d), 1.4);
    }
  }
}

TEST(ConvOpsChooseTest, WinogradAsksForEachOfItsConditions) {
  const ConvPass pass = ConvPass::kForward;
  const Conv2DDimensions good = Square(8, 56, 3, 64, 64);
  const auto against = [&](const auto& change) {
    Conv2DDimensions d = good;
    change(&d);
    const char* reason = AgainstWinograd(pass, d);
    EXPECT_EQ(CanWinograd(pass, d), reason == nullptr);
    return std::string(reason == nullptr ? "" : reason);
  };
  using D = Conv2DDimensions*;
  EXPECT_EQ(against([](D) {}), "");
  EXPECT_EQ(against([](D d) { d->format = FORMAT_NCHW; }),
            "channels are not last");
  EXPECT_EQ(against([](D d) { d->has_planes = true; }), "images have planes");
  EXPECT_EQ(against([](D d) { d->groups = 2; }), "channels are in groups");
  EXPECT_TRUE(absl::StrContains(against([](D d) { d->rows.stride = 2; }),
                                "more than one pixel"));
  EXPECT_TRUE(
      absl::StrContains(against([](D d) { d->cols.dilation = 2; }), "gaps"));
  EXPECT_TRUE(absl::StrContains(against([](D d) { d->cols.filter = 5; }),
                                "neither 3x3 nor 5x5"));
  EXPECT_TRUE(absl::StrContains(against([](D d) { d->in_depth = 60; }), "16"));
  EXPECT_TRUE(absl::StrContains(against([](D d) { d->out_depth = 60; }), "16"));
  EXPECT_EQ(against([](D d) { *d = Square(1, 8, 3, 16, 16); }),
            "it is little work");
  // With so few pixels, reading the transformed filter costs more than is
  // saved.
  EXPECT_TRUE(absl::StrContains(
      against([](D d) { *d = Square(1, 8, 3, 512, 512); }), "too few"));
}

TEST(ConvOpsChooseTest, NarrowForGradientsOfInputsOfFewChannels) {
  const Conv2DDimensions good = Square(8, 64, 7, 3, 64);
  EXPECT_TRUE(CanNarrow(ConvPass::kInputGrad, good));
  EXPECT_EQ(ChooseConv(ConvPass::kInputGrad, good), ConvAlgorithm::kNarrow);
  EXPECT_EQ(ChooseConv(ConvPass::kForward, good), ConvAlgorithm::kOneDnn);
  EXPECT_EQ(ChooseConv(ConvPass::kFilterGrad, good), ConvAlgorithm::kOneDnn);
  for (const Conv2DDimensions& bad :
       {Square(8, 64, 7, 5, 64), Square(8, 64, 7, 3, 7),
        Square(1, 8, 3, 3, 8)}) {
    EXPECT_FALSE(CanNarrow(ConvPass::kInputGrad, bad));
    EXPECT_EQ(ChooseConv(ConvPass::kInputGrad, bad), ConvAlgorithm::kOneDnn);
  }
}

TEST(ConvOpsChooseTest, OneProductForGradientsOfFiltersOfOnePixel) {
  Conv2DDimensions d = Square(2, 8, 1, 64, 64);
  EXPECT_EQ(ChooseConv(ConvPass::kFilterGrad, d), ConvAlgorithm::kProduct);
  EXPECT_EQ(ChooseConv(ConvPass::kForward, d), ConvAlgorithm::kOneDnn);
  d.rows.stride = 2;
  EXPECT_EQ(ChooseConv(ConvPass::kFilterGrad, d), ConvAlgorithm::kOneDnn);
}

TEST(ConvOpsChooseTest, WhatTurnsOutNotToDoItIsNotChosenAgain) {
  const Conv2DDimensions d = Square(8, 56, 3, 64, 64);
  EXPECT_EQ(ChooseConv(ConvPass::kForward, d, ConvAlgorithm::kNarrow),
            ConvAlgorithm::kOneDnn);
  EXPECT_EQ(ChooseConv(ConvPass::kForward, d, ConvAlgorithm::kPatches),
            ConvAlgorithm::kPatches);
}

NodeDef ConvNode(const char* op, DataType dtype) {
  NodeDef node;
  node.set_name("conv");
  node.set_op(op);
  auto& attrs = *node.mutable_attr();
  SetAttrValue(dtype, &attrs["T"]);
  SetAttrValue({1, 1, 1, 1}, &attrs["strides"]);
  SetAttrValue("SAME", &attrs["padding"]);
  return node;
}

TEST(ConvOpsChooseTest, ChoicesInWords) {
  const KernelChooser* chooser = FindKernelChooser("Conv2DBackpropInput");
  ASSERT_NE(chooser, nullptr);
  const TensorShape images({8, 56, 56, 64}), filter({3, 3, 64, 32});
  const TensorShape output({8, 56, 56, 32});
  const auto choice =
      chooser->choose(ConvNode("Conv2DBackpropInput", DT_FLOAT),
                      {TensorShape({4}), filter, output}, {images});
  ASSERT_TRUE(choice.ok()) << choice.status().ToString();
  EXPECT_EQ(choice->algorithm, "Winograd 4x4");
  EXPECT_TRUE(absl::StartsWith(choice->why, "3x3 filter, 64 -> 32 channels, "))
      << choice->why;
  const auto doubles =
      chooser->choose(ConvNode("Conv2DBackpropInput", DT_DOUBLE),
                      {TensorShape({4}), filter, output}, {images});
  ASSERT_TRUE(doubles.ok());
  EXPECT_EQ(doubles->algorithm, "patches x filter");
  // The shapes do not match.
  EXPECT_FALSE(chooser
                   ->choose(ConvNode("Conv2DBackpropInput", DT_FLOAT),
                            {TensorShape({4}), TensorShape({3, 3}), output},
                            {images})
                   .ok());
}

TEST(ConvOpsChooseTest, EveryChoiceIsAmongTheDeclaredAlgorithms) {
  const auto names = [](const char* op, DataType dtype) {
    std::vector<std::string> found;
    for (const auto& a : FindKernelChooser(op)->algorithms(dtype)) {
      found.push_back(a.name);
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("Conv2D", DT_FLOAT),
            (Names{"Winograd", "oneDNN", "patches x filter"}));
  EXPECT_EQ(names("Conv2D", DT_INT32), Names{"patches x filter"});
  EXPECT_EQ(names("Conv2DBackpropInput", DT_HALF),
            (Names{"Winograd", "patches of a narrow input", "oneDNN",
                   "patches x filter"}));
  EXPECT_EQ(names("Conv3DBackpropFilterV2", DT_FLOAT),
            (Names{"one matrix product", "oneDNN", "patches x filter"}));
  EXPECT_EQ(names("DepthwiseConv2dNative", DT_FLOAT),
            (Names{"oneDNN", "patches x filter"}));
}

}  // namespace
}  // namespace tensorwright
