// SPDX-License-Identifier: Apache-2.0
// Factorisations of dense matrices, on which the kernels of this room rest.
//
// Eigen has all of them, but its vectors are fixed when it is compiled, and
// this tree is compiled for any x86-64; compiled once for each set of vectors
// it would take minutes of every build.  These rest on Gemm, which chooses its
// vectors when it runs and uses several threads.  Processor time on one thread
// of an AMD EPYC 9004, 1024 x 1024 floats, here and in TensorFlow 2.21, which
// has Eigen: Cholesky 8 and 20 ms, QR 59 and 98, eigenvectors 177 and 188,
// singular vectors 334 and 372, inverse 65 and 69; a triangular system of 1024
// columns 19 and 13 (./run benchmarks/peer.py --only linalg).
//
// A complex matrix is two real ones, its planes: real and imaginary parts.  So
// every loop is over reals, and a complex product is four real ones.
//
// Functions that take `ctx` divide their work among its intra-op threads; a
// null one keeps it on the calling thread.  The results have the same bits
// either way.  T is float, double, complex64 or complex128.
#ifndef TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_H_
#define TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_H_

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "core/framework/op_kernel.h"

namespace tensorwright {
namespace linalg {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename R>
struct RealOf<std::complex<R>> {
  using type = R;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
inline constexpr bool kComplex = !std::is_same_v<T, Real<T>>;

// x * y without the library's detour for infinities.
template <typename R>
inline R Times(R x, R y) {
  return x * y;
}
template <typename R>
inline std::complex<R> Times(std::complex<R> x, std::complex<R> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}
template <typename T>
inline T Conj(T x) {
  if constexpr (kComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// A run of elements in somebody else's memory; `im` is null for reals.
template <typename T>
struct Vec {
  Real<T>* re = nullptr;
  Real<T>* im = nullptr;

  Vec operator+(int64_t i) const {
    return {re + i, kComplex<T> ? im + i : nullptr};
  }
  T operator[](int64_t i) const {
    if constexpr (kComplex<T>) {
      return T(re[i], im[i]);
    } else {
      return re[i];
    }
  }
  void Set(int64_t i, T value) const {
    if constexpr (kComplex<T>) {
      re[i] = value.real();
      im[i] = value.imag();
    } else {
      re[i] = value;
    }
  }
};

// A row-major matrix whose rows start `stride` elements apart, in somebody
// else's memory.
template <typename T>
struct Planes {
  Real<T>* re = nullptr;
  Real<T>* im = nullptr;
  int64_t stride = 0;

  Vec<T> Row(int64_t i) const {
    return {re + i * stride, kComplex<T> ? im + i * stride : nullptr};
  }
  Planes At(int64_t i, int64_t j) const {
    const int64_t at = i * stride + j;
    return {re + at, kComplex<T> ? im + at : nullptr, stride};
  }
  T Get(int64_t i, int64_t j) const { return Row(i)[j]; }
  void Set(int64_t i, int64_t j, T value) const { Row(i).Set(j, value); }
};

// Memory for factorisations, kept for the next matrix.  Not for several
// threads.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;

  // Space for n elements, not initialised, which shares no cache line.  The
  // caller has it until Rewind() to an earlier mark.
  template <typename R>
  R* Take(int64_t n) {
    return reinterpret_cast<R*>(TakeBytes(n * sizeof(R)));
  }
  template <typename T>
  Vec<T> TakeVec(int64_t n) {
    return {Take<Real<T>>(n), kComplex<T> ? Take<Real<T>>(n) : nullptr};
  }
  template <typename T>
  Planes<T> TakePlanes(int64_t rows, int64_t cols) {
    const Vec<T> all = TakeVec<T>(rows * cols);
    return {all.re, all.im, cols};
  }

  struct Mark {
    size_t block = 0;
    int64_t used = 0;
  };
  Mark mark() const { return at_; }
  void Rewind(Mark mark) { at_ = mark; }

 private:
  struct Free {
    void operator()(char* p) const {
      ::operator delete[](p, std::align_val_t(64));
    }
  };
  struct Block {
    std::unique_ptr<char[], Free> bytes;
    int64_t size;
  };
  char* TakeBytes(int64_t n);

  std::vector<Block> blocks_;
  Mark at_;
};

// A factor of a product: the matrix, its transpose, or either one conjugated.
template <typename T>
struct Operand {
  Planes<T> matrix;
  bool transposed = false;
  bool conjugated = false;
};

// c += sign * a x b:  a [m, k], b [k, n], c [m, n], which overlaps neither of
// them.
template <typename T>
void MulAdd(OpKernelContext* ctx, int64_t m, int64_t n, int64_t k,
            const Operand<T>& a, const Operand<T>& b, int sign, Planes<T> c);

// The matrix of a triangular solver: the lower or upper triangle of `a`, or its
// adjoint.
struct Triangle {
  bool lower = true;
  bool adjoint = false;
  bool unit = false;  // The diagonal counts as ones, whatever is there.
};

// Turns x [n, k] into op(a)^-1 x.
template <typename T>
void SolveTriangular(OpKernelContext* ctx, int64_t n, int64_t k, Planes<T> a,
                     Triangle triangle, Planes<T> x);

// Turns the lower triangle of a [n, n] into L with L L^H = a; the elements
// above it stay.  Reads the lower triangle only.  False if a is not positive
// definite.
template <typename T>
bool FactorCholesky(OpKernelContext* ctx, Workspace* work, int64_t n,
                    Planes<T> a);

// Turns a [n, n] into L (below the diagonal; its own diagonal is ones) and U
// with P a = L U: row i of P a is row rows[i] of a.  Returns the sign of P.
template <typename T>
int FactorLu(OpKernelContext* ctx, Workspace* work, int64_t n, Planes<T> a,
             int64_t* rows);

// Householder reflectors H_0 ... H_{k-1}, H_i = I - tau_i v_i v_i^H: row i of
// `v` is v_i, with zeros before position i + `offset`, which has a 1.
template <typename T>
struct Reflectors {
  int64_t count = 0;
  int64_t offset = 0;
  int64_t length = 0;  // The length of each.
  Planes<T> v;
  Vec<T> tau;
};

// H_{k-1} ... H_0 a = R: turns the upper triangle of a [m, n] into R, and the
// elements below it into zeros.  k = min(m, n).  The result lives in `work`.
template <typename T>
Reflectors<T> FactorQr(OpKernelContext* ctx, Workspace* work, int64_t m,
                       int64_t n, Planes<T> a);

// The same with exchanged columns, so that each step takes the longest column
// left: column i of a was column columns[i].
template <typename T>
Reflectors<T> FactorQrPivoted(OpKernelContext* ctx, Workspace* work, int64_t m,
                              int64_t n, Planes<T> a, int64_t* columns);

// Turns c [h.length, n] into Q c or Q^H c, with Q = H_0^H ... H_{k-1}^H.
template <typename T>
void ApplyQ(OpKernelContext* ctx, Workspace* work, const Reflectors<T>& h,
            bool adjoint, int64_t n, Planes<T> c);

// Sets q [h.length, n] to the first n columns of Q.
template <typename T>
void MakeQ(OpKernelContext* ctx, Workspace* work, const Reflectors<T>& h,
           int64_t n, Planes<T> q);

// Computes the eigenvalues, ascending, of the Hermitian matrix whose lower
// triangle is that of a [n, n]; overwrites a.  Row i of `vectors` [n, n],
// unless it is null, is eigenvector i.  False if the iteration does not end, as
// for NaN.
template <typename T>
bool HermitianEigen(OpKernelContext* ctx, Workspace* work, int64_t n,
                    Planes<T> a, Real<T>* values, const Planes<T>* vectors);

// Computes the singular values, descending, of a [m, n], m >= n, which is
// overwritten; row i of ut [n or m, m] and vt [n, n], unless they are null, are
// the left and right singular vectors; `full` asks for all m left ones.  False
// as above.
template <typename T>
bool SingularValues(OpKernelContext* ctx, Workspace* work, int64_t m, int64_t n,
                    Planes<T> a, bool full, Real<T>* values,
                    const Planes<T>* ut, const Planes<T>* vt);

// ---- Conversions between tensors, where the parts of a complex number are
// side by side, and planes.

template <typename T>
void LoadPlanes(const T* from, int64_t rows, int64_t cols, int64_t stride,
                Planes<T> to);
// to = conj(from)^T: from [rows, cols].
template <typename T>
void LoadAdjoint(const T* from, int64_t rows, int64_t cols, Planes<T> to);
template <typename T>
void StorePlanes(Planes<T> from, int64_t rows, int64_t cols, T* to);
// to [cols, rows] = from^T, or its conjugate.
template <typename T>
void StoreTransposed(Planes<T> from, int64_t rows, int64_t cols, bool conjugate,
                     T* to);

}  // namespace linalg
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LINALG_MATRIX_FACTORS_H_
