// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix changed by index.
#ifndef TENSORWRIGHT_CORE_COMPAT_KERNELS_SCATTER_FUNCTOR_H_
#define TENSORWRIGHT_CORE_COMPAT_KERNELS_SCATTER_FUNCTOR_H_

#include <algorithm>

#include "core/framework/bounds_check.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor_types.h"

namespace tensorwright {

namespace scatter_op {
enum class UpdateOp { ASSIGN, ADD, SUB, MUL, DIV, MIN, MAX };
}  // namespace scatter_op

namespace functor {

// params[indices[i], :] op= updates[i, :], one after the other, so that an
// index may come twice.  -1, or the position of the first index that is out of
// range; what came before it is done.
template <typename Device, typename T, typename Index, scatter_op::UpdateOp op>
struct ScatterFunctor {
  Index operator()(OpKernelContext*, const Device&,
                   typename TTypes<T>::Matrix params,
                   typename TTypes<T>::ConstMatrix updates,
                   typename TTypes<Index>::ConstFlat indices) {
    const auto limit = params.dimension(0);
    const auto columns = params.dimension(1);
    for (Eigen::Index i = 0; i < indices.size(); ++i) {
      const Index index = internal::SubtleMustCopy(indices(i));
      if (!FastBoundsCheck(index, limit)) return static_cast<Index>(i);
      T* to = params.data() + index * columns;
      const T* from = updates.data() + i * columns;
      for (Eigen::Index c = 0; c < columns; ++c) Update(from[c], to + c);
    }
    return -1;
  }

 private:
  static void Update(const T& value, T* p) {
    using Op = scatter_op::UpdateOp;
    if constexpr (op == Op::ASSIGN) {
      *p = value;
    } else if constexpr (op == Op::ADD) {
      *p += value;
    } else if constexpr (op == Op::SUB) {
      *p -= value;
    } else if constexpr (op == Op::MUL) {
      *p *= value;
    } else if constexpr (op == Op::DIV) {
      *p /= value;
    } else if constexpr (op == Op::MIN) {
      *p = std::min(*p, value);
    } else {
      *p = std::max(*p, value);
    }
  }
};

}  // namespace functor
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_KERNELS_SCATTER_FUNCTOR_H_
