// SPDX-License-Identifier: Apache-2.0
// Views inputs and outputs of LSTM kernels as floats, in which all of them
// compute, and multiplies them.
#ifndef TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_VIEWS_H_
#define TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_VIEWS_H_

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/matmul.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

// T: float, whose buffers are used directly, or half, which is copied.  Belongs
// to one call of a kernel; its pointers live as long as it does.
template <typename T>
class LstmViews {
 public:
  explicit LstmViews(OpKernelContext* ctx) : ctx_(ctx) {}

  Status Input(int index, const float** data) {
    const Tensor& in = ctx_->input(index);
    if constexpr (std::is_same_v<T, float>) {
      *data = in.base<float>();
    } else {
      float* copy;
      TF_RETURN_IF_ERROR(Temporary(in.NumElements(), &copy));
      WidenFloats(in.base<T>(), copy, in.NumElements());
      *data = copy;
    }
    return OkStatus();
  }

  // Allocates the output; it has its values after Finish().
  Status Output(int index, const TensorShape& shape, float** data) {
    Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(ctx_->allocate_output(index, shape, &out));
    if constexpr (std::is_same_v<T, float>) {
      *data = out->base<float>();
    } else {
      TF_RETURN_IF_ERROR(Temporary(out->NumElements(), data));
      copies_.push_back({*data, out});
    }
    return OkStatus();
  }

  Status Temporary(int64_t n, float** data) {
    temporaries_.emplace_back();
    TF_RETURN_IF_ERROR(
        ctx_->allocate_temp(DT_FLOAT, TensorShape({n}), &temporaries_.back()));
    *data = temporaries_.back().base<float>();
    return OkStatus();
  }

  // Writes outputs back.
  void Finish() {
    if constexpr (!std::is_same_v<T, float>) {
      for (const auto& [from, to] : copies_) {
        NarrowFloats(from, to->template base<T>(), to->NumElements());
      }
    }
  }

 private:
  OpKernelContext* const ctx_;
  std::deque<Tensor> temporaries_;
  std::vector<std::pair<const float*, Tensor*>> copies_;
};

// c [m, n] = op(a) [m, k] x op(b) [k, n]; 0 if k is 0.
inline Status LstmProduct(OpKernelContext* ctx, const MatMulArgs& args,
                          const float* a, const float* b, float* c) {
  if (args.m == 0 || args.n == 0) return OkStatus();
  if (args.k == 0) {
    std::fill_n(c, args.m * args.n, 0.0f);
    return OkStatus();
  }
  return MatMulFloat(ctx, args, a, b, c);
}

// Reads seq_len_max, which shape functions know to be a scalar.
inline Status LstmSteps(OpKernelContext* ctx, const std::string& op,
                        int64_t time, int64_t* steps) {
  *steps = *ctx->input(0).base<int64_t>();
  if (*steps < 0 || *steps > time) {
    return errors::InvalidArgument(op, ": seq_len_max must be in [0, ", time,
                                   "], the number of steps of x, got ", *steps);
  }
  return OkStatus();
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_RNN_LSTM_OPS_VIEWS_H_
