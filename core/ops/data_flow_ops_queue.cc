// SPDX-License-Identifier: Apache-2.0
// Queues of elements, tuples of tensors, that one run puts in and another takes
// out; ops that cannot go on wait.
//
// Each op has two generations, which differ in the handle: a reference to
// strings, container and name, or, in V2, a resource.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status NewRefQueue(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

// A handle of the first generation has the names of container and queue.
Status CheckHandle(InferenceContext* c) {
  ShapeHandle handle = c->input(0);
  if (!c->RankKnown(handle) || c->Rank(handle) == 0) return OkStatus();
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(handle, 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

Status Dequeue(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return shape_inference::UnknownShape(c);
}

Status DequeueBatch(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
  DimensionHandle n;
  TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(1, &n));
  return shape_inference::UnknownShape(c);
}

Status AskQueue(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return shape_inference::ScalarShape(c);
}

Status FakeQueue(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return NewRefQueue(c);
}

}  // namespace

REGISTER_OP("RandomShuffleQueue")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewRefQueue)
    .Doc(
        "A queue that gives its elements in random order, and keeps attr "
        "min_after_dequeue of them to choose from: its handle [2].");

REGISTER_OP("RandomShuffleQueueV2")
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("min_after_dequeue: int = 0")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A queue that gives its elements in random order, and keeps attr "
        "min_after_dequeue of them to choose from: its handle [].");

REGISTER_OP("FIFOQueue")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewRefQueue)
    .Doc(
        "A queue that gives its elements in the order in which they came: its "
        "handle [2].");

REGISTER_OP("FIFOQueueV2")
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A queue that gives its elements in the order in which they came: its "
        "handle [].");

REGISTER_OP("PaddingFIFOQueue")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewRefQueue)
    .Doc(
        "A FIFOQueue of elements whose shapes are known in part: a batch of "
        "them is padded with zeros: its handle [2].");

REGISTER_OP("PaddingFIFOQueueV2")
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 1")
    .Attr("shapes: list(shape) >= 0 = []")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A FIFOQueue of elements whose shapes are known in part: a batch of "
        "them is padded with zeros: its handle [].");

REGISTER_OP("PriorityQueue")
    .Output("handle: Ref(string)")
    .Attr("component_types: list(type) >= 0 = []")
    .Attr("shapes: list(shape) >= 0")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewRefQueue)
    .Doc(
        "A queue that gives the element with the smallest priority, its first "
        "component, an int64 []: its handle [2].");

REGISTER_OP("PriorityQueueV2")
    .Output("handle: resource")
    .Attr("component_types: list(type) >= 0 = []")
    .Attr("shapes: list(shape) >= 0")
    .Attr("capacity: int = -1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A queue that gives the element with the smallest priority, its first "
        "component, an int64 []: its handle [].");

REGISTER_OP("FakeQueue")
    .Input("resource: resource")
    .Output("handle: Ref(string)")
    .SetIsStateful()
    .SetShapeFn(FakeQueue)
    .Doc(
        "The handle [2] that ops of the first generation take, of the queue "
        "resource [].");

REGISTER_OP("QueueEnqueue")
    .Input("handle: Ref(string)")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Puts an element, components, into the queue handle [2]; waits while "
        "it is full.");

REGISTER_OP("QueueEnqueueV2")
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Puts an element, components, into the queue handle []; waits while it "
        "is full.");

REGISTER_OP("QueueEnqueueMany")
    .Input("handle: Ref(string)")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Puts n elements, the rows of components, each [n, ...], into the "
        "queue handle [2]; waits while it is full.");

REGISTER_OP("QueueEnqueueManyV2")
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Puts n elements, the rows of components, each [n, ...], into the "
        "queue handle []; waits while it is full.");

REGISTER_OP("QueueDequeue")
    .Input("handle: Ref(string)")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Dequeue)
    .Doc(
        "Takes an element out of the queue handle [2] -> its components; waits "
        "while there is none.");

REGISTER_OP("QueueDequeueV2")
    .Input("handle: resource")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Dequeue)
    .Doc(
        "Takes an element out of the queue handle [] -> its components; waits "
        "while there is none.");

REGISTER_OP("QueueDequeueMany")
    .Input("handle: Ref(string)")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Touches("chance")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(DequeueBatch)
    .Doc(
        "Takes n [] elements out of the queue handle [2] -> their components, "
        "each [n, ...]; waits until there were so many.");

REGISTER_OP("QueueDequeueManyV2")
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(DequeueBatch)
    .Doc(
        "Takes n [] elements out of the queue handle [] -> their components, "
        "each [n, ...]; waits until there were so many.");

REGISTER_OP("QueueDequeueUpTo")
    .Input("handle: Ref(string)")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .Touches("chance")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(DequeueBatch)
    .Doc(
        "As QueueDequeueMany, but of a closed queue what is left, at least "
        "one.");

REGISTER_OP("QueueDequeueUpToV2")
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(DequeueBatch)
    .Doc(
        "As QueueDequeueManyV2, but of a closed queue what is left, at least "
        "one.");

REGISTER_OP("QueueClose")
    .Input("handle: Ref(string)")
    .Attr("cancel_pending_enqueues: bool = false")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Closes the queue handle [2] to new elements, after those that wait to "
        "be put in, or cancels these.");

REGISTER_OP("QueueCloseV2")
    .Input("handle: resource")
    .Attr("cancel_pending_enqueues: bool = false")
    .SetIsStateful()
    .SetShapeFn(CheckHandle)
    .Doc(
        "Closes the queue handle [] to new elements, after those that wait to "
        "be put in, or cancels these.");

REGISTER_OP("QueueIsClosed")
    .Input("handle: Ref(string)")
    .Output("is_closed: bool")
    .SetShapeFn(AskQueue)
    .Doc("Is the queue handle [2] closed? -> [].");

REGISTER_OP("QueueIsClosedV2")
    .Input("handle: resource")
    .Output("is_closed: bool")
    .SetIsStateful()
    .SetShapeFn(AskQueue)
    .Doc("Is the queue handle [] closed? -> [].");

REGISTER_OP("QueueSize")
    .Input("handle: Ref(string)")
    .Output("size: int32")
    .Touches("chance")
    .SetShapeFn(AskQueue)
    .Doc("How many elements the queue handle [2] has -> [].");

REGISTER_OP("QueueSizeV2")
    .Input("handle: resource")
    .Output("size: int32")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(AskQueue)
    .Doc("How many elements the queue handle [] has -> [].");

}  // namespace tensorwright
