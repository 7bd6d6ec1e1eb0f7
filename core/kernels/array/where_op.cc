// SPDX-License-Identifier: Apache-2.0
// Where: the coordinates of elements that are not zero.
//
// Two passes over blocks of the input, both in parallel: one counts, which
// gives every block its place in the output, and one writes.  No branch depends
// on single elements, whose pattern no processor predicts; writing the rows, 8
// bytes for each dimension, bounds it.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// A block is counted and written by one thread, a chunk at a time.
constexpr int64_t kBlock = 16384;
constexpr int64_t kChunk = 512;
constexpr int64_t kFlags = 8;  // In a word, one byte for each: 0 or 1.
constexpr uint64_t kLowBits = 0x0101010101010101;

uint64_t LoadFlags(const void* flags, int64_t n = kFlags) {
  uint64_t word = 0;
  std::memcpy(&word, flags, n);
  return word & kLowBits;
}

// A half is 0 if its bits after the first are, which needs no conversion: that
// would keep loops from being vectors.
template <typename T>
TW_WIDE_LOOP bool IsNonZero(T x) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return (Eigen::numext::bit_cast<uint16_t>(x) & 0x7fff) != 0;
  } else {
    return x != T(0);
  }
}

template <typename T>
struct FlagsLoop {
  TW_WIDE_LOOP static void Run(const T* x, uint8_t* flags, int64_t n) {
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) flags[i] = IsNonZero(x[i]);
  }
};

template <typename T>
struct CountLoop {
  TW_WIDE_LOOP static int64_t Run(const T* x, int64_t n) {
    int32_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += IsNonZero(x[i]);
    return count;
  }
};

// The number of x[0, n) that are not zero, n <= kBlock.
template <typename T>
int64_t CountNonZero(const T* x, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) {
    int64_t count = 0, i = 0;
    for (; i + kFlags <= n; i += kFlags) {
      count += __builtin_popcountll(LoadFlags(x + i));
    }
    return count + __builtin_popcountll(LoadFlags(x + i, n - i));
  } else {
    return RunWide<CountLoop<T>>(x, n);
  }
}

// kPlaces[bits]: the positions of the bits that are set, followed by others.
constexpr auto kPlaces = [] {
  std::array<std::array<uint16_t, kFlags>, 256> places{};
  for (int bits = 0; bits < 256; ++bits) {
    int found = 0;
    for (int k = 0; k < kFlags; ++k) {
      if (bits >> k & 1) places[bits][found++] = static_cast<uint16_t>(k);
    }
  }
  return places;
}();

// Appends `first` plus the positions of the flags, and up to 7 more entries.
void AppendPlaces(uint64_t flags, int64_t first, uint16_t* places,
                  int64_t* found) {
  // The product gathers the bytes' low bits in the highest byte.
  const auto& set = kPlaces[flags * 0x0102040810204080 >> 56];
  uint16_t* const to = places + *found;
  for (int k = 0; k < kFlags; ++k) {
    to[k] = static_cast<uint16_t>(first + set[k]);
  }
  *found += __builtin_popcountll(flags);
}

// Sets places[0, result) to the positions in x[0, n) that are not zero, n <=
// kChunk.  There is room for kFlags more, which are overwritten.
template <typename T>
int64_t FindNonZero(const T* x, int64_t n, uint16_t* places) {
  const void* flags = x;
  uint8_t converted[kChunk];
  if constexpr (!std::is_same_v<T, bool>) {
    RunWide<FlagsLoop<T>>(x, &converted[0], n);
    flags = converted;
  }
  const char* const bytes = static_cast<const char*>(flags);
  int64_t found = 0, i = 0;
  for (; i + kFlags <= n; i += kFlags) {
    const uint64_t word = LoadFlags(bytes + i);
    if (word != 0) AppendPlaces(word, i, places, &found);
  }
  AppendPlaces(LoadFlags(bytes + i, n - i), i, places, &found);
  return found;
}

// The row of the innermost dimension that has an element.
class Row {
 public:
  explicit Row(const TensorShape& shape)
      : inner_(shape.dim_size(shape.dims() - 1)) {
    for (int d = 0; d + 1 < shape.dims(); ++d) {
      sizes_.push_back(shape.dim_size(d));
    }
    index_.resize(sizes_.size());
  }

