// SPDX-License-Identifier: Apache-2.0
// Runs matrix products by the algorithm that matmul_choose.h chooses; oneDNN's
// dnnl_sgemm and its matmul primitive are in this file.

#include "core/kernels/lib/matmul.h"

#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <type_traits>

#include "core/kernels/lib/gemm.h"
#include "core/kernels/lib/matmul_bfloat16.h"
#include "core/kernels/lib/matmul_choose.h"
#include "core/kernels/lib/matmul_pieces.h"
#include "core/kernels/lib/matmul_small.h"
#include "core/kernels/lib/onednn_util.h"
#include "core/kernels/lib/repeatable.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

using dnnl::memory;

struct MatMulPrimitive {
  dnnl::matmul matmul;
  memory::desc a, b, c, scratchpad;
};

// [batch, rows, cols], row-major; `transposed`: stored [batch, cols, rows].
memory::desc MatrixDesc(memory::data_type type, int64_t batch, int64_t rows,
                        int64_t cols, bool transposed) {
  const memory::dims sizes{batch, rows, cols};
  return memory::desc(
      sizes, type,
      transposed ? memory::format_tag::acb : memory::format_tag::abc);
}

std::shared_ptr<MatMulPrimitive> Create(memory::data_type type,
                                        const MatMulArgs& args) {
  auto p = std::make_shared<MatMulPrimitive>();
  p->a = MatrixDesc(type, args.batch, args.m, args.k, args.transpose_a);
  p->b = MatrixDesc(type, args.batch, args.k, args.n, args.transpose_b);
  p->c = MatrixDesc(type, args.batch, args.m, args.n, false);
  const dnnl::matmul::primitive_desc pd(onednn::CpuEngine(), p->a, p->b, p->c,
                                        onednn::UserScratchpad());
  p->matmul = dnnl::matmul(pd);
  p->scratchpad = pd.scratchpad_desc();
  return p;
}

Status RunPrimitive(OpKernelContext* ctx, memory::data_type type,
                    const MatMulArgs& args, int threads, const void* a,
                    const void* b, void* c) {
  static auto* cache = new onednn::PrimitiveCache<MatMulPrimitive>(512);
  const onednn::Key key{static_cast<int64_t>(type),
                        threads,
                        args.batch,
                        args.m,
                        args.n,
                        args.k,
                        args.transpose_a,
                        args.transpose_b};
  const auto p = cache->GetOrCreate(key, [&] { return Create(type, args); });
  Tensor buffer;
  memory scratchpad;
  TF_RETURN_IF_ERROR(
      onednn::MakeScratchpad(ctx, p->scratchpad, &buffer, &scratchpad));
  dnnl::stream& stream = onednn::CpuStream();
  p->matmul.execute(stream, {{DNNL_ARG_SRC, onednn::At(p->a, a)},
                             {DNNL_ARG_WEIGHTS, onednn::At(p->b, b)},
                             {DNNL_ARG_DST, onednn::At(p->c, c)},
                             {DNNL_ARG_SCRATCHPAD, scratchpad}});
  stream.wait();
  return OkStatus();
}

Status RunSgemm(const MatMulArgs& args, const float* a, const float* b,
                float* c) {
  const dnnl_status_t status = dnnl_sgemm(
      args.transpose_a ? 'T' : 'N', args.transpose_b ? 'T' : 'N', args.m,
      args.n, args.k, 1.0f, a, args.transpose_a ? args.m : args.k, b,
      args.transpose_b ? args.k : args.n, 0.0f, c, args.n);
  if (status == dnnl_success) return OkStatus();
  return errors::Internal("oneDNN: dnnl_sgemm failed with status ", status);
}

Status MatMulReal(OpKernelContext* ctx, const MatMulArgs& args, const float* a,
                  const float* b, float* c) {
  return MatMulFloat(ctx, args, a, b, c);
}
Status MatMulReal(OpKernelContext* ctx, const MatMulArgs& args, const double* a,
                  const double* b, double* c) {
  return MatMulGeneric(ctx, args, a, b, c);
}

// Calls put(i, j, x) for every element of a matrix [rows, cols], which may be
// stored transposed.
template <typename R, class Put>
void Unfold(const std::complex<R>* from, int64_t rows, int64_t cols,
            bool transposed, const Put& put) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      put(i, j, transposed ? from[j * rows + i] : from[i * cols + j]);
    }
  }
}

