// SPDX-License-Identifier: Apache-2.0
// Runs convolutions of floats by the algorithm that conv_ops_choose.h chooses.

#include "core/kernels/lib/matmul.h"
#include "core/kernels/nn/conv_ops.h"
#include "core/kernels/nn/conv_ops_choose.h"
#include "core/kernels/nn/conv_ops_generic.h"
#include "core/kernels/nn/conv_ops_narrow.h"
#include "core/kernels/nn/conv_ops_onednn.h"
#include "core/kernels/nn/conv_ops_winograd.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Calls run(algorithm), and calls it again with the next one whenever it says
// that it cannot run the algorithm after all.
template <typename Run>
Status RunChosen(ConvPass pass, const Conv2DDimensions& dims, const Run& run) {
  ConvAlgorithm chosen = ChooseConv(pass, dims);
  for (;;) {
    const Status status = run(chosen);
    if (status.code() != error::UNIMPLEMENTED ||
        chosen == ConvAlgorithm::kPatches) {
      return status;
    }
    const auto next = static_cast<ConvAlgorithm>(static_cast<int>(chosen) + 1);
    chosen = ChooseConv(pass, dims, next);
  }
}

Status NotForThisPass() {
  return errors::Unimplemented("no algorithm of this pass");
}

void AddBias(const Conv2DDimensions& dims, const float* bias, float* output) {
  const int64_t inner = dims.format == FORMAT_NHWC ? 1 : dims.output_pixels();
  const int64_t runs =
      dims.batch * dims.output_pixels() * dims.out_depth / inner;
  for (int64_t r = 0; r < runs; ++r) {
    for (int64_t i = 0; i < inner; ++i) {
      output[r * inner + i] += bias[r % dims.out_depth];
    }
  }
}

}  // namespace

Status Conv2DForwardFloat(OpKernelContext* ctx, const Conv2DDimensions& dims,
                          const float* input, const float* filter,
                          const Conv2DExtras& extras, float* output) {
  return RunChosen(
      ConvPass::kForward, dims, [&](ConvAlgorithm algorithm) -> Status {
        switch (algorithm) {
          case ConvAlgorithm::kWinograd:
            return WinogradForward(ctx, dims, input, filter, extras.bias,
                                   output);
          case ConvAlgorithm::kOneDnn:
            return OneDnnConvForward(ctx, dims, input, filter, extras, output);
          case ConvAlgorithm::kPatches:
            TF_RETURN_IF_ERROR(
                GenericConv2DForward(ctx, dims, input, filter, output));
            if (extras.bias != nullptr) AddBias(dims, extras.bias, output);
            return OkStatus();
          default:
            return NotForThisPass();
        }
      });
}

template <>
Status Conv2DForward<float>(OpKernelContext* ctx, const Conv2DDimensions& dims,
                            const float* input, const float* filter,
                            float* output) {
  return Conv2DForwardFloat(ctx, dims, input, filter, {}, output);
}

template <>
Status Conv2DBackwardInput<float>(OpKernelContext* ctx,
                                  const Conv2DDimensions& dims,
                                  const float* filter, const float* output_grad,
                                  float* input_grad) {
  return RunChosen(ConvPass::kInputGrad, dims,
                   [&](ConvAlgorithm algorithm) -> Status {
                     switch (algorithm) {
                       case ConvAlgorithm::kWinograd:
                         return WinogradBackwardInput(ctx, dims, filter,
                                                      output_grad, input_grad);
                       case ConvAlgorithm::kNarrow:
                         return NarrowBackwardInput(ctx, dims, filter,
                                                    output_grad, input_grad);
                       case ConvAlgorithm::kOneDnn:
                         return OneDnnConvBackwardInput(
                             ctx, dims, filter, output_grad, input_grad);
                       case ConvAlgorithm::kPatches:
                         return GenericConv2DBackwardInput(
                             ctx, dims, filter, output_grad, input_grad);
                       default:
                         return NotForThisPass();
                     }
                   });
}

template <>
Status Conv2DBackwardFilter<float>(OpKernelContext* ctx,
                                   const Conv2DDimensions& dims,
                                   const float* input, const float* output_grad,
                                   float* filter_grad) {
  return RunChosen(
      ConvPass::kFilterGrad, dims, [&](ConvAlgorithm algorithm) -> Status {
        switch (algorithm) {
          case ConvAlgorithm::kProduct: {
            const MatMulArgs product = {.m = dims.in_depth,
                                        .n = dims.out_depth,
                                        .k = dims.batch * dims.output_pixels(),
                                        .transpose_a = true};
            return MatMulFloat(ctx, product, input, output_grad, filter_grad);
          }
          case ConvAlgorithm::kWinograd:
            return WinogradBackwardFilter(ctx, dims, input, output_grad,
                                          filter_grad);
          case ConvAlgorithm::kOneDnn:
            return OneDnnConvBackwardFilter(ctx, dims, input, output_grad,
                                            filter_grad);
          case ConvAlgorithm::kPatches:
            return GenericConv2DBackwardFilter(ctx, dims, input, output_grad,
                                               filter_grad);
          default:
            return NotForThisPass();
        }
      });
}

}  // namespace tensorwright
