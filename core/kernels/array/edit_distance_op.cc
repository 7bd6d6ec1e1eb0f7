// SPDX-License-Identifier: Apache-2.0
// EditDistance: the number of insertions, deletions and substitutions that turn
// one sequence into another.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/framework/bounds_check.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The Levenshtein distance of elements [a, a + n) and [b, b + m), which are
// equal if same(i, j).  `row` is scratch.
template <typename Same>
int64_t Levenshtein(int64_t a, int64_t n, int64_t b, int64_t m, Same same,
                    std::vector<int64_t>* row) {
  row->resize(m + 1);
  int64_t* d = row->data();
  for (int64_t j = 0; j <= m; ++j) d[j] = j;
  for (int64_t i = 0; i < n; ++i) {
    int64_t diagonal = d[0];
    d[0] = i + 1;
    for (int64_t j = 0; j < m; ++j) {
      const int64_t changed = diagonal + (same(a + i, b + j) ? 0 : 1);
      diagonal = d[j + 1];
      d[j + 1] = std::min(changed, 1 + std::min(diagonal, d[j]));
    }
  }
  return d[m];
}

// Consecutive values of one sequence: the group it belongs to, as a position in
// the output, and the place of its values.
struct Sequence {
  int64_t group, begin, size;
};

// Three tensors, from input `first` on, that make up a sparse tensor.
struct Sparse {
  const Tensor& indices;
  const Tensor& values;
  const Tensor& shape;

  Sparse(OpKernelContext* ctx, int first)
      : indices(ctx->input(first)),
        values(ctx->input(first + 1)),
        shape(ctx->input(first + 2)) {}

  Status Check(const char* name) const {
    if (indices.dims() != 2 || values.dims() != 1 || shape.dims() != 1 ||
        shape.NumElements() < 1 || indices.dim_size(0) != values.dim_size(0) ||
        indices.dim_size(1) != shape.dim_size(0)) {
      return errors::InvalidArgument(
          name, " must be a sparse tensor of rank >= 1, got indices ",
          indices.shape().DebugString(), ", values ",
          values.shape().DebugString(), ", shape ",
          shape.shape().DebugString());
    }
    for (int64_t i = 0; i < shape.NumElements(); ++i) {
      const int64_t size = Flat<int64_t>(shape)[i];
      if (size < 0) {
        return errors::InvalidArgument(name, "_shape[", i,
                                       "] must be >= 0, got ", size);
      }
    }
    return OkStatus();
  }

  // The sequences in order; InvalidArgument if a group is out of range, or the
  // groups are not together and in increasing order.  A value's index within
  // its group does not count.
  Status Split(const char* name, const TensorShape& groups,
               std::vector<Sequence>* sequences) const {
    const int64_t rank = shape.NumElements();
    const int64_t* index = indices.base<int64_t>();
    const int64_t* sizes = shape.base<int64_t>();
    for (int64_t i = 0; i < values.NumElements(); ++i, index += rank) {
      int64_t group = 0;
      for (int64_t d = 0; d + 1 < rank; ++d) {
        if (!FastBoundsCheck(index[d], sizes[d])) {
          return errors::InvalidArgument(
              name, "_indices[", i, "] = [",
              absl::StrJoin(absl::MakeConstSpan(index, rank), ", "),
              "] is out of bounds of ", name, "_shape [",
              absl::StrJoin(absl::MakeConstSpan(sizes, rank), ", "), "]");
        }
        group = group * groups.dim_size(static_cast<int>(d)) + index[d];
      }
      if (sequences->empty() || sequences->back().group < group) {
        sequences->push_back({group, i, 0});
      } else if (sequences->back().group > group) {
        return errors::InvalidArgument(name, "_indices[", i,
                                       "] is out of order: indices must be "
                                       "sorted in row-major order");
      }
      ++sequences->back().size;
    }
    return OkStatus();
  }
};

