// SPDX-License-Identifier: Apache-2.0
// The kernels of MatrixSquareRoot and MatrixLogarithm, computed for the
// triangular factor T of Schur's a = U T U^H, in double precision (Higham,
// "Functions of Matrices", 2008, chapters 6 and 11).

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "Eigen/Eigenvalues"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/kernels/linalg/linalg_ops_common.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic>;

// The principal square root of an upper triangular matrix.  Not finite if there
// is none.
Matrix TriangularRoot(const Matrix& t) {
  const int64_t n = t.rows();
  Matrix root = Matrix::Zero(n, n);
  for (int64_t j = 0; j < n; ++j) {
    root(j, j) = std::sqrt(t(j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      Complex known = 0;
      for (int64_t k = i + 1; k < j; ++k) known += root(i, k) * root(k, j);
      root(i, j) = (t(i, j) - known) / (root(i, i) + root(j, j));
    }
  }
  return root;
}

constexpr int kNodes = 7;

// Nodes and weights of Gauss's quadrature on [0, 1], by Newton's iteration on
// Legendre's polynomial.
struct Quadrature {
  std::array<double, kNodes> nodes, weights;

  Quadrature() {
    for (int i = 0; i < kNodes; ++i) {
      double x = std::cos(M_PI * (i + 0.75) / (kNodes + 0.5)), slope = 1;
      for (int step = 0; step < 20; ++step) {
        double p = 1, before = 0;
        for (int k = 1; k <= kNodes; ++k) {
          const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
          before = p;
          p = next;
        }
        slope = kNodes * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      nodes[i] = (1 + x) / 2;
      weights[i] = 1 / ((1 - x * x) * slope * slope);
    }
  }
};

// Computes log T: takes square roots until T is near I, then log(I + X) as the
// integral of X (I + s X)^-1 over [0, 1].  False if T has no logarithm.
bool TriangularLogarithm(Matrix t, Matrix* log) {
  static const Quadrature kQuadrature;
  // Seven nodes are exact to double precision up to this distance.
  constexpr double kNear = 0.25;
  constexpr int kMostRoots = 1100;
  const int64_t n = t.rows();
  const Matrix identity = Matrix::Identity(n, n);
  for (int64_t i = 0; i < n; ++i) {
    if (t(i, i) == Complex(0)) return false;
  }
  int roots = 0;
  while (!((t - identity).cwiseAbs().colwise().sum().maxCoeff() < kNear)) {
    if (++roots > kMostRoots || !t.allFinite()) return false;
    t = TriangularRoot(t);
  }
  const Matrix x = t - identity;
  *log = Matrix::Zero(n, n);
  for (int i = 0; i < kNodes; ++i) {
    const Matrix beside = identity + kQuadrature.nodes[i] * x;
    *log += kQuadrature.weights[i] *
            beside.template triangularView<Eigen::Upper>().solve(x);
  }
  *log *= std::ldexp(1.0, roots);
  return true;
}

// f(a) through Schur's factors; false if there is none.
template <typename Fn>
bool OfSchur(const Matrix& a, const Fn& f, Matrix* out) {
  if (!a.allFinite()) return false;
  const Eigen::ComplexSchur<Matrix> schur(a);
  if (schur.info() != Eigen::Success) return false;
  Matrix value;
  if (!f(schur.matrixT(), &value) || !value.allFinite()) return false;
  *out = schur.matrixU() * value * schur.matrixU().adjoint();
  return out->allFinite();
}

bool Root(const Matrix& a, Matrix* out) {
  return OfSchur(
      a,
      [](const Matrix& t, Matrix* root) {
        *root = TriangularRoot(t);
        return true;
      },
      out);
}

bool Logarithm(const Matrix& a, Matrix* out) {
  return OfSchur(
      a,
      [](const Matrix& t, Matrix* log) { return TriangularLogarithm(t, log); },
      out);
}

// Is x real, except for rounding?
bool IsReal(const Matrix& x) {
  const double size = x.cwiseAbs().maxCoeff();
  return x.imag().cwiseAbs().maxCoeff() <= 1e-7 * size;
}

// Applies the function to each matrix of the input; NaN if there is no result,
// or if it is not real and should be.
template <typename T>
Status ApplyToEach(OpKernelContext* ctx,
                   bool (*function)(const Matrix&, Matrix*)) {
  linalg::Batch batch;
  TF_RETURN_IF_ERROR(linalg::ReadSquareBatch(*ctx, 0, &batch));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_output(0, ctx->input(0).shape(), &output));
  const int64_t n = batch.rows;
  if (n == 0) return OkStatus();
  const T* in = ctx->input(0).base<T>();
  T* out = output->base<T>();
  const auto run = [&](OpKernelContext*, linalg::Workspace*,
                       int64_t i) -> Status {
    const T* from = in + i * n * n;
    T* to = out + i * n * n;
    Matrix a(n, n), value;
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) a(r, c) = Complex(from[r * n + c]);
    }
    bool found = function(a, &value);
    if constexpr (!linalg::kComplex<T>) found = found && IsReal(value);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        using R = linalg::Real<T>;
        constexpr R kNan = std::numeric_limits<R>::quiet_NaN();
        if constexpr (linalg::kComplex<T>) {
          to[r * n + c] = found ? T(value(r, c)) : T(kNan, kNan);
        } else {
          to[r * n + c] = found ? static_cast<T>(value(r, c).real()) : kNan;
        }
      }
    }
    return OkStatus();
  };
  const double size = static_cast<double>(n);
  return linalg::ForEachMatrix(ctx, batch.count,
                               100 * size * size * size + 1000, run);
}

}  // namespace

template <typename T>
class MatrixSquareRootOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, ApplyToEach<T>(ctx, Root));
  }
};

template <typename T>
class MatrixLogarithmOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES_OK(ctx, ApplyToEach<T>(ctx, Logarithm));
  }
};

REGISTER_KERNEL_FOR_TYPES(Name("MatrixSquareRoot").Device(DEVICE_CPU), "T",
                          MatrixSquareRootOp, float, double, complex64,
                          complex128);
REGISTER_KERNEL_FOR_TYPES(Name("MatrixLogarithm").Device(DEVICE_CPU), "T",
                          MatrixLogarithmOp, complex64, complex128);

}  // namespace tensorwright
