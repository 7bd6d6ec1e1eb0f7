// SPDX-License-Identifier: Apache-2.0
#include "core/util/einsum_equation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_split.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr absl::string_view kDots = "...";

// `letters` holds the letters met so far; new ones are appended unless
// `known_only`.
Status ParseSubscript(absl::string_view subscript, absl::string_view equation,
                      bool known_only, std::string* letters,
                      EinsumLabels* labels) {
  const size_t dots = subscript.find(kDots);
  for (size_t i = 0; i < subscript.size(); ++i) {
    if (i == dots) {
      labels->push_back(EinsumEquation::kEllipsis);
      i += kDots.size() - 1;
      continue;
    }
    const char c = subscript[i];
    if (c == '.') {
      return errors::InvalidArgument(
          "Einsum: a subscript may hold one ellipsis (...) and no other "
          "periods, got '",
          subscript, "' in equation '", equation, "'");
    }
    size_t at = letters->find(c);
    if (at == std::string::npos) {
      if (known_only) {
        return errors::InvalidArgument(
            "Einsum: the output of equation '", equation, "' has the label '",
            std::string(1, c), "', which no input has");
      }
      at = letters->size();
      letters->push_back(c);
    }
    labels->push_back(static_cast<int>(at));
  }
  return OkStatus();
}

}  // namespace

bool EinsumEquation::HasEllipsis(const EinsumLabels& labels) {
  return std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
}

int EinsumEquation::NumLetters(const EinsumLabels& labels) {
  return static_cast<int>(labels.size()) - (HasEllipsis(labels) ? 1 : 0);
}

Status ParseEinsumEquation(absl::string_view text, int num_inputs,
                           EinsumEquation* equation) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) {
    return errors::InvalidArgument(
        "Einsum: equation must have exactly one '->', got '", text, "'");
  }
  const std::vector<absl::string_view> terms = absl::StrSplit(sides[0], ',');
  if (terms.size() > 2) {
    return errors::InvalidArgument(
        "Einsum: equation must have 1 or 2 input subscripts, got ",
        terms.size(), " in '", text, "'");
  }
  if (static_cast<int>(terms.size()) != num_inputs) {
    return errors::InvalidArgument("Einsum: equation '", text, "' is for ",
                                   terms.size(), " inputs, got ", num_inputs);
  }
  EinsumEquation parsed;
  parsed.text = std::string(text);
  std::string letters;
  for (const absl::string_view term : terms) {
    TF_RETURN_IF_ERROR(ParseSubscript(term, text, /*known_only=*/false,
                                      &letters, &parsed.inputs.emplace_back()));
  }
  TF_RETURN_IF_ERROR(ParseSubscript(sides[1], text, /*known_only=*/true,
                                    &letters, &parsed.output));
  parsed.num_letters = static_cast<int>(letters.size());
  *equation = std::move(parsed);
  return OkStatus();
}

Status EinsumEllipsisRank(const EinsumEquation& equation, int i, int64_t rank,
                          int64_t* ellipsis) {
  const EinsumLabels& labels = equation.inputs[i];
  const bool has_ellipsis = EinsumEquation::HasEllipsis(labels);
  *ellipsis = rank - EinsumEquation::NumLetters(labels);
  if (*ellipsis < 0 || (*ellipsis > 0 && !has_ellipsis)) {
    return errors::InvalidArgument(
        "Einsum: input ", i, " must have ", has_ellipsis ? "at least " : "",
        "rank ", EinsumEquation::NumLetters(labels), " for equation '",
        equation.text, "', got rank ", rank);
  }
  if (*ellipsis > 0 && !EinsumEquation::HasEllipsis(equation.output)) {
    return errors::InvalidArgument(
        "Einsum: the output of equation '", equation.text,
        "' has no ellipsis (...), and so input ", i,
        " must have no dimensions for one, got ", *ellipsis);
  }
  return OkStatus();
}

}  // namespace tensorwright
