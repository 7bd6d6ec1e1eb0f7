// SPDX-License-Identifier: Apache-2.0
// Runs consecutive steps of a fused program in one loop: the values in between
// stay in registers of the processor.
//
// A strip of eight vectors goes through all links before the next one begins,
// so that eight vectors share the choice of a link's code, and their latencies
// overlap.  It is bound by a multiply-add per vector and link, or by the loads
// of operands that are no scalars.

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/kernels/fused/cwise_ops_fused_schedule.h"
#include "core/kernels/lib/cwise_row.h"
#include "core/kernels/lib/foreach_target.h"  // IWYU pragma: keep
#include "core/util/elementwise.h"
// This comes after it, since it is compiled once per instruction set, too.
#include "core/kernels/lib/cwise_ops_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorwright {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A link with its operands in places where vectors can be loaded: a scalar is
// spread over one, which each load finds again.
template <typename T>
struct Link {
  ChainOp op;
  const T* operands[2];
  int steps[2];
};

// Takes the vectors at x + at ... through all links; kVectors is 8 or 1.
template <int kVectors, class D, typename T>
HWY_INLINE void Strip(D d, const T* x, const Link<T>* links, int num_links,
                      T* y, int64_t at) {
  using V = hn::Vec<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  x += at;
  y += at;
  V v0 = hn::LoadU(d, x), v1 = v0, v2 = v0, v3 = v0, v4 = v0, v5 = v0, v6 = v0,
    v7 = v0;
  if constexpr (kVectors == 8) {
    v1 = hn::LoadU(d, x + lanes);
    v2 = hn::LoadU(d, x + 2 * lanes);
    v3 = hn::LoadU(d, x + 3 * lanes);
    v4 = hn::LoadU(d, x + 4 * lanes);
    v5 = hn::LoadU(d, x + 5 * lanes);
    v6 = hn::LoadU(d, x + 6 * lanes);
    v7 = hn::LoadU(d, x + 7 * lanes);
  }
  for (const Link<T>* link = links; link != links + num_links; ++link) {
    const T* p = link->operands[0] + at * link->steps[0];
    const T* q = link->operands[1] + at * link->steps[1];
    const int64_t i = lanes * link->steps[0], j = lanes * link->steps[1];
    // If it were not inlined, it would keep the vectors in memory.
    const auto each = [&](const auto& f) __attribute__((always_inline))
    HWY_ATTR {
      const V b = hn::LoadU(d, p), c = hn::LoadU(d, q);
      v0 = f(v0, b, c);
      if constexpr (kVectors == 8) {
        if (i == 0 && j == 0) {  // Scalars stay in place.
          v1 = f(v1, b, c);
          v2 = f(v2, b, c);
          v3 = f(v3, b, c);
          v4 = f(v4, b, c);
          v5 = f(v5, b, c);
          v6 = f(v6, b, c);
          v7 = f(v7, b, c);
          return;
        }
        v1 = f(v1, hn::LoadU(d, p + i), hn::LoadU(d, q + j));
        v2 = f(v2, hn::LoadU(d, p + 2 * i), hn::LoadU(d, q + 2 * j));
        v3 = f(v3, hn::LoadU(d, p + 3 * i), hn::LoadU(d, q + 3 * j));
        v4 = f(v4, hn::LoadU(d, p + 4 * i), hn::LoadU(d, q + 4 * j));
        v5 = f(v5, hn::LoadU(d, p + 5 * i), hn::LoadU(d, q + 5 * j));
        v6 = f(v6, hn::LoadU(d, p + 6 * i), hn::LoadU(d, q + 6 * j));
        v7 = f(v7, hn::LoadU(d, p + 7 * i), hn::LoadU(d, q + 7 * j));
      }
    };
      // Macros, because the attributes must stand on every lambda.
#define TW_LINK(name, ...)                                                  \
  case ChainOp::name:                                                       \
    each([&](V a, V b, [[maybe_unused]] V c) __attribute__((always_inline)) \
         HWY_ATTR { return __VA_ARGS__; });                                 \
    break;
    switch (link->op) {
      TW_LINK(kSubFrom, hn::Sub(b, a))
      TW_LINK(kDivInto, hn::Div(b, a))
      TW_LINK(kMulAdd, hn::MulAdd(a, b, c))
      TW_LINK(kMulSub, hn::MulSub(a, b, c))
      TW_LINK(kMulSubFrom, hn::NegMulAdd(a, b, c))
#define TW_UNARY(op, cost, types, gpu, flags, ...)       \
  case ChainOp::k##op:                                   \
    if constexpr (IsLink(flags, sizeof(T))) {            \
      each([&](V v, V, V) __attribute__((always_inline)) \
           HWY_ATTR { return __VA_ARGS__; });            \
    }                                                    \
    break;
#define TW_BINARY(op, cost, types, gpu, flags, ...)        \
  case ChainOp::k##op:                                     \
    if constexpr (IsLink(flags, sizeof(T))) {              \
      each([&](V a, V b, V) __attribute__((always_inline)) \
           HWY_ATTR { return __VA_ARGS__; });              \
    }                                                      \
    break;
#include "core/kernels/lib/cwise_table.h"
      default:  // kNone, and ops that are no links.
        break;
    }
#undef TW_LINK
  }
  hn::StoreU(v0, d, y);
  if constexpr (kVectors == 8) {
    hn::StoreU(v1, d, y + lanes);
    hn::StoreU(v2, d, y + 2 * lanes);
    hn::StoreU(v3, d, y + 3 * lanes);
    hn::StoreU(v4, d, y + 4 * lanes);
    hn::StoreU(v5, d, y + 5 * lanes);
    hn::StoreU(v6, d, y + 6 * lanes);
    hn::StoreU(v7, d, y + 7 * lanes);
  }
}

