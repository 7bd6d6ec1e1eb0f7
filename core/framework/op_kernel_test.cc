// SPDX-License-Identifier: Apache-2.0
#include "core/framework/op_kernel.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op.h"
#include "core/lib/core/catch_exceptions.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class CpuDevice final : public DeviceBase {
 public:
  CpuDevice() : DeviceBase(nullptr) {}
  Allocator* GetAllocator(AllocatorAttributes) override {
    return cpu_allocator();
  }
};

// Calls whatever the test wants.
class CallbackKernel : public OpKernel {
 public:
  explicit CallbackKernel(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("N", &n_));
    OP_REQUIRES(ctx, n_ != 13,
                errors::InvalidArgument("OpKernelTest: N must not be 13"));
  }
  void Compute(OpKernelContext* ctx) override {
    if (fn) fn(ctx);
  }
  int n() const { return n_; }
  std::function<void(OpKernelContext*)> fn;

 private:
  int n_ = 0;
};

class SlowKernel : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    std::thread([ctx, done] {
      Tensor* out;
      OP_REQUIRES_OK_ASYNC(ctx, ctx->allocate_output(0, {}, &out), done);
      out->scalar_value<float>() = 5;
      done();
    }).detach();
  }
};

REGISTER_OP("OpKernelTest")
    .Input("first: float")
    .Input("rest: N * float")
    .Output("out: float")
    .Output("more: N * float")
    .Attr("N: int");
REGISTER_KERNEL_BUILDER(Name("OpKernelTest").Device(DEVICE_CPU),
                        CallbackKernel);
REGISTER_OP("OpKernelTestRef")
    .Input("ref: Ref(float)")
    .Output("out: Ref(float)")
    .Attr("N: int = 0");
REGISTER_KERNEL_BUILDER(Name("OpKernelTestRef").Device(DEVICE_CPU),
                        CallbackKernel);
REGISTER_OP("OpKernelTestAsync").Output("out: float");
REGISTER_KERNEL_BUILDER(Name("OpKernelTestAsync").Device(DEVICE_CPU),
                        SlowKernel);

class OpKernelTest : public ::testing::Test {
 protected:
  Status Make(const std::string& op, int n, int num_inputs) {
    NodeDef node;
    node.set_name("node");
    node.set_op(op);
    if (n >= 0) SetAttrValue(n, &(*node.mutable_attr())["N"]);
    for (int i = 0; i < num_inputs; ++i) node.add_input("in");
    Status status;
    kernel_ = CreateOpKernel(DEVICE_CPU, &device_, cpu_allocator(), node, 24,
                             &status);
    return status;
  }

  Status Run(std::vector<TensorValue> inputs,
             std::function<void(OpKernelContext*)> fn) {
    if (auto* k = dynamic_cast<CallbackKernel*>(kernel_.get())) k->fn = fn;
    outputs_.resize(kernel_->num_outputs());
    OpKernelContext::Params params;
    params.op_kernel = kernel_.get();
    params.device = &device_;
    params.inputs = absl::MakeSpan(inputs);
    params.outputs = absl::MakeSpan(outputs_);
    OpKernelContext ctx(&params);
    kernel_->Compute(&ctx);
    return ctx.status();
  }

  static Tensor Floats(int64_t n) {
    Tensor t(DT_FLOAT, TensorShape({n}));
    for (int64_t i = 0; i < n; ++i) t.base<float>()[i] = i;
    return t;
  }

  CpuDevice device_;
  std::unique_ptr<OpKernel> kernel_;
  std::vector<OutputSlot> outputs_;
};

TEST_F(OpKernelTest, KnowsItsNode) {
  ASSERT_TRUE(Make("OpKernelTest", 2, 3).ok());
  EXPECT_EQ(kernel_->name(), "node");
  EXPECT_EQ(kernel_->type_string(), "OpKernelTest");
  EXPECT_EQ(kernel_->num_inputs(), 3);
  EXPECT_EQ(kernel_->num_outputs(), 3);
  EXPECT_TRUE(kernel_->IsExpensive());
  EXPECT_EQ(kernel_->AsAsync(), nullptr);
  int start, stop;
  ASSERT_TRUE(kernel_->InputRange("rest", &start, &stop).ok());
  EXPECT_EQ(start, 1);
  EXPECT_EQ(stop, 3);
  EXPECT_FALSE(kernel_->InputRange("nope", &start, &stop).ok());
}

TEST_F(OpKernelTest, ConstructionCanFail) {
  Status s = Make("OpKernelTest", 13, 14);
  EXPECT_EQ(s.error_message(), "OpKernelTest: N must not be 13");
  EXPECT_EQ(kernel_, nullptr);
}

