// SPDX-License-Identifier: Apache-2.0
// Iterators: resources that go through a dataset.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

using dataset_ops::DatasetShape;
using shape_inference::InferenceContext;

namespace {

Status NoOutputsOfScalars(InferenceContext* c) {
  shape_inference::ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  }
  return OkStatus();
}

}  // namespace

REGISTER_OP("Iterator")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "An iterator over elements of these types and shapes; MakeIterator "
        "gives it a dataset.");

REGISTER_OP("IteratorV2")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "An iterator over elements of these types and shapes; MakeIterator "
        "gives it a dataset.");

REGISTER_OP("MakeIterator")
    .Input("dataset: variant")
    .Input("iterator: resource")
    .SetIsStateful()
    .SetShapeFn(NoOutputsOfScalars)
    .Doc("Makes iterator begin to go through dataset.");

REGISTER_OP("OneShotIterator")
    .Output("handle: resource")
    .Attr("dataset_factory: func")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "An iterator that goes once through the dataset which dataset_factory, "
        "a function without arguments, makes.");

REGISTER_OP("IteratorGetNext")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::ElementShapes)
    .Doc("The next element of iterator; OutOfRange at its end.");

REGISTER_OP("IteratorGetNextSync")
    .Input("iterator: resource")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(dataset_ops::ElementShapes)
    .Doc("IteratorGetNext, in the calling thread.");

REGISTER_OP("IteratorGetNextAsOptional")
    .Input("iterator: resource")
    .Output("optional: variant")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(DatasetShape<0>)
    .Doc("The next element of iterator; nothing at its end.");

REGISTER_OP("IteratorToStringHandle")
    .Input("resource_handle: resource")
    .Output("string_handle: string")
    .SetIsStateful()
    .SetShapeFn(DatasetShape<0>)
    .Doc("A string that names an iterator, to be fed where it is wanted.");

REGISTER_OP("IteratorFromStringHandle")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .SetIsStateful()
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "The iterator that string_handle names; its elements must have "
        "output_types and output_shapes, if these are given.");

REGISTER_OP("IteratorFromStringHandleV2")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .SetIsStateful()
    .SetShapeFn(DatasetShape<0>)
    .Doc(
        "The iterator that string_handle names; its elements must have "
        "output_types and output_shapes, if these are given.");

REGISTER_OP("IteratorDispose")
    .Input("iterator: resource")
    .SetIsStateful()
    .SetShapeFn(NoOutputsOfScalars)
    .Doc("Ends iterator.");

}  // namespace tensorwright
