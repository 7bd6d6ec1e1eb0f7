// SPDX-License-Identifier: Apache-2.0
// The rules by which matrix products choose their algorithm, measured with
// matmul_op_benchmark on AVX-512.

#include "core/kernels/lib/matmul_choose.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/kernels/lib/matmul_bfloat16.h"
#include "core/kernels/lib/matmul_small.h"

namespace tensorwright {
namespace {

// Products with fewer multiplications than this do not pay for a call.
constexpr int64_t kTiny = 16 * 16 * 16;
constexpr int64_t kTinyBfloat16 = 32 * 32 * 32;
// The most multiplications of a tile's product, and the fewest of a product in
// parts.
constexpr int64_t kMaxTiles = 32 * 32 * 32;
constexpr int64_t kWorthParts = 32 * 32 * 32;
// A batch of this many products, each of at most kOneCore multiplications, is
// divided among threads by products.
constexpr int64_t kMany = 16;
constexpr int64_t kOneCore = 256 * 256 * 256;

int64_t Volume(const MatMulArgs& args) { return args.m * args.n * args.k; }

bool IsComplex(DataType dtype) {
  return dtype == DT_COMPLEX64 || dtype == DT_COMPLEX128;
}

// Includes types that are converted to float.
bool IsAsFloat(DataType dtype) {
  return dtype == DT_FLOAT || dtype == DT_HALF || dtype == DT_BFLOAT16;
}

}  // namespace

bool CanTiles(DataType dtype, const MatMulArgs& args) {
  if (!IsAsFloat(dtype) && dtype != DT_DOUBLE) return false;
  if (args.k > kMaxTileDepth || Volume(args) > kMaxTiles) return false;
  return args.batch > 1 || (IsAsFloat(dtype) && Volume(args) < kTiny);
}

bool CanBlocks(const MatMulArgs& args) {
  return Volume(args) < kTiny ||
         (args.batch >= kMany && Volume(args) <= kOneCore);
}

bool CanSgemm(const MatMulArgs& args) {
  if (args.batch > 1) return false;
  if (args.m == 1 || args.n == 1) return true;
  const double volume = static_cast<double>(args.m) * args.n * args.k;
  if (volume < 48. * 48 * 48) return true;
  if (args.transpose_b) return false;
  return args.m > 48 || args.k > 2048;
}

bool CanBfloat16(const MatMulArgs& args, bool multiplies_bfloat16) {
  return multiplies_bfloat16 && Volume(args) >= kTinyBfloat16;
}

bool CanParts(DataType dtype, const MatMulArgs& args) {
  return IsComplex(dtype) && Volume(args) >= kWorthParts;
}

MatMulAlgorithm ChooseMatMul(DataType dtype, const MatMulArgs& args,
                             bool multiplies_bfloat16) {
  if (dtype == DT_BFLOAT16 && CanBfloat16(args, multiplies_bfloat16)) {
    return MatMulAlgorithm::kBfloat16;
  }
  if (CanTiles(dtype, args)) return MatMulAlgorithm::kTiles;
  if (CanParts(dtype, args)) return MatMulAlgorithm::kParts;
  if (!IsAsFloat(dtype) || CanBlocks(args)) return MatMulAlgorithm::kBlocks;
  return CanSgemm(args) ? MatMulAlgorithm::kSgemm : MatMulAlgorithm::kPrimitive;
}

namespace {

KernelAlgorithm Named(MatMulAlgorithm algorithm) {
  switch (algorithm) {
    case MatMulAlgorithm::kTiles:
      return {"tiles in registers", "core/kernels/lib/matmul_small.cc"};
    case MatMulAlgorithm::kSgemm:
      return {"dnnl_sgemm", "core/kernels/lib/matmul.cc"};
    case MatMulAlgorithm::kPrimitive:
      return {"oneDNN", "core/kernels/lib/matmul.cc", true};
    case MatMulAlgorithm::kBfloat16:
      return {"oneDNN of bfloat16", "core/kernels/lib/matmul.cc", true};
    case MatMulAlgorithm::kParts:
      return {"real products of the parts", "core/kernels/lib/matmul.cc"};
    case MatMulAlgorithm::kBlocks:
      break;
  }
  return {"blocks", "core/kernels/lib/gemm.cc"};
}

}  // namespace

std::vector<KernelAlgorithm> MatMulAlgorithms(DataType dtype) {
  using A = MatMulAlgorithm;
  std::vector<A> all{A::kBlocks};
  if (IsAsFloat(dtype)) {
    all = {A::kTiles, A::kBlocks, A::kSgemm, A::kPrimitive};
    if (dtype == DT_BFLOAT16) all.insert(all.begin(), A::kBfloat16);
  } else if (dtype == DT_DOUBLE) {
    all = {A::kTiles, A::kBlocks};
  } else if (IsComplex(dtype)) {
    all = {A::kParts, A::kBlocks};
  }
  std::vector<KernelAlgorithm> named;
  for (const A algorithm : all) named.push_back(Named(algorithm));
  return named;
}

KernelChoice ExplainMatMul(DataType dtype, const MatMulArgs& args) {
  std::string sizes = absl::StrCat(args.m, "x", args.k, " by ", args.k, "x",
                                   args.n, args.transpose_a ? ", a'" : "",
                                   args.transpose_b ? ", b'" : "");
  if (args.batch != 1) absl::StrAppend(&sizes, ", ", args.batch, " of them");
  if (args.batch == 0 || Volume(args) == 0) {
    return {"nothing", absl::StrCat(sizes, ": empty")};
  }
  return {Named(ChooseMatMul(dtype, args, MultipliesBfloat16())).name, sizes};
}

}  // namespace tensorwright
