// SPDX-License-Identifier: Apache-2.0
// Edges between devices; the runtime adds these ops at the cuts of a graph.

#include "core/framework/common_shape_fns.h"
#include "core/framework/op.h"

namespace tensorwright {

REGISTER_OP("_Send")
    .Input("tensor: T")
    .Attr("T: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("Gives tensor [...] to the _Recv of the same names.");

REGISTER_OP("_Recv")
    .Output("tensor: tensor_type")
    .Attr("tensor_type: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .Needs("blocking")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc("The tensor [...] that the _Send of the same names gave.");

REGISTER_OP("_HostSend")
    .Input("tensor: T")
    .Attr("T: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .SetShapeFn(shape_inference::NoOutputs)
    .Doc("_Send of a tensor [...] that is in host memory.");

REGISTER_OP("_HostRecv")
    .Output("tensor: tensor_type")
    .Attr("tensor_type: type")
    .Attr("tensor_name: string")
    .Attr("send_device: string")
    .Attr("send_device_incarnation: int")
    .Attr("recv_device: string")
    .Attr("client_terminated: bool = false")
    .SetIsStateful()
    .Needs("blocking")
    .SetShapeFn(shape_inference::UnknownShape)
    .Doc("_Recv of a tensor [...] that stays in host memory.");

}  // namespace tensorwright
