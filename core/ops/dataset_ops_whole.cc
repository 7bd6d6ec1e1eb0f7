// SPDX-License-Identifier: Apache-2.0
// Ops that go through a dataset to its end, and optionals: an element of a
// dataset, or nothing, in a scalar variant.

#include "core/ops/dataset_ops.h"

namespace tensorwright {

using dataset_ops::DatasetShape;
using dataset_ops::ElementShapes;

REGISTER_OP("ReduceDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("components: output_types")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ElementShapes)
    .Doc(
        "The last state: f makes the next one of a state and each element of "
        "input_dataset.");

REGISTER_OP("DatasetToSingleElement")
    .Input("dataset: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Attr("metadata: string = ''")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ElementShapes)
    .Doc("The one element of dataset, which must have no other.");

REGISTER_OP("OptionalNone")
    .Output("optional: variant")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("An optional with nothing.");

REGISTER_OP("OptionalFromValue")
    .Input("components: Toutput_types")
    .Output("optional: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("An optional with the components.");

REGISTER_OP("OptionalHasValue")
    .Input("optional: variant")
    .Output("has_value: bool")
    .SetShapeFn(DatasetShape<0>)
    .Doc("Whether there is something in the optional.");

REGISTER_OP("OptionalGetValue")
    .Input("optional: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .SetShapeFn(ElementShapes)
    .Doc("What is in the optional; InvalidArgument if that is nothing.");

}  // namespace tensorwright
