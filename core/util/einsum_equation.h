// SPDX-License-Identifier: Apache-2.0
// The equation of an Einsum, "ij,jk->ik", as numbers.
#ifndef TENSORWRIGHT_CORE_UTIL_EINSUM_EQUATION_H_
#define TENSORWRIGHT_CORE_UTIL_EINSUM_EQUATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// One subscript: a number for each dimension, equal for equal letters, and
// kEllipsis for "...".
using EinsumLabels = std::vector<int>;

struct EinsumEquation {
  static constexpr int kEllipsis = -1;

  std::string text;
  std::vector<EinsumLabels> inputs;  // One or two.
  EinsumLabels output;
  // Letters have the numbers from 0 on, in the order in which they first occur.
  int num_letters = 0;

  static bool HasEllipsis(const EinsumLabels& labels);
  // How many dimensions the letters of a subscript name.
  static int NumLetters(const EinsumLabels& labels);
};

// Reads an equation for `num_inputs` tensors.  InvalidArgument unless it has
// one "->", a subscript for each of one or two inputs, at most one "..." in
// each subscript, and no letter in the output that the inputs lack.  Every
// character but '.' and ',' is a letter.
Status ParseEinsumEquation(absl::string_view text, int num_inputs,
                           EinsumEquation* equation);

// The number of dimensions of input `i`, which has `rank`, that "..." stands
// for. InvalidArgument if the input does not fit its subscript, or has
// dimensions for a "..." that the output lacks.
Status EinsumEllipsisRank(const EinsumEquation& equation, int i, int64_t rank,
                          int64_t* ellipsis);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_UTIL_EINSUM_EQUATION_H_