  // Moves to the row of element `at`, which is not before this one.
  void MoveTo(int64_t at) {
    if (at < begin_ + inner_) return;
    int d = static_cast<int>(sizes_.size()) - 1;
    if (at < begin_ + 2 * inner_) {
      begin_ += inner_;
      for (; d >= 0 && ++index_[d] == sizes_[d]; --d) index_[d] = 0;
      return;
    }
    int64_t row = at / inner_;
    begin_ = row * inner_;
    for (; d >= 0; --d) {
      index_[d] = row % sizes_[d];
      row /= sizes_[d];
    }
  }
  int64_t begin() const { return begin_; }
  int64_t end() const { return begin_ + inner_; }
  const int64_t* index() const { return index_.data(); }

 private:
  const int64_t inner_;
  int64_t begin_ = 0;
  absl::InlinedVector<int64_t, 8> sizes_, index_;
};

// Writes the coordinates of the elements first + places[0, n), in a tensor of
// that rank; kRank is the rank or 0.
template <int kRank>
int64_t* WriteRows(int64_t first, const uint16_t* places, int64_t n, int rank,
                   Row* row, int64_t* out) {
  const int outer = (kRank != 0 ? kRank : rank) - 1;
  for (int64_t i = 0; i < n;) {
    row->MoveTo(first + places[i]);
    const int64_t end = row->end() - first, column = first - row->begin();
    std::array<int64_t, kRank> index;
    std::copy_n(row->index(), kRank != 0 ? outer : 0, index.data());
    for (; i < n && places[i] < end; ++i, out += outer + 1) {
      std::copy_n(kRank != 0 ? index.data() : row->index(), outer, out);
      out[outer] = column + places[i];
    }
  }
  return out;
}

auto WriteRowsOfRank(int rank) {
  switch (rank) {
    case 1:
      return &WriteRows<1>;
    case 2:
      return &WriteRows<2>;
    case 3:
      return &WriteRows<3>;
    case 4:
      return &WriteRows<4>;
    default:
      return &WriteRows<0>;
  }
}

// Writes those of the elements [begin, end) of x, of which `expected` are not
// zero.  False if that is not true: then fewer rows may have been written.
template <typename T>
bool WriteCoordinates(const T* x, const TensorShape& shape, int64_t begin,
                      int64_t end, int64_t expected, int64_t* out) {
  const auto write = WriteRowsOfRank(shape.dims());
  Row row(shape);
  uint16_t places[kChunk + kFlags];
  for (int64_t at = begin; at < end; at += kChunk) {
    const int64_t n =
        FindNonZero(x + at, std::min(kChunk, end - at), &places[0]);
    if (n > expected) return false;
    out = write(at, places, n, shape.dims(), &row, out);
    expected -= n;
  }
  return expected == 0;
}

template <typename T>
class WhereOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    OP_REQUIRES(ctx, input.dims() >= 1,
                errors::InvalidArgument(
                    "Where: input must have rank >= 1, got a scalar"));
    const T* const x = input.base<T>();
    const int64_t n = input.NumElements();
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    const auto end = [n](int64_t b) { return std::min(n, (b + 1) * kBlock); };

    // The number of rows before each block, and of all rows.
    std::vector<int64_t> rows(blocks + 1, 0);
    ParallelFor(ctx, blocks, kBlock / 4, [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        rows[b + 1] = CountNonZero(x + b * kBlock, end(b) - b * kBlock);
      }
    });
    for (int64_t b = 0; b < blocks; ++b) rows[b + 1] += rows[b];

    const int rank = input.dims();
    Tensor* out = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({rows[blocks], rank}), &out));
    int64_t* const to = out->base<int64_t>();
    // A variable may be assigned to at the same time.
    std::atomic<bool> changed = false;
    const int64_t cost = kBlock + rows[blocks] * rank / std::max(blocks, 1L);
    ParallelFor(ctx, blocks, cost, [&](int64_t first, int64_t last) {
      for (int64_t b = first; b < last; ++b) {
        if (!WriteCoordinates(x, input.shape(), b * kBlock, end(b),
                              rows[b + 1] - rows[b], to + rows[b] * rank)) {
          changed = true;
        }
      }
    });
    OP_REQUIRES(ctx, !changed,
                errors::FailedPrecondition(
                    "Where: input must not change while it is searched"));
  }
};
REGISTER_KERNEL_FOR_TYPES(Name("Where").Device(DEVICE_CPU), "T", WhereOp, bool,
                          float, double, half, bfloat16, int8_t, int16_t,
                          int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t, complex64, complex128);

}  // namespace
}  // namespace tensorwright
