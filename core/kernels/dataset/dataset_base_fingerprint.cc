// SPDX-License-Identifier: Apache-2.0
// Fingerprints of datasets, computed from the nodes and values that they were
// made from.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/framework/function.pb.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/variant.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/lib/core/errors.h"
#include "core/platform/fingerprint.h"

namespace tensorwright {

struct DatasetBase::Origin {
  std::shared_ptr<const NodeDef> node;
  Element inputs;
};

namespace {

// Functions in functions, and datasets in datasets, nested more deeply than
// this are refused: the stack has an end.
constexpr int kDeepest = 1000;

// Text that describes something; lengths separate its parts.
class Writer {
 public:
  explicit Writer(const FunctionLibraryDefinition* functions)
      : functions_(functions) {}

  void Text(absl::string_view text) {
    absl::StrAppend(&out_, text.size(), ":", text);
  }
  const std::string& out() const { return out_; }

  Status Node(const NodeDef& node) {
    Text(node.op());
    return Attrs(node);
  }

  // Writes them sorted, without those that only describe (metadata, "_...").
  Status Attrs(const NodeDef& node) {
    const std::map<std::string, AttrValue> sorted(node.attr().begin(),
                                                  node.attr().end());
    for (const auto& [name, value] : sorted) {
      if (name == "metadata" || absl::StartsWith(name, "_")) continue;
      Text(name);
      if (value.has_func()) {
        TF_RETURN_IF_ERROR(Function(value.func().name()));
      } else {
        std::string bytes;
        value.SerializeToString(&bytes);
        Text(bytes);
      }
    }
    return OkStatus();
  }

  // Writes its types and nodes, but not its name.
  Status Function(const std::string& name) {
    const auto def = functions_ == nullptr ? nullptr : functions_->Find(name);
    if (def == nullptr || !under_way_.insert(name).second ||
        under_way_.size() > kDeepest) {
      Text(name);
      return OkStatus();
    }
    for (const auto& arg : def->signature().input_arg()) {
      Text(arg.name());
      Text(absl::StrCat(arg.type(), arg.type_attr()));
    }
    const std::map<std::string, const NodeDef*> nodes = Sorted(*def);
    for (const auto& [node_name, node] : nodes) {
      Text(node_name);
      TF_RETURN_IF_ERROR(NodeOfBody(*node));
    }
    const std::map<std::string, std::string> rets(def->ret().begin(),
                                                  def->ret().end());
    for (const auto& arg : def->signature().output_arg()) {
      const auto ret = rets.find(arg.name());
      Text(ret == rets.end() ? "" : ret->second);
    }
    under_way_.erase(name);
    return OkStatus();
  }

  Status Value(const Tensor& tensor) {
    Text(DataTypeString(tensor.dtype()));
    if (tensor.dtype() == DT_RESOURCE) {
      for (int64_t i = 0; i < tensor.NumElements(); ++i) {
        const ResourceHandle& handle = tensor.base<ResourceHandle>()[i];
        Text(handle.container());
        Text(handle.name());
      }
      return OkStatus();
    }
    Text(tensor.shape().DebugString());
    if (tensor.dtype() == DT_VARIANT) return Variants(tensor);
    if (tensor.dtype() != DT_STRING) {
      Text(absl::string_view(static_cast<const char*>(tensor.data()),
                             tensor.TotalBytes()));
      return OkStatus();
    }
    for (int64_t i = 0; i < tensor.NumElements(); ++i) {
      Text(tensor.base<tstring>()[i]);
    }
    return OkStatus();
  }

 private:
  static std::map<std::string, const NodeDef*> Sorted(const FunctionDef& def) {
    std::map<std::string, const NodeDef*> nodes;
    for (const NodeDef& node : def.node_def()) nodes[node.name()] = &node;
    return nodes;
  }

  Status NodeOfBody(const NodeDef& node) {
    if (functions_ != nullptr && functions_->Contains(node.op())) {
      TF_RETURN_IF_ERROR(Function(node.op()));
      TF_RETURN_IF_ERROR(Attrs(node));
    } else {
      TF_RETURN_IF_ERROR(Node(node));
    }
    for (const std::string& input : node.input()) Text(input);
    return OkStatus();
  }

  Status Variants(const Tensor& tensor) {
    for (int64_t i = 0; i < tensor.NumElements(); ++i) {
      const Variant& variant = tensor.base<Variant>()[i];
      if (const Tensor* held = variant.get<Tensor>();
          held != nullptr && held->dtype() != DT_VARIANT) {
        TF_RETURN_IF_ERROR(Value(*held));
        continue;
      }
      Tensor one(DT_VARIANT, TensorShape());
      one.scalar_value<Variant>() = variant;
      DatasetPtr dataset;
      TF_RETURN_IF_ERROR(DatasetFromTensor(one, &dataset));
      TF_ASSIGN_OR_RETURN(const uint64_t number,
                          dataset->Fingerprint(functions_));
      Text(absl::StrCat(number));
    }
    return OkStatus();
  }

  const FunctionLibraryDefinition* const functions_;
  std::set<std::string> under_way_;
  std::string out_;
};

}  // namespace

Status DatasetBase::SetOrigin(std::shared_ptr<const NodeDef> node,
                              Element inputs) const {
  if (origin_ != nullptr) return OkStatus();
  int below = 0;
  for (const Tensor& t : inputs) below = std::max(below, DatasetDepth(t));
  if (below >= kMaxDepth) {
    return errors::InvalidArgument(node->op(), ": its input is made of ", below,
                                   " datasets, one from the other; more than ",
                                   kMaxDepth, " are not possible");
  }
  depth_ = below + 1;
  origin_ = std::make_shared<const Origin>(
      Origin{std::move(node), std::move(inputs)});
  return OkStatus();
}

Status DatasetBase::AtOrigin(const Status& status) const {
  if (status.ok() || origin_ == nullptr) return status;
  return errors::WithMessage(
      status, absl::StrCat(status.message(), " (", origin_->node->op(),
                           ", node ", origin_->node->name(), ")"));
}

StatusOr<uint64_t> DatasetBase::Fingerprint(
    const FunctionLibraryDefinition* functions) const {
  if (origin_ == nullptr) {
    return errors::InvalidArgument(
        Name(), ": elements that are in memory alone have no fingerprint");
  }
  Writer writer(functions);
  TF_RETURN_IF_ERROR(writer.Node(*origin_->node));
  for (const Tensor& input : origin_->inputs) {
    TF_RETURN_IF_ERROR(writer.Value(input));
  }
  return Fingerprint64(writer.out());
}

}  // namespace tensorwright