TEST_F(OpKernelTest, InputsAndOutputsByPositionAndName) {
  ASSERT_TRUE(Make("OpKernelTest", 2, 3).ok());
  Tensor a = Floats(1), b = Floats(2), c = Floats(3);
  Status s = Run({TensorValue(&a), TensorValue(&b), TensorValue(&c)},
                 [](OpKernelContext* ctx) {
                   EXPECT_EQ(ctx->input(2).NumElements(), 3);
                   const Tensor* first;
                   OP_REQUIRES_OK(ctx, ctx->input("first", &first));
                   EXPECT_EQ(first->NumElements(), 1);
                   EXPECT_FALSE(ctx->input("rest", &first).ok());
                   OpInputList rest;
                   OP_REQUIRES_OK(ctx, ctx->input_list("rest", &rest));
                   int64_t total = 0;
                   for (const Tensor& t : rest) total += t.NumElements();
                   EXPECT_EQ(total, 5);

                   Tensor* out;
                   OP_REQUIRES_OK(ctx, ctx->allocate_output("out", {4}, &out));
                   OpOutputList more;
                   OP_REQUIRES_OK(ctx, ctx->output_list("more", &more));
                   OP_REQUIRES_OK(ctx, more.allocate(0, {5}, &out));
                   more.set(1, ctx->input(0));
                 });
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(outputs_[0].tensor->NumElements(), 4);
  EXPECT_EQ(outputs_[1].tensor->NumElements(), 5);
  EXPECT_TRUE(outputs_[2].tensor->SharesBufferWith(a));
}

TEST_F(OpKernelTest, TheFirstErrorCounts) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  Tensor a = Floats(1);
  Status s = Run({TensorValue(&a)}, [](OpKernelContext* ctx) {
    ctx->SetStatus(errors::OutOfRange("one"));
    OP_REQUIRES(ctx, false, errors::Internal("two"));
    ADD_FAILURE() << "OP_REQUIRES returns";
  });
  EXPECT_EQ(s, errors::OutOfRange("one"));
}

TEST_F(OpKernelTest, AFailedRequirementSaysItsLine) {
  ASSERT_TRUE(Make("OpKernelTest", 1, 2).ok());
  int line = 0;
  Tensor a = Floats(1);
  const Status status =
      Run({TensorValue(&a), TensorValue(&a)}, [&](OpKernelContext* ctx) {
        line = __LINE__ + 1;
        OP_REQUIRES(ctx, false, errors::InvalidArgument("no"));
      });
  EXPECT_EQ(status.message(), "no");
  EXPECT_EQ(errors::FailedSource(status),
            absl::StrCat("core/framework/op_kernel_test.cc:", line));
}

TEST_F(OpKernelTest, WhatANodeHasNotIsWrongUse) {
  ASSERT_TRUE(Make("OpKernelTest", 1, 2).ok());
  Tensor a = Floats(1);
  Run({TensorValue(&a), TensorValue(&a)}, [](OpKernelContext* ctx) {
    EXPECT_THROW(ctx->input(2), WrongUse);
    EXPECT_THROW(ctx->input(-1), WrongUse);
    EXPECT_THROW(ctx->mutable_output(2), WrongUse);
    EXPECT_THROW(ctx->set_output(7, Tensor(1.0f)), WrongUse);
    EXPECT_TRUE(
        ctx->MatchSignature({DT_FLOAT, DT_FLOAT}, {DT_FLOAT, DT_FLOAT}).ok());
    EXPECT_TRUE(errors::IsInvalidArgument(
        ctx->MatchSignature({DT_FLOAT, DT_INT32}, {DT_FLOAT, DT_FLOAT})));
  }).IgnoreError();
}

TEST_F(OpKernelTest, AnOutputCanBeTakenBack) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  Tensor a = Floats(1);
  Run({TensorValue(&a)}, [](OpKernelContext* ctx) {
    EXPECT_EQ(ctx->release_output(0).tensor, nullptr);
    ctx->set_output(0, Tensor(3.0f));
    const std::unique_ptr<Tensor> mine(ctx->release_output(0).tensor);
    EXPECT_EQ(mine->scalar_value<float>(), 3);
    EXPECT_EQ(ctx->mutable_output(0), nullptr);
    ctx->set_output(0, Tensor(4.0f));
    EXPECT_EQ(mine->scalar_value<float>(), 3);
  }).IgnoreError();
}

