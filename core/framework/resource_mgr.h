// SPDX-License-Identifier: Apache-2.0
// ResourceMgr: named, typed, ref-counted objects that outlive a run.
//
// A device owns a ResourceMgr; the ResourceMgr owns one reference to each
// resource until it is deleted, its container is cleared, or the session ends.
// Kernels of all steps, in any thread, look resources up by (container, name)
// or by a handle that a DT_RESOURCE tensor carries.  A resource guards its own
// state: the manager guards only its table.
//
// References: Create takes over one reference of the caller's; Lookup and
// LookupOrCreate give the caller one more, which the caller gives back
// (core::ScopedUnref, core::RefCountPtr).  Whoever holds a reference keeps the
// object, also after it was deleted from the table.
//
// Failures: NotFound for a resource that is not there (or not any more),
// AlreadyExists for a name that is taken, InvalidArgument for a handle of
// another device or type.  A failed look-up by (container, name) leaves
// *resource alone, except that LookupOrCreate sets it to null.
//
//   struct Counter : public ResourceBase { ... };
//   Counter* counter;
//   TF_RETURN_IF_ERROR(rm->LookupOrCreate<Counter>(
//       container, name, &counter, [](Counter** c) { ... }));
//   core::ScopedUnref unref(counter);
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_MGR_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_MGR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/framework/resource_handle.h"
#include "core/framework/tensor.h"
#include "core/framework/type_index.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/refcount.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"

namespace tensorwright {

class DeviceBase;
class NodeDef;
class OpKernelContext;
class ResourceMgr;

// An object that a ResourceMgr holds.  Never delete one: giving back the last
// reference does.  Many threads may call its methods at once, so DebugString
// and MemoryUsed take locks for what they read.
class ResourceBase : public core::RefCounted {
 public:
  // One line for people; the C++ name of the class unless it says more.  A
  // class overrides one of the two: TensorFlow 1.x's is not const, 2.x's is.
  virtual std::string DebugString() {
    return static_cast<const ResourceBase*>(this)->DebugString();
  }
  virtual std::string DebugString() const { return typeid(*this).name(); }
  // Roughly how many bytes it holds; 0 if the class does not tell.
  virtual int64_t MemoryUsed() const { return 0; }

 protected:
  ~ResourceBase() override = default;
};

// A container whose resources live as long as one step.  The runtime makes one
// per step and clears it when the step ends, after all kernels have; kernels
// only ask for its name.  Thread-safe.
class ScopedStepContainer {
 public:
  // `step_id` is unique in the process, and so is the container.  `cleanup`
  // gets the container's name and clears it on the devices that may have
  // resources in it.
  ScopedStepContainer(int64_t step_id,
                      std::function<void(const std::string&)> cleanup);
  ScopedStepContainer(const ScopedStepContainer&) = delete;
  ScopedStepContainer& operator=(const ScopedStepContainer&) = delete;
  ~ScopedStepContainer();

  // Calls `cleanup` if the name was asked for since the last CleanUp; also done
  // by the destructor.  Afterwards the container may be used again.
  void CleanUp();

  // "__per_step_<id>".  Made at the first call, so that a step without
  // resources costs nothing; lives as long as this object.
  const std::string& name() const;

 private:
  const int64_t step_id_;
  const std::function<void(const std::string&)> cleanup_;
  mutable mutex mu_;
  mutable std::atomic<bool> used_{false};
  mutable std::string name_ ABSL_GUARDED_BY(mu_);
};

// Thread-safe.  Resources are keyed by (container, type, name): one name may
// stand for one object of each type.  The type is T as the caller writes it: a
// resource that was created as a base class is not found as a derived one, nor
// the other way round.  Containers come into being with their first resource.
class ResourceMgr {
 public:
  ResourceMgr();
  // The container of kernels that name none; without an argument it is
  // "localhost".
  explicit ResourceMgr(const std::string& default_container);
  ResourceMgr(const ResourceMgr&) = delete;
  ResourceMgr& operator=(const ResourceMgr&) = delete;
  ~ResourceMgr();

