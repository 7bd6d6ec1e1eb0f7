// SPDX-License-Identifier: Apache-2.0
// Readers: they take names of work, such as files, from a queue, and give
// records.
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
using shape_inference::ScalarShape;
using shape_inference::ShapeHandle;

Status NewRefReader(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

// A handle of the first generation has the names of container and reader.
Status CheckHandle(InferenceContext* c, int input) {
  ShapeHandle handle = c->input(input);
  if (!c->RankKnown(handle) || c->Rank(handle) == 0) return OkStatus();
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(handle, 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

// The outputs are scalars; the first input is a handle.
Status AskReader(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c, 0));
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return OkStatus();
}

Status ReadOne(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c, 1));
  return AskReader(c);
}

Status ReadUpTo(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c, 0));
  TF_RETURN_IF_ERROR(CheckHandle(c, 1));
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  const DimensionHandle n = c->UnknownDim();
  c->set_output(0, c->Vector(n));
  c->set_output(1, c->Vector(n));
  return OkStatus();
}

Status RestoreReader(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  return CheckHandle(c, 0);
}

}  // namespace

REGISTER_OP("WholeFileReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(NewRefReader)
    .Doc(
        "A reader whose records are files: the key is the name, the value "
        "all bytes; its handle [2].");

REGISTER_OP("WholeFileReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are files: the key is the name, the value "
        "all bytes; its handle [].");

REGISTER_OP("TextLineReader")
    .Output("reader_handle: Ref(string)")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(NewRefReader)
    .Doc(
        "A reader whose records are lines of files, without their ends, but "
        "for the first attr skip_header_lines of each; its handle [2].");

REGISTER_OP("TextLineReaderV2")
    .Output("reader_handle: resource")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are lines of files, without their ends, but "
        "for the first attr skip_header_lines of each; its handle [].");

REGISTER_OP("FixedLengthRecordReader")
    .Output("reader_handle: Ref(string)")
    .Attr("header_bytes: int = 0")
    .Attr("record_bytes: int")
    .Attr("footer_bytes: int = 0")
    .Attr("hop_bytes: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(NewRefReader)
    .Doc(
        "A reader whose records are pieces of attr record_bytes of files, "
        "attr hop_bytes apart, without a header and a footer; its handle "
        "[2].");

REGISTER_OP("FixedLengthRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("header_bytes: int = 0")
    .Attr("record_bytes: int")
    .Attr("footer_bytes: int = 0")
    .Attr("hop_bytes: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("encoding: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are pieces of attr record_bytes of files, "
        "attr hop_bytes apart, without a header and a footer; its handle "
        "[].");

REGISTER_OP("TFRecordReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("compression_type: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(NewRefReader)
    .Doc("A reader of files of records; its handle [2].");

REGISTER_OP("TFRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("compression_type: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(ScalarShape)
    .Doc("A reader of files of records; its handle [].");

REGISTER_OP("LMDBReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .Touches("files read")
    .SetShapeFn(NewRefReader)
    .Doc(
        "A reader whose records are keys and values of databases of LMDB; "
        "its handle [2].");

REGISTER_OP("IdentityReader")
    .Output("reader_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(NewRefReader)
    .Doc(
        "A reader whose records are the names of work, key and value; its "
        "handle [2].");

REGISTER_OP("IdentityReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are the names of work, key and value; its "
        "handle [].");

REGISTER_OP("ReaderRead")
    .Input("reader_handle: Ref(string)")
    .Input("queue_handle: Ref(string)")
    .Output("key: string")
    .Output("value: string")
    .Touches("chance")
    .Touches("files read")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ReadOne)
    .Doc(
        "The next record of a reader, which takes names of work from a "
        "queue and waits for them: key [] and value [].");

REGISTER_OP("ReaderReadV2")
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Output("key: string")
    .Output("value: string")
    .SetIsStateful()
    .Touches("chance")
    .Touches("files read")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ReadOne)
    .Doc(
        "The next record of a reader, which takes names of work from a "
        "queue and waits for them: key [] and value [].");

REGISTER_OP("ReaderReadUpTo")
    .Input("reader_handle: Ref(string)")
    .Input("queue_handle: Ref(string)")
    .Input("num_records: int64")
    .Output("keys: string")
    .Output("values: string")
    .Touches("chance")
    .Touches("files read")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ReadUpTo)
    .Doc(
        "Up to num_records [] records, fewer where a unit of work ends: "
        "keys [n] and values [n].");

REGISTER_OP("ReaderReadUpToV2")
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Input("num_records: int64")
    .Output("keys: string")
    .Output("values: string")
    .SetIsStateful()
    .Touches("chance")
    .Touches("files read")
    .Needs("blocking")
    .Needs("unbounded memory")
    .SetShapeFn(ReadUpTo)
    .Doc(
        "Up to num_records [] records, fewer where a unit of work ends: "
        "keys [n] and values [n].");

REGISTER_OP("ReaderNumRecordsProduced")
    .Input("reader_handle: Ref(string)")
    .Output("records_produced: int64")
    .SetShapeFn(AskReader)
    .Doc("How many records a reader has given: [].");

REGISTER_OP("ReaderNumRecordsProducedV2")
    .Input("reader_handle: resource")
    .Output("records_produced: int64")
    .SetIsStateful()
    .SetShapeFn(AskReader)
    .Doc("How many records a reader has given: [].");

REGISTER_OP("ReaderNumWorkUnitsCompleted")
    .Input("reader_handle: Ref(string)")
    .Output("units_completed: int64")
    .SetShapeFn(AskReader)
    .Doc("How many units of work a reader has read to the end: [].");

REGISTER_OP("ReaderNumWorkUnitsCompletedV2")
    .Input("reader_handle: resource")
    .Output("units_completed: int64")
    .SetIsStateful()
    .SetShapeFn(AskReader)
    .Doc("How many units of work a reader has read to the end: [].");

REGISTER_OP("ReaderSerializeState")
    .Input("reader_handle: Ref(string)")
    .Output("state: string")
    .SetShapeFn(AskReader)
    .Doc(
        "What a reader needs to go on from here, if its kind can say it: "
        "[].");

REGISTER_OP("ReaderSerializeStateV2")
    .Input("reader_handle: resource")
    .Output("state: string")
    .SetIsStateful()
    .SetShapeFn(AskReader)
    .Doc(
        "What a reader needs to go on from here, if its kind can say it: "
        "[].");

REGISTER_OP("ReaderRestoreState")
    .Input("reader_handle: Ref(string)")
    .Input("state: string")
    .SetShapeFn(RestoreReader)
    .Doc("Has a reader go on from a state [] that was serialized.");

REGISTER_OP("ReaderRestoreStateV2")
    .Input("reader_handle: resource")
    .Input("state: string")
    .SetIsStateful()
    .SetShapeFn(RestoreReader)
    .Doc("Has a reader go on from a state [] that was serialized.");

REGISTER_OP("ReaderReset")
    .Input("reader_handle: Ref(string)")
    .SetShapeFn(AskReader)
    .Doc("Has a reader begin anew.");

REGISTER_OP("ReaderResetV2")
    .Input("reader_handle: resource")
    .SetIsStateful()
    .SetShapeFn(AskReader)
    .Doc("Has a reader begin anew.");

}  // namespace tensorwright
