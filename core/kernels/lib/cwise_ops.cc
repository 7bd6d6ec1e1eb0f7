// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels: matching elements and sharing the work.

#include "core/kernels/lib/cwise_ops.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
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

bool UnaryOpBase::ScalarCalls(std::vector<ScalarCall>* calls,
                              std::vector<int>* outputs) const {
  calls->emplace_back().unary = loop_;
  outputs->push_back(1);
  return true;
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

bool BinaryOpBase::ScalarCalls(std::vector<ScalarCall>* calls,
                               std::vector<int>* outputs) const {
  ScalarCall& call = calls->emplace_back();
  call.binary = loop_;
  call.operands[1] = 1;
  outputs->push_back(2);
  return true;
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

// An output's rows along the last folded dimension, in which each input either
// moves or stands still.
struct BroadcastRows {
  BCast::Vec dims;
  // The elements to move along each dimension; 0 for an input that is stretched
  // there.
  BCast::Vec x_strides, y_strides;
  int last;
  int64_t row;
};

namespace {

BroadcastRows MakeBroadcastRows(const Tensor& x, const Tensor& y) {
  const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
  BroadcastRows rows;
  rows.dims = bcast.result_shape();
  rows.last = static_cast<int>(rows.dims.size()) - 1;
  rows.row = rows.dims[rows.last];
  rows.x_strides.resize(rows.dims.size());
  rows.y_strides.resize(rows.dims.size());
  int64_t x_stride = 1, y_stride = 1;
  for (int i = rows.last; i >= 0; --i) {
    rows.x_strides[i] = bcast.x_reshape()[i] == 1 ? 0 : x_stride;
    rows.y_strides[i] = bcast.y_reshape()[i] == 1 ? 0 : y_stride;
    x_stride *= bcast.x_reshape()[i];
    y_stride *= bcast.y_reshape()[i];
  }
  return rows;
}

// An odometer of the positions where row after row of an input starts.
class RowCursor {
 public:
  RowCursor(const BroadcastRows& rows, const BCast::Vec& strides, int64_t begin)
      : dims_(rows.dims),
        strides_(strides),
        last_(rows.last),
        index_(rows.dims.size(), 0) {
    for (int i = last_ - 1; i >= 0; --i) {
      index_[i] = begin % dims_[i];
      begin /= dims_[i];
      at_ += index_[i] * strides_[i];
    }
  }

  int64_t at() const { return at_; }

  void Next() {
    for (int i = last_ - 1; i >= 0; --i) {
      at_ += strides_[i];
      if (++index_[i] < dims_[i]) break;
      at_ -= dims_[i] * strides_[i];
      index_[i] = 0;
    }
  }

 private:
  const BCast::Vec& dims_;
  const BCast::Vec& strides_;
  const int last_;
  BCast::Vec index_;
  int64_t at_ = 0;
};

// Rows shorter than this are gathered into longer ones: a call and an odometer
// cost more than copying them.
constexpr int64_t kShortRow = 64;
constexpr int64_t kGathered = 512;  // Elements, in the first-level cache.

// An input of short rows, some of them side by side.
class GatheredRows {
 public:
  GatheredRows(const BroadcastRows& rows, const BCast::Vec& strides,
               const Tensor& input, int64_t begin)
      : rows_(rows),
        cursor_(rows, strides, begin),
        step_(strides[rows.last] != 0),
        size_(DataTypeSize(input.dtype())),
        input_(static_cast<const char*>(input.data())) {
    int64_t dense = 1;
    for (int i = rows.last; i >= 0; --i) {
      dense_ = dense_ && strides[i] == dense;
      dense *= rows.dims[i];
      if (i != rows.last) periodic_ = periodic_ && strides[i] == 0;
    }
  }

  // The elements of rows [begin, begin + count), which follow the rows of the
  // call before; `count` is the largest the first time.
  const void* Get(int64_t begin, int64_t count) {
    if (dense_) return input_ + begin * rows_.row * size_;
    if (periodic_ && filled_) return buffer_;
    filled_ = true;
    switch (size_) {
      case 1:
        return Gather<uint8_t>(count);
      case 2:
        return Gather<uint16_t>(count);
      case 4:
        return Gather<uint32_t>(count);
      case 8:
        return Gather<uint64_t>(count);
      default:
        return Gather<Bytes16>(count);
    }
  }

 private:
  template <typename T>
  const void* Gather(int64_t count) {
    const T* in = reinterpret_cast<const T*>(input_);
    T* out = reinterpret_cast<T*>(buffer_);
    for (int64_t r = 0; r < count; ++r, cursor_.Next()) {
      const T* from = in + cursor_.at();
      if (step_) {
        for (int64_t i = 0; i < rows_.row; ++i) *out++ = from[i];
      } else {
        const T value = *from;
        for (int64_t i = 0; i < rows_.row; ++i) *out++ = value;
      }
    }
    return buffer_;
  }

  const BroadcastRows& rows_;
  RowCursor cursor_;
  const bool step_;
  const int64_t size_;
  const char* const input_;
  bool dense_ = true;
  bool periodic_ = true;
  bool filled_ = false;
  alignas(64) char buffer_[kGathered * sizeof(Bytes16)];
};

}  // namespace

bool BinaryOpBase::RunBroadcast(OpKernelContext* ctx, const Tensor& x,
                                const Tensor& y, Tensor* z) const {
  const BroadcastRows rows = MakeBroadcastRows(x, y);
  if (rows.row < kShortRow && DataTypeCanUseMemcpy(x.dtype())) {
    return RunShortRows(ctx, rows, x, y, z);
  }
  const int64_t row = rows.row;
  const int x_step = rows.x_strides[rows.last] != 0;
  const int y_step = rows.y_strides[rows.last] != 0;
  std::atomic<bool> ok{true};
  const auto run_rows = [&](int64_t begin, int64_t end) {
    RowCursor x_cursor(rows, rows.x_strides, begin);
    RowCursor y_cursor(rows, rows.y_strides, begin);
    for (int64_t r = begin; r < end; ++r, x_cursor.Next(), y_cursor.Next()) {
      if (!loop_(At(x, x_cursor.at() * in_size_),
                 At(y, y_cursor.at() * in_size_), At(z, r * row * out_size_),
                 row, x_step, y_step)) {
        ok.store(false, std::memory_order_relaxed);
        return;
      }
    }
  };
  ParallelFor(ctx, z->NumElements() / row, cost_ * row + 5, run_rows);
  return ok;
}

bool BinaryOpBase::RunShortRows(OpKernelContext* ctx, const BroadcastRows& rows,
                                const Tensor& x, const Tensor& y,
                                Tensor* z) const {
  const int64_t row = rows.row, at_once = kGathered / row;
  std::atomic<bool> ok{true};
  const auto run_rows = [&](int64_t begin, int64_t end) {
    GatheredRows x_rows(rows, rows.x_strides, x, begin);
    GatheredRows y_rows(rows, rows.y_strides, y, begin);
    for (int64_t r = begin; r < end; r += at_once) {
      const int64_t count = std::min(at_once, end - r);
      if (!loop_(x_rows.Get(r, count), y_rows.Get(r, count),
                 At(z, r * row * out_size_), count * row, 1, 1)) {
        ok.store(false, std::memory_order_relaxed);
        return;
      }
    }
  };
  ParallelFor(ctx, z->NumElements() / row, (cost_ + 1) * row + 5,
              std::ref(run_rows));
  return ok;
}

}  // namespace tensorwright
