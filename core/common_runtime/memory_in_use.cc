// SPDX-License-Identifier: Apache-2.0
// AllocatingOp and DescribeMemoryInUse.
#include "core/common_runtime/memory_in_use.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tensorwright {
namespace {

// The number of pieces that an error lists.
constexpr size_t kListed = 10;

thread_local std::pair<const std::string*, const std::string*> allocating_op;

std::string MiB(size_t bytes) {
  return absl::StrFormat("%.2f MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

AllocatingOp::AllocatingOp(const std::string* name, const std::string* type)
    : outer_(allocating_op) {
  allocating_op = {name, type};
}

AllocatingOp::~AllocatingOp() { allocating_op = outer_; }

std::string AllocatingOp::Label() {
  if (allocating_op.first == nullptr) return "";
  return absl::StrCat(*allocating_op.first, " (", *allocating_op.second, ")");
}

std::string DescribeMemoryInUse(size_t bytes, size_t limit, size_t number,
                                std::vector<PieceInUse>* pieces) {
  const size_t listed = std::min(pieces->size(), kListed);
  std::partial_sort(pieces->begin(), pieces->begin() + listed, pieces->end(),
                    [](const PieceInUse& a, const PieceInUse& b) {
                      return a.bytes != b.bytes ? a.bytes > b.bytes
                                                : *a.op < *b.op;
                    });
  std::string text = absl::StrCat("In use: ", MiB(bytes), " of ", MiB(limit),
                                  ", in ", number, " pieces");
  for (size_t i = 0; i < listed; ++i) {
    const PieceInUse& piece = (*pieces)[i];
    absl::StrAppend(&text, i == 0 ? ". The largest:\n  " : "\n  ",
                    MiB(piece.bytes), " for ",
                    piece.op->empty() ? "the runtime" : *piece.op);
  }
  return text;
}

}  // namespace tensorwright
