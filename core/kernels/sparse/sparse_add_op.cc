// SPDX-License-Identifier: Apache-2.0
// SparseAdd: adds two sparse tensors, and drops sums that are nearly zero.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// The dtype of an absolute value of T.
template <typename T>
struct RealOf {
  using type = T;
};
template <typename R>
struct RealOf<std::complex<R>> {
  using type = R;
};

// Returns |x|.  Short integers become int32 as in C, which has |-32768|; for
// the least integer of the others it is the integer itself.
template <typename T>
auto Magnitude(T x) {
  if constexpr (functor::kIsComplex<T>) {
    return std::abs(x);
  } else if constexpr (sizeof(T) < sizeof(int32_t)) {
    return functor::Abs<int32_t>()(x);
  } else {
    return functor::Abs<T>()(x);
  }
}

}  // namespace

// The rows of both must be in order; then those of the sum are.
template <typename T>
class SparseAddOp final : public OpKernel {
  using Real = typename RealOf<T>::type;

 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput a(ctx, 0), b(ctx, 3);
    const Tensor& thresh = ctx->input(6);
    OP_REQUIRES_OK(ctx, Check(a, b, thresh));
    const Real least = *thresh.base<Real>();
    const T* const x = a.values.base<T>();
    const T* const y = b.values.base<T>();
    std::vector<const int64_t*> rows;
    std::vector<T> sums;
    rows.reserve(a.size() + b.size());
    sums.reserve(a.size() + b.size());
    const sparse::Rows a_rows = a.rows(), b_rows = b.rows();
    MergeRows(a_rows, b_rows, [&](int64_t i, int64_t j) {
      // An element that only one summand has is kept, however small it is.
      const bool in_both = i >= 0 && j >= 0;
      const T sum = in_both ? functor::Add<T>()(x[i], y[j])
                    : i < 0 ? y[j]
                            : x[i];
      if (in_both && !(least <= Magnitude(sum))) return;
      sums.push_back(sum);
      rows.push_back(i < 0 ? b_rows[j] : a_rows[i]);
    });
    const int64_t n = static_cast<int64_t>(sums.size());
    Tensor *indices = nullptr, *values = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({n, a.rank()}), &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({n}), &values));
    ctx->set_output(2, a.shape);
    int64_t* to = indices->base<int64_t>();
    for (const int64_t* row : rows) {
      for (int64_t d = 0; d < a_rows.rank; ++d) *to++ = row[d];
    }
    CopyRun(sums.data(), n, values->base<T>());
  }

 private:
  static Status Check(const SparseInput& a, const SparseInput& b,
                      const Tensor& thresh) {
    TF_RETURN_IF_ERROR(a.Check("a_"));
    TF_RETURN_IF_ERROR(b.Check("b_"));
    if (a.rank() == 0) {
      return errors::InvalidArgument("a_shape must not be empty");
    }
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
    if (thresh.dims() != 0) {
      return errors::InvalidArgument(
          "The magnitude threshold must be a scalar: got shape ",
          thresh.shape().DebugString());
    }
    return OkStatus();
  }
};

REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<float>("T")
                            .TypeConstraint<float>("Treal"),
                        SparseAddOp<float>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<double>("T")
                            .TypeConstraint<double>("Treal"),
                        SparseAddOp<double>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<int64_t>("T")
                            .TypeConstraint<int64_t>("Treal"),
                        SparseAddOp<int64_t>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<int32_t>("T")
                            .TypeConstraint<int32_t>("Treal"),
                        SparseAddOp<int32_t>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<int16_t>("T")
                            .TypeConstraint<int16_t>("Treal"),
                        SparseAddOp<int16_t>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<int8_t>("T")
                            .TypeConstraint<int8_t>("Treal"),
                        SparseAddOp<int8_t>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<complex64>("T")
                            .TypeConstraint<float>("Treal"),
                        SparseAddOp<complex64>);
REGISTER_KERNEL_BUILDER(Name("SparseAdd")
                            .Device(DEVICE_CPU)
                            .TypeConstraint<complex128>("T")
                            .TypeConstraint<double>("Treal"),
                        SparseAddOp<complex128>);

}  // namespace tensorwright
