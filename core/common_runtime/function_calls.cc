// SPDX-License-Identifier: Apache-2.0
// CheckCalls.
#include "core/common_runtime/function_calls.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

constexpr absl::string_view kGradientOp = "SymbolicGradient";

// Collects the functions that one body, or one node, may call.
class Callees {
 public:
  explicit Callees(const FunctionLibraryDefinition& library)
      : library_(library) {}

  std::vector<std::string> Of(const FunctionDef& def) {
    for (const NodeDef& node : def.node_def()) AddCall(node.op(), node.attr());
    for (const OpDef::AttrDef& attr : def.signature().attr()) {
      AddValue(attr.default_value());
    }
    return std::move(names_);
  }

  std::vector<std::string> Of(const NodeDef& node) {
    AddCall(node.op(), node.attr());
    return std::move(names_);
  }

 private:
  void AddName(const std::string& name) {
    if (library_.Contains(name)) names_.push_back(name);
  }

  template <typename Attrs>
  void AddCall(const std::string& name, const Attrs& attrs) {
    AddName(name);
    for (const auto& [attr, value] : attrs) AddValue(value);
    if (name != kGradientOp) return;
    const auto f = attrs.find("f");
    if (f == attrs.end()) return;
    if (f->second.has_func()) {
      AddName(library_.FindGradient(f->second.func().name()));
      return;
    }
    // The caller decides of which function, so it may be the gradient of any.
    for (const std::string& function : library_.ListFunctionNames()) {
      AddName(library_.FindGradient(function));
    }
  }

  void AddValue(const AttrValue& value) {
    if (value.has_func()) AddCall(value.func().name(), value.func().attr());
    for (const NameAttrList& f : value.list().func()) {
      AddCall(f.name(), f.attr());
    }
  }

  const FunctionLibraryDefinition& library_;
  std::vector<std::string> names_;
};

class DepthCounter {
 public:
  explicit DepthCounter(const FunctionLibraryDefinition& library)
      : library_(library) {}

  // Sets *depth to how many functions call each other in a row from `name` on.
  // `level` is the number of calls that lead here, this one included.
  Status Measure(const std::string& name, int level, int* depth) {
    constexpr int kUnderWay = 0;
    const auto [it, is_new] = depths_.emplace(name, kUnderWay);
    if (!is_new && it->second == kUnderWay) {
      return errors::InvalidArgument(
          "Function ", name,
          " calls itself, directly or through others; that is not supported");
    }
    *depth = it->second;
    if (is_new) {
      *depth = 1;
      const std::shared_ptr<const FunctionDef> def = library_.Find(name);
      if (def != nullptr && level <= kMaxCallDepth) {
        for (const std::string& callee : Callees(library_).Of(*def)) {
          int below = 0;
          TF_RETURN_IF_ERROR(Measure(callee, level + 1, &below));
          *depth = std::max(*depth, below + 1);
        }
      }
      depths_[name] = *depth;
    }
    if (level + *depth - 1 <= kMaxCallDepth) return OkStatus();
    return errors::InvalidArgument("Function ", name,
                                   ": functions must not call each other more"
                                   " than ",
                                   kMaxCallDepth, " deep");
  }

 private:
  const FunctionLibraryDefinition& library_;
  absl::flat_hash_map<std::string, int> depths_;
};

}  // namespace

Status CheckCalls(const FunctionLibraryDefinition& library,
                  const std::string& name) {
  int depth = 0;
  return MeasureCalls(library, name, &depth);
}

Status MeasureCalls(const FunctionLibraryDefinition& library,
                    const std::string& name, int* depth) {
  return DepthCounter(library).Measure(name, 1, depth);
}

std::vector<std::string> FunctionsNamedBy(
    const FunctionLibraryDefinition& library, const NodeDef& node) {
  return Callees(library).Of(node);
}

std::vector<std::string> FunctionsNamedBy(
    const FunctionLibraryDefinition& library, const FunctionDef& function) {
  return Callees(library).Of(function);
}

}  // namespace tensorwright
