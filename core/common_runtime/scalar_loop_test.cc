// SPDX-License-Identifier: Apache-2.0
// Loops of kernels that name functions of scalars: when their values are in
// registers, and when they are tensors.
#include "core/common_runtime/scalar_loop.h"

#include <utility>
#include <vector>

#include "core/common_runtime/runtime_testutil.h"
#include "core/util/scalar_kernel.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

using namespace testing_runtime;  // NOLINT: a test.

// Calls of the function and of the kernel of TestScalarSubtract.
int in_registers = 0;
int with_tensors = 0;

REGISTER_OP("TestScalarSubtract")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestScalarLess")
    .Input("x: float")
    .Input("y: float")
    .Output("z: bool")
    .SetShapeFn(shape_inference::ScalarShape);

// x - y; fails if that is negative.
bool Subtract(const void* x, const void* y, void* z, int64_t n, int, int) {
  EXPECT_EQ(n, 1);
  ++in_registers;
  const float found =
      *static_cast<const float*>(x) - *static_cast<const float*>(y);
  *static_cast<float*>(z) = found;
  return found >= 0;
}

bool Less(const void* x, const void* y, void* z, int64_t, int, int) {
  *static_cast<bool*>(z) =
      *static_cast<const float*>(x) < *static_cast<const float*>(y);
  return true;
}

bool AddBinary(ScalarCall::Binary function, std::vector<ScalarCall>* calls,
               std::vector<int>* outputs) {
  ScalarCall& call = calls->emplace_back();
  call.binary = function;
  call.operands[1] = 1;
  outputs->push_back(2);
  return true;
}

class TestScalarSubtractOp final : public OpKernel, public ScalarKernel {
 public:
  explicit TestScalarSubtractOp(OpKernelConstruction* c) : OpKernel(c, false) {}
  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    return AddBinary(Subtract, calls, outputs);
  }
  void Compute(OpKernelContext* c) override {
    ++with_tensors;
    Tensor* out = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, c->input(0).shape(), &out));
    for (int64_t i = 0; i < out->NumElements(); ++i) {
      out->base<float>()[i] =
          c->input(0).base<float>()[i] - c->input(1).base<float>()[0];
      OP_REQUIRES(c, out->base<float>()[i] >= 0,
                  errors::OutOfRange("no difference"));
    }
  }
};
class TestScalarLessOp final : public OpKernel, public ScalarKernel {
 public:
  explicit TestScalarLessOp(OpKernelConstruction* c) : OpKernel(c, false) {}
  bool ScalarCalls(std::vector<ScalarCall>* calls,
                   std::vector<int>* outputs) const override {
    return AddBinary(Less, calls, outputs);
  }
  void Compute(OpKernelContext* c) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(c, c->allocate_output(0, TensorShape(), &out));
    *out->base<bool>() =
        *c->input(0).base<float>() < *c->input(1).base<float>();
  }
};
REGISTER_KERNEL_BUILDER(Name("TestScalarSubtract").Device(DEVICE_CPU),
                        TestScalarSubtractOp);
REGISTER_KERNEL_BUILDER(Name("TestScalarLess").Device(DEVICE_CPU),
                        TestScalarLessOp);

// Goes down from `start` by `step` as long as `limit` is less.
OutputRef Down(Builder* b, OutputRef start, OutputRef limit, OutputRef step) {
  const auto enter = [&](OutputRef value, bool constant) {
    return b->Op("Enter", {value},
                 {{"frame_name", Attr("loop")},
                  {"is_constant", Attr(constant)},
                  {"parallel_iterations", Attr(int64_t{10})}});
  };
  const OutputRef entered = enter(start, false);
  const OutputRef merge = b->Op("Merge", {entered, entered});
  const OutputRef less = b->Op("TestScalarLess", {enter(limit, true), merge});
  const OutputRef split = b->Op("Switch", {merge, b->Op("LoopCond", {less})});
  const OutputRef next =
      b->Op("TestScalarSubtract", {{split.node, 1}, enter(step, true)});
  TF_CHECK_OK(
      b->graph->UpdateInput(merge.node, 1, b->Op("NextIteration", {next})));
  return b->Op("Exit", {{split.node, 0}});
}

class ScalarLoopTest : public ::testing::Test {
 protected:
  ScalarLoopTest()
      : start_(b_.Placeholder(DT_FLOAT)),
        limit_(b_.Placeholder(DT_FLOAT)),
        exit_(Down(&b_, start_, limit_, b_.Const(1))),
        runner_(b_) {
    in_registers = with_tensors = 0;
  }

  Result Run(Tensor start, float limit, const RunOptions& options = {}) {
    return runner_.Run({exit_}, {},
                       {{start_, std::move(start)}, {limit_, Tensor(limit)}},
                       options);
  }

  Builder b_;
  OutputRef start_, limit_, exit_;
  Runner runner_;
};

TEST_F(ScalarLoopTest, ScalarsAreInRegisters) {
  EXPECT_EQ(Run(Tensor(5.0f), 2).Scalar(), 2);
  EXPECT_EQ(in_registers, 3);
  EXPECT_EQ(Run(Tensor(5.0f), 7).Scalar(), 5);
  EXPECT_EQ(Run(Tensor(100'000.0f), 0).Scalar(), 0);
  EXPECT_EQ(in_registers, 100'003);
  EXPECT_EQ(with_tensors, 0);
}

TEST_F(ScalarLoopTest, OtherShapesAreTensors) {
  Tensor one(DT_FLOAT, TensorShape({1}));
  *one.base<float>() = 5;
  const Result result = Run(one, 2);
  ASSERT_EQ(result.status, OkStatus());
  EXPECT_EQ(result.values[0].shape(), TensorShape({1}));
  EXPECT_EQ(result.Scalar(), 2);
  EXPECT_EQ(in_registers, 0);
  EXPECT_EQ(with_tensors, 3);
  // The same loop may have scalars next time.
  EXPECT_EQ(Run(Tensor(4.0f), 2).Scalar(), 2);
  EXPECT_EQ(in_registers, 2);
}

TEST_F(ScalarLoopTest, TracedRunsHaveTensors) {
  RunOptions options;
  options.set_trace_level(RunOptions::FULL_TRACE);
  EXPECT_EQ(Run(Tensor(5.0f), 2, options).Scalar(), 2);
  EXPECT_EQ(in_registers, 0);
  EXPECT_EQ(with_tensors, 3);
}

TEST_F(ScalarLoopTest, TheKernelTellsWhyAFunctionFailed) {
  // 1.5, 0.5, and then no more.
  const Result result = Run(Tensor(1.5f), -3);
  EXPECT_EQ(result.status.code(), error::OUT_OF_RANGE);
  EXPECT_EQ(in_registers, 2);
  EXPECT_EQ(with_tensors, 1);
  EXPECT_EQ(Run(Tensor(2.0f), 0).Scalar(), 0);
}

TEST_F(ScalarLoopTest, AnEndlessLoopEndsInTime) {
  Builder b;
  const OutputRef exit = Down(&b, b.Const(1), b.Const(0), b.Const(0));
  Runner runner(b);
  RunOptions options;
  options.set_timeout_in_ms(20);
  EXPECT_EQ(runner.Run({exit}, {}, {}, options).status.code(),
            error::DEADLINE_EXCEEDED);
  EXPECT_GT(in_registers, 1000);
  EXPECT_EQ(with_tensors, 0);
}

}  // namespace
}  // namespace tensorwright
