// SPDX-License-Identifier: Apache-2.0
// Normalises batches piece by piece.  A piece is some pixels of some channels
// that follow each other in memory, in either format: all channels of a run of
// pixels in NHWC, a run of one channel's plane in NCHW.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/kernels/nn/fused_batch_norm_op.h"
#include "core/kernels/nn/fused_batch_norm_op_simd.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace batch_norm {
namespace {

// A piece has so many floats, so that both passes over it stay in the
// first-level cache.
constexpr int64_t kPieceSize = 4096;
// A piece has at least so many pixels, so that adding up the pieces' sums takes
// little time.
constexpr int64_t kMinPixels = 32;

struct Piece {
  int64_t offset;    // The place of its first element.
  int64_t slot;      // The place of its sums.
  int64_t channel;   // The first of its channels.
  int64_t channels;  // The number of its channels.
  int64_t pixels;    // The elements of each channel.
};

// A tensor cut into pieces that do not depend on the number of threads.  Slots
// number the pieces that hold the same channel.
class Pieces {
 public:
  explicit Pieces(const Extent& e)
      : e_(e),
        planes_(e.inner > 1),
        pixels_(planes_
                    ? kPieceSize
                    : std::max(kMinPixels,
                               kPieceSize / std::max<int64_t>(1, e.channels))),
        per_plane_(planes_ ? (e.inner + pixels_ - 1) / pixels_ : 0),
        slots_(planes_ ? e.outer * per_plane_
                       : (e.outer + pixels_ - 1) / pixels_) {}

  int64_t slots() const { return slots_; }
  int64_t count() const { return planes_ ? slots_ * e_.channels : slots_; }
  int64_t elements() const {
    return planes_ ? std::min(pixels_, e_.inner)
                   : std::min(pixels_, e_.outer) * e_.channels;
  }

  Piece operator[](int64_t i) const {
    if (!planes_) {
      const int64_t first = i * pixels_;
      return {first * e_.channels, i, 0, e_.channels, PixelsOfSlot(i)};
    }
    const int64_t part = i % per_plane_, plane = i / per_plane_;
    const int64_t slot = plane / e_.channels * per_plane_ + part;
    return {plane * e_.inner + part * pixels_, slot, plane % e_.channels, 1,
            PixelsOfSlot(slot)};
  }

  int64_t PixelsOfSlot(int64_t slot) const {
    const int64_t first = (planes_ ? slot % per_plane_ : slot) * pixels_;
    return std::min(pixels_, (planes_ ? e_.inner : e_.outer) - first);
  }

 private:
  const Extent e_;
  const bool planes_;
  const int64_t pixels_;
  const int64_t per_plane_;
  const int64_t slots_;
};

// Puts a piece's pixels side by side so that rows fill vectors: a row is
// `repeat` pixels, with each parameter repeated as often.
struct Rows {
  explicit Rows(const Piece& p)
      : repeat(p.channels == 1        ? 64
               : p.channels >= 64     ? 1
               : p.channels % 16 == 0 ? 1
                                      : 16),
        width(repeat * p.channels),
        rows(p.pixels / repeat),
        rest(p.pixels % repeat * p.channels) {}

  int64_t repeat, width, rows;
  int64_t rest;  // The floats of one more, shorter row.

  // Calls f(offset in the piece, rows, width of a row).
  template <typename F>
  void ForEach(const F& f) const {
    if (rows > 0) f(int64_t{0}, rows, width);
    if (rest > 0) f(rows * width, int64_t{1}, rest);
  }
};

// A vector [channels] repeated for a row.
class Repeated {
 public:
  Repeated(const Rows& rows, const Piece& p, const float* values)
      : data_(values + p.channel) {
    if (rows.repeat == 1) return;
    for (int64_t i = 0; i < rows.width; i += p.channels) {
      std::copy_n(data_, p.channels, buffer_ + i);
    }
    data_ = buffer_;
  }
  Repeated(const Repeated&) = delete;
  const float* data() const { return data_; }

 private:
  const float* data_;
  float buffer_[1024];  // Rows of several pixels are not wider.
};

// Sums over a row's columns, which are folded into [channels] at `to`.
class RowSums {
 public:
  RowSums(const Rows& rows, float* to) : rows_(rows), to_(to) {
    data_ = rows.repeat == 1 ? to : buffer_;
    std::fill_n(data_, rows.width, 0.0f);
  }
  RowSums(const RowSums&) = delete;
  float* data() { return data_; }
  void Fold(const Piece& p) {
    if (rows_.repeat == 1) return;
    std::copy_n(buffer_, p.channels, to_);
    for (int64_t i = p.channels; i < rows_.width; i += p.channels) {
      for (int64_t c = 0; c < p.channels; ++c) to_[c] += buffer_[i + c];
    }
  }

 private:
  const Rows& rows_;
  float* to_;
  float* data_;
  float buffer_[1024];
};

// Calls f for the pieces in parallel; a piece costs about `cycles` per element.
template <typename F>
void ForEachPiece(OpKernelContext* ctx, const Pieces& pieces, int64_t cycles,
                  const F& f) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(pieces[i]);
  };
  ParallelFor(ctx, pieces.count(), 50 + cycles * pieces.elements(), run);
}

// Two sums of each slot and channel.  They use the step's allocator, because a
// vector of that size would be mapped, cleared and unmapped in each run.
class SlotPair {
 public:
  Status Allocate(OpKernelContext* ctx, int64_t size) {
    size_ = size;
    return ctx->allocate_temp(DT_FLOAT, TensorShape({2, size}), &buffer_);
  }
  float* first() { return buffer_.base<float>(); }
  float* second() { return first() + size_; }