  // The destructor gives all references back, as Clear does.
  const std::string& default_container() const { return default_container_; }

  // Takes one reference to `resource`, in success and failure: if the key is
  // taken (AlreadyExists), the reference is given back, and the object goes if
  // that was the last one.
  template <typename T>
  [[nodiscard]] Status Create(const std::string& container,
                              const std::string& name, T* resource);

  // NotFound if there is none.
  template <typename T>
  [[nodiscard]] Status Lookup(const std::string& container,
                              const std::string& name, T** resource) const;

  // `creator` is called if there is none, at most one creator at a time in this
  // manager; it makes an object with one reference, which the manager takes.
  // It may look up and create other resources, but not call LookupOrCreate,
  // which would wait for itself.  Its error is returned.
  template <typename T>
  [[nodiscard]] Status LookupOrCreate(const std::string& container,
                                      const std::string& name, T** resource,
                                      std::function<Status(T**)> creator);

  // NotFound if there is none.  Holders of references keep the object.
  template <typename T>
  [[nodiscard]] Status Delete(const std::string& container,
                              const std::string& name);
  // By handle, whatever the type: the handle's hash code tells it.  The
  // handle's device is not looked at.
  [[nodiscard]] Status Delete(const ResourceHandle& handle);

  // Deletes all resources of a container; always OK, even if there is none.
  // Destructors run before it returns, in this thread and without the manager's
  // lock, so they may use it.
  Status Cleanup(const std::string& container);
  // Deletes everything in all containers, likewise.
  void Clear();

  // A sorted line per resource: container, type, name, description.  Calls
  // their DebugString with the lock held.
  std::string DebugString() const;

 private:
  using Key = std::pair<uint64_t, std::string>;  // Type's hash code, name.
  struct Entry {
    ResourceBase* resource;  // One reference.
    std::string type_name;
  };
  using Container = absl::flat_hash_map<Key, Entry>;

  Status DoCreate(const std::string& container, std::type_index type,
                  const std::string& name, ResourceBase* resource)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status DoLookup(const std::string& container, std::type_index type,
                  const std::string& name, ResourceBase** resource) const
      ABSL_SHARED_LOCKS_REQUIRED(mu_);
  Status DoDelete(const std::string& container, uint64_t type_hash_code,
                  const std::string& resource_name,
                  const std::string& type_name);

  const std::string default_container_;
  mutable mutex mu_;
  mutex create_mu_;  // Held while a creator runs.
  absl::flat_hash_map<std::string, std::unique_ptr<Container>> containers_
      ABSL_GUARDED_BY(mu_);
};

// Tells in which container and under which name a kernel with attrs "container"
// and "shared_name" keeps its resource. A value; not thread-safe while Init
// runs.
class ContainerInfo {
 public:
  // Reads the attrs.  The container is attr container, else the manager's
  // default.  The name is shared_name, else the node's name if
  // `use_node_name_as_default`, else one that nobody else has, in which case
  // the resource belongs to the kernel alone and the kernel deletes it.
  // InvalidArgument for a container with characters other than letters, digits
  // and .-/_, or a shared_name that starts with "_"; NotFound if the op lacks
  // one of the attrs.  `rmgr` is borrowed.
  Status Init(ResourceMgr* rmgr, const NodeDef& ndef,
              bool use_node_name_as_default);
  Status Init(ResourceMgr* rmgr, const NodeDef& ndef) {
    return Init(rmgr, ndef, false);
  }

  ResourceMgr* resource_manager() const { return rmgr_; }
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  bool resource_is_private_to_kernel() const {
    return resource_is_private_to_kernel_;
  }
  std::string DebugString() const;