template <typename T>
HWY_INLINE void Chain(const void* input, const FusedLink* chain, int num_links,
                      void* output, int64_t n) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(input);
  T* y = static_cast<T*>(output);
  Link<T> links[kMaxFusedLinks];
  HWY_ALIGN T spread[2 * kMaxFusedLinks][HWY_MAX_BYTES / sizeof(T)];
  for (int k = 0; k < num_links; ++k) {
    links[k].op = chain[k].op;
    for (int i = 0; i < 2; ++i) {
      // A missing operand may be any scalar.
      const bool is_none = chain[k].operands[i] == nullptr;
      const T* operand =
          static_cast<const T*>(is_none ? input : chain[k].operands[i]);
      links[k].steps[i] = chain[k].steps[i];
      if (!is_none && chain[k].steps[i] == 0 && n > 1) {
        T* to = spread[2 * k + i];
        hn::Store(hn::Set(d, *operand), d, to);
        operand = to;
      }
      links[k].operands[i] = operand;
    }
  }
  int64_t at = 0;
  for (; at + 8 * lanes <= n; at += 8 * lanes) {
    Strip<8>(d, x, links, num_links, y, at);
  }
  for (; at + lanes <= n; at += lanes) {
    Strip<1>(d, x, links, num_links, y, at);
  }
  for (; at < n; ++at) Strip<1>(one, x, links, num_links, y, at);
}

void ChainFloat(const void* x, const FusedLink* links, int num_links, void* y,
                int64_t n) {
  Chain<float>(x, links, num_links, y, n);
}
void ChainDouble(const void* x, const FusedLink* links, int num_links, void* y,
                 int64_t n) {
  Chain<double>(x, links, num_links, y, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorwright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorwright {

HWY_EXPORT(ChainFloat);
HWY_EXPORT(ChainDouble);

void RunFusedChain(int element_size, const void* x,
                   absl::Span<const FusedLink> links, void* y, int64_t n) {
  const int num_links = static_cast<int>(links.size());
  if (element_size == 4) {
    HWY_DYNAMIC_DISPATCH(ChainFloat)(x, links.data(), num_links, y, n);
  } else {
    HWY_DYNAMIC_DISPATCH(ChainDouble)(x, links.data(), num_links, y, n);
  }
}

namespace {

struct LinkRow {
  absl::string_view op;
  ChainOp link;
  unsigned flags;
};

constexpr LinkRow kLinkRows[] = {
#define TW_ROW(arity, op, f, cost, types, gpu, flags) \
  {#op, ChainOp::k##f, flags},
#include "core/kernels/lib/cwise_table.h"
};

// The link that does the work of `op` with its operands exchanged.
ChainOp Reversed(ChainOp op) {
  switch (op) {
    case ChainOp::kSub:
      return ChainOp::kSubFrom;
    case ChainOp::kDiv:
      return ChainOp::kDivInto;
    default:
      return op;
  }
}

}  // namespace

ChainOp ChainOpOf(absl::string_view op, int operand, int element_size) {
  if (ElementwiseKindOf(op) == ElementwiseKind::kBias) return ChainOp::kAdd;
  for (const LinkRow& row : kLinkRows) {
    if (row.op != op) continue;
    if (!IsLink(row.flags, element_size)) return ChainOp::kNone;
    return operand == 0 ? row.link : Reversed(row.link);
  }
  return ChainOp::kNone;
}

ChainOp ProductAnd(ChainOp op) {
  switch (op) {
    case ChainOp::kAdd:
      return ChainOp::kMulAdd;
    case ChainOp::kSub:
      return ChainOp::kMulSub;
    case ChainOp::kSubFrom:
      return ChainOp::kMulSubFrom;
    default:
      return ChainOp::kNone;
  }
}

}  // namespace tensorwright
#endif  // HWY_ONCE