 private:
  Tensor buffer_;
  int64_t size_ = 0;
};

void PieceMoments(const Piece& p, const float* x, float* mean, float* squares) {
  const Rows rows(p);
  RowSums sum(rows, mean);
  rows.ForEach([&](int64_t at, int64_t n, int64_t width) {
    AddRows(x + at, n, width, sum.data());
  });
  sum.Fold(p);
  for (int64_t c = 0; c < p.channels; ++c) {
    mean[c] /= static_cast<float>(p.pixels);
  }
  Piece own = p;  // `mean` begins at the piece's first channel.
  own.channel = 0;
  const Repeated center(rows, own, mean);
  RowSums square(rows, squares);
  rows.ForEach([&](int64_t at, int64_t n, int64_t width) {
    AddSquares(x + at, center.data(), n, width, square.data());
  });
  square.Fold(p);
}

}  // namespace

Extent::Extent(const TensorShape& shape, TensorFormat format) {
  const int depth = GetTensorFeatureDimIndex(shape.dims(), format);
  for (int i = 0; i < shape.dims(); ++i) {
    int64_t& part = i < depth ? outer : i == depth ? channels : inner;
    part *= shape.dim_size(i);
  }
}

Status Moments(OpKernelContext* ctx, const Extent& e, const float* x,
               float* mean, float* variance) {
  const Pieces pieces(e);
  const int64_t c = e.channels;
  SlotPair slots;
  TF_RETURN_IF_ERROR(slots.Allocate(ctx, pieces.slots() * c));
  float *means = slots.first(), *squares = slots.second();
  ForEachPiece(ctx, pieces, 1, [&](const Piece& p) {
    const int64_t at = p.slot * c + p.channel;
    PieceMoments(p, x + p.offset, &means[at], &squares[at]);
  });
  // Joins two sets of n and m values with means a and b: the joint mean is a +
  // (b - a) m / (n + m), and the sum of squared distances from it is both sums
  // plus (b - a)^2 n m / (n + m).
  std::vector<double> joint(c, 0.0), total(c, 0.0);
  double n = 0;
  for (int64_t s = 0; s < pieces.slots(); ++s) {
    const double m = static_cast<double>(pieces.PixelsOfSlot(s));
    const double share = m / (n + m), weight = n * share;
    for (int64_t i = 0; i < c; ++i) {
      const double apart = means[s * c + i] - joint[i];
      joint[i] += apart * share;
      total[i] += squares[s * c + i] + apart * apart * weight;
    }
    n += m;
  }
  for (int64_t i = 0; i < c; ++i) {
    mean[i] = static_cast<float>(joint[i]);
    variance[i] = static_cast<float>(total[i] / n);
  }
  return OkStatus();
}

void Apply(OpKernelContext* ctx, const Extent& e, const float* x,
           const float* mean, const float* scale, const float* offset,
           float* y) {
  ForEachPiece(ctx, Pieces(e), 1, [&](const Piece& p) {
    const Rows rows(p);
    const Repeated m(rows, p, mean), s(rows, p, scale), o(rows, p, offset);
    rows.ForEach([&](int64_t at, int64_t n, int64_t width) {
      at += p.offset;
      Normalize(x + at, m.data(), s.data(), o.data(), n, width, y + at);
    });
  });
}

Status GradSums(OpKernelContext* ctx, const Extent& e, const float* dy,
                const float* x, const float* mean, double* sum,
                double* products) {
  const Pieces pieces(e);
  const int64_t c = e.channels;
  SlotPair slots;
  TF_RETURN_IF_ERROR(slots.Allocate(ctx, pieces.slots() * c));
  float *sums = slots.first(), *prods = slots.second();
  ForEachPiece(ctx, pieces, 1, [&](const Piece& p) {
    const Rows rows(p);
    const Repeated m(rows, p, mean);
    const int64_t to = p.slot * c + p.channel;
    RowSums s(rows, &sums[to]), t(rows, &prods[to]);
    rows.ForEach([&](int64_t at, int64_t n, int64_t width) {
      at += p.offset;
      AddProducts(dy + at, x + at, m.data(), n, width, s.data(), t.data());
    });
    s.Fold(p);
    t.Fold(p);
  });
  std::fill_n(sum, c, 0.0);
  std::fill_n(products, c, 0.0);
  for (int64_t s = 0; s < pieces.slots(); ++s) {
    for (int64_t i = 0; i < c; ++i) {
      sum[i] += sums[s * c + i];
      products[i] += prods[s * c + i];
    }
  }
  return OkStatus();
}

void ApplyGrad(OpKernelContext* ctx, const Extent& e, const float* dy,
               const float* x, const float* mean, const float* scale,
               const float* shift, const float* slope, float* dx) {
  ForEachPiece(ctx, Pieces(e), 2, [&](const Piece& p) {
    const Rows rows(p);
    const Repeated m(rows, p, mean), s(rows, p, scale);
    const Repeated h(rows, p, shift), l(rows, p, slope);
    rows.ForEach([&](int64_t at, int64_t n, int64_t width) {
      at += p.offset;
      InputGrad(dy + at, x + at, m.data(), s.data(), h.data(), l.data(), n,
                width, dx + at);
    });
  });
}

}  // namespace batch_norm
}  // namespace tensorwright
