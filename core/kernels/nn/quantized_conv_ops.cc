// SPDX-License-Identifier: Apache-2.0
// QuantizedConv2D: multiplies patches of the image by the filter, in 32-bit
// integers.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/quantized_codes.h"
#include "core/kernels/lib/wide_loops.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/kernels/nn/quantized_conv_ops_product.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// So many pairs of so many columns of the filter are multiplied at a time and
// stay in the second-level cache.
constexpr int64_t kBlockPairs = 128;
constexpr int64_t kMostColumns = 256;
// The output pixels of a piece of work, and the bytes of their patches.
constexpr int64_t kMostPixels = 64;
constexpr int64_t kPatchBytes = 1 << 18;

// to[i] = x[i]; returns the sum.
struct WidenAndSumLoop {
  TW_WIDE_LOOP static uint32_t Run(const quint8* x, int64_t n, uint16_t* to) {
    uint32_t sum = 0;
    TW_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      to[i] = x[i].value;
      sum += x[i].value;
    }
    return sum;
  }
};

// The taps of a filter along one dimension that are inside the image.
struct Taps {
  int64_t first, last;

  Taps(const WindowDim& d, int64_t output) {
    const int64_t at = output * d.stride - d.pad_before;
    first = at >= 0 ? 0 : (-at + d.dilation - 1) / d.dilation;
    last = at >= d.input ? 0 : (d.input - at + d.dilation - 1) / d.dilation;
    first = std::min(first, d.filter);
    last = std::clamp(last, first, d.filter);
  }
  int64_t size() const { return last - first; }
  bool operator==(const Taps& other) const {
    return first == other.first && last == other.last;
  }
};

// The codes of a filter are used as numbers from 0 on: signed codes are
// shifted, and so is the code of real 0.
template <typename T>
constexpr uint32_t kShift = kLowestCode<T> < 0 ? 128 : 0;

template <typename T>
uint32_t Unsigned(T code) {
  return static_cast<uint8_t>(static_cast<uint32_t>(code.value) + kShift<T>);
}

template <typename T>
uint32_t UnsignedZero(float min, float max) {
  return static_cast<uint32_t>(RealToCodeUnclamped<T>(0.0f, min, max)) +
         kShift<T>;
}

// The filter [taps, depth, columns] as pairs of consecutive rows, panel by
// panel of columns, and the sums over depth.
class PackedFilter {
 public:
  template <typename T>
  PackedFilter(OpKernelContext* ctx, const Conv2DDimensions& d, const T* filter)
      : taps_(d.rows.filter * d.cols.filter),
        depth_(d.in_depth),
        n_(d.out_depth),
        rows_(taps_ * depth_),
        pairs_((rows_ + 1) / 2),
        codes_(pairs_ * Padded(n_)),
        tap_sums_(taps_ * n_),
        sums_(n_) {
    ParallelFor(ctx, pairs_, n_ * 2, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) PackPair(filter, p);
    });
    ParallelFor(ctx, taps_, n_ * depth_, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) SumTap(filter, t);
    });
    for (int64_t t = 0; t < taps_; ++t) AddTap(t, 0, n_, sums_.data());
  }

  // The columns, and those that fill up the last panel.
  static int64_t Padded(int64_t columns) {
    return (columns + kPatchColumns - 1) / kPatchColumns * kPatchColumns;
  }
  int64_t columns(int64_t first) const {
    return std::min(kMostColumns, n_ - first);
  }
  // Returns the panel whose first column is `first`.
  const uint32_t* panel(int64_t first) const {
    return codes_.data() + pairs_ * first;
  }
  int64_t pairs() const { return pairs_; }

  // The sum of all codes of each column.
  const uint32_t* sums() const { return sums_.data(); }
  // Adds the sum over depth of a tap to to[j - first], for columns [first,
  // last).
  void AddTap(int64_t tap, int64_t first, int64_t last, uint32_t* to) const {
    const uint32_t* from = tap_sums_.data() + tap * n_;
    for (int64_t j = first; j < last; ++j) to[j - first] += from[j];
  }

 private:
  template <typename T>
  void PackPair(const T* filter, int64_t p) {
    const T* low = filter + 2 * p * n_;
    const T* high = 2 * p + 1 < rows_ ? low + n_ : nullptr;
    for (int64_t first = 0; first < n_; first += kMostColumns) {
      const int64_t width = columns(first);
      uint32_t* to = codes_.data() + pairs_ * first + p * Padded(width);
      for (int64_t j = 0; j < width; ++j) to[j] = Unsigned(low[first + j]);
      if (high == nullptr) continue;
      for (int64_t j = 0; j < width; ++j) {
        to[j] |= Unsigned(high[first + j]) << 16;
      }
    }
  }

  template <typename T>
  void SumTap(const T* filter, int64_t tap) {
    uint32_t* to = tap_sums_.data() + tap * n_;
    const T* row = filter + tap * depth_ * n_;
    for (int64_t i = 0; i < depth_; ++i, row += n_) {
      for (int64_t j = 0; j < n_; ++j) to[j] += Unsigned(row[j]);
    }
  }

  const int64_t taps_, depth_, n_, rows_, pairs_;
  std::vector<uint32_t> codes_, tap_sums_, sums_;
};

