// SPDX-License-Identifier: Apache-2.0
// SparseSparseMaximum and -Minimum: they compare the elements of two sparse
// tensors at the same place; a missing element is 0.

#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

template <template <typename> class F, typename T>
class SparseSparseBinaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput a(ctx, 0), b(ctx, 3);
    OP_REQUIRES_OK(ctx, Check(a, b));
    const T* const x = a.values.base<T>();
    const T* const y = b.values.base<T>();
    std::vector<const int64_t*> rows;
    std::vector<T> results;
    rows.reserve(a.size() + b.size());
    results.reserve(a.size() + b.size());
    const sparse::Rows a_rows = a.rows(), b_rows = b.rows();
    MergeRows(a_rows, b_rows, [&](int64_t i, int64_t j) {
      results.push_back(F<T>()(i < 0 ? T(0) : x[i], j < 0 ? T(0) : y[j]));
      rows.push_back(i < 0 ? b_rows[j] : a_rows[i]);
    });
    const int64_t n = static_cast<int64_t>(results.size());
    Tensor *indices = nullptr, *values = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({n, a.rank()}), &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &values));
    int64_t* to = indices->base<int64_t>();
    for (const int64_t* row : rows) {
      for (int64_t d = 0; d < a_rows.rank; ++d) *to++ = row[d];
    }
    CopyRun(results.data(), n, values->base<T>());
  }

 private:
  static Status Check(const SparseInput& a, const SparseInput& b) {
    TF_RETURN_IF_ERROR(a.Check("a_"));
    TF_RETURN_IF_ERROR(b.Check("b_"));
    if (a.rank() != b.rank()) {
      return errors::InvalidArgument("Operands' ranks do not match: got ",
                                     a.rank(), " and ", b.rank());
    }
    for (int64_t d = 0; d < a.rank(); ++d) {
      if (a.sizes()[d] != b.sizes()[d]) {
        return errors::InvalidArgument("Operands' shapes do not match: got ",
                                       a.sizes()[d], " and ", b.sizes()[d],
                                       " for dimension ", d);
      }
    }
    TF_RETURN_IF_ERROR(sparse::CheckInside(a.rows(), a.sizes()));
    return sparse::CheckInside(b.rows(), b.sizes());
  }
};

}  // namespace

template <typename T>
using SparseSparseMaximumOp = SparseSparseBinaryOp<functor::Maximum, T>;
template <typename T>
using SparseSparseMinimumOp = SparseSparseBinaryOp<functor::Minimum, T>;

REGISTER_KERNEL_FOR_TYPES(Name("SparseSparseMaximum").Device(DEVICE_CPU), "T",
                          SparseSparseMaximumOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);
REGISTER_KERNEL_FOR_TYPES(Name("SparseSparseMinimum").Device(DEVICE_CPU), "T",
                          SparseSparseMinimumOp, float, double, half, bfloat16,
                          int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                          uint32_t, uint64_t);

}  // namespace tensorwright
