// SPDX-License-Identifier: Apache-2.0
// SparseTensorDenseMatMul: multiplies a sparse by a dense matrix.
//
// Each element a[m, k] adds a multiple of row k of b to row m of the product.
// An element of the product is summed in the order of a's elements, whatever
// the number of threads.  Threads share out rows if a's elements come row by
// row or are worth being sorted so, else columns.  Reading the rows of b bounds
// it.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/framework/bounds_check.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/cwise_functors.h"
#include "core/kernels/lib/run_as_float.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// y[0, n) += a * x[0, n).
template <typename T>
struct AddMultiple {
  TW_WIDE_LOOP static void Run(T a, const T* x, T* y, int64_t n) {
    if constexpr (functor::kIsComplex<T>) {
      using R = typename T::value_type;
      const R* const from = reinterpret_cast<const R*>(x);
      R* const to = reinterpret_cast<R*>(y);
      const R real = a.real(), imag = a.imag();
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        const R xr = from[2 * i], xi = from[2 * i + 1];
        to[2 * i] += real * xr - imag * xi;
        to[2 * i + 1] += real * xi + imag * xr;
      }
    } else if constexpr (std::is_integral_v<T>) {
      using U = functor::Wrap<T>;
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<T>(static_cast<U>(y[i]) +
                              static_cast<U>(a) * static_cast<U>(x[i]));
      }
    } else {
      TW_VECTORIZE
      for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
    }
  }
};

// The elements of a; those of one row of the product may be together or not.
template <typename T>
struct Elements {
  std::vector<int64_t> rows, columns;  // Those of a, or of its adjoint.
  std::vector<T> values;
  bool by_rows = true;

  int64_t size() const { return static_cast<int64_t>(rows.size()); }
  void OrderByRows() {
    std::vector<int64_t> order, from = std::move(columns);
    sparse::SortKeys(&rows, &order);
    std::vector<T> old = std::move(values);
    columns.resize(order.size());
    values.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      columns[i] = from[order[i]];
      values[i] = old[order[i]];
    }
    by_rows = true;
  }
};

// Adds elements [begin, end) times columns [first, last) of b [?, n] to out.
template <typename T>
struct AddProducts {
  TW_WIDE_LOOP static void Run(const Elements<T>* a, int64_t begin, int64_t end,
                               const T* b, int64_t n, int64_t first,
                               int64_t last, T* out) {
    for (int64_t i = begin; i < end; ++i) {
      AddMultiple<T>::Run(a->values[i], b + a->columns[i] * n + first,
                          out + a->rows[i] * n + first, last - first);
    }
  }
};

// So many columns of the product, a few cache lines, are worth a thread of
// their own.
constexpr int64_t kWideColumns = 64;
// From so many columns on, ordering the elements costs less than it gains.
constexpr int64_t kWorthOrdering = 16;

// out [m, n] = a b; b [k, n].
template <typename T>
void Multiply(OpKernelContext* ctx, Elements<T>* a, const T* b, int64_t m,
              int64_t n, T* out) {
  ParallelFor(ctx, m * n, MoveCost<T>(), [&](int64_t begin, int64_t end) {
    std::fill(out + begin, out + end, T(0));
  });
  const int64_t nnz = a->size();
  const int64_t cost = 10 + n * static_cast<int64_t>(sizeof(T)) / 8;
  if (!a->by_rows && n >= kWorthOrdering && n < 2 * kWideColumns) {
    a->OrderByRows();
  }
  if (a->by_rows) {
    ParallelFor(ctx, nnz, cost, [&](int64_t begin, int64_t end) {
      // A row belongs to the thread that has its first element.
      const auto to_row = [&](int64_t i) {
        while (i > 0 && i < nnz && a->rows[i] == a->rows[i - 1]) ++i;
        return i;
      };
      RunWide<AddProducts<T>>(a, to_row(begin), to_row(end), b, n, int64_t{0},
                              n, out);
    });
    return;
  }
  const int64_t parts = (n + kWideColumns - 1) / kWideColumns;
  ParallelFor(ctx, parts, nnz * cost / std::max<int64_t>(parts, 1),
              [&](int64_t begin, int64_t end) {
                RunWide<AddProducts<T>>(a, int64_t{0}, nnz, b, n,
                                        begin * kWideColumns,
                                        std::min(n, end * kWideColumns), out);
              });
}

// to [columns, rows] = the adjoint of from [rows, columns].
template <typename T, typename U>
void Adjoint(OpKernelContext* ctx, const T* from, int64_t rows, int64_t columns,
             U* to) {
  constexpr int64_t kTile = 16;
  const int64_t tiles = (columns + kTile - 1) / kTile;
  ParallelFor(ctx, tiles, 2 * kTile * rows, [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(columns, end * kTile);
    for (int64_t j0 = begin * kTile; j0 < last; j0 += kTile) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = j0; j < std::min(last, j0 + kTile); ++j) {
          to[j * rows + i] =
              static_cast<U>(functor::Conjugate(from[i * columns + j]));
        }
      }
    }
  });
}

