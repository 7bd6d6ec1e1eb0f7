// SPDX-License-Identifier: Apache-2.0
// The kernels of AddN and AccumulateNV2.

#include <algorithm>
#include <functional>

#include "absl/container/inlined_vector.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/variant_op_registry.h"
#include "core/kernels/lib/cwise_ops.h"
#include "core/kernels/lib/gpu_registrations.h"
#include "core/lib/core/errors.h"
#include "core/util/elementwise.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// out[i] = in[0][i] + ... + in[kCount - 1][i]; out may be in[0].
template <int kCount>
struct SumLoop {
  template <typename T>
  TW_WIDE_LOOP static void Run(const T* const* in, T* out, int64_t n) {
    const functor::Add<T> add;
    const T *a = in[0], *b = in[1], *c = in[kCount / 2], *d = in[kCount - 1];
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (kCount == 2) {
        out[i] = add(a[i], b[i]);
      } else if constexpr (kCount == 3) {
        out[i] = add(add(a[i], b[i]), d[i]);
      } else {
        out[i] = add(add(add(a[i], b[i]), c[i]), d[i]);
      }
    }
  }
};

// out[i] = the sum of in[0][i], ... in[count - 1][i], from left to right, up to
// four at a time; count > 1.  out may be in[0].
template <typename T>
void SumOf(const T* const* in, int count, T* out, int64_t n) {
  int done = std::min(count, 4);
  if (count >= 4) {
    RunWide<SumLoop<4>>(in, out, n);
  } else if (count == 3) {
    RunWide<SumLoop<3>>(in, out, n);
  } else {
    RunWide<SumLoop<2>>(in, out, n);
  }
  while (done < count) {
    const T* next[4] = {out};
    const int more = std::min(count - done, 3);
    std::copy_n(in + done, more, next + 1);
    SumOf<T>(next, more + 1, out, n);
    done += more;
  }
}

// Adds inputs that start at the addresses in `in` in the same way; half and
// bfloat16 are summed as floats and rounded once.
using SumFn = void (*)(const void* const* in, int count, void* out, int64_t n);

template <typename T>
void SumInputs(const void* const* in, int count, void* out, int64_t n) {
  if constexpr (kIsNarrowFloat<T>) {
    float sum[kWidenBlock], next[kWidenBlock];
    for (int64_t i = 0; i < n; i += kWidenBlock) {
      const int64_t m = std::min(kWidenBlock, n - i);
      WidenFloats(static_cast<const T*>(in[0]) + i, sum, m);
      for (int j = 1; j < count; ++j) {
        WidenFloats(static_cast<const T*>(in[j]) + i, next, m);
        const float* pair[2] = {sum, next};
        SumOf<float>(pair, 2, sum, m);
      }
      NarrowFloats(sum, static_cast<T*>(out) + i, m);
    }
  } else {
    SumOf<T>(reinterpret_cast<const T* const*>(in), count, static_cast<T*>(out),
             n);
  }
}

}  // namespace

class AddNOpBase : public OpKernel {
 public:
  AddNOpBase(OpKernelConstruction* ctx, SumFn sum)
      : OpKernel(ctx, /*is_expensive=*/false), sum_(sum) {
    if (!ctx->HasAttr("shape")) return;
    OP_REQUIRES_OK(ctx, ctx->GetAttr("shape", &expected_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& first = ctx->input(0);
    const int num = ctx->num_inputs();
    for (int i = 1; i < num; ++i) {
      OP_REQUIRES(ctx, ctx->input(i).shape() == first.shape(),
                  errors::InvalidArgument(
                      type_string(),
                      ": Inputs to operation must have the same size and "
                      "shape.  Input 0: ",
                      first.shape().DebugString(), " != input ", i, ": ",
                      ctx->input(i).shape().DebugString()));
    }
    OP_REQUIRES(
        ctx, expected_.IsCompatibleWith(first.shape()),
        errors::InvalidArgument(
            type_string(), ": inputs must have the shape of the attr, ",
            expected_.DebugString(), ", got ", first.shape().DebugString()));
    if (num == 1) {
      ctx->set_output(0, first);
      return;
    }
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output(
                            {0}, 0, first.shape(), &sum));
    const int64_t size = DataTypeSize(first.dtype());
    // One piece of all inputs, so that the running sum stays in the cache.
    constexpr int64_t kPiece = 2048;
    const auto run = [&](int64_t begin, int64_t end) {
      absl::InlinedVector<const void*, 8> in(num);
      for (int64_t at = begin; at < end; at += kPiece) {
        for (int i = 0; i < num; ++i) {
          in[i] = ctx->input(i).base<char>() + at * size;
        }
        sum_(in.data(), num, sum->base<char>() + at * size,
             std::min(kPiece, end - at));
      }
    };
    ParallelFor(ctx, first.NumElements(), num, std::ref(run));
  }

 private:
  const SumFn sum_;
  // The shape that AccumulateNV2 declares; AddN leaves it unknown.
  PartialTensorShape expected_;
};

template <typename T>
class AddNOp final : public AddNOpBase {
 public:
  explicit AddNOp(OpKernelConstruction* ctx) : AddNOpBase(ctx, &SumInputs<T>) {}
};

REGISTER_KERNEL_FOR_TYPES(Name("AddN").Device(DEVICE_CPU), "T", AddNOp, int8,
                          int16, int32, int64_t, uint8, uint16, uint32, uint64,
                          Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);
REGISTER_HOST_INT32_ON_GPU(Name("AddN").HostMemory("inputs").HostMemory("sum"),
                           "T", AddNOp<int32>);
REGISTER_KERNEL_FOR_TYPES(Name("AccumulateNV2").Device(DEVICE_CPU), "T", AddNOp,
                          int8, int16, int32, int64_t, uint8, uint16, uint32,
                          uint64, Eigen::half, Eigen::bfloat16, float, double,
                          complex64, complex128);
// Adds variants; the author of a variant's type defines the sum.
class AddVariantsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      OP_REQUIRES(ctx, ctx->input(i).dims() == 0,
                  errors::InvalidArgument("AddN: variants must be scalars, "
                                          "input ",
                                          i, " has shape ",
                                          ctx->input(i).shape().DebugString()));
    }
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &sum));
    Variant total = *ctx->input(0).base<Variant>();
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      Variant both;
      OP_REQUIRES_OK(
          ctx, BinaryOpVariants(ctx, ADD_VARIANT_BINARY_OP, DEVICE_CPU, total,
                                *ctx->input(i).base<Variant>(), &both));
      total = std::move(both);
    }
    *sum->base<Variant>() = std::move(total);
  }
};
REGISTER_KERNEL_BUILDER(
    Name("AddN").Device(DEVICE_CPU).TypeConstraint<Variant>("T"),
    AddVariantsOp);
const ElementwiseRegistrar add_n_traits("AddN", ElementwiseKind::kAddN);

}  // namespace tensorwright
