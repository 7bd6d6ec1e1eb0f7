// SPDX-License-Identifier: Apache-2.0
// Products of matrices by cuBLAS.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "core/lib/core/errors.h"
#include "core/lib/gpu/blas.h"
#include "core/lib/gpu/cuda_library.h"

namespace tensorwright::gpu {
namespace {

// cublas_api.h has two functions of the name; the library has this one.
using GemmFunction = cublasStatus_t (*)(
    cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
    const void*, const void*, cudaDataType, int, long long, const void*,
    cudaDataType, int, long long, const void*, void*, cudaDataType, int,
    long long, int, cublasComputeType_t, cublasGemmAlgo_t);

// The functions of cuBLAS that are used here.
struct Functions {
  Status status;
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(static_cast<GemmFunction>(&cublasGemmStridedBatchedEx)) gemm =
      nullptr;

  Functions() { status = Find(); }

  static const Functions& Get() {
    static const auto* const functions = new Functions;
    return *functions;
  }

 private:
  Status Find() {
    void* library = nullptr;
    TF_RETURN_IF_ERROR(OpenCudaLibrary(
        {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, &library));
    TF_RETURN_IF_ERROR(FindFunction(library, "cublasCreate_v2", &create));
    TF_RETURN_IF_ERROR(
        FindFunction(library, "cublasSetStream_v2", &set_stream));
    return FindFunction(library, "cublasGemmStridedBatchedEx", &gemm);
  }
};

Status ToStatus(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return OkStatus();
  if (status == CUBLAS_STATUS_ALLOC_FAILED) {
    return errors::ResourceExhausted(call, ": cuBLAS got no memory");
  }
  return errors::Internal(call, " failed with status ",
                          static_cast<int>(status));
}

// A handle and its workspace belong to one stream: two streams that shared them
// would overwrite each other's.  `mu` is held during a call.
struct Handle {
  std::mutex mu;
  cublasHandle_t handle = nullptr;
};

Status HandleOf(const Functions& f, CUstream_st* stream, Handle** found) {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) {
    return errors::Internal("cudaGetDevice: ", cudaGetErrorString(error));
  }
  static auto* const mu = new std::mutex;
  static auto* const handles =
      new std::map<std::pair<int, CUstream_st*>, Handle>;
  std::lock_guard<std::mutex> lock(*mu);
  Handle& h = (*handles)[{device, stream}];
  if (h.handle == nullptr) {
    TF_RETURN_IF_ERROR(ToStatus(f.create(&h.handle), "cublasCreate"));
    TF_RETURN_IF_ERROR(
        ToStatus(f.set_stream(h.handle, stream), "cublasSetStream"));
  }
  *found = &h;
  return OkStatus();
}

cudaDataType_t TypeOf(BlasType type) {
  switch (type) {
    case BlasType::kHalf:
      return CUDA_R_16F;
    case BlasType::kBfloat16:
      return CUDA_R_16BF;
    case BlasType::kFloat:
      return CUDA_R_32F;
    default:
      return CUDA_R_64F;
  }
}

}  // namespace

Status Multiply(CUstream_st* stream, const Product& p, const void* a,
                const void* b, void* c) {
  const Functions& f = Functions::Get();
  TF_RETURN_IF_ERROR(f.status);
  for (const int64_t size :
       {p.m, p.n, p.k, p.a_row, p.b_row, p.c_row, p.batch}) {
    if (size > std::numeric_limits<int>::max()) {
      return errors::InvalidArgument(
          "cuBLAS multiplies matrices of at most 2^31 - 1 rows and columns, "
          "got ",
          size);
    }
  }
  Handle* h = nullptr;
  TF_RETURN_IF_ERROR(HandleOf(f, stream, &h));
  const cudaDataType_t type = TypeOf(p.type);
  const bool is_double = p.type == BlasType::kDouble;
  const float one = 1, beta = p.add ? 1.0f : 0.0f;
  const double one_double = 1, beta_double = beta;
  const void* const alpha_of =
      is_double ? static_cast<const void*>(&one_double) : &one;
  const void* const beta_of =
      is_double ? static_cast<const void*>(&beta_double) : &beta;
  const auto op = [](bool transposed) {
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  const auto narrow = [](int64_t size) { return static_cast<int>(size); };
  // cuBLAS has matrices by columns: it computes the transposed product.
  std::lock_guard<std::mutex> lock(h->mu);
  return ToStatus(
      f.gemm(h->handle, op(p.transpose_b), op(p.transpose_a), narrow(p.n),
             narrow(p.m), narrow(p.k), alpha_of, b, type, narrow(p.b_row),
             p.b_step, a, type, narrow(p.a_row), p.a_step, beta_of, c, type,
             narrow(p.c_row), p.c_step, narrow(p.batch),
             is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
             CUBLAS_GEMM_DEFAULT),
      "cublasGemmStridedBatchedEx");
}

}  // namespace tensorwright::gpu
