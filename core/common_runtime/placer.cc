// SPDX-License-Identifier: Apache-2.0
// Placer.
#include "core/common_runtime/placer.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/function.h"
#include "core/framework/kernel_registry.h"
#include "core/lib/core/errors.h"
#include "core/util/device_name_utils.h"

namespace tensorwright {
namespace {

using ParsedName = DeviceNameUtils::ParsedName;

class Placer {
 public:
  Placer(const DeviceSet& devices, const PlacerOptions& options, Graph* graph)
      : devices_(devices), options_(options), graph_(graph) {}

  Status Place() {
    FindGroups();
    TF_RETURN_IF_ERROR(MergeRequests());
    for (Node* node : graph_->op_nodes()) {
      if (node->has_assigned_device_name()) continue;
      Group& group = groups_[Root(node->id())];
      if (group.device == nullptr) TF_RETURN_IF_ERROR(Choose(*node, &group));
      node->set_assigned_device_name(group.device->name());
    }
    if (options_.log_device_placement) Log();
    return OkStatus();
  }

 private:
  // Nodes that must share a device; the root of each group has its state.
  struct Group {
    ParsedName request;
    const DeviceInfo* device = nullptr;
    std::vector<Node*> members;
  };

  int Root(int id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void Join(int a, int b) { parent_[Root(a)] = Root(b); }

  void FindGroups() {
    parent_.resize(graph_->num_node_ids());
    groups_.resize(graph_->num_node_ids());
    absl::flat_hash_map<std::string, int> class_of;
    for (int i = 0; i < graph_->num_node_ids(); ++i) parent_[i] = i;
    for (const Node* node : graph_->op_nodes()) {
      if (const AttrValue* classes = node->FindAttr("_class")) {
        for (absl::string_view c : classes->list().s()) {
          if (!absl::ConsumePrefix(&c, "loc:@")) continue;
          // A node that is not part of this run still names a group.
          auto [it, is_new] = class_of.try_emplace(std::string(c), node->id());
          if (!is_new) Join(node->id(), it->second);
        }
      }
      for (int i = 0; i < node->num_inputs(); ++i) {
        if (IsRefType(node->input_type(i)) ||
            (node->input_type(i) == DT_RESOURCE &&
             !node->input_node(i)->IsArg())) {
          Join(node->id(), node->input_node(i)->id());
        }
      }
    }
    if (class_of.empty()) return;
    for (const Node* node : graph_->op_nodes()) {
      auto it = class_of.find(node->name());
      if (it != class_of.end()) Join(node->id(), it->second);
    }
  }

  Status MergeRequests() {
    for (Node* node : graph_->op_nodes()) {
      Group& group = groups_[Root(node->id())];
      group.members.push_back(node);
      if (node->has_assigned_device_name()) {
        group.device = devices_.Find(node->assigned_device_name());
        if (group.device == nullptr) {
          return Error(*node, NoDevice(node->assigned_device_name()));
        }
        continue;
      }
      if (node->IsArg() || node->IsRetval()) {
        group.device = devices_.client_device();
        continue;
      }
      if (node->requested_device().empty()) continue;
      ParsedName request;
      if (!DeviceNameUtils::ParseFullName(node->requested_device(), &request)) {
        return Error(*node, absl::StrCat("'", node->requested_device(),
                                         "' is not a device name"));
      }
      Status merged = DeviceNameUtils::MergeDevNames(
          &group.request, request, options_.allow_soft_placement);
      if (!merged.ok()) {
        return Error(*node,
                     absl::StrCat("it is colocated with nodes on another "
                                  "device: ",
                                  merged.message()));
      }
    }
    return OkStatus();
  }

  // Do all nodes of the group have kernels for devices of that type?
  bool IsSupported(const Group& group, const DeviceInfo& device) const {
    if (devices_.prioritized_types().size() == 1) return true;
    const DeviceType type(device.type());
    for (const Node* node : group.members) {
      if (node->IsNoOp() || node->IsControlTrigger() || node->IsArg() ||
          node->IsRetval()) {
        continue;
      }
      if (options_.functions != nullptr &&
          options_.functions->Contains(node->type_string())) {
        if (device.type() != devices_.client_device()->type()) return false;
        continue;
      }
      const KernelRegistration* registration = nullptr;
      if (!FindKernelRegistration(type, node->type_string(),
                                  AttrSlice(node->def()), &registration)
               .ok()) {
        return false;
      }
    }
    return true;
  }

  const DeviceInfo* FirstFit(const Group& group,
                             const ParsedName& request) const {
    for (const DeviceType& type : devices_.prioritized_types()) {
      for (const DeviceInfo* device : devices_.devices()) {
        if (device->type() == type.type() &&
            DeviceNameUtils::IsSpecification(request, device->parsed_name()) &&
            IsSupported(group, *device)) {
          return device;
        }
      }
    }
    return nullptr;
  }

  Status Choose(const Node& node, Group* group) {
    group->device = FirstFit(*group, group->request);
    if (group->device == nullptr && options_.allow_soft_placement) {
      // The same place, on any device.
      ParsedName soft = group->request;
      soft.has_type = soft.has_id = false;
      group->device = FirstFit(*group, soft);
    }
    if (group->device != nullptr) return OkStatus();
    const std::string wanted =
        DeviceNameUtils::ParsedNameToString(group->request);
    const bool exists =
        std::any_of(devices_.devices().begin(), devices_.devices().end(),
                    [&](const DeviceInfo* d) {
                      return DeviceNameUtils::IsSpecification(group->request,
                                                              d->parsed_name());
                    });
    if (!exists) {
      return Error(node, NoDevice(wanted));
    }
    std::string text =
        wanted.empty()
            ? absl::StrCat("no device of this session has a kernel for it")
            : absl::StrCat("'", wanted, "' has no kernel for it");
    for (const Node* member : group->members) {
      absl::StrAppend(&text, ". Kernels of ", member->type_string(), ":\n",
                      KernelsRegisteredForOp(member->type_string()));
      if (group->members.size() > 4) break;
    }
    return Error(node, text);
  }

  std::string NoDevice(const std::string& wanted) const {
    return absl::StrCat("it was assigned to '", wanted,
                        "', but the devices of this session are ",
                        devices_.DeviceNames());
  }

  static Status Error(const Node& node, absl::string_view why) {
    return errors::AttachNode(
        errors::InvalidArgument("Cannot assign a device for operation ",
                                node.name(), " (", node.type_string(),
                                "): ", why),
        node.name());
  }

  void Log() const {
    for (const Node* node : graph_->op_nodes()) {
      std::cerr << node->name() << ": (" << node->type_string()
                << "): " << node->assigned_device_name() << "\n";
    }
  }

  const DeviceSet& devices_;
  const PlacerOptions& options_;
  Graph* const graph_;
  std::vector<int> parent_;    // Union-find over node ids.
  std::vector<Group> groups_;  // By root.
};

}  // namespace

Status PlaceGraph(const DeviceSet& devices, const PlacerOptions& options,
                  Graph* graph) {
  return Placer(devices, options, graph).Place();
}

}  // namespace tensorwright
