// SPDX-License-Identifier: Apache-2.0
// Tells, when memory is short, which ops have it.
#ifndef TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_IN_USE_H_
#define TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_IN_USE_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tensorwright {

// Names, while it lives, the op that this thread allocates for; it keeps
// neither text.
class AllocatingOp {
 public:
  AllocatingOp(const std::string* name, const std::string* type);
  ~AllocatingOp();
  AllocatingOp(const AllocatingOp&) = delete;
  AllocatingOp& operator=(const AllocatingOp&) = delete;

  // "NAME (TYPE)" of this thread's innermost one; empty if there is none.
  static std::string Label();

 private:
  const std::pair<const std::string*, const std::string*> outer_;
};

// A piece of memory and the label of the op that asked for it, which is empty
// for the runtime itself.
struct PieceInUse {
  size_t bytes;
  const std::string* op;
};

// "In use: 3.00 MiB of 4.00 MiB, in 7 pieces. The largest:", and a line for
// each of these, such as "  2.00 MiB for dense/MatMul (MatMul)", to which
// Python adds the line of the program (errors_impl.py).  Sorts `pieces`;
// `number`: of all pieces, of which they may be the larger ones alone.
std::string DescribeMemoryInUse(size_t bytes, size_t limit, size_t number,
                                std::vector<PieceInUse>* pieces);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMMON_RUNTIME_MEMORY_IN_USE_H_
