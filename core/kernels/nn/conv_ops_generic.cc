// SPDX-License-Identifier: Apache-2.0
// Computes a convolution as a product of matrices, image by image and group by
// group:
//   patches [output pixels, patch size] x filter [patch size, out depth].

#include "core/kernels/nn/conv_ops_generic.h"

#include <algorithm>

#include "core/framework/tensor.h"
#include "core/kernels/lib/gemm.h"

namespace tensorwright {
namespace {

// Strides of an image in elements.
struct ImageStrides {
  int64_t plane, row, col, depth;

  explicit ImageStrides(const Conv2DDimensions& d)
      : plane(d.rows.input * d.cols.input), row(d.cols.input), col(1) {
    const bool last = d.format == FORMAT_NHWC;
    depth = last ? 1 : d.input_pixels();
    const int64_t pixel = last ? d.in_depth : 1;
    plane *= pixel, row *= pixel, col *= pixel;
  }
};

// Returns the place of tap `tap` of output `o`; it is negative or too large for
// padding.
int64_t TapAt(const WindowDim& w, int64_t o, int64_t tap) {
  return o * w.stride - w.pad_before + tap * w.dilation;
}
bool Inside(const WindowDim& w, int64_t at) { return at >= 0 && at < w.input; }

// Does ForEachPatchElement's work for one output element.
template <typename F>
void ForEachTap(const Conv2DDimensions& d, const ImageStrides& s, int64_t first,
                int64_t oplane, int64_t orow, int64_t ocol, int64_t* at,
                const F& f) {
  for (int64_t p = 0; p < d.planes.filter; ++p) {
    const int64_t plane = TapAt(d.planes, oplane, p);
    for (int64_t i = 0; i < d.rows.filter; ++i) {
      const int64_t row = TapAt(d.rows, orow, i);
      for (int64_t j = 0; j < d.cols.filter; ++j) {
        const int64_t col = TapAt(d.cols, ocol, j);
        const bool inside = Inside(d.planes, plane) && Inside(d.rows, row) &&
                            Inside(d.cols, col);
        const int64_t pixel =
            plane * s.plane + row * s.row + col * s.col + first * s.depth;
        for (int64_t c = 0; c < d.filter_depth(); ++c) {
          f((*at)++, inside ? pixel + c * s.depth : -1);
        }
      }
    }
  }
}

// Calls f(position in the patches, position in the image or -1 for padding) for
// every element of the patches of one group, in the order of the patches.
template <typename F>
void ForEachPatchElement(const Conv2DDimensions& d, int64_t group, const F& f) {
  const ImageStrides s(d);
  const int64_t first = group * d.filter_depth();
  int64_t at = 0;
  for (int64_t p = 0; p < d.planes.output; ++p) {
    for (int64_t i = 0; i < d.rows.output; ++i) {
      for (int64_t j = 0; j < d.cols.output; ++j) {
        ForEachTap(d, s, first, p, i, j, &at, f);
      }
    }
  }
}

template <typename T>
void GatherPatches(const Conv2DDimensions& d, int64_t group, const T* image,
                   T* patches) {
  ForEachPatchElement(d, group, [=](int64_t to, int64_t from) {
    patches[to] = from < 0 ? T(0) : image[from];
  });
}

template <typename T>
void ScatterAddPatches(const Conv2DDimensions& d, int64_t group,
                       const T* patches, T* image) {
  ForEachPatchElement(d, group, [=](int64_t from, int64_t to) {
    if (to >= 0) image[to] += patches[from];
  });
}

// Returns the output of one image as one group's matrix operand: [output
// pixels, group's out depth] in NHWC, its transpose in NCHW.
template <typename T>
MatrixRef<T> OutputMatrix(const Conv2DDimensions& d, int64_t group, T* image) {
  const int64_t first = group * d.group_out_depth();
  if (d.format == FORMAT_NHWC) {
    return {image + first, d.out_depth, /*transposed=*/false};
  }
  return {image + first * d.output_pixels(), d.output_pixels(),
          /*transposed=*/true};
}

template <typename T>
Status PatchBuffer(OpKernelContext* ctx, const Conv2DDimensions& d,
                   Tensor* buffer) {
  TensorShape shape;
  TF_RETURN_IF_ERROR(shape.AddDimWithStatus(d.output_pixels()));
  TF_RETURN_IF_ERROR(shape.AddDimWithStatus(d.patch_size()));
  return ctx->allocate_temp(DataTypeToEnum<T>::value, shape, buffer);
}

}  // namespace

template <typename T>
Status GenericConv2DForward(OpKernelContext* ctx, const Conv2DDimensions& d,
                            const T* input, const T* filter, T* output) {
  Tensor buffer;
  TF_RETURN_IF_ERROR(PatchBuffer<T>(ctx, d, &buffer));
  T* patches = buffer.base<T>();
  const int64_t in_size = d.input_pixels() * d.in_depth;
  const int64_t out_size = d.output_pixels() * d.out_depth;
  for (int64_t b = 0; b < d.batch; ++b) {
    for (int64_t g = 0; g < d.groups; ++g) {
      GatherPatches(d, g, input + b * in_size, patches);
      Gemm<T>(ctx, d.output_pixels(), d.group_out_depth(), d.patch_size(),
              {patches, d.patch_size(), false},
              {filter + g * d.group_out_depth(), d.out_depth, false},
              /*accumulate=*/false, OutputMatrix(d, g, output + b * out_size));
    }
  }
  return OkStatus();
}

template <typename T>
Status GenericConv2DBackwardInput(OpKernelContext* ctx,
                                  const Conv2DDimensions& d, const T* filter,
                                  const T* output_grad, T* input_grad) {
  Tensor buffer;
  TF_RETURN_IF_ERROR(PatchBuffer<T>(ctx, d, &buffer));
  T* patches = buffer.base<T>();
  const int64_t in_size = d.input_pixels() * d.in_depth;
  const int64_t out_size = d.output_pixels() * d.out_depth;
  std::fill_n(input_grad, d.batch * in_size, T(0));
  for (int64_t b = 0; b < d.batch; ++b) {
    for (int64_t g = 0; g < d.groups; ++g) {
      Gemm<T>(ctx, d.output_pixels(), d.patch_size(), d.group_out_depth(),
              OutputMatrix(d, g, output_grad + b * out_size),
              {filter + g * d.group_out_depth(), d.out_depth, true},
              /*accumulate=*/false, {patches, d.patch_size(), false});
      ScatterAddPatches(d, g, patches, input_grad + b * in_size);
    }
  }
  return OkStatus();
}

template <typename T>
Status GenericConv2DBackwardFilter(OpKernelContext* ctx,
                                   const Conv2DDimensions& d, const T* input,
                                   const T* output_grad, T* filter_grad) {
  Tensor buffer;
  TF_RETURN_IF_ERROR(PatchBuffer<T>(ctx, d, &buffer));
  T* patches = buffer.base<T>();
  const int64_t in_size = d.input_pixels() * d.in_depth;
  const int64_t out_size = d.output_pixels() * d.out_depth;
  for (int64_t b = 0; b < d.batch; ++b) {
    for (int64_t g = 0; g < d.groups; ++g) {
      GatherPatches(d, g, input + b * in_size, patches);
      Gemm<T>(ctx, d.patch_size(), d.group_out_depth(), d.output_pixels(),
              {patches, d.patch_size(), true},
              OutputMatrix(d, g, output_grad + b * out_size),
              /*accumulate=*/b > 0,
              {filter_grad + g * d.group_out_depth(), d.out_depth, false});
    }
  }
  return OkStatus();
}

template Status GenericConv2DForward(OpKernelContext*, const Conv2DDimensions&,
                                     const float*, const float*, float*);
template Status GenericConv2DBackwardInput(OpKernelContext*,
                                           const Conv2DDimensions&,
                                           const float*, const float*, float*);
template Status GenericConv2DBackwardFilter(OpKernelContext*,
                                            const Conv2DDimensions&,
                                            const float*, const float*, float*);

// double and int32 always run here.
template <typename T>
Status Conv2DForward(OpKernelContext* ctx, const Conv2DDimensions& dims,
                     const T* input, const T* filter, T* output) {
  return GenericConv2DForward(ctx, dims, input, filter, output);
}
template <typename T>
Status Conv2DBackwardInput(OpKernelContext* ctx, const Conv2DDimensions& dims,
                           const T* filter, const T* output_grad,
                           T* input_grad) {
  return GenericConv2DBackwardInput(ctx, dims, filter, output_grad, input_grad);
}
template <typename T>
Status Conv2DBackwardFilter(OpKernelContext* ctx, const Conv2DDimensions& dims,
                            const T* input, const T* output_grad,
                            T* filter_grad) {
  return GenericConv2DBackwardFilter(ctx, dims, input, output_grad,
                                     filter_grad);
}

template Status Conv2DForward(OpKernelContext*, const Conv2DDimensions&,
                              const double*, const double*, double*);
template Status Conv2DForward(OpKernelContext*, const Conv2DDimensions&,
                              const int32*, const int32*, int32*);
template Status Conv2DBackwardInput(OpKernelContext*, const Conv2DDimensions&,
                                    const double*, const double*, double*);
template Status Conv2DBackwardInput(OpKernelContext*, const Conv2DDimensions&,
                                    const int32*, const int32*, int32*);
template Status Conv2DBackwardFilter(OpKernelContext*, const Conv2DDimensions&,
                                     const double*, const double*, double*);

}  // namespace tensorwright
