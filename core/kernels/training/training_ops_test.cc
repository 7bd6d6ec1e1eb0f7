// SPDX-License-Identifier: Apache-2.0
// One step of each optimizer equals its formula, element by element.

#include "core/kernels/training/training_ops.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/kernels/lib/ops_testutil.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

constexpr int kSize = 37;  // Not a multiple of a block.

std::vector<double> Values(double start, double step) {
  std::vector<double> v(kSize);
  for (int i = 0; i < kSize; ++i) v[i] = start + step * i;
  return v;
}

template <typename T>
Tensor AsTensor(const std::vector<double>& values) {
  std::vector<T> v;
  for (double x : values) v.push_back(static_cast<T>(x));
  return MakeTensor<T>({static_cast<int64_t>(v.size())}, v);
}

// A step on one element: v are the variables, s the scalar inputs in order, g
// the gradient.
using Step = std::function<void(std::vector<double>& v,
                                const std::vector<double>& s, double g)>;

struct Case {
  std::string op;
  int vars;
  int grad;  // The gradient's input.
  std::vector<double> scalars;
  Step step;
  std::vector<TestAttr> attrs;
};

template <typename T>
void RunCase(const Case& c, double tolerance) {
  KernelRunner runner;
  std::vector<TestAttr> attrs = c.attrs;
  attrs.push_back({"T", DataTypeToEnum<T>::value});
  TF_ASSERT_OK(runner.InitOp(c.op, attrs));
  std::vector<std::vector<double>> vars;
  for (int i = 0; i < c.vars; ++i) vars.push_back(Values(0.5 + i, 0.125));
  const std::vector<double> grad = Values(-1, 0.0625);
  for (const auto& var : vars) runner.AddRefInput(AsTensor<T>(var));
  size_t scalar = 0;
  const int inputs = c.vars + 1 + static_cast<int>(c.scalars.size());
  for (int i = c.vars; i < inputs; ++i) {
    if (i == c.grad) {
      runner.AddInput(AsTensor<T>(grad));
    } else {
      runner.AddInput(MakeTensor<T>({}, {static_cast<T>(c.scalars[scalar++])}));
    }
  }
  TF_ASSERT_OK(runner.Run());
  for (int i = 0; i < kSize; ++i) {
    std::vector<double> v;
    for (const auto& var : vars) v.push_back(var[i]);
    c.step(v, c.scalars, grad[i]);
    for (int k = 0; k < c.vars; ++k) {
      EXPECT_NEAR(static_cast<double>(runner.input(k).base<T>()[i]), v[k],
                  tolerance * (1 + std::abs(v[k])))
          << c.op << " variable " << k << " element " << i;
    }
  }
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  cases.push_back({"ApplyGradientDescent",
                   1,
                   2,
                   {0.1},
                   [](auto& v, const auto& s, double g) { v[0] -= s[0] * g; },
                   {}});
  cases.push_back({"ApplyMomentum",
                   2,
                   3,
                   {0.1, 0.9},
                   [](auto& v, const auto& s, double g) {
                     v[1] = v[1] * s[1] + g;
                     v[0] -= s[0] * v[1];
                   },
                   {}});
  cases.push_back({"ApplyMomentum",
                   2,
                   3,
                   {0.1, 0.9},
                   [](auto& v, const auto& s, double g) {
                     v[1] = v[1] * s[1] + g;
                     v[0] -= s[0] * g + s[0] * s[1] * v[1];
                   },
                   {{"use_nesterov", true}, {"use_locking", true}}});
  const auto adam = [](bool nesterov) {
    return [nesterov](auto& v, const auto& s, double g) {
      const double lr = s[2] * std::sqrt(1 - s[1]) / (1 - s[0]);
      v[1] = s[3] * v[1] + (1 - s[3]) * g;
      v[2] = s[4] * v[2] + (1 - s[4]) * g * g;
      const double m = nesterov ? s[3] * v[1] + (1 - s[3]) * g : v[1];
      v[0] -= lr * m / (std::sqrt(v[2]) + s[5]);
    };
  };
  const std::vector<double> adam_scalars = {0.9, 0.99, 0.1, 0.9, 0.99, 1e-3};
  cases.push_back({"ApplyAdam", 3, 9, adam_scalars, adam(false), {}});
  cases.push_back(
      {"ApplyAdam", 3, 9, adam_scalars, adam(true), {{"use_nesterov", true}}});
  cases.push_back({"ApplyAdagrad",
                   2,
                   3,
                   {0.1},
                   [](auto& v, const auto& s, double g) {
                     v[1] += g * g;
                     v[0] -= s[0] * g / std::sqrt(v[1]);
                   },
                   {}});
  cases.push_back({"ApplyRMSProp",
                   3,
                   7,
                   {0.1, 0.9, 0.5, 1e-3},
                   [](auto& v, const auto& s, double g) {
                     v[1] = s[1] * v[1] + (1 - s[1]) * g * g;
                     v[2] = s[2] * v[2] + s[0] * g / std::sqrt(v[1] + s[3]);
                     v[0] -= v[2];
                   },
                   {}});
  cases.push_back({"ApplyCenteredRMSProp",
                   4,
                   8,
                   {0.1, 0.9, 0.5, 50.0},
                   [](auto& v, const auto& s, double g) {
                     v[2] = s[1] * v[2] + (1 - s[1]) * g * g;
                     v[1] = s[1] * v[1] + (1 - s[1]) * g;
                     v[3] = s[2] * v[3] +
                            s[0] * g / std::sqrt(v[2] - v[1] * v[1] + s[3]);
                     v[0] -= v[3];
                   },
                   {}});
  cases.push_back({"ApplyAdadelta",
                   3,
                   6,
                   {0.1, 0.9, 1e-3},
                   [](auto& v, const auto& s, double g) {
                     v[1] = s[1] * v[1] + (1 - s[1]) * g * g;
                     const double update =
                         std::sqrt(v[2] + s[2]) / std::sqrt(v[1] + s[2]) * g;
                     v[0] -= s[0] * update;
                     v[2] = s[1] * v[2] + (1 - s[1]) * update * update;
                   },
                   {}});
  const auto ftrl = [](auto& v, const auto& s, double g) {
    const double lr = s[0], l1 = s[1], l2 = s[2], power = s[3];
    const double accum = v[1] + g * g;
    v[2] += g - (std::pow(accum, -power) - std::pow(v[1], -power)) / lr * v[0];
    v[1] = accum;
    const double quadratic = std::pow(accum, -power) / lr + 2 * l2;
    v[0] = std::abs(v[2]) > l1 ? (std::copysign(l1, v[2]) - v[2]) / quadratic
                               : 0.0;
  };
  cases.push_back({"ApplyFtrl", 3, 3, {0.1, 3.0, 0.25, -0.5}, ftrl, {}});
  cases.push_back({"ApplyFtrl", 3, 3, {0.1, 3.0, 0.25, -0.75}, ftrl, {}});
  return cases;
}