class EditDistanceOp final : public OpKernel {
 public:
  explicit EditDistanceOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("normalize", &normalize_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Sparse hypothesis(ctx, 0), truth(ctx, 3);
    OP_REQUIRES_OK(ctx, hypothesis.Check("hypothesis"));
    OP_REQUIRES_OK(ctx, truth.Check("truth"));
    OP_REQUIRES(ctx,
                hypothesis.shape.NumElements() == truth.shape.NumElements(),
                errors::InvalidArgument("Expected hypothesis_shape and "
                                        "truth_shape to have one length, got ",
                                        hypothesis.shape.NumElements(), " and ",
                                        truth.shape.NumElements()));
    TensorShape groups;
    for (int64_t d = 0; d + 1 < truth.shape.NumElements(); ++d) {
      OP_REQUIRES_OK(ctx, groups.AddDimWithStatus(
                              std::max(hypothesis.shape.base<int64_t>()[d],
                                       truth.shape.base<int64_t>()[d])));
    }
    std::vector<Sequence> hypotheses, truths;
    OP_REQUIRES_OK(ctx, hypothesis.Split("hypothesis", groups, &hypotheses));
    OP_REQUIRES_OK(ctx, truth.Split("truth", groups, &truths));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, groups, &out));
    float* distances = out->base<float>();
    std::fill_n(distances, out->NumElements(), 0.0f);
    const std::vector<std::pair<Sequence, Sequence>> pairs =
        Match(hypotheses, truths);
    OP_REQUIRES_OK(
        ctx, DispatchSame(hypothesis.values, truth.values, [&](auto same) {
          Measure(ctx, pairs, same, distances);
        }));
  }

 private:
  // Calls fn(same) with the equality of the elements of x and y.
  template <typename Fn>
  static Status DispatchSame(const Tensor& x, const Tensor& y, Fn fn) {
    switch (x.dtype()) {
      case DT_FLOAT:
        return WithEquality<float>(x, y, fn);
      case DT_DOUBLE:
        return WithEquality<double>(x, y, fn);
      case DT_HALF:
        return WithEquality<half>(x, y, fn);
      case DT_BFLOAT16:
        return WithEquality<bfloat16>(x, y, fn);
      case DT_COMPLEX64:
        return WithEquality<complex64>(x, y, fn);
      case DT_COMPLEX128:
        return WithEquality<complex128>(x, y, fn);
      case DT_BOOL:
      case DT_INT8:
      case DT_UINT8:
        return WithEquality<uint8_t>(x, y, fn);
      case DT_INT16:
      case DT_UINT16:
        return WithEquality<uint16_t>(x, y, fn);
      case DT_INT32:
      case DT_UINT32:
        return WithEquality<uint32_t>(x, y, fn);
      case DT_INT64:
      case DT_UINT64:
        return WithEquality<uint64_t>(x, y, fn);
      case DT_STRING:
        return WithEquality<std::string>(x, y, fn);
      default:
        return errors::Unimplemented("EditDistance: elements of type ",
                                     DataTypeString(x.dtype()),
                                     " have no equality here");
    }
  }
  template <typename T, typename Fn>
  static Status WithEquality(const Tensor& x, const Tensor& y, Fn fn) {
    const T* a = x.base<T>();
    const T* b = y.base<T>();
    fn([a, b](int64_t i, int64_t j) { return a[i] == b[j]; });
    return OkStatus();
  }

  // The sequences of the same group; an absent one has no elements.
  static std::vector<std::pair<Sequence, Sequence>> Match(
      const std::vector<Sequence>& hypotheses,
      const std::vector<Sequence>& truths) {
    std::vector<std::pair<Sequence, Sequence>> pairs;
    auto h = hypotheses.begin();
    auto t = truths.begin();
    while (h != hypotheses.end() || t != truths.end()) {
      const int64_t none = std::numeric_limits<int64_t>::max();
      const int64_t hg = h == hypotheses.end() ? none : h->group;
      const int64_t tg = t == truths.end() ? none : t->group;
      const Sequence absent{std::min(hg, tg), 0, 0};
      pairs.emplace_back(hg <= tg ? *h : absent, tg <= hg ? *t : absent);
      if (hg <= tg) ++h;
      if (tg <= hg) ++t;
    }
    return pairs;
  }

  template <typename Same>
  void Measure(OpKernelContext* ctx,
               const std::vector<std::pair<Sequence, Sequence>>& pairs,
               Same same, float* distances) const {
    double work = 0;
    for (const auto& [h, t] : pairs) {
      work += 4.0 * (1.0 + h.size) * (1.0 + t.size);
    }
    const int64_t n = static_cast<int64_t>(pairs.size());
    const int64_t cost =
        n == 0 ? 1 : static_cast<int64_t>(std::min(work / n, 1e12)) + 1;
    ParallelFor(ctx, n, cost, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> row;
      for (int64_t i = begin; i < end; ++i) {
        const auto& [h, t] = pairs[i];
        const float d = static_cast<float>(Levenshtein(
            t.begin, t.size, h.begin, h.size,
            [&](int64_t a, int64_t b) { return same(b, a); }, &row));
        // A truth of no elements is infinitely far from any other.
        distances[h.group] =
            !normalize_ ? d
            : t.size > 0
                ? d / static_cast<float>(t.size)
                : (h.size > 0 ? std::numeric_limits<float>::infinity() : 0.0f);
      }
    });
  }

  bool normalize_ = true;
};
// The types that DispatchSame has a case for.
constexpr DataType kEditTypes[] = {
    DT_FLOAT,  DT_DOUBLE, DT_HALF,      DT_BFLOAT16,  DT_BOOL,   DT_INT8,
    DT_UINT8,  DT_INT16,  DT_UINT16,    DT_INT32,     DT_UINT32, DT_INT64,
    DT_UINT64, DT_STRING, DT_COMPLEX64, DT_COMPLEX128};
REGISTER_KERNEL_BUILDER(Name("EditDistance")
                            .Device(DEVICE_CPU)
                            .HostMemory("hypothesis_shape")
                            .HostMemory("truth_shape")
                            .TypeConstraint("T", kEditTypes),
                        EditDistanceOp);

}  // namespace
}  // namespace tensorwright
