// SPDX-License-Identifier: Apache-2.0
// FunctionBody: makes a GraphDef from the function, and a graph from that, so
// that a body goes through the checks of an imported graph.
#include "core/graph/function_body.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/op_def_util.h"
#include "core/graph/graph_constructor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

Status InFunction(const FunctionDef& def, const Status& status) {
  if (status.ok()) return status;
  return errors::WithMessage(
      status, absl::StrCat("Function ", def.signature().name(), ": ",
                           status.message()));
}

// Checks the attrs of a call, and makes them those of a node, with defaults.
Status CallAttrs(const FunctionDef& def, const AttrSlice& given,
                 NodeDef* call) {
  for (const OpDef::AttrDef& attr : def.signature().attr()) {
    const AttrValue* value = given.Find(attr.name());
    if (value == nullptr && attr.has_default_value()) {
      value = &attr.default_value();
    }
    if (value == nullptr) {
      return errors::InvalidArgument("attr '", attr.name(), "' is missing");
    }
    TF_RETURN_IF_ERROR(ValidateAttrValue(*value, attr));
    (*call->mutable_attr())[attr.name()] = *value;
  }
  return OkStatus();
}

class Instantiator {
 public:
  Instantiator(const FunctionDef& def, const OpRegistryInterface* ops)
      : def_(def), ops_(ops) {}

  Status Run(const AttrSlice& attrs, FunctionBody* body) {
    TF_RETURN_IF_ERROR(CallAttrs(def_, attrs, &call_));
    TF_RETURN_IF_ERROR(InOutTypesForNode(call_, def_.signature(),
                                         &body->arg_types, &body->ret_types));
    TF_RETURN_IF_ERROR(
        NameRangesForNode(call_, def_.signature(), &arg_ranges_, &ret_ranges_));
    AddArgs(body->arg_types);
    TF_RETURN_IF_ERROR(AddNodes());
    TF_RETURN_IF_ERROR(ConnectNodes());
    TF_RETURN_IF_ERROR(AddRetvals(body->ret_types));
    body->graph = std::make_unique<Graph>(ops_);
    GraphConstructorOptions options;
    // The nodes are ours; AddNodes refuses other internal ops.
    options.allow_internal_ops = true;
    return ConvertGraphDefToGraph(options, graph_, body->graph.get(), nullptr);
  }

 private:
  // The meaning of a name in the body: its tensors by output name, as inputs of
  // a GraphDef.
  struct Source {
    std::vector<std::string> tensors;  // The tensors of an argument.
    int node = -1;                     // Or a node of graph_.
    ArgRanges outputs;
  };

  static NodeDef Endpoint(const char* op, std::string name, DataType type,
                          int64_t index) {
    NodeDef node;
    node.set_op(op);
    node.set_name(std::move(name));
    (*node.mutable_attr())["T"].set_type(type);
    (*node.mutable_attr())["index"].set_i(index);
    return node;
  }

  void AddArgs(const DataTypeVector& types) {
    for (const ArgRange& range : arg_ranges_) {
      Source& source = sources_[range.name];
      for (int i = range.start; i < range.stop; ++i) {
        // A body may have a node "x_1" beside a list "x".
        const bool is_list = range.stop - range.start != 1;
        std::string name =
            is_list ? absl::StrCat("_arg/", range.name, "/", i - range.start)
                    : range.name;
        source.tensors.push_back(name);
        *graph_.add_node() = Endpoint("_Arg", std::move(name), types[i], i);
      }
    }
  }

  Status AddNodes() {
    for (const NodeDef& original : def_.node_def()) {
      const auto fail = [&original](const Status& status) {
        return errors::AttachNode(
            errors::WithMessage(
                status, absl::StrCat("node '", original.name(), "' (",
                                     original.op(), "): ", status.message())),
            original.name());
      };
      // A function may be called _f; an internal op of that form cannot be
      // used.
      const OpDef* internal = nullptr;
      if ((absl::StartsWith(original.op(), "_") &&
           OpRegistry::Global()->LookUpOpDef(original.op(), &internal).ok()) ||
          absl::StartsWith(original.name(), "_")) {
        return fail(
            errors::InvalidArgument("internal ops and names are not"
                                    " for functions"));
      }
      NodeDef* node = graph_.add_node();
      *node = original;
      node->clear_input();
      for (auto& [name, value] : *node->mutable_attr()) {
        const Status status = Substitute(&value);
        if (!status.ok()) return fail(status);
      }
      const OpDef* op = nullptr;
      Status status = ops_->LookUpOpDef(node->op(), &op);
      if (!status.ok()) return fail(status);
      AddDefaultsToNodeDef(*op, node);
      Source source;
      source.node = graph_.node_size() - 1;
      ArgRanges inputs;
      status = NameRangesForNode(*node, *op, &inputs, &source.outputs);
      if (!status.ok()) return fail(status);
      if (!sources_.emplace(node->name(), std::move(source)).second) {
        return fail(errors::InvalidArgument("the name is used twice"));
      }
    }
    return OkStatus();
  }

