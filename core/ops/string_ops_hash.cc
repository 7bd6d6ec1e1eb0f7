// SPDX-License-Identifier: Apache-2.0
// Hashes of strings, and numbers as text.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("StringToHashBucketFast")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "A hash (FarmHash) of each string of input [...], modulo attr "
        "num_buckets.");

REGISTER_OP("StringToHashBucketStrong")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .Attr("key: list(int)")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "A hash (SipHash) of each string of input [...], modulo attr "
        "num_buckets; attr key, two numbers, keeps others from guessing it.");

REGISTER_OP("StringToHashBucket")
    .Input("string_tensor: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc(
        "A hash of each string of string_tensor [...], modulo attr "
        "num_buckets.");

REGISTER_OP("AsString")
    .Input("input: T")
    .Output("output: string")
    .Attr(
        "T: {int8, int16, int32, int64, complex64, complex128, float, double, "
        "half, bfloat16, bool, uint8, uint16, uint32, uint64, string}")
    .Attr("precision: int = -1")
    .Attr("scientific: bool = false")
    .Attr("shortest: bool = false")
    .Attr("width: int = -1")
    .Attr("fill: string = ''")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Doc("The text of each element of input [...].");

}  // namespace tensorwright
