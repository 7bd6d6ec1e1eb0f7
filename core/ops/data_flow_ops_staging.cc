// SPDX-License-Identifier: Apache-2.0
// Staging areas: buffers of tuples between ops of one session.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"
#include "core/framework/shape_inference.h"

namespace tensorwright {
namespace {

using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

// Checks index or key, and indices, as far as the op has them.
Status Take(InferenceContext* c) {
  ShapeHandle unused;
  if (c->num_inputs() > 0) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  }
  if (c->num_inputs() > 1) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  }
  return shape_inference::UnknownShape(c);
}

Status TakeWithKey(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &unused));
  TF_RETURN_IF_ERROR(shape_inference::UnknownShape(c));
  c->set_output(0, c->Scalar());
  return OkStatus();
}

Status PutWithKey(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  return c->WithRank(c->input(1), 1, &unused);
}

}  // namespace

REGISTER_OP("Stage")
    .Input("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc(
        "Puts values into the staging area of this name; waits while it is "
        "full.");

REGISTER_OP("Unstage")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc(
        "Takes the first tuple out of the staging area of this name; waits "
        "while there is none.");

REGISTER_OP("StagePeek")
    .Input("index: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Take)
    .Doc(
        "Tuple index [] of the staging area of this name, which keeps it; "
        "waits while there is none.");

REGISTER_OP("StageSize")
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("How many tuples the staging area of this name has -> [].");

REGISTER_OP("StageClear")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Empties the staging area of this name.");

REGISTER_OP("MapStage")
    .Input("key: int64")
    .Input("indices: int32")
    .Input("values: fake_dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("fake_dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(PutWithKey)
    .Doc(
        "Gives components indices [k] of the tuple key [] its values in the "
        "staging map of this name; waits while it is full.");

REGISTER_OP("MapPeek")
    .Input("key: int64")
    .Input("indices: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Take)
    .Doc(
        "Components indices [k] of the tuple key [] in the staging map of this "
        "name, which keeps them; waits while it is not complete.");

REGISTER_OP("MapUnstage")
    .Input("key: int64")
    .Input("indices: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Take)
    .Doc(
        "Takes components indices [k] of the tuple key [] out of the staging "
        "map of this name; waits while it is not complete.");

REGISTER_OP("MapUnstageNoKey")
    .Input("indices: int32")
    .Output("key: int64")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(TakeWithKey)
    .Doc(
        "Takes components indices [k] of any tuple out of the staging map of "
        "this name -> key [], values; waits while there is none.");

REGISTER_OP("MapSize")
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("How many complete tuples the staging map of this name has -> [].");

REGISTER_OP("MapIncompleteSize")
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("How many incomplete tuples the staging map of this name has -> [].");

REGISTER_OP("MapClear")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Empties the staging map of this name.");

REGISTER_OP("OrderedMapStage")
    .Input("key: int64")
    .Input("indices: int32")
    .Input("values: fake_dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("fake_dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(PutWithKey)
    .Doc(
        "Gives components indices [k] of the tuple key [] its values in the "
        "ordered staging map of this name; waits while it is full.");

REGISTER_OP("OrderedMapPeek")
    .Input("key: int64")
    .Input("indices: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Take)
    .Doc(
        "Components indices [k] of the tuple key [] in the ordered staging map "
        "of this name, which keeps them; waits while it is not complete.");

REGISTER_OP("OrderedMapUnstage")
    .Input("key: int64")
    .Input("indices: int32")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(Take)
    .Doc(
        "Takes components indices [k] of the tuple key [] out of the ordered "
        "staging map of this name; waits while it is not complete.");

REGISTER_OP("OrderedMapUnstageNoKey")
    .Input("indices: int32")
    .Output("key: int64")
    .Output("values: dtypes")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type) >= 1")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .Needs("blocking")
    .SetShapeFn(TakeWithKey)
    .Doc(
        "Takes components indices [k] of the first tuple out of the ordered "
        "staging map of this name -> key [], values; waits while there is "
        "none.");

REGISTER_OP("OrderedMapSize")
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "How many complete tuples the ordered staging map of this name has -> "
        "[].");

REGISTER_OP("OrderedMapIncompleteSize")
    .Output("size: int32")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("chance")
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "How many incomplete tuples the ordered staging map of this name has "
        "-> [].");

REGISTER_OP("OrderedMapClear")
    .Attr("capacity: int >= 0 = 0")
    .Attr("memory_limit: int >= 0 = 0")
    .Attr("dtypes: list(type)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Empties the ordered staging map of this name.");

}  // namespace tensorwright
