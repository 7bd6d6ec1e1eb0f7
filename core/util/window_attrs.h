// SPDX-License-Identifier: Apache-2.0
// What the attrs of an op with sliding windows say: convolutions, pools,
// dilations, patches of images.
//
// The shape function and the kernel of an op read its attrs here, so that both
// ask for the same and say the same.  Every error begins with the type of the
// op it is about: "Conv3D: strides must have 5 values, got 4".
#ifndef TENSORWRIGHT_CORE_UTIL_WINDOW_ATTRS_H_
#define TENSORWRIGHT_CORE_UTIL_WINDOW_ATTRS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/framework/node_def_util.h"
#include "core/lib/core/status.h"
#include "core/util/padding.h"
#include "core/util/tensor_format.h"
#include "core/util/window_geometry.h"

namespace tensorwright {

class OpKernelConstruction;
namespace shape_inference {
class InferenceContext;
}  // namespace shape_inference

// A node's op and attrs, as a shape function or a kernel's constructor has
// them.  A view: the context must outlive it.
class WindowAttrSource {
 public:
  // Both convert: a reader takes whatever the caller was given.
  WindowAttrSource(  // NOLINT(google-explicit-constructor)
      const shape_inference::InferenceContext* context);
  WindowAttrSource(  // NOLINT(google-explicit-constructor)
      const OpKernelConstruction* context);
  explicit WindowAttrSource(const NodeDef& node);

  const std::string& op() const { return *op_; }
  const AttrSlice& attrs() const { return attrs_; }

 private:
  const std::string* op_;
  AttrSlice attrs_;
};

// Lists have a number for each dimension of an image, in the order of the
// format.
struct WindowAttrs {
  // For texts: the type of the node.  What passes put in a public op's place,
  // _MaxPool or _FusedConv2D, is called by that one's name.
  std::string op;
  int rank = 4;  // Of images; 5 where they have planes.
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;  // Two numbers a dimension, or none.
  std::vector<int64_t> ksize;  // Empty where a filter has the sizes.
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;  // 1 where the op has none.
  // Whether a VALID window that is larger than the image by less than the
  // stride gives an output of size 0, and is no mistake.
  bool allows_no_output = false;

  int spatial_dims() const { return rank - 2; }
  // Where spatial dimension `i`, 0 being the first, and channels are.
  int SpatialIndex(int i) const {
    return GetTensorSpatialDimIndex(rank, format, i);
  }
  int DepthIndex() const { return GetTensorFeatureDimIndex(rank, format); }

  // The windows of `filter` elements along dimension `index` of images that
  // have `input` elements there.  A window of one channel is none, also where
  // there are no channels.  InvalidArgument if a size is out of range.
  Status ComputeWindow(int index, int64_t input, int64_t filter,
                       WindowDim* window) const;
};

// Attrs padding and strides; data_format, dilations, explicit_paddings if the
// op has them.  Errors: NotFound for a word that is no padding, Unimplemented
// where a reader says so, else InvalidArgument.
//
// Of a convolution of images of rank `rank`: lists are 1 for batch and
// channels and positive for space.
Status ReadConvAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs);

// Of a pool, with ksize: every number is a positive int32.  Unimplemented if
// windows go over the batch.
Status ReadPoolAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs);

// Of a dilation of images [n, h, w, c], with `rates` for dilations: lists have
// four values.  Unimplemented unless they are 1 for batch and channels.
Status ReadDilationAttrs(const WindowAttrSource& from, WindowAttrs* attrs);

// Of patches of images [n, h, w, c], with `ksizes` and `rates`: each list is
// [1, rows, cols, 1] of positive numbers.
Status ReadPatchAttrs(const WindowAttrSource& from, WindowAttrs* attrs);

// Attr pooling_ratio of a fractional pool of images [n, h, w, c]: four finite
// numbers >= 1.
Status ReadPoolingRatio(const WindowAttrSource& from,
                        std::vector<float>* ratio);

// Rules of pools about windows over channels.  Unimplemented if they are
// broken.
//
// There is none.
Status CheckNoDepthWindow(const WindowAttrs& pool);
// Max pools of images without planes may have one instead of a window in space,
// as long as its stride; those with planes have none.
Status CheckDepthWindow(const WindowAttrs& pool);
// It divides the channels of the image evenly.
Status CheckDepthWindowDivides(const WindowAttrs& pool, int64_t depth);

// Whether the pixels of a max pool's windows can be counted in a byte each, and
// the kernels do so: channels last, no planes, no window over channels.
inline constexpr int kMaxPlaces = 64;  // Pixels of a window.
bool HasPlaces(const WindowAttrs& pool);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_WINDOW_ATTRS_H_
