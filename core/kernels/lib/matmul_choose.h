// SPDX-License-Identifier: Apache-2.0
// Chooses the algorithm that multiplies matrices: pure functions of sizes and
// type, which matmul.cc calls and `tw plan` puts into words.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_CHOOSE_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_CHOOSE_H_

#include <vector>

#include "core/framework/kernel_choices.h"
#include "core/framework/types.h"
#include "core/kernels/lib/matmul.h"

namespace tensorwright {

enum class MatMulAlgorithm {
  kTiles,      // MatMulSmall (matmul_small.h).
  kSgemm,      // dnnl_sgemm.
  kPrimitive,  // oneDNN's primitive of float matrices.
  kBfloat16,   // oneDNN's primitive of bfloat16 matrices.
  kParts,      // Two real products for a complex one.
  kBlocks,     // Gemm (gemm.h); also used if oneDNN turns out to have nothing.
};

// The algorithm to run.  `multiplies_bfloat16`: the processor multiplies
// bfloat16 itself.  half is converted to float, and so is bfloat16 unless
// kBfloat16 is chosen.  Every size is positive.
MatMulAlgorithm ChooseMatMul(DataType dtype, const MatMulArgs& args,
                             bool multiplies_bfloat16 = false);

// Is it one product or a batch, so small that a library call would take longer
// than the work?
bool CanTiles(DataType dtype, const MatMulArgs& args);

// Is it a small product, or a batch of products that oneDNN would divide among
// threads one by one?
bool CanBlocks(const MatMulArgs& args);

// dnnl_sgemm is cheap to call, and best if b is in its natural order; the
// primitive is best if b must be rearranged or a has few rows.
bool CanSgemm(const MatMulArgs& args);

// bfloat16 without a conversion, on a processor that multiplies it, except for
// small products.
bool CanBfloat16(const MatMulArgs& args, bool multiplies_bfloat16);

// Is this a complex product that is worth taking apart?
bool CanParts(DataType dtype, const MatMulArgs& args);

// For KernelChooser (core/framework/kernel_choices.h).
std::vector<KernelAlgorithm> MatMulAlgorithms(DataType dtype);
KernelChoice ExplainMatMul(DataType dtype, const MatMulArgs& args);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_MATMUL_CHOOSE_H_
