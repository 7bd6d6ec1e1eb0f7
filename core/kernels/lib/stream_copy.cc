// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lib/stream_copy.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/lib/kernel_switch.h"

#ifdef __SSE2__
#include <emmintrin.h>
#include <xmmintrin.h>
#endif

namespace tensorwright {

#ifdef __SSE2__
bool IsStreamed(int64_t bytes) {
  // Smaller outputs may stay in a cache for their reader.
  constexpr int64_t kLargeBytes = 16 << 20;
  return bytes >= kLargeBytes && !KernelIsOff("streamed_copies");
}

void StreamCopy(const void* from, int64_t bytes, void* to) {
  constexpr int64_t kPart = sizeof(__m128i);
  const char* in = static_cast<const char*>(from);
  char* out = static_cast<char*>(to);
  const int64_t head =
      std::min(bytes, -reinterpret_cast<intptr_t>(out) & (kPart - 1));
  std::memcpy(out, in, head);
  in += head;
  out += head;
  bytes -= head;
  for (; bytes >= kPart; bytes -= kPart, in += kPart, out += kPart) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(out),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
  }
  std::memcpy(out, in, bytes);
}

void FinishStreams() { _mm_sfence(); }
#else
bool IsStreamed(int64_t) { return false; }
void StreamCopy(const void* from, int64_t bytes, void* to) {
  std::memcpy(to, from, bytes);
}
void FinishStreams() {}
#endif

}  // namespace tensorwright
