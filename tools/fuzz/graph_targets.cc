// SPDX-License-Identifier: Apache-2.0
// Graphs: parsed, and imported as a session would have them.
#include "core/framework/graph.pb.h"
#include "core/graph/live_graph.h"
#include "core/protobuf/meta_graph.pb.h"
#include "core/protobuf/saved_model.pb.h"
#include "tools/fuzz/fuzz_targets.h"

namespace tensorwright {
namespace fuzz {
namespace {

void Import(const GraphDef& def) {
  LiveGraph graph;
  if (!graph.Import(def, {}).ok()) return;
  GraphDef again;
  graph.ToGraphDef(&again, /*add_shapes=*/true);
}

}  // namespace

void ReadMetaGraph(absl::string_view bytes) {
  MetaGraphDef def;
  if (def.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    Import(def.graph_def());
  }
}

void ReadSavedModel(absl::string_view bytes) {
  SavedModel model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return;
  }
  for (const MetaGraphDef& def : model.meta_graphs()) Import(def.graph_def());
}

}  // namespace fuzz
}  // namespace tensorwright
