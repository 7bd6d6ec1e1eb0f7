// SPDX-License-Identifier: Apache-2.0
// The rules by which pools choose their algorithm.

#include "core/kernels/nn/pooling_ops_choose.h"

#include <cstdint>

#include "core/kernels/lib/kernel_switch.h"

namespace tensorwright {
namespace {

// oneDNN is faster if there are fewer channels than a vector has lanes.
constexpr int64_t kFewChannels = 4;

bool IsApart(const WindowDim& w) {
  return w.dilation == 1 && w.stride >= w.filter;
}

bool HasNoWindows(const PoolDimensions& d) {
  return d.batch * d.OutputSize() == 0;
}

}  // namespace

bool HasPlaces(const PoolDimensions& d) {
  return d.format == FORMAT_NHWC && !d.has_planes && d.depth.filter == 1 &&
         d.rows.filter * d.cols.filter <= kMaxPlaces;
}

const char* AgainstEquals(PoolKind kind, PoolPass pass,
                          const PoolDimensions& d) {
  if (kind != PoolKind::kMax) return "not a max pool";
  if (pass != PoolPass::kGrad) return "not a gradient";
  if (!d.has_planes) return "images have no planes";
  if (d.depth.filter != 1) return "windows go over channels";
  return nullptr;
}

const char* AgainstApart(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d) {
  if (kind != PoolKind::kMax) return "not a max pool";
  if (pass != PoolPass::kGrad) return "not a gradient";
  if (dtype != DT_FLOAT) return "elements are not float";
  if (!HasPlaces(d)) return "windows go over channels, or are large";
  if (!IsApart(d.rows) || !IsApart(d.cols)) return "windows overlap";
  if (HasNoWindows(d)) return "there are no windows";
  if (KernelIsOff("apart_windows")) return "it is turned off";
  return nullptr;
}

const char* AgainstPlaces(PoolKind kind, PoolPass pass, DataType dtype,
                          const PoolDimensions& d) {
  if (kind != PoolKind::kMax) return "not a max pool";
  if (dtype != DT_FLOAT) return "elements are not float";
  if (!HasPlaces(d)) {
    return "channels are not last, images have planes, windows go over "
           "channels, or are large";
  }
  if (pass == PoolPass::kForward && d.depth.input < kFewChannels) {
    return "there are few channels";
  }
  if (HasNoWindows(d)) return "there are no windows";
  return nullptr;
}

const char* AgainstOneDnn(DataType dtype, const PoolDimensions& d) {
  if (dtype != DT_FLOAT) return "elements are not float";
  if (d.depth.filter != 1) return "windows go over channels";
  if (HasNoWindows(d)) return "there are no windows";
  return nullptr;
}

bool CanEquals(PoolKind kind, PoolPass pass, const PoolDimensions& d) {
  return AgainstEquals(kind, pass, d) == nullptr;
}
bool CanApart(PoolKind kind, PoolPass pass, DataType dtype,
              const PoolDimensions& d) {
  return AgainstApart(kind, pass, dtype, d) == nullptr;
}
bool CanPlaces(PoolKind kind, PoolPass pass, DataType dtype,
               const PoolDimensions& d) {
  return AgainstPlaces(kind, pass, dtype, d) == nullptr;
}
bool CanOneDnn(DataType dtype, const PoolDimensions& d) {
  return AgainstOneDnn(dtype, d) == nullptr;
}

PoolAlgorithm ChoosePool(PoolKind kind, PoolPass pass, DataType dtype,
                         const PoolDimensions& d) {
  if (CanEquals(kind, pass, d)) return PoolAlgorithm::kEquals;
  if (CanApart(kind, pass, dtype, d)) return PoolAlgorithm::kApart;
  if (CanPlaces(kind, pass, dtype, d)) return PoolAlgorithm::kPlaces;
  if (CanOneDnn(dtype, d)) return PoolAlgorithm::kOneDnn;
  return PoolAlgorithm::kLoops;
}

}  // namespace tensorwright
