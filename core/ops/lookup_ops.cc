// SPDX-License-Identifier: Apache-2.0
// Tables from keys to values, kept by the session.
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

Status NewRefTable(InferenceContext* c) {
  c->set_output(0, c->Vector(2));
  return OkStatus();
}

Status NewDenseRefTable(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  return NewRefTable(c);
}

Status NewDenseTable(InferenceContext* c) {
  ShapeHandle unused;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  return shape_inference::ScalarShape(c);
}

// A handle of the first generation has the names of container and table.
Status CheckHandle(InferenceContext* c) {
  ShapeHandle handle = c->input(0);
  if (!c->RankKnown(handle) || c->Rank(handle) == 0) return OkStatus();
  DimensionHandle unused;
  TF_RETURN_IF_ERROR(c->WithRank(handle, 1, &handle));
  return c->WithValue(c->Dim(handle, 0), 2, &unused);
}

// The table checks the shapes of keys and values.
Status FindShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  c->set_output(0, c->UnknownShape());
  return OkStatus();
}

Status SizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return shape_inference::ScalarShape(c);
}

Status ExportShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  return shape_inference::UnknownShape(c);
}

Status InitializeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle keys;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &keys));
  return c->Merge(keys, c->input(2), &keys);
}

Status FromFileShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandle(c));
  ShapeHandle filename;
  return c->WithRank(c->input(1), 0, &filename);
}

}  // namespace

REGISTER_OP("LookupTableFind")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .SetShapeFn(FindShape)
    .Doc(
        "The values of keys in the table table_handle [2]: keys [...] -> [...] "
        "+ the value's shape; default_value, one or one for each key, where a "
        "key is missing.");

REGISTER_OP("LookupTableFindV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .SetIsStateful()
    .SetShapeFn(FindShape)
    .Doc(
        "The values of keys in the table table_handle []: keys [...] -> [...] "
        "+ the value's shape; default_value, one or one for each key, where a "
        "key is missing.");

REGISTER_OP("LookupTableInsert")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc("Sets the values of keys [...] in the table table_handle [2].");

REGISTER_OP("LookupTableInsertV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc("Sets the values of keys [...] in the table table_handle [].");

REGISTER_OP("LookupTableSize")
    .Input("table_handle: Ref(string)")
    .Output("size: int64")
    .SetShapeFn(SizeShape)
    .Doc("How many keys the table table_handle [2] has -> [].");

REGISTER_OP("LookupTableSizeV2")
    .Input("table_handle: resource")
    .Output("size: int64")
    .SetIsStateful()
    .SetShapeFn(SizeShape)
    .Doc("How many keys the table table_handle [] has -> [].");

REGISTER_OP("LookupTableExport")
    .Input("table_handle: Ref(string)")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: type")
    .Attr("Tvalues: type")
    .SetShapeFn(ExportShape)
    .Doc(
        "All keys [n, ...] and values [n, ...] of the table table_handle [2], "
        "in any order.");

REGISTER_OP("LookupTableExportV2")
    .Input("table_handle: resource")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: type")
    .Attr("Tvalues: type")
    .SetIsStateful()
    .SetShapeFn(ExportShape)
    .Doc(
        "All keys [n, ...] and values [n, ...] of the table table_handle [], "
        "in any order.");

REGISTER_OP("LookupTableImport")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Replaces all that is in the table table_handle [2] by keys [n, ...] "
        "and values [n, ...].");

REGISTER_OP("LookupTableImportV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .SetIsStateful()
    .Needs("unbounded memory")
    .SetShapeFn(CheckHandle)
    .Doc(
        "Replaces all that is in the table table_handle [] by keys [n, ...] "
        "and values [n, ...].");

REGISTER_OP("InitializeTable")
    .Input("table_handle: Ref(string)")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .SetShapeFn(InitializeShape)
    .Doc(
        "Fills the table table_handle [2], once, with keys [n] and values "
        "[n].");

REGISTER_OP("InitializeTableV2")
    .Input("table_handle: resource")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .SetIsStateful()
    .SetShapeFn(InitializeShape)
    .Doc(
        "Fills the table table_handle [], once, with keys [n] and values [n].");

REGISTER_OP("InitializeTableFromTextFile")
    .Input("table_handle: Ref(string)")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .Attr("value_index: int >= -2")
    .Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\\t'")
    .Attr("offset: int = 0")
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(FromFileShape)
    .Doc(
        "Fills the table table_handle [2], once, from the lines of filename "
        "[]: keys and values are columns, whole lines (-2) or their numbers "
        "plus offset (-1).");

REGISTER_OP("InitializeTableFromTextFileV2")
    .Input("table_handle: resource")
    .Input("filename: string")
    .Attr("key_index: int >= -2")
    .Attr("value_index: int >= -2")
    .Attr("vocab_size: int >= -1 = -1")
    .Attr("delimiter: string = '\\t'")
    .Attr("offset: int = 0")
    .SetIsStateful()
    .Touches("files read")
    .Needs("unbounded memory")
    .SetShapeFn(FromFileShape)
    .Doc(
        "Fills the table table_handle [], once, from the lines of filename []: "
        "keys and values are columns, whole lines (-2) or their numbers plus "
        "offset (-1).");

REGISTER_OP("HashTable")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetIsStateful()
    .SetShapeFn(NewRefTable)
    .Doc("A table that is filled once: its handle [2].");

REGISTER_OP("HashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("A table that is filled once: its handle [].");

REGISTER_OP("MutableHashTable")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetIsStateful()
    .SetShapeFn(NewRefTable)
    .Doc("A table whose entries come and change: its handle [2].");

REGISTER_OP("MutableHashTableV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc("A table whose entries come and change: its handle [].");

REGISTER_OP("MutableHashTableOfTensors")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .SetIsStateful()
    .SetShapeFn(NewRefTable)
    .Doc(
        "A table whose entries come and change, and whose values are vectors "
        "of attr value_shape: its handle [2].");

REGISTER_OP("MutableHashTableOfTensorsV2")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .Doc(
        "A table whose entries come and change, and whose values are vectors "
        "of attr value_shape: its handle [].");

REGISTER_OP("MutableDenseHashTable")
    .Input("empty_key: key_dtype")
    .Output("table_handle: Ref(string)")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .SetIsStateful()
    .SetShapeFn(NewDenseRefTable)
    .Doc(
        "A table whose keys have the shape of empty_key, [] or [k], which is "
        "no key itself, and whose values have attr value_shape: its handle "
        "[2].");

REGISTER_OP("MutableDenseHashTableV2")
    .Input("empty_key: key_dtype")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("use_node_name_sharing: bool = false")
    .Attr("key_dtype: type")
    .Attr("value_dtype: type")
    .Attr("value_shape: shape = {}")
    .Attr("initial_num_buckets: int = 131072")
    .Attr("max_load_factor: float = 0.8")
    .SetIsStateful()
    .SetShapeFn(NewDenseTable)
    .Doc(
        "A table whose keys have the shape of empty_key, [] or [k], which is "
        "no key itself, and whose values have attr value_shape: its handle "
        "[].");

}  // namespace tensorwright
