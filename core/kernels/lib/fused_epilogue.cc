// SPDX-License-Identifier: Apache-2.0
// FusedEpilogue.

#include "core/kernels/lib/fused_epilogue.h"

#include <algorithm>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/kernels/lib/cwise_ops_simd.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The number of elements that stay in the first-level cache between bias and
// activation.
constexpr int64_t kPiece = 2048;

}  // namespace

Status FusedEpilogue::FromProgram(const FusedProgram& program,
                                  FusedEpilogue* epilogue) {
  const auto& steps = program.steps();
  const auto bad = [&] {
    return errors::InvalidArgument(
        "Fused product: no product, bias and activation: ",
        program.DebugString());
  };
  const int inputs = program.num_inputs();
  if (inputs != 3 || steps.size() < 2 || steps.size() > 3 ||
      program.results().size() != 1 ||
      program.results()[0] != inputs + static_cast<int>(steps.size()) - 1 ||
      steps[0].operands != std::vector<int>{0, 1} ||
      steps[1].operands != std::vector<int>{inputs, 2}) {
    return bad();
  }
  epilogue->activation_ = nullptr;
  if (steps.size() == 2) return OkStatus();
  if (steps[2].operands != std::vector<int>{inputs + 1}) return bad();
  epilogue->activation_ = FindElementwiseOp(steps[2].op->name()).activation;
  return epilogue->has_activation() ? OkStatus() : bad();
}

void FusedEpilogue::Apply(OpKernelContext* ctx, int64_t rows, int64_t cols,
                          const float* bias, float* data) const {
  const auto piece = [&](int64_t row, int64_t col, int64_t n) {
    float* at = data + row * cols + col;
    if (bias != nullptr) {
      SimdLoop<functor::Add>::Run(at, bias + col, at, n, 1, 1);
    }
    if (has_activation()) activation_(at, at, n);
  };
  const auto run = [&](int64_t begin, int64_t end) {
    if (bias == nullptr) {  // One row serves as well as many.
      activation_(data + begin, data + begin, end - begin);
      return;
    }
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t col = 0; col < cols; col += kPiece) {
        piece(row, col, std::min(kPiece, cols - col));
      }
    }
  };
  const int64_t cost = has_activation() ? 4 : 1;
  if (bias == nullptr) {
    if (has_activation()) ParallelFor(ctx, rows * cols, cost, run);
  } else {
    ParallelFor(ctx, rows, cols * cost + 10, run);
  }
}

}  // namespace tensorwright
