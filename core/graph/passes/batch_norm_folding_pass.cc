// SPDX-License-Identifier: Apache-2.0
// A batch normalisation with known statistics after a convolution with a known
// filter is a convolution with another filter and a bias:
//   scale * (conv(x, w) + b - mean) / sqrt(variance + epsilon) + offset
//     = conv(x, w * s) + (b - mean) * s + offset,
//   s = scale / sqrt(variance + epsilon).
// So is a product with a known number for each channel.  Inference graphs have
// these once their variables are constants; training graphs have neither.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/node_def_util.h"
#include "core/graph/passes/graph_passes.h"
#include "core/graph/passes/pass_util.h"

namespace tensorwright {
namespace {

using Channels = std::vector<double>;

// y = x * scale + shift, for each channel.
struct Affine {
  Channels scale, shift;

  bool IsFinite() const {
    for (size_t c = 0; c < scale.size(); ++c) {
      if (!std::isfinite(scale[c]) || !std::isfinite(shift[c])) return false;
    }
    return true;
  }
};

bool IsConvolution(const Node& node) {
  return node.type_string() == "Conv2D" ||
         node.type_string() == "DepthwiseConv2dNative";
}

std::string FormatOf(const Node& node) {
  const AttrValue* format = node.FindAttr("data_format");
  return format == nullptr ? "NHWC" : format->s();
}

class BatchNormFolder {
 public:
  explicit BatchNormFolder(GraphPassContext* context)
      : context_(context), graph_(context->graph()) {}

  Status Run() {
    std::vector<int> ids;
    for (const Node* node : graph_->op_nodes()) {
      if (IsConvolution(*node)) ids.push_back(node->id());
    }
    for (int id : ids) {
      for (bool folded = true; folded;) {
        folded = false;
        TF_RETURN_IF_ERROR(Fold(graph_->FindNodeId(id), &folded));
      }
    }
    return OkStatus();
  }

 private:
  // A vector of `size` floats that is known, with any dimensions of size 1 in
  // front; empty if it is not.
  Channels KnownVector(const Node& node, int64_t size) {
    const Tensor* t = context_->ConstantValue(node);
    if (t == nullptr || t->dtype() != DT_FLOAT || t->dims() == 0 ||
        t->NumElements() != size || t->dim_size(t->dims() - 1) != size) {
      return {};
    }
    return Channels(t->base<float>(), t->base<float>() + size);
  }

  // The only reader of the node's output 0, if nothing else reads it or waits
  // for it.
  Node* OnlyReader(const Node& node) const {
    if (context_->IsTarget(node) || node.out_edges().size() != 1) {
      return nullptr;
    }
    const Edge* e = *node.out_edges().begin();
    const bool follows =
        !e->IsControlEdge() && e->dst_input() == 0 && e->src_output() == 0 &&
        IsPure(*e->dst()) &&
        e->dst()->assigned_device_index() == node.assigned_device_index();
    return follows ? e->dst() : nullptr;
  }

  // The effect of a node on each of `channels` channels of its input 0, if it
  // is an affine map with known numbers.
  std::optional<Affine> AffineOf(const Node& node, const std::string& format,
                                 int64_t channels) {
    const std::string& op = node.type_string();
    if (op == "FusedBatchNorm" || op == "FusedBatchNormV2" ||
        op == "FusedBatchNormV3") {
      return AffineOfBatchNorm(node, format, channels);
    }
    if (op == "Mul" && format == "NHWC") {
      Affine map;
      map.scale = KnownVector(*node.input_node(1), channels);
      map.shift.assign(map.scale.size(), 0);
      // The factor must not add dimensions to the product.
      const Tensor* factor = context_->ConstantValue(*node.input_node(1));
      if (!map.scale.empty() && factor->dims() <= 4) return map;
    }
    return std::nullopt;
  }

  std::optional<Affine> AffineOfBatchNorm(const Node& node,
                                          const std::string& format,
                                          int64_t channels) {
    const AttrValue* training = node.FindAttr("is_training");
    const AttrValue* epsilon = node.FindAttr("epsilon");
    if (training == nullptr || training->b() || epsilon == nullptr ||
        FormatOf(node) != format || NumDataUses(node) != NumDataUses(node, 0)) {
      return std::nullopt;
    }
    Channels known[4];  // scale, offset, mean, variance.
    for (int i = 0; i < 4; ++i) {
      known[i] = KnownVector(*node.input_node(i + 1), channels);
      if (known[i].empty()) return std::nullopt;
    }
    Affine map;
    for (int64_t c = 0; c < channels; ++c) {
      const double s =
          known[0][c] /
          std::sqrt(known[3][c] + static_cast<double>(epsilon->f()));
      map.scale.push_back(s);
      map.shift.push_back(known[1][c] - known[2][c] * s);
    }
    return map;
  }