 private:
  ResourceMgr* rmgr_ = nullptr;
  std::string container_;
  std::string name_;
  bool resource_is_private_to_kernel_ = false;
};

// Handles: a DT_RESOURCE tensor carries them from op to op.  A handle is only a
// name; making one neither creates nor keeps a resource.  Its device is the one
// that `ctx` runs on.

ResourceHandle MakeResourceHandle(const std::string& container,
                                  const std::string& name,
                                  const DeviceBase& device,
                                  std::type_index type);
template <typename T>
ResourceHandle MakeResourceHandle(OpKernelContext* ctx,
                                  const std::string& container,
                                  const std::string& name);
// A handle whose container is the step's; the run must have a step container.
template <typename T>
ResourceHandle MakePerStepResourceHandle(OpKernelContext* ctx,
                                         const std::string& name);
// Sets output `output_index`, of dtype resource, to a scalar handle.  Fails as
// allocate_output does.
Status MakeResourceHandleToOutput(OpKernelContext* context, int output_index,
                                  const std::string& container,
                                  const std::string& name,
                                  std::type_index type);

// The handle that an input carries: a resource tensor of one element, or, as
// TensorFlow's oldest ops have it, a string tensor of two, the container and
// the name; such a handle has hash code 0, and the look-up gives the type.
// InvalidArgument for any other tensor.  The form that returns a reference is
// for resource scalars alone (it throws WrongUse otherwise); its result lives
// as long as the input.
Status HandleFromInput(OpKernelContext* ctx, int input, ResourceHandle* handle);
const ResourceHandle& HandleFromInput(OpKernelContext* ctx, int input);
Status HandleFromInput(OpKernelContext* ctx, absl::string_view input,
                       ResourceHandle* handle);

// InvalidArgument, with both, if the handle belongs to another device than the
// one `ctx` runs on, or to another type.  Hash code 0 fits any type.  Does not
// check that the resource exists.
Status ValidateHandle(OpKernelContext* ctx, const ResourceHandle& handle,
                      std::type_index type);

// As the methods of ResourceMgr, with references as there, after
// ValidateHandle: on the resource manager of the kernel's device, under the
// handle's container and name.  CreateResource takes a reference to `value`
// when it fails, too.  The DeleteResource without a type checks the device
// alone.
template <typename T>
Status CreateResource(OpKernelContext* ctx, const ResourceHandle& p, T* value);
template <typename T>
Status LookupResource(OpKernelContext* ctx, const ResourceHandle& p, T** value);
template <typename T>
Status LookupOrCreateResource(OpKernelContext* ctx, const ResourceHandle& p,
                              T** value, std::function<Status(T**)> creator);
// The same for pointers that give the reference back by themselves; they are
// left alone on failure.
template <typename T>
Status LookupResource(OpKernelContext* ctx, const ResourceHandle& p,
                      core::RefCountPtr<T>* value);
template <typename T>
Status LookupOrCreateResource(OpKernelContext* ctx, const ResourceHandle& p,
                              core::RefCountPtr<T>* value,
                              std::function<Status(T**)> creator);
template <typename T>
Status DeleteResource(OpKernelContext* ctx, const ResourceHandle& p);
Status DeleteResource(OpKernelContext* ctx, const ResourceHandle& p);

// HandleFromInput and LookupResource in one.  The caller owns the reference
// that *resource stands for.
template <typename T>
Status GetResourceFromContext(OpKernelContext* ctx,
                              const std::string& input_name, T** resource);
template <typename T>
Status GetResourceFromContext(OpKernelContext* ctx,
                              const std::string& input_name,
                              core::RefCountPtr<T>* resource);

namespace resource_internal {
// Defined in the .cc so that this header needs no op_kernel_context.h.
ResourceMgr* GetResourceMgr(OpKernelContext* ctx);
const DeviceBase& GetDevice(OpKernelContext* ctx);
const std::string& StepContainerName(OpKernelContext* ctx);
}  // namespace resource_internal

// Implementation details below.

template <typename T>
Status ResourceMgr::Create(const std::string& container,
                           const std::string& name, T* resource) {
  mutex_lock l(mu_);
  return DoCreate(container, typeid(T), name, resource);
}

template <typename T>
Status ResourceMgr::Lookup(const std::string& container,
                           const std::string& name, T** resource) const {
  tf_shared_lock l(mu_);
  ResourceBase* found = nullptr;
  TF_RETURN_IF_ERROR(DoLookup(container, typeid(T), name, &found));
  *resource = static_cast<T*>(found);
  return Status::OK();
}

template <typename T>
Status ResourceMgr::LookupOrCreate(const std::string& container,
                                   const std::string& name, T** resource,
                                   std::function<Status(T**)> creator) {
  *resource = nullptr;
  if (Lookup(container, name, resource).ok()) return Status::OK();
  // The creator may look other resources up, so mu_ is not held around it.
  mutex_lock creating(create_mu_);
  if (Lookup(container, name, resource).ok()) return Status::OK();
  TF_RETURN_IF_ERROR(creator(resource));
  (*resource)->Ref();  // The caller's; Create takes the other one.
  Status s = Create(container, name, *resource);
  if (!s.ok()) {
    (*resource)->Unref();
    *resource = nullptr;
  }
  return s;
}

template <typename T>
Status ResourceMgr::Delete(const std::string& container,
                           const std::string& name) {
  const std::type_index type = typeid(T);
  return DoDelete(container, type.hash_code(), name, type.name());
}

template <typename T>
ResourceHandle MakeResourceHandle(OpKernelContext* ctx,
                                  const std::string& container,
                                  const std::string& name) {
  return MakeResourceHandle(
      container.empty()
          ? resource_internal::GetResourceMgr(ctx)->default_container()
          : container,
      name, resource_internal::GetDevice(ctx), typeid(T));
}

template <typename T>
ResourceHandle MakePerStepResourceHandle(OpKernelContext* ctx,
                                         const std::string& name) {
  return MakeResourceHandle<T>(ctx, resource_internal::StepContainerName(ctx),
                               name);
}

template <typename T>
Status CreateResource(OpKernelContext* ctx, const ResourceHandle& p, T* value) {
  Status s = ValidateHandle(ctx, p, typeid(T));
  if (!s.ok()) {
    value->Unref();
    return s;
  }
  return resource_internal::GetResourceMgr(ctx)->Create(p.container(), p.name(),
                                                        value);
}

template <typename T>
Status LookupResource(OpKernelContext* ctx, const ResourceHandle& p,
                      T** value) {
  TF_RETURN_IF_ERROR(ValidateHandle(ctx, p, typeid(T)));
  return resource_internal::GetResourceMgr(ctx)->Lookup(p.container(), p.name(),
                                                        value);
}

template <typename T>
Status LookupOrCreateResource(OpKernelContext* ctx, const ResourceHandle& p,
                              T** value, std::function<Status(T**)> creator) {
  TF_RETURN_IF_ERROR(ValidateHandle(ctx, p, typeid(T)));
  return resource_internal::GetResourceMgr(ctx)->LookupOrCreate(
      p.container(), p.name(), value, std::move(creator));
}

template <typename T>
Status LookupResource(OpKernelContext* ctx, const ResourceHandle& p,
                      core::RefCountPtr<T>* value) {
  T* raw = nullptr;
  TF_RETURN_IF_ERROR(LookupResource(ctx, p, &raw));
  value->reset(raw);
  return Status::OK();
}

template <typename T>
Status LookupOrCreateResource(OpKernelContext* ctx, const ResourceHandle& p,
                              core::RefCountPtr<T>* value,
                              std::function<Status(T**)> creator) {
  T* raw = nullptr;
  TF_RETURN_IF_ERROR(
      LookupOrCreateResource<T>(ctx, p, &raw, std::move(creator)));
  value->reset(raw);
  return Status::OK();
}

template <typename T>
Status DeleteResource(OpKernelContext* ctx, const ResourceHandle& p) {
  TF_RETURN_IF_ERROR(ValidateHandle(ctx, p, typeid(T)));
  return resource_internal::GetResourceMgr(ctx)->template Delete<T>(
      p.container(), p.name());
}

template <typename T>
Status GetResourceFromContext(OpKernelContext* ctx,
                              const std::string& input_name, T** resource) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, input_name, &handle));
  return LookupResource(ctx, handle, resource);
}

template <typename T>
Status GetResourceFromContext(OpKernelContext* ctx,
                              const std::string& input_name,
                              core::RefCountPtr<T>* resource) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(ctx, input_name, &handle));
  return LookupResource(ctx, handle, resource);
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_MGR_H_