TEST(TrainingOpsTest, StepsFollowTheFormulas) {
  for (const Case& c : Cases()) {
    RunCase<double>(c, 1e-12);
    RunCase<float>(c, 1e-5);
    RunCase<half>(c, 5e-3);
    RunCase<bfloat16>(c, 3e-2);
  }
}

class SparseApplyTest : public OpsTestBase {};

TEST_F(SparseApplyTest, AnInfiniteGradientLeavesSlotsThatAreNotUpdated) {
  TF_ASSERT_OK(InitOp(
      "SparseApplyAdagrad",
      {{"T", DT_FLOAT}, {"Tindices", DT_INT32}, {"update_slots", false}}));
  AddRefInput<float>({2}, {1, 2});
  AddRefInput<float>({2}, {4, 4});
  AddInput<float>({}, {1});
  AddInput<float>({1}, {-INFINITY});
  AddInput<int32_t>({1}, {1});
  TF_ASSERT_OK(RunOpKernel());
  ExpectTensor<float>(runner_.input(0), {2}, {1, INFINITY});
  ExpectTensor<float>(runner_.input(1), {2}, {4, 4});
}

TEST_F(SparseApplyTest, MomentumFollowsAnInfiniteGradient) {
  TF_ASSERT_OK(
      InitOp("SparseApplyMomentum", {{"T", DT_FLOAT}, {"Tindices", DT_INT32}}));
  AddRefInput<float>({1}, {1});
  AddRefInput<float>({1}, {0});
  AddInput<float>({}, {1});
  AddInput<float>({1}, {INFINITY});
  AddInput<int32_t>({1}, {0});
  AddInput<float>({}, {0.5});
  TF_ASSERT_OK(RunOpKernel());
  ExpectTensor<float>(runner_.input(0), {1}, {-INFINITY});
  ExpectTensor<float>(runner_.input(1), {1}, {INFINITY});
}

