// SPDX-License-Identifier: Apache-2.0
// InsertMemoryCopies and the rendezvous that copies.
#include "core/common_runtime/memory_copies.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/memory_types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// Has the node no kernel, and so no memory types?
bool HasNoKernel(const Node& node) {
  return node.IsNoOp() || node.IsControlTrigger() || node.IsArg() ||
         node.IsRetval() || IsPlanConstant(node);
}

class CopyInserter {
 public:
  CopyInserter(const Device& device, Graph* graph)
      : device_(device), graph_(graph) {}

  Status Insert() {
    TF_RETURN_IF_ERROR(FindMemoryTypes());
    TF_RETURN_IF_ERROR(UseHostTransfers());
    std::vector<const Edge*> differing;
    for (const Node* node : graph_->op_nodes()) {
      for (const Edge* e : node->in_edges()) {
        if (Differ(*e)) differing.push_back(e);
      }
    }
    for (const Edge* e : differing) TF_RETURN_IF_ERROR(Copy(*e));
    return OkStatus();
  }

 private:
  struct Memory {
    MemoryTypeVector inputs;
    MemoryTypeVector outputs;
  };

  Status FindMemoryTypes() {
    memory_.resize(graph_->num_node_ids());
    for (const Node* node : graph_->op_nodes()) {
      if (HasNoKernel(*node)) continue;
      Memory& m = memory_[node->id()];
      const Status status = MemoryTypesForNode(
          graph_->op_registry(), DeviceType(device_.device_type()), node->def(),
          &m.inputs, &m.outputs);
      if (!status.ok()) return errors::AttachNode(status, node->name());
    }
    return OkStatus();
  }

  bool Differ(const Edge& e) const {
    if (e.IsControlEdge() || !e.src()->IsOp() || HasNoKernel(*e.src()) ||
        HasNoKernel(*e.dst())) {
      return false;
    }
    return memory_[e.src()->id()].outputs[e.src_output()] !=
           memory_[e.dst()->id()].inputs[e.dst_input()];
  }

  // Values from and for other devices need not pass through this device's
  // memory.
  Status UseHostTransfers() {
    std::vector<Node*> transfers;
    for (Node* node : graph_->op_nodes()) {
      if (node->type_string() != "_Send" && node->type_string() != "_Recv") {
        continue;
      }
      bool all_differ = true;
      bool any = false;
      const EdgeSet edges =
          node->IsSend() ? node->in_edges() : node->out_edges();
      for (const Edge* e : edges) {
        if (e->IsControlEdge()) continue;
        any = true;
        all_differ = all_differ && Differ(*e);
      }
      if (any && all_differ) transfers.push_back(node);
    }
    for (Node* node : transfers) TF_RETURN_IF_ERROR(UseHostTransfer(node));
    return OkStatus();
  }

  Status UseHostTransfer(Node* node) {
    NodeDef def = node->def();
    def.set_op(node->IsSend() ? "_HostSend" : "_HostRecv");
    Node* made = nullptr;
    TF_RETURN_IF_ERROR(AddNode(std::move(def), &made));
    for (const Edge* e : node->in_edges()) {
      graph_->AddEdge(e->src(), e->src_output(), made, e->dst_input());
    }
    const std::vector<const Edge*> out(node->out_edges().begin(),
                                       node->out_edges().end());
    for (const Edge* e : out) {
      Node* const dst = e->dst();
      const int output = e->src_output();
      const int input = e->dst_input();
      graph_->RemoveEdge(e);
      graph_->AddEdge(made, output, dst, input);
    }
    graph_->RemoveNode(node);
    return OkStatus();
  }

  Status AddNode(NodeDef def, Node** node) {
    Status status;
    *node = graph_->AddNode(std::move(def), &status);
    TF_RETURN_IF_ERROR(status);
    (*node)->set_assigned_device_name(device_.name());
    if (memory_.size() <= static_cast<size_t>((*node)->id())) {
      memory_.resize((*node)->id() + 1);
    }
    Memory& m = memory_[(*node)->id()];
    return MemoryTypesForNode(graph_->op_registry(),
                              DeviceType(device_.device_type()), (*node)->def(),
                              &m.inputs, &m.outputs);
  }

  Status Copy(const Edge& e) {
    if (IsRefType(e.dst()->input_type(e.dst_input()))) {
      return errors::AttachNode(
          errors::InvalidArgument("Node ", e.dst()->name(),
                                  " takes a reference to ", e.src()->name(),
                                  ", which lives in other memory of ",
                                  device_.name()),
          e.dst()->name());
    }
    Node*& known = copies_[{e.src()->id(), e.src_output()}];
    if (known == nullptr) TF_RETURN_IF_ERROR(AddTransfers(e, &known));
    Node* const dst = e.dst();
    const int input = e.dst_input();
    graph_->UpdateEdge(known, 0, dst, input);
    return OkStatus();
  }

