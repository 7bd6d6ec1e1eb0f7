// SPDX-License-Identifier: Apache-2.0
// Sums short inputs by the CPU's instruction, 8 bytes at a time, and long ones
// by ISA-L, which folds them with carry-less multiplication: 15 to 50 GB/s from
// the cache, where three interleaved streams of the instruction reach 10 to 17.
#include "core/lib/hash/crc32c.h"

#include <isa-l/crc.h>
#include <nmmintrin.h>

#include <algorithm>
#include <cstring>

namespace tensorwright {
namespace crc32c {
namespace {

// ISA-L is slower for shorter inputs.
constexpr size_t kLong = 512;
// ISA-L counts with an int.
constexpr size_t kMost = size_t{1} << 30;

// Polynomials over GF(2): bit 31 is the coefficient of x^0, bit 0 that of x^31;
// the modulus leaves out x^32.
constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr uint32_t kOne = 0x80000000u;

uint32_t Multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

}  // namespace

uint32_t Extend(uint32_t init_crc, const char* data, size_t n) {
  uint32_t crc = ~init_crc;
  while (n >= kLong) {
    const size_t part = std::min(n, kMost);
    // It only reads, though its signature does not declare so.
    crc = crc32_iscsi(reinterpret_cast<unsigned char*>(const_cast<char*>(data)),
                      static_cast<int>(part), crc);
    data += part;
    n -= part;
  }
  for (; n >= 8; n -= 8, data += 8) {
    uint64_t word;
    std::memcpy(&word, data, sizeof word);
    crc = static_cast<uint32_t>(_mm_crc32_u64(crc, word));
  }
  for (; n > 0; --n, ++data) {
    crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*data));
  }
  return ~crc;
}

// A followed by n bytes sums up to (sum of A) * x^(8n) + (sum of the n bytes).
uint32_t Concat(uint32_t crc_a, uint32_t crc_b, uint64_t length_b) {
  uint32_t power = kOne;
  for (uint32_t square = kOne >> 8; length_b != 0; length_b >>= 1) {
    if ((length_b & 1) != 0) power = Multiply(power, square);
    square = Multiply(square, square);
  }
  return Multiply(crc_a, power) ^ crc_b;
}

}  // namespace crc32c
}  // namespace tensorwright
