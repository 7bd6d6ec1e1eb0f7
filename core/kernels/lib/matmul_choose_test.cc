// SPDX-License-Identifier: Apache-2.0
// Tests which matrix products run by which algorithm.

#include "core/kernels/lib/matmul_choose.h"

#include "gtest/gtest.h"

namespace tensorwright {
namespace {

MatMulArgs Sizes(int64_t m, int64_t n, int64_t k, int64_t batch = 1,
                 bool transpose_b = false) {
  return {batch, m, n, k, false, transpose_b};
}

TEST(MatMulChooseTest, LittleWorkPaysForNoCall) {
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(8, 8, 8)), MatMulAlgorithm::kTiles);
  // The sum is too long for the tiles, and the multiplications are too few for
  // a call.
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(4, 4, 100)), MatMulAlgorithm::kBlocks);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(32, 32, 32, 4)),
            MatMulAlgorithm::kTiles);
  EXPECT_EQ(ChooseMatMul(DT_DOUBLE, Sizes(8, 8, 8)), MatMulAlgorithm::kBlocks);
  EXPECT_EQ(ChooseMatMul(DT_DOUBLE, Sizes(8, 8, 8, 2)),
            MatMulAlgorithm::kTiles);
  EXPECT_EQ(ChooseMatMul(DT_INT32, Sizes(8, 8, 8, 2)),
            MatMulAlgorithm::kBlocks);
}

TEST(MatMulChooseTest, ManyProductsAreSharedOutByProducts) {
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(128, 128, 128, 16)),
            MatMulAlgorithm::kBlocks);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(128, 128, 128, 15)),
            MatMulAlgorithm::kPrimitive);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(512, 512, 512, 16)),
            MatMulAlgorithm::kPrimitive);
}

TEST(MatMulChooseTest, SgemmWhereNothingNeedBeRearranged) {
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(512, 512, 512)),
            MatMulAlgorithm::kSgemm);
  EXPECT_EQ(ChooseMatMul(DT_HALF, Sizes(512, 512, 512)),
            MatMulAlgorithm::kSgemm);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(512, 512, 512, 1, true)),
            MatMulAlgorithm::kPrimitive);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(32, 512, 512)),
            MatMulAlgorithm::kPrimitive);
  EXPECT_EQ(ChooseMatMul(DT_FLOAT, Sizes(1, 512, 512, 1, true)),
            MatMulAlgorithm::kSgemm);
}

TEST(MatMulChooseTest, Bfloat16GoesAsItIsWhereTheProcessorHasIt) {
  const MatMulArgs large = Sizes(512, 512, 512), little = Sizes(8, 8, 8);
  EXPECT_EQ(ChooseMatMul(DT_BFLOAT16, large, true), MatMulAlgorithm::kBfloat16);
  // The primitive of float matrices is a different one.
  EXPECT_EQ(ChooseMatMul(DT_BFLOAT16, Sizes(512, 512, 512, 1, true), false),
            MatMulAlgorithm::kPrimitive);
  EXPECT_EQ(ChooseMatMul(DT_BFLOAT16, large, false), MatMulAlgorithm::kSgemm);
  EXPECT_EQ(ChooseMatMul(DT_BFLOAT16, little, true), MatMulAlgorithm::kTiles);
  EXPECT_FALSE(CanBfloat16(little, true));
}

TEST(MatMulChooseTest, ComplexProductsGoInParts) {
  EXPECT_EQ(ChooseMatMul(DT_COMPLEX64, Sizes(32, 32, 32)),
            MatMulAlgorithm::kParts);
  EXPECT_EQ(ChooseMatMul(DT_COMPLEX128, Sizes(31, 32, 32)),
            MatMulAlgorithm::kBlocks);
}

TEST(MatMulChooseTest, ChoicesInWords) {
  const KernelChooser* chooser = FindKernelChooser("MatMul");
  ASSERT_NE(chooser, nullptr);
  EXPECT_EQ(chooser->algorithms(DT_FLOAT).size(), 4u);
  EXPECT_EQ(chooser->algorithms(DT_BFLOAT16).size(), 5u);
  EXPECT_EQ(chooser->algorithms(DT_INT64).size(), 1u);
  const KernelChoice choice = ExplainMatMul(DT_FLOAT, Sizes(64, 10, 1024));
  EXPECT_EQ(choice.algorithm, "dnnl_sgemm");
  EXPECT_EQ(choice.why, "64x1024 by 1024x10");
  EXPECT_EQ(ExplainMatMul(DT_FLOAT, Sizes(0, 10, 1024)).algorithm, "nothing");
}

}  // namespace
}  // namespace tensorwright
