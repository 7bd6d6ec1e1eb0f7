// SPDX-License-Identifier: Apache-2.0
// The rules by which convolutions choose their algorithm, and the measurements
// that they rest on.

#include "core/kernels/nn/conv_ops_choose.h"

#include <cstdint>

#include "core/kernels/nn/conv_ops_winograd_simd.h"
#include "core/util/env_var.h"

namespace tensorwright {
namespace {

// Costs of Winograd's algorithm in floating-point operations of matrix
// products: for each tile and channel, and for each element of the filter,
// which is moved through memory (measured on AVX-512).
constexpr double kCostOfTransform = 300;
constexpr double kCostOfFilter = 3000;
constexpr double kWorthTheRounding = 1.4;
constexpr double kMinFlopsOfWinograd = 2e7;

// With more channels oneDNN's vectors are full enough.
constexpr int64_t kMaxNarrowDepth = 4;
constexpr int64_t kMinNarrowOutDepth = 8;
constexpr double kMinFlopsOfNarrow = 4e6;

// Reads TensorFlow's switch, which is on by default there, too.
bool IsWinogradAllowed() {
  static const bool is_allowed = [] {
    bool allowed = true;
    ReadBoolFromEnvVar("TF_ENABLE_WINOGRAD_NONFUSED", true, &allowed)
        .IgnoreError();
    return allowed;
  }();
  return is_allowed;
}

bool MovesByOne(const WindowDim& w) { return w.stride == 1 && w.dilation == 1; }

bool IsSinglePixel(const WindowDim& w) {
  return w.filter == 1 && w.stride == 1 && w.input == w.output &&
         w.pad_before == 0;
}

}  // namespace

double WinogradGain(ConvPass pass, const Conv2DDimensions& d) {
  // The gradient of the input is a convolution of the output's gradient.
  const bool to_input = pass == ConvPass::kInputGrad;
  const int64_t rows = to_input ? d.rows.input : d.rows.output;
  const int64_t cols = to_input ? d.cols.input : d.cols.output;
  const int64_t tile = winograd::OutputTile(static_cast<int>(d.rows.filter));
  const double tiles = static_cast<double>(
      d.batch * ((rows + tile - 1) / tile) * ((cols + tile - 1) / tile));
  const double pairs = static_cast<double>(d.in_depth * d.out_depth);
  const double cost =
      tiles *
          (2.0 * winograd::kPoints * pairs +
           kCostOfTransform * static_cast<double>(d.in_depth + d.out_depth)) +
      kCostOfFilter * pairs;
  return d.Flops() / cost;
}

const char* AgainstProduct(ConvPass pass, const Conv2DDimensions& d) {
  if (pass != ConvPass::kFilterGrad) return "not a gradient of a filter";
  if (d.format != FORMAT_NHWC) return "channels are not last";
  if (d.groups != 1) return "channels are in groups";
  if (!IsSinglePixel(d.planes) || !IsSinglePixel(d.rows) ||
      !IsSinglePixel(d.cols)) {
    return "a pixel of the output is not made of one pixel";
  }
  return nullptr;
}

const char* AgainstWinograd(ConvPass pass, const Conv2DDimensions& d) {
  if (!IsWinogradAllowed()) return "TF_ENABLE_WINOGRAD_NONFUSED is 0";
  if (d.format != FORMAT_NHWC) return "channels are not last";
  if (d.has_planes) return "images have planes";
  if (d.groups != 1) return "channels are in groups";
  if (!MovesByOne(d.rows) || !MovesByOne(d.cols)) {
    return "windows move by more than one pixel or have gaps";
  }
  if (d.rows.filter != d.cols.filter ||
      (d.rows.filter != 3 && d.rows.filter != 5)) {
    return "the filter is neither 3x3 nor 5x5";
  }
  if (d.in_depth % winograd::kChannelStep != 0 ||
      d.out_depth % winograd::kChannelStep != 0) {
    return "channels are no multiples of 16";
  }
  if (d.Flops() < kMinFlopsOfWinograd) return "it is little work";
  if (!(WinogradGain(pass, d) > kWorthTheRounding)) {
    return "it saves too few operations for its rounding";
  }
  return nullptr;
}

const char* AgainstNarrow(ConvPass pass, const Conv2DDimensions& d) {
  if (pass != ConvPass::kInputGrad) return "not a gradient of an input";
  if (d.format != FORMAT_NHWC) return "channels are not last";
  if (d.has_planes) return "images have planes";
  if (d.groups != 1) return "channels are in groups";
  if (d.cols.dilation != 1) return "windows have gaps";
  if (d.in_depth > kMaxNarrowDepth) return "the input has more than 4 channels";
  if (d.out_depth < kMinNarrowOutDepth) {
    return "the output has fewer than 8 channels";
  }
  if (d.Flops() < kMinFlopsOfNarrow) return "it is little work";
  return nullptr;
}

bool CanProduct(ConvPass pass, const Conv2DDimensions& d) {
  return AgainstProduct(pass, d) == nullptr;
}
bool CanWinograd(ConvPass pass, const Conv2DDimensions& d) {
  return AgainstWinograd(pass, d) == nullptr;
}
bool CanNarrow(ConvPass pass, const Conv2DDimensions& d) {
  return AgainstNarrow(pass, d) == nullptr;
}

ConvAlgorithm ChooseConv(ConvPass pass, const Conv2DDimensions& d,
                         ConvAlgorithm first) {
  switch (first) {
    case ConvAlgorithm::kProduct:
      if (CanProduct(pass, d)) return ConvAlgorithm::kProduct;
      [[fallthrough]];
    case ConvAlgorithm::kWinograd:
      if (CanWinograd(pass, d)) return ConvAlgorithm::kWinograd;
      [[fallthrough]];
    case ConvAlgorithm::kNarrow:
      if (CanNarrow(pass, d)) return ConvAlgorithm::kNarrow;
      [[fallthrough]];
    case ConvAlgorithm::kOneDnn:
      return ConvAlgorithm::kOneDnn;
    case ConvAlgorithm::kPatches:
      break;
  }
  return ConvAlgorithm::kPatches;
}

}  // namespace tensorwright
