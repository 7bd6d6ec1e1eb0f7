// SPDX-License-Identifier: Apache-2.0
// Random ops give TensorFlow 2.21's numbers for seed 7, seed2 11, call by call,
// and the same numbers on any number of threads.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/kernels/lib/ops_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

// Runs an op of one input, the shape [5], twice.
template <typename T>
void ExpectTwoCalls(const std::string& op, const std::vector<double>& first,
                    const std::vector<double>& second, double tolerance) {
  KernelRunner runner;
  TF_ASSERT_OK(runner.InitOp(op, {{"dtype", DataTypeToEnum<T>::value},
                                  {"T", DT_INT32},
                                  {"seed", 7},
                                  {"seed2", 11}}));
  runner.AddInput(MakeTensor<int32_t>({1}, {5}));
  for (const std::vector<double>* want : {&first, &second}) {
    TF_ASSERT_OK(runner.Run());
    const auto got = Flat<T>(*runner.output(0));
    ASSERT_EQ(got.size(), want->size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(got[i]), (*want)[i], tolerance)
          << op << " " << DataTypeString(DataTypeToEnum<T>::value) << " " << i;
    }
  }
}

TEST(RandomOpTest, UniformNumbersAreTensorFlows) {
  ExpectTwoCalls<float>(
      "RandomUniform",
      {0.023186326026916504, 0.0994875431060791, 0.5691264867782593,
       0.5842281579971313, 0.46582305431365967},
      {0.8548799753189087, 0.7912636995315552, 0.6495614051818848,
       0.7796142101287842, 0.3239715099334717},
      0);
  ExpectTwoCalls<double>(
      "RandomUniform",
      {0.18549088593476926, 0.5530126627240854, 0.7265846678559842,
       0.43415081757017093, 0.10933936825231738},
      {0.8390398710803384, 0.19649166759031678, 0.5917725442128057,
       0.7693598461074476, 0.18196874135710406},
      0);
  ExpectTwoCalls<half>(
      "RandomUniform",
      {0.9423828125, 0.001953125, 0.2841796875, 0.9970703125, 0.0224609375},
      {0.1767578125, 0.0322265625, 0.20703125, 0.599609375, 0.974609375}, 0);
  ExpectTwoCalls<bfloat16>(
      "RandomUniform", {0.5390625, 0.015625, 0.2734375, 0.9765625, 0.1796875},
      {0.4140625, 0.2578125, 0.65625, 0.796875, 0.796875}, 0);
}

TEST(RandomOpTest, NormalNumbersAreTensorFlows) {
  ExpectTwoCalls<float>(
      "RandomStandardNormal",
      {1.6056036949157715, 2.22495436668396, -0.5360344648361206,
       -0.9164999127388, 1.2182596921920776},
      {-0.5412737131118774, 0.14356590807437897, -0.9128979444503784,
       0.17185212671756744, -0.0762782171368599},
      1e-6);
  ExpectTwoCalls<double>(
      "RandomStandardNormal",
      {-0.6001800723429587, -1.7347284922719202, 0.32132962754436545,
       -0.731811308829559, -2.0987371614047228},
      {0.559278898932127, 0.19545131415721684, -1.0167677550562686,
       0.12429481021845146, -1.8458768257376688},
      1e-12);
}

TEST(RandomOpTest, TruncatedNormalNumbersAreTensorFlows) {
  ExpectTwoCalls<float>(
      "TruncatedNormal",
      {1.6056036949157715, -0.5360344648361206, -0.9164999127388,
       1.2182596921920776, 1.0531543493270874},
      {-0.5412737131118774, 0.14356590807437897, -0.9128979444503784,
       0.17185212671756744, -0.493997186422348},
      1e-6);
  ExpectTwoCalls<double>(
      "TruncatedNormal",
      {-0.6001800723429587, -1.7347284922719202, 0.27635541899213933,
       0.03917768022577686, 1.0900332791310567},
      {0.559278898932127, 0.19545131415721684, -1.102315434192805,
       1.2858958255062414, -0.037463449088486006},
      1e-12);
}

TEST(RandomOpTest, NumbersDoNotDependOnThreads) {
  for (const char* op : {"RandomUniform", "TruncatedNormal"}) {
    std::vector<Tensor> results;
    for (int threads : {1, 2, 5}) {
      KernelRunner runner(threads);
      TF_ASSERT_OK(runner.InitOp(
          op,
          {{"dtype", DT_FLOAT}, {"T", DT_INT32}, {"seed", 3}, {"seed2", 4}}));
      runner.AddInput(MakeTensor<int32_t>({1}, {100003}));
      TF_ASSERT_OK(runner.Run());
      results.push_back(*runner.output(0));
    }
    EXPECT_EQ(results[0].tensor_data(), results[1].tensor_data()) << op;
    EXPECT_EQ(results[0].tensor_data(), results[2].tensor_data()) << op;
  }
}

class RandomUniformIntTest : public OpsTestBase {};

TEST_F(RandomUniformIntTest, NumbersAreTensorFlows) {
  TF_ASSERT_OK(InitOp(
      "RandomUniformInt",
      {{"Tout", DT_INT32}, {"T", DT_INT32}, {"seed", 7}, {"seed2", 11}}));
  AddInput<int32_t>({1}, {5});
  AddInput<int32_t>({}, {-3});
  AddInput<int32_t>({}, {1000});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int32_t>(0, {5}, {857, 163, 855, 389, 817});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int32_t>(0, {5}, {460, 374, 822, 293, 448});
  runner_.SetInput(2, MakeTensor<int32_t>({}, {-3}));
  ExpectError(error::INVALID_ARGUMENT, "Need minval < maxval");
}

class RandomShuffleTest : public OpsTestBase {};

TEST_F(RandomShuffleTest, OrderIsTensorFlows) {
  TF_ASSERT_OK(
      InitOp("RandomShuffle", {{"T", DT_INT32}, {"seed", 7}, {"seed2", 11}}));
  AddInput<int32_t>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int32_t>(0, {10}, {3, 9, 5, 6, 1, 7, 0, 4, 8, 2});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int32_t>(0, {10}, {9, 6, 0, 4, 8, 1, 3, 7, 5, 2});
}

class MultinomialTest : public OpsTestBase {};

TEST_F(MultinomialTest, SamplesAreTensorFlows) {
  TF_ASSERT_OK(
      InitOp("Multinomial", {{"T", DT_FLOAT}, {"seed", 7}, {"seed2", 11}}));
  AddInput<float>(
      {2, 4}, {0, 1, 2, 3, 3, 2, 1, -std::numeric_limits<float>::infinity()});
  AddInput<int32_t>({}, {7});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int64_t>(0, {2, 7}, {2, 3, 3, 3, 1, 3, 2, 0, 0, 0, 0, 0, 0, 0});
  TF_ASSERT_OK(RunOpKernel());
  ExpectOutput<int64_t>(0, {2, 7}, {3, 3, 2, 3, 3, 3, 2, 0, 0, 0, 0, 0, 2, 0});
}

}  // namespace
}  // namespace tensorwright
