// SPDX-License-Identifier: Apache-2.0
// Mistakes beside those of broken_calls.cc, and rings that are right and wrong,
// for handles_test.py: a library as a user would load.
#include <algorithm>
#include <vector>

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/resource_op_kernel.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

#define MISTAKEN_OP(name, doc)                     \
  REGISTER_OP(name)                                \
      .Input("x: float")                           \
      .Output("y: float")                          \
      .SetShapeFn(shape_inference::UnchangedShape) \
      .Doc(doc)

Tensor* Copy(OpKernelContext* ctx, const TensorShape& shape) {
  Tensor* y = nullptr;
  TF_CHECK_OK(ctx->allocate_output(0, shape, &y));
  const auto from = Flat<float>(ctx->input(0));
  const auto to = Flat<float>(y);
  std::fill(to.begin(), to.end(), 0);
  std::copy(from.begin(), from.end(), to.begin());
  return y;
}

MISTAKEN_OP("MistakenShape", "x with a 0 behind it; promises the shape of x.");

class MistakenShapeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx, TensorShape({ctx->input(0).NumElements() + 1}));
  }
};
REGISTER_KERNEL_BUILDER(Name("MistakenShape").Device(DEVICE_CPU),
                        MistakenShapeOp);

MISTAKEN_OP("MistakenShift", "x; shifts a number by more bits than it has.");

int volatile shifted = 0;

class MistakenShiftOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx, ctx->input(0).shape());
    const int bits = 32 + ctx->input(0).dims();
    shifted = 1 << bits;
  }
};
REGISTER_KERNEL_BUILDER(Name("MistakenShift").Device(DEVICE_CPU),
                        MistakenShiftOp);

MISTAKEN_OP("MistakenCount", "x; counts its calls without a lock.");

class MistakenCountOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    Copy(ctx, ctx->input(0).shape());
    ++calls_;
  }

 private:
  int64 calls_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("MistakenCount").Device(DEVICE_CPU),
                        MistakenCountOp);

// Keeps the last `capacity` numbers, and writes so many behind them.
template <int kTooFar>
class Ring : public ResourceBase {
 public:
  explicit Ring(int64_t capacity) : values_(capacity) {}
  std::string DebugString() const override { return "a ring"; }
  void Push(absl::Span<const float> x) {
    mutex_lock lock(mu_);
    const auto size = static_cast<int64_t>(values_.size());
    for (const float value : x) {
      values_.data()[next_] = value;
      if (++next_ >= size + kTooFar) next_ = 0;
      count_ = std::min(count_ + 1, size);
    }
  }
  std::vector<float> Read() {
    mutex_lock lock(mu_);
    return {values_.begin(), values_.begin() + count_};
  }

 private:
  mutex mu_;
  std::vector<float> values_;
  int64_t next_ = 0, count_ = 0;
};

template <int kTooFar>
class RingOp : public ResourceOpKernel<Ring<kTooFar>> {
 public:
  explicit RingOp(OpKernelConstruction* ctx)
      : ResourceOpKernel<Ring<kTooFar>>(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("capacity", &capacity_));
    OP_REQUIRES(
        ctx, capacity_ < 1'000'000,
        errors::InvalidArgument(this->type_string(),
                                ": capacity is too large: ", capacity_));
  }

 private:
  Status CreateResource(Ring<kTooFar>** ring) override {
    *ring = new Ring<kTooFar>(capacity_);
    return OkStatus();
  }
  int64_t capacity_;
};

template <int kTooFar>
class RingPushOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<Ring<kTooFar>> ring;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &ring));
    ring->Push(Flat<float>(ctx->input(1)));
  }
};

template <int kTooFar>
class RingReadOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    core::RefCountPtr<Ring<kTooFar>> ring;
    OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &ring));
    const std::vector<float> values = ring->Read();
    Tensor* y = nullptr;
    const TensorShape shape({static_cast<int64_t>(values.size())});
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    std::copy(values.begin(), values.end(), Flat<float>(y).begin());
  }
};

Status AnyVector(shape_inference::InferenceContext* c) {
  c->set_output(0, c->Vector(c->UnknownDim()));
  return OkStatus();
}

#define RING_OPS(name, too_far)                                            \
  REGISTER_OP(name)                                                        \
      .Output("handle: resource")                                          \
      .Attr("capacity: int >= 1 = 100")                                    \
      .Attr("container: string = ''")                                      \
      .Attr("shared_name: string = ''")                                    \
      .SetIsStateful()                                                     \
      .SetShapeFn(shape_inference::ScalarShape)                            \
      .Doc("A ring of numbers.");                                          \
  REGISTER_OP(name "Push")                                                 \
      .Input("handle: resource")                                           \
      .Input("x: float")                                                   \
      .SetIsStateful()                                                     \
      .SetShapeFn(shape_inference::NoOutputs)                              \
      .Doc("Adds numbers; of too many the last stay.");                    \
  REGISTER_OP(name "Read")                                                 \
      .Input("handle: resource")                                           \
      .Output("values: float")                                             \
      .SetIsStateful()                                                     \
      .SetShapeFn(AnyVector)                                               \
      .Doc("The numbers that are there.");                                 \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), RingOp<too_far>); \
  REGISTER_KERNEL_BUILDER(Name(name "Push").Device(DEVICE_CPU),            \
                          RingPushOp<too_far>);                            \
  REGISTER_KERNEL_BUILDER(Name(name "Read").Device(DEVICE_CPU),            \
                          RingReadOp<too_far>)

RING_OPS("GoodRing", 0);
RING_OPS("MistakenRing", 1);

// One name for each of what agrees with `xs`.
REGISTER_OP("ListedSums")
    .Input("names: string")
    .Input("xs: N * T")
    .Input("ys: N * T")
    .Output("sums: T")
    .Attr("N: int >= 1")
    .Attr("T: {float, double}")
    .Attr("weights: list(float)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      int64_t n;
      TF_RETURN_IF_ERROR(c->GetAttr("N", &n));
      c->set_output(0, c->Vector(n));
      return OkStatus();
    })
    .Doc("The sum of each x and y, times its weight.");

template <typename T>
class ListedSumsOp : public OpKernel {
 public:
  explicit ListedSumsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("weights", &weights_));
  }
  void Compute(OpKernelContext* ctx) override {
    const int n = (ctx->num_inputs() - 1) / 2;
    const Tensor& names = ctx->input(0);
    OP_REQUIRES(ctx,
                names.dims() == 1 && names.NumElements() == n &&
                    static_cast<int>(weights_.size()) == n,
                errors::InvalidArgument("ListedSums: names and weights must ",
                                        "have ", n, " elements, as xs"));
    Tensor* sums = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({n}), &sums));
    for (int i = 0; i < n; ++i) {
      T sum = 0;
      for (const T v : Flat<T>(ctx->input(1 + i))) sum += v;
      for (const T v : Flat<T>(ctx->input(1 + n + i))) sum += v;
      Flat<T>(sums)[i] = sum * weights_[i];
    }
  }

 private:
  std::vector<float> weights_;
};
REGISTER_KERNEL_BUILDER(
    Name("ListedSums").Device(DEVICE_CPU).TypeConstraint<float>("T"),
    ListedSumsOp<float>);
REGISTER_KERNEL_BUILDER(
    Name("ListedSums").Device(DEVICE_CPU).TypeConstraint<double>("T"),
    ListedSumsOp<double>);

}  // namespace
}  // namespace tensorwright
