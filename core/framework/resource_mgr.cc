// SPDX-License-Identifier: Apache-2.0
// ResourceMgr, the containers of steps and kernels, and resource handles.
#include "core/framework/resource_mgr.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/device_attributes.pb.h"
#include "core/framework/device_base.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_kernel.h"
#include "core/framework/symbol_name.h"
#include "core/platform/tstring.h"

namespace tensorwright {

// ---- ScopedStepContainer ---------------------------------------------------

ScopedStepContainer::ScopedStepContainer(
    int64_t step_id, std::function<void(const std::string&)> cleanup)
    : step_id_(step_id), cleanup_(std::move(cleanup)) {}

ScopedStepContainer::~ScopedStepContainer() { CleanUp(); }

void ScopedStepContainer::CleanUp() {
  if (!used_.exchange(false)) return;
  std::string name;
  {
    mutex_lock l(mu_);
    name = name_;
  }
  cleanup_(name);
}

const std::string& ScopedStepContainer::name() const {
  mutex_lock l(mu_);
  if (name_.empty()) name_ = absl::StrCat("__per_step_", step_id_);
  used_.store(true);
  return name_;
}

// ---- ResourceMgr -----------------------------------------------------------

ResourceMgr::ResourceMgr() : ResourceMgr("localhost") {}
ResourceMgr::ResourceMgr(const std::string& default_container)
    : default_container_(default_container) {}
ResourceMgr::~ResourceMgr() { Clear(); }

void ResourceMgr::Clear() {
  decltype(containers_) gone;
  {
    mutex_lock l(mu_);
    gone.swap(containers_);
  }
  // Destructors may come back to this manager, so they run unlocked.
  for (auto& [name, container] : gone) {
    for (auto& [key, entry] : *container) entry.resource->Unref();
  }
}

Status ResourceMgr::DoCreate(const std::string& container, std::type_index type,
                             const std::string& name, ResourceBase* resource) {
  auto& entries = containers_[container];
  if (entries == nullptr) entries = std::make_unique<Container>();
  auto [it, inserted] = entries->try_emplace(Key(type.hash_code(), name),
                                             Entry{resource, type.name()});
  if (inserted) return OkStatus();
  resource->Unref();
  return errors::AlreadyExists("Resource ", container, "/", name, "/",
                               DemangledName(type.name()), " exists already");
}

Status ResourceMgr::DoLookup(const std::string& container, std::type_index type,
                             const std::string& name,
                             ResourceBase** resource) const {
  auto c = containers_.find(container);
  if (c == containers_.end()) {
    return errors::NotFound("Container ", container,
                            " does not exist, so resource ", name, " of type ",
                            DemangledName(type.name()), " does not either");
  }
  auto r = c->second->find(Key(type.hash_code(), name));
  if (r == c->second->end()) {
    return errors::NotFound("Resource ", container, "/", name, "/",
                            DemangledName(type.name()), " does not exist");
  }
  *resource = r->second.resource;
  (*resource)->Ref();
  return OkStatus();
}

Status ResourceMgr::DoDelete(const std::string& container,
                             uint64_t type_hash_code,
                             const std::string& resource_name,
                             const std::string& type_name) {
  ResourceBase* resource = nullptr;
  {
    mutex_lock l(mu_);
    auto c = containers_.find(container);
    if (c != containers_.end()) {
      auto r = c->second->find(Key(type_hash_code, resource_name));
      if (r != c->second->end()) {
        resource = r->second.resource;
        c->second->erase(r);
      }
    }
  }
  if (resource == nullptr) {
    return errors::NotFound("Resource ", container, "/", resource_name, "/",
                            DemangledName(type_name.c_str()),
                            " does not exist");
  }
  resource->Unref();
  return OkStatus();
}

Status ResourceMgr::Delete(const ResourceHandle& handle) {
  return DoDelete(handle.container(), handle.hash_code(), handle.name(),
                  handle.maybe_type_name());
}

Status ResourceMgr::Cleanup(const std::string& container) {
  std::unique_ptr<Container> gone;
  {
    mutex_lock l(mu_);
    auto it = containers_.find(container);
    if (it == containers_.end()) return OkStatus();
    gone = std::move(it->second);
    containers_.erase(it);
  }
  for (auto& [key, entry] : *gone) entry.resource->Unref();
  return OkStatus();
}

std::string ResourceMgr::DebugString() const {
  std::vector<std::string> lines;
  {
    tf_shared_lock l(mu_);
    for (const auto& [container, entries] : containers_) {
      for (const auto& [key, entry] : *entries) {
        lines.push_back(absl::StrCat(
            container, " | ", DemangledName(entry.type_name.c_str()), " | ",
            key.second, " | ", entry.resource->DebugString()));
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  return absl::StrJoin(lines, "\n");
}

// ---- ContainerInfo ---------------------------------------------------------

Status ContainerInfo::Init(ResourceMgr* rmgr, const NodeDef& ndef,
                           bool use_node_name_as_default) {
  rmgr_ = rmgr;
  std::string container, shared_name;
  TF_RETURN_IF_ERROR(GetNodeAttr(ndef, "container", &container));
  TF_RETURN_IF_ERROR(GetNodeAttr(ndef, "shared_name", &shared_name));
  for (char c : container) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '-' && c != '/' &&
        c != '_') {
      return errors::InvalidArgument(
          ndef.op(),
          ": container must hold letters, digits and .-/_ only, got '",
          container, "'");
    }
  }
  // Names that start with "_" are the library's own.
  if (!shared_name.empty() && shared_name[0] == '_') {
    return errors::InvalidArgument(
        ndef.op(), ": shared_name must not start with '_', got '", shared_name,
        "'");
  }
  container_ = container.empty() ? rmgr->default_container() : container;
  resource_is_private_to_kernel_ = false;
  if (!shared_name.empty()) {
    name_ = shared_name;
  } else if (use_node_name_as_default) {
    name_ = ndef.name();
  } else {
    static std::atomic<int64_t> counter{0};
    name_ = absl::StrCat("_", counter.fetch_add(1), "_", ndef.name());
    resource_is_private_to_kernel_ = true;
  }
  return OkStatus();
}

std::string ContainerInfo::DebugString() const {
  return absl::StrCat("[", container_, ",", name_, ",",
                      resource_is_private_to_kernel_ ? "private" : "public",
                      "]");
}

// ---- Handles ---------------------------------------------------------------

ResourceHandle MakeResourceHandle(const std::string& container,
                                  const std::string& name,
                                  const DeviceBase& device,
                                  std::type_index type) {
  ResourceHandle handle;
  handle.set_device(device.attributes().name());
  handle.set_container(container);
  handle.set_name(name);
  handle.set_hash_code(type.hash_code());
  handle.set_maybe_type_name(type.name());
  return handle;
}

Status MakeResourceHandleToOutput(OpKernelContext* context, int output_index,
                                  const std::string& container,
                                  const std::string& name,
                                  std::type_index type) {
  Tensor* handle;
  TF_RETURN_IF_ERROR(
      context->allocate_output(output_index, TensorShape(), &handle));
  handle->scalar_value<ResourceHandle>() =
      MakeResourceHandle(container, name, *context->device(), type);
  return OkStatus();
}

namespace {

Status HandleOf(const OpKernelContext& ctx, const Tensor& tensor,
                ResourceHandle* handle) {
  if (tensor.dtype() == DT_STRING && tensor.NumElements() == 2) {
    // The form of TensorFlow 1.x: container and name.  The look-up gives the
    // type.
    const tstring* parts = tensor.base<const tstring>();
    handle->set_device(ctx.device()->attributes().name());
    handle->set_container(parts[0]);
    handle->set_name(parts[1]);
    return OkStatus();
  }
  if (tensor.dtype() != DT_RESOURCE || tensor.NumElements() != 1) {
    return errors::InvalidArgument(
        ctx.op_kernel().type_string(),
        ": a resource handle must be one element of type resource, got ",
        DataTypeString(tensor.dtype()), " of shape ",
        tensor.shape().DebugString());
  }
  *handle = tensor.scalar_value<ResourceHandle>();
  return OkStatus();
}

}  // namespace

Status HandleFromInput(OpKernelContext* ctx, int input,
                       ResourceHandle* handle) {
  return HandleOf(*ctx, ctx->input(input), handle);
}

const ResourceHandle& HandleFromInput(OpKernelContext* ctx, int input) {
  return ctx->input(input).scalar_value<ResourceHandle>();
}

Status HandleFromInput(OpKernelContext* ctx, absl::string_view input,
                       ResourceHandle* handle) {
  const Tensor* tensor;
  TF_RETURN_IF_ERROR(ctx->input(input, &tensor));
  return HandleOf(*ctx, *tensor, handle);
}

Status ValidateHandle(OpKernelContext* ctx, const ResourceHandle& handle,
                      std::type_index type) {
  const std::string& device = ctx->device()->attributes().name();
  if (handle.device() != device) {
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(), ": resource ", handle.name(),
        " is on device '", handle.device(), "', the op on '", device, "'");
  }
  const bool is_typed = handle.hash_code() != 0;
  if (is_typed && handle.hash_code() != type.hash_code()) {
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(), ": resource ", handle.name(),
        " must be a ", DemangledName(type.name()), ", got a ",
        DemangledName(handle.maybe_type_name().c_str()));
  }
  return OkStatus();
}

Status DeleteResource(OpKernelContext* ctx, const ResourceHandle& p) {
  if (p.device() != ctx->device()->attributes().name()) {
    return errors::InvalidArgument(ctx->op_kernel().type_string(),
                                   ": resource ", p.name(), " is on device '",
                                   p.device(), "'");
  }
  return ctx->resource_manager()->Delete(p);
}

namespace resource_internal {

ResourceMgr* GetResourceMgr(OpKernelContext* ctx) {
  return ctx->resource_manager();
}
const DeviceBase& GetDevice(OpKernelContext* ctx) { return *ctx->device(); }
const std::string& StepContainerName(OpKernelContext* ctx) {
  return ctx->step_container()->name();
}

}  // namespace resource_internal
}  // namespace tensorwright
