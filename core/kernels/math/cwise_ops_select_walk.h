// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of Select and SelectV2, and says how kernels of all
// devices walk over them.
#ifndef TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_SELECT_WALK_H_
#define TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_SELECT_WALK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/bcast.h"

namespace tensorwright {

// InvalidArgument unless t and e have one shape, and the condition is a scalar,
// has that shape too, or is a vector with an element a row of t.
inline Status CheckSelect(const TensorShape& condition, const TensorShape& t,
                          const TensorShape& e) {
  if (t != e) {
    return errors::InvalidArgument(
        "Select: 't' and 'e' must have the same size, but received: ",
        t.DebugString(), " vs. ", e.DebugString());
  }
  if (condition.dims() == 0 || condition == t ||
      (condition.dims() == 1 && t.dims() >= 1 &&
       condition.dim_size(0) == t.dim_size(0))) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      "Select: 'condition' must be a scalar, of t's shape, or a vector of the "
      "size of t's first dimension, got ",
      condition.DebugString(), " and t ", t.DebugString());
}

// The shape that all three broadcast to.
inline Status SelectV2Shape(const TensorShape& condition, const TensorShape& t,
                            const TensorShape& e, TensorShape* shape) {
  const BCast values(t.dim_sizes(), e.dim_sizes());
  const BCast all(condition.dim_sizes(), values.output_shape());
  if (!values.IsValid() || !all.IsValid()) {
    return errors::InvalidArgument(
        "SelectV2: condition ", condition.DebugString(), ", t ",
        t.DebugString(), " and e ", e.DebugString(), " must be broadcastable");
  }
  return TensorShape::BuildTensorShape(all.output_shape(), shape);
}

// Walks over an output that three inputs broadcast to; it knows how far each
// input moves along each dimension.
class SelectWalk {
 public:
  static constexpr int kInputs = 3;

  SelectWalk(const TensorShape& shape,
             const std::array<const Tensor*, kInputs>& inputs) {
    for (int d = 0; d < shape.dims(); ++d) {
      const int64_t size = shape.dim_size(d);
      if (size != 1) Append(size, StridesOf(d, shape.dims(), inputs));
    }
    if (sizes_.empty()) Append(1, {0, 0, 0});
  }

  // The output, folded.
  const std::vector<int64_t>& sizes() const { return sizes_; }
  // For each dimension, how far each input moves along it.
  const std::vector<std::array<int64_t, kInputs>>& strides() const {
    return strides_;
  }

  // Returns by how many elements each input moves along the innermost
  // dimension.
  const std::array<int64_t, kInputs>& steps() const { return strides_.back(); }

  // Calls run(at, n, in) for each piece of the innermost dimension in the
  // output's elements [begin, end): the piece has n elements from `at` on, and
  // the inputs' elements begin at in[0], in[1] and in[2].
  template <typename Run>
  void ForEachRun(int64_t begin, int64_t end, const Run& run) const {
    for (int64_t at = begin; at < end;) {
      std::array<int64_t, kInputs> in = {};
      int64_t rest = at;
      for (size_t d = sizes_.size(); d-- > 0; rest /= sizes_[d]) {
        const int64_t index = rest % sizes_[d];
        for (int k = 0; k < kInputs; ++k) in[k] += index * strides_[d][k];
      }
      const int64_t inner = sizes_.back();
      const int64_t n = std::min(inner - at % inner, end - at);
      run(at, n, in.data());
      at += n;
    }
  }

 private:
  using Strides = std::array<int64_t, kInputs>;

  static Strides StridesOf(int d, int rank,
                           const std::array<const Tensor*, kInputs>& inputs) {
    Strides strides = {};
    for (int k = 0; k < kInputs; ++k) {
      const TensorShape& shape = inputs[k]->shape();
      const int own = d - (rank - shape.dims());
      if (own < 0 || shape.dim_size(own) == 1) continue;
      strides[k] = 1;
      for (int i = own + 1; i < shape.dims(); ++i) {
        strides[k] *= shape.dim_size(i);
      }
    }
    return strides;
  }

  // Adds a dimension; joins it to the one before if all inputs walk both alike.
  void Append(int64_t size, const Strides& strides) {
    bool joined = !sizes_.empty();
    for (int k = 0; joined && k < kInputs; ++k) {
      joined = strides_.back()[k] == size * strides[k];
    }
    if (joined) {
      sizes_.back() *= size;
      strides_.back() = strides;
      return;
    }
    sizes_.push_back(size);
    strides_.push_back(strides);
  }

  std::vector<int64_t> sizes_;
  std::vector<Strides> strides_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_MATH_CWISE_OPS_SELECT_WALK_H_