// Reads the elements of a.  InvalidArgument if an index is outside [rows,
// columns]; `adjoint` swaps the two, and conjugates.
template <typename Index, typename T, typename U>
Status ReadElements(const Tensor& indices, const Tensor& values, int64_t rows,
                    int64_t columns, bool adjoint, Elements<U>* a) {
  const int64_t n = indices.dim_size(0);
  a->rows.resize(n);
  a->columns.resize(n);
  a->values.resize(n);
  const Index* const index = indices.base<Index>();
  const T* const value = values.base<T>();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = index[2 * i + (adjoint ? 1 : 0)];
    const int64_t column = index[2 * i + (adjoint ? 0 : 1)];
    if (!FastBoundsCheck(row, rows)) {
      return errors::InvalidArgument("m (", row, ") from index[", i, ",",
                                     adjoint ? 1 : 0,
                                     "] out of bounds (>=", rows, ")");
    }
    if (!FastBoundsCheck(column, columns)) {
      return errors::InvalidArgument("k (", column, ") from index[", i, ",",
                                     adjoint ? 0 : 1,
                                     "] out of bounds (>=", columns, ")");
    }
    a->rows[i] = row;
    a->columns[i] = column;
    a->values[i] =
        static_cast<U>(adjoint ? functor::Conjugate(value[i]) : value[i]);
    if (i > 0 && row < a->rows[i - 1]) a->by_rows = false;
  }
  return OkStatus();
}

}  // namespace

template <typename T>
class SparseTensorDenseMatMulOp final : public OpKernel {
  using U = std::conditional_t<kIsStorageOnly<T>, float, T>;

 public:
  explicit SparseTensorDenseMatMulOp(OpKernelConstruction* ctx)
      : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adjoint_a", &adjoint_a_));
    OP_REQUIRES_OK(ctx, ctx->GetAttr("adjoint_b", &adjoint_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    const Tensor& b = ctx->input(3);
    OP_REQUIRES_OK(ctx, in.Check("a_"));
    OP_REQUIRES(ctx, in.rank() == 2,
                errors::InvalidArgument("a_shape must have 2 elements, got ",
                                        in.rank()));
    OP_REQUIRES(ctx, b.dims() == 2,
                errors::InvalidArgument("b must be a matrix, got shape ",
                                        b.shape().DebugString()));
    const int64_t m = in.sizes()[adjoint_a_ ? 1 : 0];
    const int64_t k = in.sizes()[adjoint_a_ ? 0 : 1];
    const int64_t n = b.dim_size(adjoint_b_ ? 0 : 1);
    OP_REQUIRES(
        ctx, m >= 0,
        errors::InvalidArgument("a_shape must not be negative, got ", m));
    OP_REQUIRES(
        ctx, k == b.dim_size(adjoint_b_ ? 1 : 0),
        errors::InvalidArgument(
            "Cannot multiply A and B because inner dimension does not match: ",
            k, " vs. ", b.dim_size(adjoint_b_ ? 1 : 0),
            ". Did you forget a transpose? Dimensions of A: [", in.sizes()[0],
            ",", in.sizes()[1],
            "]. Dimensions of B: ", b.shape().DebugString()));
    TensorShape shape;
    OP_REQUIRES_OK(ctx, ShapeOf({m, n}, &shape));
    Elements<U> a;
    OP_REQUIRES_OK(ctx, in.indices.dtype() == DT_INT32
                            ? ReadElements<int32_t, T>(in.indices, in.values, m,
                                                       k, adjoint_a_, &a)
                            : ReadElements<int64_t, T>(in.indices, in.values, m,
                                                       k, adjoint_a_, &a));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    OP_REQUIRES_OK(ctx, Run(ctx, &a, b, m, k, n, out));
  }

 private:
  Status Run(OpKernelContext* ctx, Elements<U>* a, const Tensor& b, int64_t m,
             int64_t k, int64_t n, Tensor* out) const {
    const U* right = nullptr;
    Tensor copy, wide;
    if constexpr (std::is_same_v<T, U>) right = b.base<T>();
    if (adjoint_b_ || !std::is_same_v<T, U>) {
      TF_RETURN_IF_ERROR(ctx->allocate_temp(DataTypeToEnum<U>::value,
                                            TensorShape({k, n}), &copy));
      right = copy.base<U>();
      if (adjoint_b_) {
        Adjoint(ctx, b.base<T>(), n, k, copy.base<U>());
      } else if constexpr (kIsStorageOnly<T>) {
        WidenFloats(b.base<T>(), copy.base<float>(), b.NumElements());
      }
    }
    if constexpr (kIsStorageOnly<T>) {
      TF_RETURN_IF_ERROR(ctx->allocate_temp(DT_FLOAT, out->shape(), &wide));
      Multiply<float>(ctx, a, right, m, n, wide.base<float>());
      NarrowFloats(wide.base<float>(), out->base<T>(), out->NumElements());
    } else {
      Multiply<T>(ctx, a, right, m, n, out->base<T>());
    }
    return OkStatus();
  }

  bool adjoint_a_ = false;
  bool adjoint_b_ = false;
};
REGISTER_KERNEL_FOR_TYPES(Name("SparseTensorDenseMatMul").Device(DEVICE_CPU),
                          "T", SparseTensorDenseMatMulOp, float, double, half,
                          bfloat16, int32_t, complex64, complex128);

}  // namespace tensorwright
