// SPDX-License-Identifier: Apache-2.0
// Transpose against index arithmetic, over ranks, sizes and element sizes.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/ops_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

template <typename T>
T Value(int64_t i) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(i);
  } else {
    return static_cast<T>(static_cast<float>(i % 251));
  }
}

// Goes element by element, by the definition.
template <typename T>
std::vector<T> Expected(const std::vector<int64_t>& sizes,
                        const std::vector<int32_t>& perm) {
  const int rank = static_cast<int>(sizes.size());
  std::vector<int64_t> strides(rank, 1);
  for (int d = rank - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * sizes[d + 1];
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  std::vector<T> out(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, from = 0;
    for (int d = rank - 1; d >= 0; --d) {
      from += rest % sizes[perm[d]] * strides[perm[d]];
      rest /= sizes[perm[d]];
    }
    out[i] = Value<T>(from);
  }
  return out;
}

template <typename T>
void TestPermutation(const std::vector<int64_t>& sizes,
                     const std::vector<int32_t>& perm) {
  KernelRunner runner;
  TF_ASSERT_OK(runner.InitOp("Transpose", {{"T", DataTypeToEnum<T>::value}}));
  Tensor x(DataTypeToEnum<T>::value, TensorShape(absl::MakeConstSpan(sizes)));
  for (int64_t i = 0; i < x.NumElements(); ++i) x.base<T>()[i] = Value<T>(i);
  runner.AddInput(x);
  runner.AddInput(
      MakeTensor<int32_t>({static_cast<int64_t>(perm.size())}, perm));
  TF_ASSERT_OK(runner.Run());
  TensorShape shape;
  for (int32_t d : perm) shape.AddDim(sizes[d]);
  ASSERT_EQ(runner.output(0)->shape(), shape);
  const std::vector<T> want = Expected<T>(sizes, perm);
  const auto got = Flat<T>(*runner.output(0));
  ASSERT_TRUE(std::equal(got.begin(), got.end(), want.begin(), want.end()))
      << DataTypeString(x.dtype()) << " to " << shape;
}

template <typename T>
void TestAllPermutations(const std::vector<int64_t>& sizes) {
  std::vector<int32_t> perm(sizes.size());
  std::iota(perm.begin(), perm.end(), 0);
  do {
    TestPermutation<T>(sizes, perm);
  } while (std::next_permutation(perm.begin(), perm.end()));
}

template <typename T>
void TestType() {
  TestAllPermutations<T>({});
  TestAllPermutations<T>({5});
  TestAllPermutations<T>({0, 3});
  TestAllPermutations<T>({1, 7});
  TestAllPermutations<T>({33, 65});
  TestAllPermutations<T>({3, 34, 35});
  TestAllPermutations<T>({2, 1, 5, 9});
  TestAllPermutations<T>({2, 3, 4, 5, 3});
}

TEST(TransposeOpTest, EveryElementSize) {
  TestType<uint8_t>();
  TestType<half>();
  TestType<float>();
  TestType<double>();
  TestType<complex128>();
  TestType<std::string>();
}

// Pixels of three colours move whole.
TEST(TransposeOpTest, Images) {
  for (int64_t colors : {2, 3, 4}) {
    TestAllPermutations<uint8_t>({2, 67, 45, colors});
    TestAllPermutations<float>({2, 67, 45, colors});
    TestAllPermutations<std::string>({2, 5, 7, colors});
  }
  TestAllPermutations<half>({4, 5, 3, 1});
  TestPermutation<float>({2, 700, 801, 3}, {0, 2, 1, 3});
}

// Larger than a cache, in rows of whole cache lines and in others; the last
// columns fill no line.
TEST(TransposeOpTest, LargeTensors) {
  TestPermutation<uint8_t>({128, 140003}, {1, 0});
  TestPermutation<uint8_t>({127, 140003}, {1, 0});
  TestPermutation<half>({2, 64, 70001}, {0, 2, 1});
  TestPermutation<float>({3, 48, 31003}, {0, 2, 1});
  TestPermutation<float>({3, 31008, 50}, {0, 2, 1});
  TestPermutation<float>({3, 31009, 50}, {0, 2, 1});
  TestPermutation<float>({4800016, 1}, {1, 0});
  TestPermutation<float>({1600000, 3}, {1, 0});
  TestPermutation<double>({8, 24, 11003}, {2, 0, 1});
  TestPermutation<complex128>({1200, 1000}, {1, 0});
}

class TransposeOpErrorTest : public OpsTestBase {};

TEST_F(TransposeOpErrorTest, NotAPermutation) {
  TF_ASSERT_OK(InitOp("Transpose", {{"T", DT_FLOAT}}));
  AddInput<float>({1, 2}, {1, 2});
  AddInput<int32_t>({2}, {0, 0});
  ExpectError(error::INVALID_ARGUMENT, "1 is missing from");
  runner_.SetInput(1, MakeTensor<int32_t>({2}, {0, 2}));
  ExpectError(error::INVALID_ARGUMENT, "out of range");
  runner_.SetInput(1, MakeTensor<int32_t>({1}, {0}));
  EXPECT_EQ(RunOpKernel().code(), error::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tensorwright
