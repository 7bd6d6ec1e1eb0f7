// SPDX-License-Identifier: Apache-2.0
// GraphGrowth.
#include "python/pywrap/graph_growth.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "python/pywrap/traceback.h"

namespace tensorwright::pywrap {
namespace {

// A program in which more lines than this add nodes is not in a loop.
constexpr size_t kMaxLines = 1000;

// "FILE:LINE" of the program that added the operation; "" if it has none.
std::string LineOf(const OperationObject* op) {
  if (op == nullptr || op->traceback == nullptr) return "";
  Ref location(op->traceback->UserLocation());
  absl::string_view text;
  if (!location || location.get() == Py_None || !AsText(location.get(), &text))
    return "";
  return text[0] == '<' ? "" : std::string(text);
}

}  // namespace

bool GraphGrowth::HasGrown(const GraphState& graph) {
  const size_t first_new = std::exchange(ops_seen_, graph.ops.size());
  // Nodes that were there before the first run were built, and did not grow.
  if (first_new == 0 || warned_ || runs_.size() > kMaxLines) return true;
  const std::string line = LineOf(graph.ops[first_new]);
  if (line.empty() || ++runs_[line] < kRuns) return true;
  warned_ = true;
  runs_.clear();
  // Warns as if that line had done so.
  const size_t colon = line.rfind(':');
  const std::string message = absl::StrCat(
      "The graph grows in a loop: ", line, " added nodes between run and run ",
      kRuns,
      " times, and each makes the program slower and larger.  Build the graph "
      "before the loop, and feed what changes; "
      "tf.get_default_graph().finalize() before the loop makes this an error.");
  int number = 0;
  (void)absl::SimpleAtoi(line.substr(colon + 1), &number);
  return PyErr_WarnExplicit(PyExc_RuntimeWarning, message.c_str(),
                            line.substr(0, colon).c_str(), number, nullptr,
                            nullptr) == 0;
}

}  // namespace tensorwright::pywrap