// out = sum over a patch of (image - zero_image) * (filter - zero_filter),
// modulo 2^32.  The products of the codes themselves are summed and then
// corrected for the zeros by the sums of the patch and of the filter.  Pixels
// outside the image are real 0: no sum includes them.
class Convolution {
 public:
  Convolution(const Conv2DDimensions& d, const quint8* image,
              const PackedFilter& filter, uint32_t zero_image,
              uint32_t zero_filter, qint32* out)
      : d_(d),
        image_(image),
        filter_(filter),
        zero_image_(zero_image),
        zero_filter_(zero_filter),
        out_(out),
        row_(2 * filter.pairs()) {}

  int64_t pixels() const { return d_.batch * d_.output_pixels(); }

  // Returns how many pixels make a piece of work.
  int64_t PixelsOfPiece() const {
    const int64_t fit = kPatchBytes / (2 * row_) / 4 * 4;
    return std::clamp<int64_t>(fit, 4, kMostPixels);
  }

  // Computes output pixels [begin, end) of all images, a piece of work.
  void Run(int64_t begin, int64_t end) const {
    const int64_t rows = (end - begin + 3) / 4 * 4;
    std::vector<uint16_t> patches(rows * row_);
    std::vector<Patch> of_pixel;
    for (int64_t i = begin; i < end; ++i) {
      of_pixel.push_back(ReadPatch(i, patches.data() + (i - begin) * row_));
    }
    std::vector<uint32_t> sums;
    for (int64_t first = 0; first < d_.out_depth; first += kMostColumns) {
      const int64_t columns = filter_.columns(first);
      const int64_t width = PackedFilter::Padded(columns);
      sums.assign(rows * width, 0);
      const uint32_t* panel = filter_.panel(first);
      for (int64_t p = 0; p < filter_.pairs(); p += kBlockPairs) {
        const int64_t pairs = std::min(kBlockPairs, filter_.pairs() - p);
        for (int64_t i = 0; i < rows; i += 4) {
          MultiplyPatches(patches.data() + i * row_ + 2 * p, row_,
                          panel + p * width, pairs, width,
                          sums.data() + i * width);
        }
      }
      Finish(of_pixel, begin, first, columns, width, sums.data());
    }
  }

 private:
  // The part of one window that is inside the image, and the sum of its codes.
  struct Patch {
    Taps rows, cols;
    uint32_t sum;
  };

  // Copies a patch; zeros stay in `to` for the part outside the image.
  Patch ReadPatch(int64_t pixel, uint16_t* to) const {
    const int64_t x = pixel % d_.cols.output;
    const int64_t y = pixel / d_.cols.output % d_.rows.output;
    const int64_t depth = d_.in_depth;
    Patch patch{Taps(d_.rows, y), Taps(d_.cols, x), 0};
    const quint8* image =
        image_ + pixel / d_.output_pixels() * d_.input_pixels() * depth;
    const int64_t top = y * d_.rows.stride - d_.rows.pad_before;
    const int64_t left = x * d_.cols.stride - d_.cols.pad_before;
    const int64_t step = d_.cols.dilation;
    for (int64_t i = patch.rows.first; i < patch.rows.last; ++i) {
      const int64_t in_row = (top + i * d_.rows.dilation) * d_.cols.input;
      if (step == 1) {  // The taps of a row lie together.
        patch.sum += RunWide<WidenAndSumLoop>(
            image + (in_row + left + patch.cols.first) * depth,
            patch.cols.size() * depth,
            to + (i * d_.cols.filter + patch.cols.first) * depth);
        continue;
      }
      for (int64_t j = patch.cols.first; j < patch.cols.last; ++j) {
        patch.sum += RunWide<WidenAndSumLoop>(
            image + (in_row + left + j * step) * depth, depth,
            to + (i * d_.cols.filter + j) * depth);
      }
    }
    return patch;
  }

  bool IsWhole(const Patch& patch) const {
    return patch.rows.size() == d_.rows.filter &&
           patch.cols.size() == d_.cols.filter;
  }