TEST_F(SparseApplyTest, RowsRepeatAndTheRestStays) {
  TF_ASSERT_OK(
      InitOp("SparseApplyMomentum", {{"T", DT_FLOAT}, {"Tindices", DT_INT32}}));
  AddRefInput<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  AddRefInput<float>({3, 2}, {0, 0, 0, 0, 0, 0});
  AddInput<float>({}, {1});
  AddInput<float>({2, 2}, {1, 1, 2, 2});
  AddInput<int32_t>({2}, {2, 2});
  AddInput<float>({}, {0.5});
  TF_ASSERT_OK(RunOpKernel());
  // accum: 1, then 0.5 * 1 + 2.
  ExpectTensor<float>(runner_.input(0), {3, 2}, {1, 2, 3, 4, 1.5, 2.5});
  ExpectTensor<float>(runner_.input(1), {3, 2}, {0, 0, 0, 0, 2.5, 2.5});
}

TEST_F(SparseApplyTest, IndicesOutOfRangeChangeNothing) {
  TF_ASSERT_OK(
      InitOp("SparseApplyAdagrad", {{"T", DT_FLOAT}, {"Tindices", DT_INT64}}));
  AddRefInput<float>({2}, {1, 2});
  AddRefInput<float>({2}, {1, 1});
  AddInput<float>({}, {1});
  AddInput<float>({2}, {1, 1});
  AddInput<int64_t>({2}, {0, 2});
  ExpectError(error::INVALID_ARGUMENT, "Index 2 at offset 1");
  ExpectTensor<float>(runner_.input(0), {2}, {1, 2});
}

TEST_F(SparseApplyTest, FtrlRefusesBadRates) {
  TF_ASSERT_OK(InitOp("ApplyFtrl", {{"T", DT_FLOAT}}));
  for (int i = 0; i < 3; ++i) AddRefInput<float>({1}, {1});
  AddInput<float>({1}, {1});
  for (float s : {0.0f, 0.0f, 0.0f, -0.5f}) AddInput<float>({}, {s});
  ExpectError(error::INVALID_ARGUMENT, "lr is not a positive scalar");
}

TEST_F(SparseApplyTest, FtrlTakesARateOf0ThatIsOnlyMultiplied) {
  TF_ASSERT_OK(
      InitOp("ApplyFtrl", {{"T", DT_FLOAT}, {"multiply_linear_by_lr", true}}));
  for (float s : {1.0f, 1.0f, 0.0f}) AddRefInput<float>({1}, {s});
  AddInput<float>({1}, {0});
  for (float s : {0.0f, 0.0f, 0.0f, -0.5f}) AddInput<float>({}, {s});
  TF_ASSERT_OK(RunOpKernel());
  ExpectTensor<float>(runner_.input(0), {1}, {0});
  ExpectTensor<float>(runner_.input(1), {1}, {1});
}

}  // namespace
}  // namespace tensorwright