TEST_F(OpKernelTest, OutputsOfAnotherTypeAreRefused) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  Tensor a = Floats(1);
  Status s = Run({TensorValue(&a)}, [](OpKernelContext* ctx) {
    ctx->set_output(0, Tensor(int32_t{1}));
  });
  EXPECT_EQ(s.code(), error::INTERNAL);
}

TEST_F(OpKernelTest, ForwardsOnlyWhatNobodyElseNeeds) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  int forwarded = 7;
  const auto forward = [&](OpKernelContext* ctx) {
    Tensor* out;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, {2, 3}, &out, &forwarded));
  };
  Tensor a = Floats(6);
  TensorValue value(&a);
  void* const buffer = a.data();

  ASSERT_TRUE(Run({value}, forward).ok());
  EXPECT_EQ(forwarded, -1) << "somebody reads it afterwards";
  value.last_use = true;
  {
    Tensor other = a;
    ASSERT_TRUE(Run({value}, forward).ok());
    EXPECT_EQ(forwarded, -1) << "the buffer is shared";
  }
  ASSERT_TRUE(Run({value}, forward).ok());
  EXPECT_EQ(forwarded, 0);
  EXPECT_EQ(outputs_[0].tensor->data(), buffer);
  EXPECT_EQ(outputs_[0].tensor->shape(), TensorShape({2, 3}));

  outputs_.clear();
  Tensor small = Floats(5);
  TensorValue small_value(&small);
  small_value.last_use = true;
  ASSERT_TRUE(Run({small_value}, forward).ok());
  EXPECT_EQ(forwarded, -1) << "another number of elements";
}

TEST_F(OpKernelTest, ImpossibleShapesAreErrors) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  Tensor a = Floats(1);
  Status s = Run({TensorValue(&a)}, [](OpKernelContext* ctx) {
    Tensor* out;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, TensorShape({int64_t{1} << 40, int64_t{1} << 40}), &out));
  });
  EXPECT_FALSE(s.ok());
  s = Run({TensorValue(&a)}, [](OpKernelContext* ctx) {
    Tensor* out;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({int64_t{1} << 55}), &out));
  });
  EXPECT_EQ(s.code(), error::RESOURCE_EXHAUSTED) << s;
}

TEST_F(OpKernelTest, ReferencesGoThroughTheirMutex) {
  ASSERT_TRUE(Make("OpKernelTestRef", 0, 1).ok());
  Tensor variable = Floats(2);
  mutex mu;
  Status s = Run({TensorValue(&mu, &variable)}, [](OpKernelContext* ctx) {
    EXPECT_TRUE(ctx->input_is_ref(0));
    EXPECT_EQ(ctx->input_dtype(0), DT_FLOAT_REF);
    {
      mutex_lock l(*ctx->input_ref_mutex(0));
      Tensor v = ctx->mutable_input(0, /*lock_held=*/true);
      v.base<float>()[0] = 42;
    }
    ctx->replace_ref_input(0, Tensor(7.0f), /*lock_held=*/false);
    ctx->forward_ref_input_to_ref_output(0, 0);
  });
  ASSERT_TRUE(s.ok()) << s;
  EXPECT_EQ(variable.scalar_value<float>(), 7.0f);
  EXPECT_EQ(outputs_[0].tensor, &variable);
  EXPECT_EQ(outputs_[0].mutex_if_ref, &mu);
}

TEST_F(OpKernelTest, ComputeOfAnAsyncKernelWaits) {
  ASSERT_TRUE(Make("OpKernelTestAsync", -1, 0).ok());
  ASSERT_NE(kernel_->AsAsync(), nullptr);
  ASSERT_TRUE(Run({}, nullptr).ok());
  EXPECT_EQ(outputs_[0].tensor->scalar_value<float>(), 5.0f);
}

TEST_F(OpKernelTest, MakeShapeChecksItsInput) {
  ASSERT_TRUE(Make("OpKernelTest", 0, 1).ok());
  TensorShape shape;
  Tensor sizes(DT_INT64, TensorShape({2}));
  sizes.base<int64_t>()[0] = 2;
  sizes.base<int64_t>()[1] = 3;
  ASSERT_TRUE(kernel_->MakeShape(sizes, &shape).ok());
  EXPECT_EQ(shape, TensorShape({2, 3}));
  sizes.base<int64_t>()[1] = -1;
  EXPECT_FALSE(kernel_->MakeShape(sizes, &shape).ok());
  EXPECT_FALSE(kernel_->MakeShape(Tensor(int64_t{2}), &shape).ok());
  EXPECT_FALSE(kernel_->MakeShape(Floats(2), &shape).ok());
}

}  // namespace
}  // namespace tensorwright