// Computes a complex product as two real ones of twice the depth: with a' = (re
// a, im a) side by side, re c = a' x (re b above -im b), im c = a' x (im b
// above re b).
template <typename R>
Status MatMulByParts(OpKernelContext* ctx, const MatMulArgs& args,
                     const std::complex<R>* a, const std::complex<R>* b,
                     std::complex<R>* c) {
  const auto [batch, m, n, k, transpose_a, transpose_b] = args;
  Tensor parts_a, parts_b, parts_c;
  const DataType dtype = DataTypeToEnum<R>::value;
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(dtype, TensorShape({batch, m, 2 * k}), &parts_a));
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(dtype, TensorShape({2, batch, 2 * k, n}), &parts_b));
  TF_RETURN_IF_ERROR(
      ctx->allocate_temp(dtype, TensorShape({2, batch, m, n}), &parts_c));
  R* const left = parts_a.base<R>();
  R* const for_re = parts_b.base<R>();
  R* const for_im = for_re + batch * 2 * k * n;
  for (int64_t i = 0; i < batch; ++i) {
    R* const to_a = left + i * m * 2 * k;
    Unfold(a + i * m * k, m, k, transpose_a,
           [&](int64_t row, int64_t col, std::complex<R> x) {
             to_a[row * 2 * k + col] = x.real();
             to_a[row * 2 * k + k + col] = x.imag();
           });
    R* const to_re = for_re + i * 2 * k * n;
    R* const to_im = for_im + i * 2 * k * n;
    Unfold(b + i * k * n, k, n, transpose_b,
           [&](int64_t row, int64_t col, std::complex<R> x) {
             to_re[row * n + col] = to_im[(k + row) * n + col] = x.real();
             to_re[(k + row) * n + col] = -x.imag();
             to_im[row * n + col] = x.imag();
           });
  }
  const MatMulArgs real{batch, m, n, 2 * k, false, false};
  R* const re = parts_c.base<R>();
  R* const im = re + batch * m * n;
  TF_RETURN_IF_ERROR(MatMulReal(ctx, real, left, for_re, re));
  TF_RETURN_IF_ERROR(MatMulReal(ctx, real, left, for_im, im));
  for (int64_t i = 0; i < batch * m * n; ++i) c[i] = {re[i], im[i]};
  return OkStatus();
}

template <typename T>
Status MatMulByBlocks(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                      const T* b, T* c) {
  const int64_t a_stride = args.transpose_a ? args.m : args.k;
  const int64_t b_stride = args.transpose_b ? args.k : args.n;
  if (args.batch == 1) {
    Gemm<T>(ctx, args.m, args.n, args.k, {a, a_stride, args.transpose_a},
            {b, b_stride, args.transpose_b}, /*accumulate=*/false,
            {c, args.n, false});
    return OkStatus();
  }
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      GemmOnThisThread<T>(args.m, args.n, args.k,
                          {a + i * args.m * args.k, a_stride, args.transpose_a},
                          {b + i * args.k * args.n, b_stride, args.transpose_b},
                          /*accumulate=*/false,
                          {c + i * args.m * args.n, args.n, false});
    }
  };
  ParallelFor(ctx, args.batch, args.m * args.n * args.k / 4 + 500, run);
  return OkStatus();
}

double Flops(const MatMulArgs& args) {
  return 2.0 * static_cast<double>(args.m * args.n * args.k) * args.batch;
}

}  // namespace

template <typename T>
Status MatMulGeneric(OpKernelContext* ctx, const MatMulArgs& args, const T* a,
                     const T* b, T* c) {
  [[maybe_unused]] const MatMulAlgorithm chosen =
      ChooseMatMul(DataTypeToEnum<T>::value, args);
  if constexpr (std::is_same_v<T, double>) {
    if (chosen == MatMulAlgorithm::kTiles) {
      MatMulSmall(ctx, args, a, b, c);
      return OkStatus();
    }
  }
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) {
    if (chosen == MatMulAlgorithm::kParts) {
      return MatMulByParts(ctx, args, a, b, c);
    }
  }
  return MatMulByBlocks(ctx, args, a, b, c);
}

Status MatMulFloat(OpKernelContext* ctx, const MatMulArgs& args, const float* a,
                   const float* b, float* c) {
  const MatMulAlgorithm chosen = ChooseMatMul(DT_FLOAT, args);
  if (chosen == MatMulAlgorithm::kTiles) {
    MatMulSmall(ctx, args, a, b, c);
    return OkStatus();
  }
  if (chosen == MatMulAlgorithm::kBlocks) {
    return MatMulByBlocks(ctx, args, a, b, c);
  }
  if (Flops(args) >= kMinFlopsForPieces && MustRepeat(ctx)) {
    return MatMulInPieces(ctx, args, a, b, c);
  }
  const Status status = onednn::Run(ctx, Flops(args), [&](int threads) {
    return chosen == MatMulAlgorithm::kSgemm
               ? RunSgemm(args, a, b, c)
               : RunPrimitive(ctx, memory::data_type::f32, args, threads, a, b,
                              c);
  });
  if (status.code() == error::UNIMPLEMENTED) {
    return MatMulByBlocks(ctx, args, a, b, c);
  }
  return status;
}

bool MultipliesBfloat16() {
  static const bool has = [] {
    const int wanted = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
    const int found = static_cast<int>(dnnl::get_effective_cpu_isa());
    return (found & wanted) == wanted;
  }();
  return has;
}

Status MatMulBfloat16(OpKernelContext* ctx, const MatMulArgs& args,
                      const Eigen::bfloat16* a, const Eigen::bfloat16* b,
                      Eigen::bfloat16* c) {
  return onednn::Run(ctx, Flops(args), [&](int threads) {
    return RunPrimitive(ctx, memory::data_type::bf16, args, threads, a, b, c);
  });
}

template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&,
                              const double*, const double*, double*);
template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&, const int16*,
                              const int16*, int16*);
template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&, const int32*,
                              const int32*, int32*);
template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&,
                              const int64_t*, const int64_t*, int64_t*);
template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&,
                              const complex64*, const complex64*, complex64*);
template Status MatMulGeneric(OpKernelContext*, const MatMulArgs&,
                              const complex128*, const complex128*,
                              complex128*);

}  // namespace tensorwright