  // Adds a _Send and a _Recv for the value of `e`; *copy is the _Recv.
  Status AddTransfers(const Edge& e, Node** copy) {
    const bool to_host =
        memory_[e.dst()->id()].inputs[e.dst_input()] == HOST_MEMORY;
    const DataType type = BaseType(e.src()->output_type(e.src_output()));
    const auto transfer = [&](const char* op, const char* type_attr) {
      NodeDef def;
      def.set_op(op);
      def.set_name(graph_->NewName(absl::StrCat("_memory/", op)));
      const auto attr = [&def](const std::string& name) -> AttrValue& {
        return (*def.mutable_attr())[name];
      };
      attr(type_attr).set_type(type);
      attr("tensor_name")
          .set_s(absl::StrCat("memory_", e.src()->id(), "_", e.src_output(),
                              "_", e.src()->name()));
      attr("send_device").set_s(device_.name());
      attr("recv_device").set_s(device_.name());
      attr("send_device_incarnation")
          .set_i(static_cast<int64_t>(device_.attributes().incarnation()));
      attr("client_terminated").set_b(false);
      return def;
    };
    Node* send = nullptr;
    TF_RETURN_IF_ERROR(
        AddNode(transfer(to_host ? "_Send" : "_HostSend", "T"), &send));
    TF_RETURN_IF_ERROR(AddNode(
        transfer(to_host ? "_HostRecv" : "_Recv", "tensor_type"), copy));
    graph_->AddEdge(e.src(), e.src_output(), send, 0);
    // In a loop the value is received once in each iteration.
    graph_->AddControlEdge(e.src(), *copy);
    return OkStatus();
  }

  const Device& device_;
  Graph* const graph_;
  std::vector<Memory> memory_;                              // By node id.
  absl::flat_hash_map<std::pair<int, int>, Node*> copies_;  // Node, output.
};

// A value on its way from one memory to another.
struct Transfer {
  Device* src = nullptr;  // Null: the value is in host memory.
  Device* dst = nullptr;  // Null: the value is wanted in host memory.
  Rendezvous::Args send_args;
  Rendezvous::Args recv_args;
  Rendezvous::DoneCallback done;
  Tensor value;   // The value as it was sent.
  Tensor host;    // The value in host memory.
  Tensor result;  // The value as the receiver wants it.

  void Finish(const Status& status) {
    done(status, send_args, recv_args, result, false);
  }
};

void ToDevice(const std::shared_ptr<Transfer>& t) {
  if (t->dst == nullptr) {
    t->result = t->host;
    return t->Finish(OkStatus());
  }
  const Status status =
      Tensor::Allocate(t->dst->GetAllocator(t->recv_args.alloc_attrs),
                       t->host.dtype(), t->host.shape(), &t->result);
  if (!status.ok()) return t->Finish(status);
  t->dst->CopyFromHost(t->host, t->recv_args.device_context, &t->result,
                       [t](const Status& copied) { t->Finish(copied); });
}

void ToHost(const std::shared_ptr<Transfer>& t) {
  if (t->src == nullptr) {
    t->host = t->value;
    return ToDevice(t);
  }
  AllocatorAttributes on_host;
  on_host.set_on_host(true);
  const Status status =
      Tensor::Allocate(t->src->GetAllocator(on_host), t->value.dtype(),
                       t->value.shape(), &t->host);
  if (!status.ok()) return t->Finish(status);
  t->src->CopyToHost(t->value, t->send_args.device_context, &t->host,
                     [t](const Status& copied) {
                       if (!copied.ok()) return t->Finish(copied);
                       ToDevice(t);
                     });
}

class CopyingRendezvous final : public Rendezvous {
 public:
  CopyingRendezvous(const DeviceMgr* devices, Rendezvous* inner)
      : devices_(devices), inner_(inner) {
    inner->Ref();
  }

  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override {
    return inner_->Send(key, args, value, is_dead);
  }

  void RecvAsync(const ParsedKey& key, const Args& args,
                 DoneCallback done) override {
    Device* const src = Find(key.src_device);
    Device* const dst = Find(key.dst_device);
    inner_->RecvAsync(
        key, args,
        [src, dst, done = std::move(done)](
            const Status& status, const Args& send_args, const Args& recv_args,
            const Tensor& value, bool is_dead) {
          const bool from_host = src == nullptr || src->memory_is_host() ||
                                 send_args.alloc_attrs.on_host();
          const bool to_host = dst == nullptr || dst->memory_is_host() ||
                               recv_args.alloc_attrs.on_host();
          if (!status.ok() || is_dead || (from_host && to_host) ||
              (!from_host && !to_host && src == dst)) {
            return done(status, send_args, recv_args, value, is_dead);
          }
          auto t = std::make_shared<Transfer>();
          if (!from_host) t->src = src;
          if (!to_host) t->dst = dst;
          t->send_args = send_args;
          t->recv_args = recv_args;
          t->done = done;
          t->value = value;
          ToHost(t);
        });
  }

  void StartAbort(const Status& status) override { inner_->StartAbort(status); }

 private:
  ~CopyingRendezvous() override = default;

  Device* Find(absl::string_view name) const {
    Device* device = nullptr;
    devices_->LookupDevice(std::string(name), &device).IgnoreError();
    return device;
  }

  const DeviceMgr* const devices_;
  const core::RefCountPtr<Rendezvous> inner_;
};

}  // namespace

bool IsPlanConstant(const Node& node) {
  if (!node.IsConstant()) return false;
  for (const Edge* e : node.in_edges()) {
    if (e->src()->IsOp()) return false;
  }
  for (const Edge* e : node.out_edges()) {
    if (e->dst()->IsMerge()) return false;
  }
  return true;
}

Status InsertMemoryCopies(Device* device, Graph* graph) {
  if (device->memory_is_host()) return OkStatus();
  return CopyInserter(*device, graph).Insert();
}

Rendezvous* NewCopyingRendezvous(const DeviceMgr* devices, Rendezvous* inner) {
  return new CopyingRendezvous(devices, inner);
}

}  // namespace tensorwright