  // Sets *folded if something was folded, and perhaps there is more.
  Status Fold(Node* conv, bool* folded) {
    if (!IsPure(*conv) || !IsOnCpu(*conv) || conv->output_type(0) != DT_FLOAT) {
      return OkStatus();
    }
    const Tensor* filter = context_->ConstantValue(*conv->input_node(1));
    if (filter == nullptr || filter->dims() != 4 ||
        static_cast<int64_t>(filter->TotalBytes()) >
            context_->options().max_folded_bytes) {
      return OkStatus();
    }
    const int64_t channels = conv->type_string() == "Conv2D"
                                 ? filter->dim_size(3)
                                 : filter->dim_size(2) * filter->dim_size(3);
    if (channels == 0) return OkStatus();
    const std::string format = FormatOf(*conv);
    Node* last = OnlyReader(*conv);
    Channels bias(channels, 0.0);
    Node* bias_add = nullptr;
    if (last != nullptr && last->type_string() == "BiasAdd" &&
        FormatOf(*last) == format) {
      bias_add = last;
      bias = KnownVector(*bias_add->input_node(1), channels);
      if (bias.empty()) return OkStatus();
      last = OnlyReader(*bias_add);
    }
    if (last == nullptr || context_->IsTarget(*last)) return OkStatus();
    std::optional<Affine> map = AffineOf(*last, format, channels);
    if (!map.has_value()) return OkStatus();
    for (int64_t c = 0; c < channels; ++c) {
      map->shift[c] += bias[c] * map->scale[c];
    }
    // Maps that are not finite stay where the graph has put them.
    if (!map->IsFinite()) return OkStatus();
    *folded = true;
    return Replace(conv, *filter, bias_add, last, *map);
  }

  // Turns conv -> [bias_add ->] last into conv' -> a BiasAdd with the name of
  // `last`.
  Status Replace(Node* conv, const Tensor& filter, Node* bias_add, Node* last,
                 const Affine& map) {
    const int64_t channels = static_cast<int64_t>(map.scale.size());
    Tensor scaled(DT_FLOAT, filter.shape());
    for (int64_t i = 0; i < filter.NumElements(); ++i) {
      scaled.base<float>()[i] =
          static_cast<float>(filter.base<float>()[i] * map.scale[i % channels]);
    }
    Tensor shift(DT_FLOAT, TensorShape({channels}));
    for (int64_t c = 0; c < channels; ++c) {
      shift.base<float>()[c] = static_cast<float>(map.shift[c]);
    }
    TF_ASSIGN_OR_RETURN(
        Node * new_filter,
        AddConstant(context_, absl::StrCat(last->name(), "/folded_filter"),
                    scaled, *conv));
    TF_ASSIGN_OR_RETURN(
        Node * new_bias,
        AddConstant(context_, absl::StrCat(last->name(), "/folded_bias"), shift,
                    *conv));
    Node* old_filter = conv->input_node(1);
    graph_->RemoveEdge(conv->input_edge(1));
    graph_->AddEdge(new_filter, 0, conv, 1);
    RemoveUnused(context_, old_filter);
    AttrValue format;
    format.set_s(FormatOf(*conv));
    // The new nodes wait for what the old ones waited for.
    std::vector<Node*> sources;
    if (bias_add != nullptr) sources = ControlInputs(*bias_add);
    TF_ASSIGN_OR_RETURN(
        Node * added,
        ReplaceWithOp(context_, last, "BiasAdd", {{conv, 0}, {new_bias, 0}}));
    added->SetAttr("data_format", format);
    for (Node* source : sources) graph_->AddControlEdge(source, added);
    return OkStatus();
  }

  GraphPassContext* const context_;
  Graph* const graph_;
};

class BatchNormFoldingPass final : public GraphPass {
 public:
  absl::string_view name() const override { return "batch_norm_folding"; }

  Status Run(GraphPassContext* context) override {
    return BatchNormFolder(context).Run();
  }
};
REGISTER_GRAPH_PASS(GraphPassPhase::kPostPlacement, 45, BatchNormFoldingPass);

}  // namespace
}  // namespace tensorwright
