// SPDX-License-Identifier: Apache-2.0
// Highway's loops of batch normalisation: compiled once per instruction set
// below.  Memory bounds all of them once data leave the cache; the sums keep
// four columns in flight to hide the latency of an addition before that.

#include "core/kernels/nn/fused_batch_norm_op_simd.h"

#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace batch_norm {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Full = hn::ScalableTag<float>;
using One = hn::CappedTag<float, 1>;

// Calls f(tag, first column, how many vectors) until `width` columns are done:
// four vectors, then one, then single elements.
template <class F>
HWY_INLINE void ForColumns(int64_t width, const F& f) {
  const Full d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + 4 * lanes <= width; j += 4 * lanes) {
    f(d, j, std::integral_constant<int, 4>());
  }
  for (; j + lanes <= width; j += lanes) {
    f(d, j, std::integral_constant<int, 1>());
  }
  for (; j < width; ++j) f(One(), j, std::integral_constant<int, 1>());
}

void AddRows(const float* HWY_RESTRICT x, int64_t rows, int64_t width,
             float* HWY_RESTRICT sum) {
  ForColumns(width, [=](auto d, int64_t j, auto count) HWY_ATTR {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    hn::Vec<decltype(d)> s[count];
    for (int k = 0; k < count; ++k) s[k] = hn::LoadU(d, sum + j + k * lanes);
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = x + r * width + j;
      for (int k = 0; k < count; ++k) {
        s[k] = hn::Add(s[k], hn::LoadU(d, row + k * lanes));
      }
    }
    for (int k = 0; k < count; ++k) hn::StoreU(s[k], d, sum + j + k * lanes);
  });
}

void AddSquares(const float* HWY_RESTRICT x, const float* HWY_RESTRICT mean,
                int64_t rows, int64_t width, float* HWY_RESTRICT sum) {
  ForColumns(width, [=](auto d, int64_t j, auto count) HWY_ATTR {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    hn::Vec<decltype(d)> s[count], m[count];
    for (int k = 0; k < count; ++k) {
      s[k] = hn::LoadU(d, sum + j + k * lanes);
      m[k] = hn::LoadU(d, mean + j + k * lanes);
    }
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = x + r * width + j;
      for (int k = 0; k < count; ++k) {
        const auto v = hn::Sub(hn::LoadU(d, row + k * lanes), m[k]);
        s[k] = hn::MulAdd(v, v, s[k]);
      }
    }
    for (int k = 0; k < count; ++k) hn::StoreU(s[k], d, sum + j + k * lanes);
  });
}

void AddProducts(const float* HWY_RESTRICT dy, const float* HWY_RESTRICT x,
                 const float* HWY_RESTRICT mean, int64_t rows, int64_t width,
                 float* HWY_RESTRICT sum, float* HWY_RESTRICT products) {
  ForColumns(width, [=](auto d, int64_t j, auto count) HWY_ATTR {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    hn::Vec<decltype(d)> s[count], p[count], m[count];
    for (int k = 0; k < count; ++k) {
      s[k] = hn::LoadU(d, sum + j + k * lanes);
      p[k] = hn::LoadU(d, products + j + k * lanes);
      m[k] = hn::LoadU(d, mean + j + k * lanes);
    }
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * width + j;
      for (int k = 0; k < count; ++k) {
        const auto g = hn::LoadU(d, dy + at + k * lanes);
        const auto v = hn::Sub(hn::LoadU(d, x + at + k * lanes), m[k]);
        s[k] = hn::Add(s[k], g);
        p[k] = hn::MulAdd(g, v, p[k]);
      }
    }
    for (int k = 0; k < count; ++k) {
      hn::StoreU(s[k], d, sum + j + k * lanes);
      hn::StoreU(p[k], d, products + j + k * lanes);
    }
  });
}

// Goes row by row, so that memory is read in order.
template <class F>
HWY_INLINE void ForElements(int64_t rows, int64_t width, const F& f) {
  const Full d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < rows; ++r) {
    int64_t j = 0;
    for (; j + lanes <= width; j += lanes) f(d, r * width + j, j);
    for (; j < width; ++j) f(One(), r * width + j, j);
  }
}

void Normalize(const float* x, const float* HWY_RESTRICT mean,
               const float* HWY_RESTRICT scale,
               const float* HWY_RESTRICT offset, int64_t rows, int64_t width,
               float* y) {
  ForElements(rows, width, [=](auto d, int64_t i, int64_t j) HWY_ATTR {
    const auto v = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, mean + j));
    hn::StoreU(hn::MulAdd(v, hn::LoadU(d, scale + j), hn::LoadU(d, offset + j)),
               d, y + i);
  });
}

void InputGrad(const float* dy, const float* x, const float* HWY_RESTRICT mean,
               const float* HWY_RESTRICT scale, const float* HWY_RESTRICT shift,
               const float* HWY_RESTRICT slope, int64_t rows, int64_t width,
               float* dx) {
  ForElements(rows, width, [=](auto d, int64_t i, int64_t j) HWY_ATTR {
    const auto v = hn::Sub(hn::LoadU(d, x + i), hn::LoadU(d, mean + j));
    const auto g = hn::Sub(hn::LoadU(d, dy + i), hn::LoadU(d, shift + j));
    const auto t = hn::NegMulAdd(v, hn::LoadU(d, slope + j), g);
    hn::StoreU(hn::Mul(hn::LoadU(d, scale + j), t), d, dx + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace batch_norm
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {
namespace batch_norm {

HWY_EXPORT(AddRows);
HWY_EXPORT(AddSquares);
HWY_EXPORT(AddProducts);
HWY_EXPORT(Normalize);
HWY_EXPORT(InputGrad);

void AddRows(const float* x, int64_t rows, int64_t width, float* sum) {
  HWY_DYNAMIC_DISPATCH(AddRows)(x, rows, width, sum);
}
void AddSquares(const float* x, const float* mean, int64_t rows, int64_t width,
                float* sum) {
  HWY_DYNAMIC_DISPATCH(AddSquares)(x, mean, rows, width, sum);
}
void AddProducts(const float* dy, const float* x, const float* mean,
                 int64_t rows, int64_t width, float* sum, float* products) {
  HWY_DYNAMIC_DISPATCH(AddProducts)(dy, x, mean, rows, width, sum, products);
}
void Normalize(const float* x, const float* mean, const float* scale,
               const float* offset, int64_t rows, int64_t width, float* y) {
  HWY_DYNAMIC_DISPATCH(Normalize)(x, mean, scale, offset, rows, width, y);
}
void InputGrad(const float* dy, const float* x, const float* mean,
               const float* scale, const float* shift, const float* slope,
               int64_t rows, int64_t width, float* dx) {
  HWY_DYNAMIC_DISPATCH(InputGrad)
  (dy, x, mean, scale, shift, slope, rows, width, dx);
}

}  // namespace batch_norm
}  // namespace tensorwright
#endif  // HWY_ONCE
