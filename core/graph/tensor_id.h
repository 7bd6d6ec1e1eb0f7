// SPDX-License-Identifier: Apache-2.0
// TensorId: the text form of an input in a NodeDef: "node", "node:2", "^node".
#ifndef TENSORWRIGHT_CORE_GRAPH_TENSOR_ID_H_
#define TENSORWRIGHT_CORE_GRAPH_TENSOR_ID_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tensorwright {

// A pair, as optimizers written for TensorFlow take it.  node() points into the
// parsed text.  index() is -1 for a control input.
struct TensorId : public std::pair<absl::string_view, int> {
  TensorId() = default;
  TensorId(absl::string_view node, int index) : pair(node, index) {}

  absl::string_view node() const { return first; }
  int index() const { return second; }
  bool IsControl() const { return second < 0; }
  std::string ToString() const;
};

// "a" -> {a, 0}; "a:3" -> {a, 3}; "^a" -> {a, -1}.  A suffix that is no number
// of at most nine digits stays part of the name.
TensorId ParseTensorName(absl::string_view name);

// The same, owning its text.
struct SafeTensorId : public std::pair<std::string, int> {
  SafeTensorId() = default;
  SafeTensorId(std::string node, int index) : pair(std::move(node), index) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  SafeTensorId(const TensorId& id) : pair(std::string(id.node()), id.index()) {}

  const std::string& node() const { return first; }
  int index() const { return second; }
  std::string ToString() const { return TensorId(first, second).ToString(); }
};

// [A-Za-z0-9._][A-Za-z0-9_.\\/>-]*. A leading "_" marks nodes that the runtime
// makes; the importer of graphs refuses it.
bool IsValidNodeName(absl::string_view name);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_TENSOR_ID_H_
