// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels: matching elements and sharing the work.

#include "core/kernels/cwise_ops.h"

#include <atomic>
#include <string>

#include "core/framework/tensor.h"
#include "core/util/bcast.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

const char* At(const Tensor& t, int64_t byte) {
  return static_cast<const char*>(t.data()) + byte;
}
char* At(Tensor* t, int64_t byte) {
  return static_cast<char*>(t->data()) + byte;
}

}  // namespace

void UnaryOpBase::Compute(OpKernelContext* ctx) {
  const Tensor& x = ctx->input(0);
  Tensor* y = nullptr;
  if (input_type(0) == output_type(0)) {
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
  } else {
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
  }
  const int64_t in_size = DataTypeSize(x.dtype());
  const int64_t out_size = DataTypeSize(y->dtype());
  const auto run = [&](int64_t begin, int64_t end) {
    loop_(At(x, begin * in_size), At(y, begin * out_size), end - begin);
  };
  ParallelFor(ctx, x.NumElements(), cost_, run);
}

BinaryOpBase::BinaryOpBase(OpKernelConstruction* ctx, BinaryLoopFn loop,
                           const char* failure, int cost)
    : OpKernel(ctx, /*is_expensive=*/false),
      loop_(loop),
      failure_(failure),
      cost_(cost),
      in_size_(DataTypeSize(BaseType(input_type(0)))),
      out_size_(DataTypeSize(BaseType(output_type(0)))) {
  if (!ctx->HasAttr("incompatible_shape_error")) return;
  bool error = true;
  OP_REQUIRES_OK(ctx, ctx->GetAttr("incompatible_shape_error", &error));
  incompatible_shapes_allowed_ = !error;
  incompatible_result_ = type_string() == "NotEqual";
}

void BinaryOpBase::Compute(OpKernelContext* ctx) {
  const Tensor& x = ctx->input(0);
  const Tensor& y = ctx->input(1);
  const bool same_shape = x.shape() == y.shape();
  TensorShape broadcast;
  if (!same_shape) {
    const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
    if (!bcast.IsValid() && incompatible_shapes_allowed_) {
      Tensor* z = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape(), &z));
      z->scalar_value<bool>() = incompatible_result_;
      return;
    }
    OP_REQUIRES(ctx, bcast.IsValid(),
                errors::InvalidArgument(
                    type_string(), ": Incompatible shapes: ",
                    x.shape().DebugString(), " vs. ", y.shape().DebugString()));
    broadcast = BCast::ToShape(bcast.output_shape());
  }
  const TensorShape& shape = same_shape ? x.shape() : broadcast;
  Tensor* z = nullptr;
  // An input is forwarded only if it has the output's dtype and size, and then
  // each element is read before its place is written.
  if (input_type(0) == output_type(0)) {
    OP_REQUIRES_OK(ctx,
                   ctx->forward_input_or_allocate_output({0, 1}, 0, shape, &z));
  } else {
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
  }
  if (z->NumElements() == 0) return;
  const bool flat = same_shape || x.NumElements() == 1 || y.NumElements() == 1;
  const bool ok = flat ? RunFlat(ctx, x, y, z) : RunBroadcast(ctx, x, y, z);
  OP_REQUIRES(ctx, ok, errors::InvalidArgument(failure_));
}

bool BinaryOpBase::RunFlat(OpKernelContext* ctx, const Tensor& x,
                           const Tensor& y, Tensor* z) const {
  const int64_t n = z->NumElements();
  const int x_step = x.NumElements() == n;
  const int y_step = y.NumElements() == n;
  std::atomic<bool> ok{true};
  const auto run = [&](int64_t begin, int64_t end) {
    if (!loop_(At(x, begin * x_step * in_size_),
               At(y, begin * y_step * in_size_), At(z, begin * out_size_),
               end - begin, x_step, y_step)) {
      ok.store(false, std::memory_order_relaxed);
    }
  };
  ParallelFor(ctx, n, cost_, run);
  return ok;
}

// Rows along the last folded dimension, in which each input either moves or
// stands still, run by the loop; an odometer finds where a row starts.
bool BinaryOpBase::RunBroadcast(OpKernelContext* ctx, const Tensor& x,
                                const Tensor& y, Tensor* z) const {
  const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
  const BCast::Vec& dims = bcast.result_shape();
  const int last = static_cast<int>(dims.size()) - 1;
  // Elements to move along each dimension; 0 where an input is stretched.
  BCast::Vec x_strides(dims.size()), y_strides(dims.size());
  int64_t x_stride = 1, y_stride = 1;
  for (int i = last; i >= 0; --i) {
    x_strides[i] = bcast.x_reshape()[i] == 1 ? 0 : x_stride;
    y_strides[i] = bcast.y_reshape()[i] == 1 ? 0 : y_stride;
    x_stride *= bcast.x_reshape()[i];
    y_stride *= bcast.y_reshape()[i];
  }
  const int64_t row = dims[last];
  const int x_step = x_strides[last] != 0, y_step = y_strides[last] != 0;
  std::atomic<bool> ok{true};
  const auto run_rows = [&](int64_t begin, int64_t end) {
    BCast::Vec index(dims.size(), 0);
    int64_t x_at = 0, y_at = 0, rest = begin;
    for (int i = last - 1; i >= 0; --i) {
      index[i] = rest % dims[i];
      rest /= dims[i];
      x_at += index[i] * x_strides[i];
      y_at += index[i] * y_strides[i];
    }
    for (int64_t r = begin; r < end; ++r) {
      if (!loop_(At(x, x_at * in_size_), At(y, y_at * in_size_),
                 At(z, r * row * out_size_), row, x_step, y_step)) {
        ok.store(false, std::memory_order_relaxed);
        return;
      }
      for (int i = last - 1; i >= 0; --i) {
        x_at += x_strides[i];
        y_at += y_strides[i];
        if (++index[i] < dims[i]) break;
        x_at -= dims[i] * x_strides[i];
        y_at -= dims[i] * y_strides[i];
        index[i] = 0;
      }
    }
  };
  ParallelFor(ctx, z->NumElements() / row, cost_ * row + 5, run_rows);
  return ok;
}

}  // namespace tensorwright
