// SPDX-License-Identifier: Apache-2.0
// QueueBase: checks the elements that go into a queue, and the options that a
// node asks for.

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/kernels/data_flow/batch_rows.h"
#include "core/kernels/data_flow/queue_base.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string Text(const std::vector<PartialTensorShape>& shapes) {
  std::vector<std::string> texts;
  for (const PartialTensorShape& shape : shapes) {
    texts.push_back(shape.DebugString());
  }
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

bool Same(const std::vector<PartialTensorShape>& a,
          const std::vector<PartialTensorShape>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].IsIdenticalTo(b[i])) return false;
  }
  return true;
}

}  // namespace

Status QueueOptions::FromNode(const NodeDef& node, QueueOptions* options) {
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "capacity", &options->capacity));
  if (options->capacity < 0) options->capacity = kUnbounded;
  TF_RETURN_IF_ERROR(
      GetNodeAttr(node, "component_types", &options->component_dtypes));
  TF_RETURN_IF_ERROR(GetNodeAttr(node, "shapes", &options->component_shapes));
  options->kind = std::string(absl::StripSuffix(node.op(), "V2"));
  if (options->kind == "PriorityQueue") {
    // The attrs leave the priority out.  Without shapes, any shape will do.
    const bool any =
        options->component_shapes.empty() && !options->component_dtypes.empty();
    options->component_dtypes.insert(options->component_dtypes.begin(),
                                     DT_INT64);
    if (!any) {
      options->component_shapes.insert(options->component_shapes.begin(),
                                       PartialTensorShape({}));
    }
  }
  if (!options->component_shapes.empty() &&
      options->component_shapes.size() != options->component_dtypes.size()) {
    return errors::InvalidArgument(
        node.op(), ": shapes must have one shape for each of the ",
        options->component_dtypes.size(), " component types, got ",
        options->component_shapes.size());
  }
  return OkStatus();
}

Status QueueOptions::CheckShapesAreKnown() const {
  for (const PartialTensorShape& shape : component_shapes) {
    if (shape.IsFullyDefined()) continue;
    return errors::InvalidArgument(
        kind, ": shapes must be known in full, or not given, got ",
        shape.DebugString());
  }
  return OkStatus();
}

Status QueueBase::MatchesNodeDef(const NodeDef& node_def) {
  QueueOptions asked;
  TF_RETURN_IF_ERROR(QueueOptions::FromNode(node_def, &asked));
  if (asked.kind != options_.kind) {
    return errors::InvalidArgument("Shared queue '", options_.name,
                                   "': Expected ", options_.kind, ", found ",
                                   node_def.op());
  }
  if (asked.capacity != options_.capacity) {
    return errors::InvalidArgument(
        "Shared queue '", options_.name, "' has capacity ", options_.capacity,
        " but requested capacity was ", asked.capacity);
  }
  if (asked.component_dtypes != options_.component_dtypes) {
    return errors::InvalidArgument(
        "Shared queue '", options_.name, "' has component types ",
        DataTypeSliceString(options_.component_dtypes),
        " but requested component types were ",
        DataTypeSliceString(asked.component_dtypes));
  }
  if (!Same(asked.component_shapes, options_.component_shapes)) {
    return errors::InvalidArgument(
        "Shared queue '", options_.name, "' has component shapes ",
        Text(options_.component_shapes),
        " but requested component shapes were ", Text(asked.component_shapes));
  }
  return OkStatus();
}

bool QueueBase::Fits(int i, const TensorShape& shape) const {
  return options_.component_shapes.empty() ||
         options_.component_shapes[i].IsCompatibleWith(shape);
}

Status QueueBase::ValidateTuple(const Tuple& tuple) {
  if (tuple.size() != options_.component_dtypes.size()) {
    return errors::InvalidArgument(
        "Wrong number of components in tuple. Expected ",
        options_.component_dtypes.size(), ", got ", tuple.size());
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i].dtype() != options_.component_dtypes[i]) {
      return errors::InvalidArgument(
          "Type mismatch in tuple component ", i, ". Expected ",
          DataTypeString(options_.component_dtypes[i]), ", got ",
          DataTypeString(tuple[i].dtype()));
    }
    if (!Fits(static_cast<int>(i), tuple[i].shape())) {
      return errors::InvalidArgument("Shape mismatch in tuple component ", i,
                                     ". Expected ",
                                     options_.component_shapes[i].DebugString(),
                                     ", got ", tuple[i].shape().DebugString());
    }
  }
  return OkStatus();
}

Status QueueBase::ValidateManyTuple(const Tuple& tuple) {
  if (tuple.size() != options_.component_dtypes.size()) {
    return errors::InvalidArgument(
        "Wrong number of components in tuple. Expected ",
        options_.component_dtypes.size(), ", got ", tuple.size());
  }
  for (size_t i = 0; i < tuple.size(); ++i) {
    const Tensor& component = tuple[i];
    if (component.dtype() != options_.component_dtypes[i]) {
      return errors::InvalidArgument(
          "Type mismatch in tuple component ", i, ". Expected ",
          DataTypeString(options_.component_dtypes[i]), ", got ",
          DataTypeString(component.dtype()));
    }
    if (component.dims() < 1) {
      return errors::InvalidArgument(
          "Tuple component ", i,
          " must have rank >= 1, a batch of elements, got shape []");
    }
    if (component.dim_size(0) != tuple[0].dim_size(0)) {
      return errors::InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. "
          "Component ",
          i, " has ", component.dim_size(0), ", and should have ",
          tuple[0].dim_size(0));
    }
    if (!Fits(static_cast<int>(i), RowShape(component.shape()))) {
      return errors::InvalidArgument(
          "Shape mismatch in tuple component ", i, ". Expected ",
          PartialTensorShape({component.dim_size(0)})
              .Concatenate(options_.component_shapes[i])
              .DebugString(),
          ", got ", component.shape().DebugString());
    }
  }
  return OkStatus();
}

Status QueueBase::CheckBatches() const {
  if (!options_.component_shapes.empty()) return OkStatus();
  return errors::InvalidArgument(options_.kind,
                                 "'s DequeueMany and DequeueUpTo require the "
                                 "components to have specified shapes.");
}

Status QueueBase::Batch(int i, const std::vector<Tuple>& elements,
                        Tensor* batch) const {
  TensorShape shape;
  if (!options_.component_shapes[i].AsTensorShape(&shape)) {
    return errors::Internal(options_.kind, ": shape ",
                            options_.component_shapes[i].DebugString(),
                            " is not known");
  }
  std::vector<const Tensor*> rows;
  rows.reserve(elements.size());
  for (const Tuple& element : elements) rows.push_back(&element[i]);
  return StackRows(options_.component_dtypes[i], shape, rows, batch);
}

}  // namespace tensorwright
