// SPDX-License-Identifier: Apache-2.0
// The flags of a row of cwise_table.h, for all readers of the table: host code,
// nvcc, loops of every instruction set.
#ifndef TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_ROW_H_
#define TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_ROW_H_

namespace tensorwright {

enum CwiseFlags : unsigned {
  kNoFlags = 0,
  // In a fused program, consecutive steps with this flag run as one loop over
  // registers.  Each flag costs compiled code, so only common and cheap ops
  // have it.
  kLink = 1,
  kLinkOfFloats = 2,  // kLink for floats only: too long for doubles.
  // A kernel of a matrix product or convolution may end with this op
  // (lib/fused_epilogue.h).  Needs a kernel for floats.
  kActivation = 4,
  // The vector form also makes a loop over half that converts in registers
  // (cwise_ops_half.h), and a loop over int32.
  kHalfLoop = 8,
  kIntLoop = 16,
  // A node of this op never becomes part of a fused node.
  kNeverFused = 32,
  // The op has no attr T: it takes bools.
  kOfBools = 64,
};

// Flags of one row.
constexpr unsigned operator|(CwiseFlags a, CwiseFlags b) {
  return static_cast<unsigned>(a) | static_cast<unsigned>(b);
}

// Can an op with these flags be a link of a chain of elements of this size?
constexpr bool IsLink(unsigned flags, int element_size) {
  return (flags & kLink) != 0 ||
         ((flags & kLinkOfFloats) != 0 && element_size == 4);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_LIB_CWISE_ROW_H_
