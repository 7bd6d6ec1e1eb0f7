// SPDX-License-Identifier: Apache-2.0
// Kernels whose output is the handle of a resource.
//
//   class RingOp : public ResourceOpKernel<Ring> {
//    public:
//     explicit RingOp(OpKernelConstruction* c) : ResourceOpKernel(c) {}
//    private:
//     Status CreateResource(Ring** ring) override { ... }
//   };
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_OP_KERNEL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_OP_KERNEL_H_

#include <string>
#include <typeindex>

#include "core/framework/op_kernel.h"
#include "core/framework/resource_handle.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/lib/core/refcount.h"
#include "core/platform/mutex.h"
#include "core/platform/thread_annotations.h"

namespace tensorwright {

// Makes the resource in the first run and gives its handle in every one.  The
// op has attrs "container" and "shared_name"; its output is a scalar resource,
// or, as TensorFlow's oldest ops have it, a reference to the pair (container,
// name).
//
// The name is shared_name, else the node's name: kernels with that container,
// name and type, of any graph on the device, share one resource.  The manager
// owns it, and the kernel holds a reference of its own as long as it lives; the
// resource stays after the kernel has gone, unless somebody deletes it.
// Thread-safe: concurrent first runs make one resource.
template <typename T>
class ResourceOpKernel : public OpKernel {
 public:
  explicit ResourceOpKernel(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES(
        context, num_outputs() == 1,
        errors::InvalidArgument(type_string(), " must have one output"));
    if (output_type(0) == DT_RESOURCE) {
      OP_REQUIRES_OK(context, context->allocate_temp(DT_RESOURCE, TensorShape(),
                                                     &handle_));
    } else {
      OP_REQUIRES_OK(context, context->allocate_temp(
                                  DT_STRING, TensorShape({2}), &handle_));
    }
  }

  ~ResourceOpKernel() override {
    if (resource_ == nullptr) return;
    resource_->Unref();
    if (cinfo_.resource_is_private_to_kernel()) {
      // Somebody may have deleted it already.
      cinfo_.resource_manager()
          ->template Delete<T>(cinfo_.container(), cinfo_.name())
          .IgnoreError();
    }
  }

  void Compute(OpKernelContext* context) override {
    mutex_lock l(mu_);
    if (resource_ == nullptr) {
      OP_REQUIRES_OK(context, Make(context));
    }
    if (output_type(0) == DT_RESOURCE) {
      context->set_output(0, handle_);
    } else {
      context->set_output_ref(0, &mu_, &handle_);
    }
  }

 protected:
  // The resource, with a reference for the caller; nullptr before the first run
  // that succeeded.  Takes the lock.
  core::RefCountPtr<T> get_resource() TF_LOCKS_EXCLUDED(mu_) {
    mutex_lock l(mu_);
    return core::GetNewRef(resource_);
  }

  // Guards the members below; held while the resource is made.
  mutex mu_;
  ContainerInfo cinfo_ TF_GUARDED_BY(mu_);
  T* resource_ TF_GUARDED_BY(mu_) = nullptr;  // One reference.

 private:
  // Makes it, with one reference, which the manager takes.  Its error fails the
  // step; the next run tries again.
  virtual Status CreateResource(T** resource)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) = 0;
  // Does the resource fit this kernel? Asked in the first run, also of one that
  // this kernel has just made; an error fails the step, and the resource stays
  // in the manager.
  virtual Status VerifyResource(T* /*resource*/) { return OkStatus(); }

  Status Make(OpKernelContext* context) TF_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    ResourceMgr* mgr = context->resource_manager();
    TF_RETURN_IF_ERROR(
        cinfo_.Init(mgr, def(), /*use_node_name_as_default=*/true));
    T* resource = nullptr;
    TF_RETURN_IF_ERROR(mgr->LookupOrCreate<T>(
        cinfo_.container(), cinfo_.name(), &resource,
        [this](T** out) { return CreateResource(out); }));
    const Status verified = VerifyResource(resource);
    if (!verified.ok()) {
      resource->Unref();
      return verified;
    }
    if (output_type(0) == DT_RESOURCE) {
      handle_.scalar_value<ResourceHandle>() =
          MakeResourceHandle<T>(context, cinfo_.container(), cinfo_.name());
    } else {
      handle_.base<std::string>()[0] = cinfo_.container();
      handle_.base<std::string>()[1] = cinfo_.name();
    }
    resource_ = resource;
    return OkStatus();
  }

  Tensor handle_ TF_GUARDED_BY(mu_);
};

// Gives the handle of a resource that other kernels make and find; makes none
// itself.  The op has attrs "container" ("" is the manager's default) and
// "shared_name" ("" is the node's name); output 0 is a scalar resource.
template <typename T>
class ResourceHandleOp : public OpKernel {
 public:
  explicit ResourceHandleOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("container", &container_));
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &name_));
    if (name_.empty()) name_ = name();
  }

  void Compute(OpKernelContext* context) override {
    Tensor* handle = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &handle));
    handle->scalar_value<ResourceHandle>() =
        MakeResourceHandle<T>(context, container_, name_);
  }

  bool IsExpensive() override { return false; }

 private:
  std::string container_;
  std::string name_;
};

// Is there a resource of type T behind the handle? Input 0: a handle; output 0:
// a scalar bool.  Also false for a handle of another device or type;
// InvalidArgument for an input that is no handle.
template <typename T>
class IsResourceInitialized : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    ResourceHandle handle;
    OP_REQUIRES_OK(context, HandleFromInput(context, 0, &handle));
    core::RefCountPtr<T> resource;
    const bool found = LookupResource(context, handle, &resource).ok();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar_value<bool>() = found;
  }
};

// Op <Type>HandleOp and its CPU kernel, at namespace scope.
#define REGISTER_RESOURCE_HANDLE_OP(Type) \
  REGISTER_OP(#Type "HandleOp")           \
      .Attr("container: string = ''")     \
      .Attr("shared_name: string = ''")   \
      .Output("resource: resource")       \
      .SetIsStateful()                    \
      .SetShapeFn(::tensorwright::shape_inference::ScalarShape)
#define REGISTER_RESOURCE_HANDLE_KERNEL(Type)                    \
  REGISTER_KERNEL_BUILDER(                                       \
      Name(#Type "HandleOp").Device(::tensorwright::DEVICE_CPU), \
      ::tensorwright::ResourceHandleOp<Type>)

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_OP_KERNEL_H_
