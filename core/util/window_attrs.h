// SPDX-License-Identifier: Apache-2.0
// Reads the attrs of ops with sliding windows: convolutions, pools, dilations,
// patches of images.
//
// The shape function and the kernel of an op read its attrs here, so that both
// make the same demands and give the same errors.  Every error begins with the
// type of the op it is about: "Conv3D: strides must have 5 values, got 4".
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
class Tensor;
namespace shape_inference {
class InferenceContext;
}  // namespace shape_inference

// A node's op and attrs, from a shape function or a kernel's constructor.  A
// view: the context must outlive it.
class WindowAttrSource {
 public:
  // Both convert implicitly: a reader takes whichever its caller has.
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

// Each list has one number per dimension of an image, in the order of the
// format.
struct WindowAttrs {
  // For texts: the type of the node.  A node that a pass put in a public op's
  // place, such as _MaxPool or _FusedConv2D, has that op's name here.
  std::string op;
  int rank = 4;  // The rank of images; 5 if they have planes.
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<int64_t> explicit_paddings;  // Two numbers a dimension, or none.
  std::vector<int64_t> ksize;              // Empty if a filter has the sizes.
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;  // 1 if the op has none.
  // Does a VALID window that is larger than the image by less than the stride
  // give an output of size 0, instead of an error?
  bool allows_no_output = false;

  int spatial_dims() const { return rank - 2; }
  // The positions of spatial dimension `i`, 0 being the first, and of the
  // channels.
  int SpatialIndex(int i) const {
    return GetTensorSpatialDimIndex(rank, format, i);
  }
  int DepthIndex() const { return GetTensorFeatureDimIndex(rank, format); }

  // The windows of `filter` elements along dimension `index` of images that
  // have `input` elements there.  A window of one channel counts as none, even
  // if there are no channels.  InvalidArgument if a size is out of range.
  Status ComputeWindow(int index, int64_t input, int64_t filter,
                       WindowDim* window) const;
};

// Attrs padding and strides; data_format, dilations, explicit_paddings if the
// op has them.  Errors: NotFound for a word that is no padding, Unimplemented
// where a reader says so, else InvalidArgument.
//
// For a convolution of images of rank `rank`: lists are 1 for batch and
// channels and positive for space.
Status ReadConvAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs);

// For a pool, with ksize: every number is a positive int32.  Unimplemented if
// windows go over the batch.
Status ReadPoolAttrs(const WindowAttrSource& from, int rank,
                     WindowAttrs* attrs);

// For a pool whose ksize and strides are inputs: all but these two, which
// SetPoolSizes fills with int32 tensors of `rank` elements each and checks.
Status ReadPoolAttrsButSizes(const WindowAttrSource& from, int rank,
                             WindowAttrs* attrs);
Status SetPoolSizes(const Tensor& ksize, const Tensor& strides,
                    WindowAttrs* attrs);

// For a dilation of images [n, h, w, c], with `rates` for dilations: lists have
// four values.  Unimplemented unless they are 1 for batch and channels.
Status ReadDilationAttrs(const WindowAttrSource& from, WindowAttrs* attrs);

// For patches of images [n, h, w, c], with `ksizes` and `rates`: each list is
// [1, rows, cols, 1] of positive numbers.
Status ReadPatchAttrs(const WindowAttrSource& from, WindowAttrs* attrs);

// Attr pooling_ratio of a fractional pool of images [n, h, w, c]: four finite
// numbers >= 1.
Status ReadPoolingRatio(const WindowAttrSource& from,
                        std::vector<float>* ratio);

// Rules of pools about windows over channels.  Unimplemented if they are
// broken.
//
// The pool has no window over channels.
Status CheckNoDepthWindow(const WindowAttrs& pool);
// Max pools of images without planes may have a window over channels instead of
// one in space, with a stride as long as it; those with planes have none.
Status CheckDepthWindow(const WindowAttrs& pool);
// The window divides the channels of the image evenly.
Status CheckDepthWindowDivides(const WindowAttrs& pool, int64_t depth);

// Can the pixels of a max pool's windows be counted in a byte each, and do the
// kernels do so?  True for channels last, no planes, no window over channels.
inline constexpr int kMaxPlaces = 64;  // The most pixels of a window.
bool HasPlaces(const WindowAttrs& pool);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_WINDOW_ATTRS_H_