  // Sums the filter over the taps inside the image, for columns [first, first +
  // columns).
  void SumTaps(const Patch& patch, int64_t first, int64_t columns,
               std::vector<uint32_t>* sums) const {
    sums->assign(columns, 0);
    for (int64_t i = patch.rows.first; i < patch.rows.last; ++i) {
      for (int64_t j = patch.cols.first; j < patch.cols.last; ++j) {
        filter_.AddTap(i * d_.cols.filter + j, first, first + columns,
                       sums->data());
      }
    }
  }

  // Computes columns [first, first + columns) of the output of the pixels that
  // begin with `pixel`, from the sums of products [pixels, width].
  void Finish(const std::vector<Patch>& patches, int64_t pixel, int64_t first,
              int64_t columns, int64_t width, const uint32_t* sums) const {
    std::vector<uint32_t> edge_sums;
    const Patch* edge = nullptr;  // The patch to which those sums belong.
    for (const Patch& patch : patches) {
      const uint32_t* filter_sums = filter_.sums() + first;
      if (!IsWhole(patch)) {
        if (edge == nullptr || !(edge->rows == patch.rows) ||
            !(edge->cols == patch.cols)) {
          SumTaps(patch, first, columns, &edge_sums);
          edge = &patch;
        }
        filter_sums = edge_sums.data();
      }
      const uint32_t n = static_cast<uint32_t>(patch.rows.size() *
                                               patch.cols.size() * d_.in_depth);
      const uint32_t rest =
          n * zero_image_ * zero_filter_ - zero_filter_ * patch.sum;
      qint32* to = out_ + pixel * d_.out_depth + first;
      for (int64_t j = 0; j < columns; ++j) {
        to[j].value =
            static_cast<int32_t>(sums[j] + rest - zero_image_ * filter_sums[j]);
      }
      sums += width;
      ++pixel;
    }
  }

  const Conv2DDimensions& d_;
  const quint8* const image_;
  const PackedFilter& filter_;
  const uint32_t zero_image_, zero_filter_;
  qint32* const out_;
  const int64_t row_;  // The numbers of a patch, an even count.
};

}  // namespace

// T is the type of the filter.
template <typename T>
class QuantizedConv2DOp final : public OpKernel {
 public:
  explicit QuantizedConv2DOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadConvAttrs(ctx, 4, &attrs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    const Tensor& filter = ctx->input(1);
    float min = 0, max = 0, min_filter = 0, max_filter = 0;
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 2, "min_input", &min));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 3, "max_input", &max));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 4, "min_filter", &min_filter));
    OP_REQUIRES_OK(ctx, ScalarInput(ctx, 5, "max_filter", &max_filter));
    Conv2DDimensions d;
    OP_REQUIRES_OK(ctx, ComputeConv2DDimensions(attrs_, input.shape(),
                                                filter.shape(), &d));
    OP_REQUIRES(ctx, d.groups == 1 && d.in_depth == filter.dim_size(2),
                errors::InvalidArgument(
                    "QuantizedConv2D: input and filter must have the same "
                    "depth: ",
                    d.in_depth, " vs ", filter.dim_size(2)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, d.OutputShape(), &out));
    if (out->NumElements() > 0) {
      Convolve(ctx, d, input.base<quint8>(), filter.base<T>(),
               UnsignedZero<quint8>(min, max),
               UnsignedZero<T>(min_filter, max_filter), out->base<qint32>());
    }
    const ProductRange range(min, max, min_filter, max_filter);
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 1, range.min));
    OP_REQUIRES_OK(ctx, ScalarOutput(ctx, 2, range.max));
  }

 private:
  static void Convolve(OpKernelContext* ctx, const Conv2DDimensions& d,
                       const quint8* input, const T* filter,
                       uint32_t zero_input, uint32_t zero_filter, qint32* out) {
    const PackedFilter packed(ctx, d, filter);
    const Convolution conv(d, input, packed, zero_input, zero_filter, out);
    const int64_t pixels = conv.pixels(), piece = conv.PixelsOfPiece();
    const double work = static_cast<double>(piece) *
                        static_cast<double>(2 * packed.pairs() + 8) *
                        static_cast<double>(d.out_depth + 8) / 16;
    ParallelFor(ctx, (pixels + piece - 1) / piece,
                static_cast<int64_t>(std::min(work, 1e12)) + 1,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    conv.Run(i * piece, std::min((i + 1) * piece, pixels));
                  }
                });
  }

  WindowAttrs attrs_;
};
REGISTER_KERNEL_FOR_TYPES(Name("QuantizedConv2D")
                              .Device(DEVICE_CPU)
                              .TypeConstraint<quint8>("Tinput")
                              .TypeConstraint<qint32>("out_type"),
                          "Tfilter", QuantizedConv2DOp, quint8, qint8);

}  // namespace tensorwright
