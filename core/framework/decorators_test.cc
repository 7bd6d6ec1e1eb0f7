// SPDX-License-Identifier: Apache-2.0
#include "core/framework/decorators.h"

#include <string>
#include <utility>

#include "core/framework/allocator.h"
#include "core/framework/common_shape_fns.h"
#include "core/framework/device_base.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"
#include "core/framework/shape_inference_testutil.h"
#include "core/platform/env.h"
#include "gtest/gtest.h"

namespace tensorwright {
namespace {

class PlainKernel final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};

class WrappingKernel final : public OpKernel {
 public:
  WrappingKernel(OpKernelConstruction* c, std::unique_ptr<OpKernel> inner)
      : OpKernel(c), inner(std::move(inner)) {}
  void Compute(OpKernelContext* c) override { inner->Compute(c); }

  const std::unique_ptr<OpKernel> inner;
};

REGISTER_OP("DecoratorTestOne")
    .Input("x: float")
    .Output("y: float")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_KERNEL_BUILDER(Name("DecoratorTestOne").Device(DEVICE_CPU),
                        PlainKernel);
REGISTER_OP("DecoratorTestTwo").Input("x: float").Output("y: float");
REGISTER_KERNEL_BUILDER(Name("DecoratorTestTwo").Device(DEVICE_CPU),
                        PlainKernel);

class CpuDevice final : public DeviceBase {
 public:
  CpuDevice() : DeviceBase(Env::Default()) {}
  Allocator* GetAllocator(AllocatorAttributes) override {
    return cpu_allocator();
  }
};

class DecoratorsTest : public ::testing::Test {
 protected:
  ~DecoratorsTest() override { SetKernelDecorator("", nullptr); }

  // Is the kernel that is made for the op now a WrappingKernel?
  bool IsWrapped(const std::string& op) {
    NodeDef node;
    node.set_name("node");
    node.set_op(op);
    node.add_input("x");
    Status status;
    const std::unique_ptr<OpKernel> kernel = CreateOpKernel(
        DEVICE_CPU, &device_, cpu_allocator(), node, 24, &status);
    EXPECT_TRUE(status.ok()) << status;
    const auto* wrapping = dynamic_cast<WrappingKernel*>(kernel.get());
    EXPECT_EQ(wrapping != nullptr, HasKernelDecorator(op));
    if (wrapping == nullptr) return false;
    EXPECT_NE(dynamic_cast<PlainKernel*>(wrapping->inner.get()), nullptr);
    EXPECT_EQ(kernel->type_string(), op);
    return true;
  }

  static std::unique_ptr<OpKernel> Wrap(OpKernelConstruction* c,
                                        std::unique_ptr<OpKernel> made) {
    return std::make_unique<WrappingKernel>(c, std::move(made));
  }

 private:
  CpuDevice device_;
};

TEST_F(DecoratorsTest, KernelsOfOneOpOrOfAllGoThroughTheDecorator) {
  EXPECT_FALSE(IsWrapped("DecoratorTestOne"));
  SetKernelDecorator("DecoratorTestOne", Wrap);
  EXPECT_TRUE(IsWrapped("DecoratorTestOne"));
  EXPECT_FALSE(IsWrapped("DecoratorTestTwo"));
  SetKernelDecorator("", Wrap);
  EXPECT_TRUE(IsWrapped("DecoratorTestOne"));
  EXPECT_TRUE(IsWrapped("DecoratorTestTwo"));
  SetKernelDecorator("", nullptr);
  EXPECT_FALSE(IsWrapped("DecoratorTestOne"));
}

TEST_F(DecoratorsTest, AShapeFunctionIsCalledThroughItsDecorator) {
  using shape_inference::InferenceContext;
  const ShapeInferenceTestOp one("DecoratorTestOne");
  INFER_OK(one, "[2,3]", "in0");
  const auto vector_only = [](const OpShapeInferenceFn& registered,
                              InferenceContext* c) -> Status {
    shape_inference::ShapeHandle unused;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
    return registered(c);
  };
  ASSERT_TRUE(DecorateShapeFn("DecoratorTestOne", vector_only).ok());
  INFER_ERROR("must be rank 1", one, "[2,3]");
  INFER_OK(one, "[2]", "in0");

  // An op without a shape function gets one.
  const auto scalar = [](const OpShapeInferenceFn& registered,
                         InferenceContext* c) {
    EXPECT_FALSE(registered);
    return shape_inference::ScalarShape(c);
  };
  ASSERT_TRUE(DecorateShapeFn("DecoratorTestTwo", scalar).ok());
  INFER_OK(ShapeInferenceTestOp("DecoratorTestTwo"), "[2,3]", "[]");

  EXPECT_EQ(DecorateShapeFn("DecoratorTestNone", scalar).code(),
            error::NOT_FOUND);
}

}  // namespace
}  // namespace tensorwright