  // Replaces placeholders by the function's attrs.
  Status Substitute(AttrValue* value) const {
    if (value->value_case() == AttrValue::kPlaceholder) {
      const auto it = call_.attr().find(value->placeholder());
      if (it == call_.attr().end()) {
        return errors::InvalidArgument("the function has no attr '",
                                       value->placeholder(), "'");
      }
      const AttrValue given = it->second;
      *value = given;
      return OkStatus();
    }
    if (value->has_func()) return SubstituteAll(value->mutable_func());
    if (!value->has_list()) return OkStatus();
    for (NameAttrList& f : *value->mutable_list()->mutable_func()) {
      TF_RETURN_IF_ERROR(SubstituteAll(&f));
    }
    return OkStatus();
  }
  Status SubstituteAll(NameAttrList* function) const {
    for (auto& [name, value] : *function->mutable_attr()) {
      TF_RETURN_IF_ERROR(Substitute(&value));
    }
    return OkStatus();
  }

  Status ConnectNodes() {
    for (const NodeDef& original : def_.node_def()) {
      NodeDef* node = graph_.mutable_node(sources_[original.name()].node);
      for (const std::string& input : original.input()) {
        std::vector<std::string> tensors;
        const Status status = Resolve(input, &tensors);
        if (!status.ok()) {
          return errors::AttachNode(
              errors::WithMessage(status,
                                  absl::StrCat("node '", node->name(),
                                               "': ", status.message())),
              node->name());
        }
        for (std::string& tensor : tensors) node->add_input(std::move(tensor));
      }
    }
    return OkStatus();
  }

  // Turns "x", "x:1", "n:out", "n:out:1" and "^n" into inputs of a GraphDef.
  Status Resolve(absl::string_view input,
                 std::vector<std::string>* tensors) const {
    const bool is_control = absl::StartsWith(input, "^");
    const std::vector<absl::string_view> parts =
        absl::StrSplit(absl::StripPrefix(input, "^"), ':');
    const auto it = sources_.find(parts[0]);
    const auto fail = [input](const char* why) {
      return errors::InvalidArgument("input '", input, "' ", why);
    };
    if (it == sources_.end()) {
      return fail("names no argument or node of the function");
    }
    const Source& source = it->second;
    const bool is_arg = source.node < 0;
    if (is_control) {
      if (is_arg && source.tensors.empty()) return OkStatus();
      tensors->push_back(absl::StrCat(
          "^", is_arg ? source.tensors[0] : std::string(parts[0])));
      return OkStatus();
    }
    int start = 0;
    int stop = static_cast<int>(source.tensors.size());
    const size_t index_at = is_arg ? 1 : 2;
    if (!is_arg) {
      const ArgRange* range =
          parts.size() < 2 ? nullptr : FindArgRange(source.outputs, parts[1]);
      if (range == nullptr) return fail("names no output of its node");
      start = range->start;
      stop = range->stop;
    }
    if (parts.size() > index_at + 1) return fail("is malformed");
    if (parts.size() > index_at) {
      int index = 0;
      if (!absl::SimpleAtoi(parts[index_at], &index) || index < 0 ||
          index >= stop - start) {
        return fail("is beyond the end of its list");
      }
      start += index;
      stop = start + 1;
    }
    for (int i = start; i < stop; ++i) {
      tensors->push_back(is_arg ? source.tensors[i]
                                : absl::StrCat(parts[0], ":", i));
    }
    return OkStatus();
  }

  Status AddRetvals(const DataTypeVector& types) {
    for (const ArgRange& range : ret_ranges_) {
      const auto it = def_.ret().find(range.name);
      if (it == def_.ret().end()) {
        return errors::InvalidArgument("nothing gives the result '", range.name,
                                       "'");
      }
      std::vector<std::string> tensors;
      TF_RETURN_IF_ERROR(Resolve(it->second, &tensors));
      if (static_cast<int>(tensors.size()) != range.stop - range.start) {
        return errors::InvalidArgument("the result '", range.name,
                                       "' must have ", range.stop - range.start,
                                       " tensors, got ", tensors.size());
      }
      for (int i = range.start; i < range.stop; ++i) {
        NodeDef node =
            Endpoint("_Retval", absl::StrCat("_retval/", i), types[i], i);
        node.add_input(std::move(tensors[i - range.start]));
        *graph_.add_node() = std::move(node);
      }
    }
    return OkStatus();
  }

  const FunctionDef& def_;
  const OpRegistryInterface* const ops_;
  NodeDef call_;  // Attrs only.
  ArgRanges arg_ranges_;
  ArgRanges ret_ranges_;
  GraphDef graph_;
  absl::flat_hash_map<std::string, Source> sources_;
};

}  // namespace

Status FunctionTypes(const FunctionDef& def, const AttrSlice& attrs,
                     DataTypeVector* arg_types, DataTypeVector* ret_types) {
  NodeDef call;
  TF_RETURN_IF_ERROR(InFunction(def, CallAttrs(def, attrs, &call)));
  return InFunction(
      def, InOutTypesForNode(call, def.signature(), arg_types, ret_types));
}

Status InstantiateFunctionBody(const FunctionDef& def, const AttrSlice& attrs,
                               const OpRegistryInterface* ops,
                               FunctionBody* body) {
  return InFunction(def, Instantiator(def, ops).Run(attrs, body));
}

}  // namespace tensorwright
