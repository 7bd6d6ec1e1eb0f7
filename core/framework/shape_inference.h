// SPDX-License-Identifier: Apache-2.0
// InferenceContext: the arguments and tools of a shape function.
//
// A shape function checks the shapes of an op's inputs and sets those of its
// outputs.  It runs twice: when a node is added, on the shapes known then, and
// in a run on the real shapes, before the kernel.  An unknown rank or dimension
// therefore is never an error, and a kernel never sees shapes that the function
// rejects.
//
//   Status MatMulShape(InferenceContext* c) {
//     ShapeHandle a, b;
//     TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
//     TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
//     ...
//     c->set_output(0, c->Matrix(c->Dim(a, 0), c->Dim(b, 1)));
//     return OkStatus();
//   }
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/node_def_util.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDef;
class OpDef;

namespace shape_inference {

class InferenceContext;

// A dimension: a size, or one that is not known.  Handles are pointers into the
// context that made them, good as long as that, and are compared by identity:
// two unknown dimensions are the same only if their handles are.  A default
// handle is unset; functions that take dimensions treat it as an unknown one.
class Dimension;
class DimensionHandle {
 public:
  DimensionHandle() = default;
  bool SameHandle(DimensionHandle d) const { return ptr_ == d.ptr_; }
  size_t Handle() const { return reinterpret_cast<size_t>(ptr_); }
  bool IsSet() const { return ptr_ != nullptr; }

 private:
  explicit DimensionHandle(const Dimension* d) : ptr_(d) {}
  const Dimension* operator->() const { return ptr_; }

  friend class InferenceContext;
  const Dimension* ptr_ = nullptr;
};

// A shape: a rank and that many dimensions, or an unknown rank.  A handle in
// the same sense; an unset one counts as of unknown rank.
class Shape;
class ShapeHandle {
 public:
  ShapeHandle() = default;
  bool SameHandle(ShapeHandle s) const { return ptr_ == s.ptr_; }
  size_t Handle() const { return reinterpret_cast<size_t>(ptr_); }
  bool IsSet() const { return ptr_ != nullptr; }

 private:
  explicit ShapeHandle(const Shape* s) : ptr_(s) {}
  const Shape* operator->() const { return ptr_; }

  friend class InferenceContext;
  const Shape* ptr_ = nullptr;
};

// The argument of functions that take a dimension: a handle, or a plain size.
struct DimensionOrConstant {
  // NOLINTNEXTLINE(google-explicit-constructor)
  DimensionOrConstant(DimensionHandle dim) : dim(dim) {}
  // -1 stands for an unknown dimension.
  // NOLINTNEXTLINE(google-explicit-constructor)
  DimensionOrConstant(int64_t val) : val(val) {}

  DimensionHandle dim;
  int64_t val = -1;
};

// The known shape and dtype of the tensor behind a resource handle.
struct ShapeAndType {
  ShapeAndType() = default;
  ShapeAndType(ShapeHandle s, DataType t) : shape(s), dtype(t) {}

  ShapeHandle shape;
  DataType dtype = DT_INVALID;
};

// Lives for one call of one shape function; owns every shape and dimension its
// handles stand for.  Used by one thread.  None of its functions ends the
// process: a wrong argument number or name is an error in the returned Status,
// or the unknown shape, and an exception of the shape function is an error of
// Run.  These do not check their position: MergeInput, RelaxInput, SetInput,
// output(i), requested_...(i), DimKnownRank, and those of handles' shapes and
// types.
//
// Functions that return a Status and set *out leave it unset (or as it was)
// when they fail, always with InvalidArgument.  Their texts give both values
// and name the argument that a shape came from.
class InferenceContext {
 public:
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int32_t kUnknownRank = -1;

  // `attrs` and `op_def` must outlive the context.  `input_shapes` has one
  // entry per data input, lists flattened.  `input_tensors` is empty, or has
  // one entry per input: its value, or null if that is not known.
  // `input_tensors_as_shapes` is empty, or has one entry per input: the known
  // part of its value, read as a shape.
  InferenceContext(
      int graph_def_version, AttrSlice attrs, const OpDef& op_def,
      absl::Span<const PartialTensorShape> input_shapes,
      absl::Span<const Tensor* const> input_tensors,
      absl::Span<const PartialTensorShape> input_tensors_as_shapes);

  // The same for shapes that are known altogether; for run time, where every
  // kernel call with new shapes makes one.
  InferenceContext(int graph_def_version, AttrSlice attrs, const OpDef& op_def,
                   absl::Span<const TensorShape> input_shapes,
                   absl::Span<const Tensor* const> input_tensors);

  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;
  ~InferenceContext();

  // Calls the function.  A failure's text starts with the op's name and ends
  // with the arguments' shapes, unless it quotes one already.  An output it
  // leaves unset is unknown.  Returns construction_status() if that is an
  // error, without calling.
  Status Run(const std::function<Status(InferenceContext* c)>& fn);

  // InvalidArgument if the number of inputs is not the op's; NotFound or
  // InvalidArgument if attrs that give lists their lengths are missing or
  // wrong; else OK.
  const Status& construction_status() const { return construction_status_; }

  // ---- The node.

  // The arguments of the constructor.  GetAttr fails as GetNodeAttr does:
  // NotFound for an attr that the node lacks.
  const OpDef& op_def() const { return op_def_; }
  int graph_def_version() const { return graph_def_version_; }
  const AttrSlice& attrs() const { return attrs_; }
  template <class T>
  Status GetAttr(absl::string_view attr_name, T* value) const {
    return GetNodeAttr(attrs_, attr_name, value);
  }
  // The dtype of an output, lists flattened; DT_INVALID if there is no such
  // output.
  DataType output_type(int idx) const;

  // ---- Inputs.

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  // An input that the op does not have is unknown, and makes Run fail with
  // Internal.  By name: all of an argument's shapes, one if it is no list;
  // InvalidArgument if there is no such argument.
  ShapeHandle input(int64_t idx) const {
    return idx >= 0 && idx < num_inputs() ? inputs_[idx] : NoSuchInput(idx);
  }
  Status input(absl::string_view input_name,
               std::vector<ShapeHandle>* output) const;

  // The value of an input, or null if it is not known (or there is no such
  // input); not owned, host memory.  A function that asks tells that the
  // input's shape alone does not decide: its answer is then kept for these
  // values only.
  const Tensor* input_tensor(int idx);
  // Has the value been asked for?
  bool requested_input_tensor(int idx) const {
    return requested_input_tensor_[idx];
  }
  bool requested_input_tensor_as_partial_shape(int idx) const {
    return requested_input_tensor_as_partial_shape_[idx];
  }
  // Has either form of any input's value been asked for?
  bool requested_any_value() const;

  // The known parts of the inputs' values, read as shapes; an entry may be
  // unset, and there may be fewer entries than inputs.
  const std::vector<ShapeHandle>& input_tensors_as_shapes() const {
    return input_tensors_as_shapes_;
  }
  void set_input_tensors_as_shapes(std::vector<ShapeHandle> shapes) {
    input_tensors_as_shapes_ = std::move(shapes);
  }

  // Adds to the knowledge of an input's shape; false if `shape` adds nothing or
  // disagrees.
  bool MergeInput(int idx, ShapeHandle shape);
  // Replaces an input by the shape that it and `shape` have in common; false if
  // nothing changes.
  bool RelaxInput(int idx, ShapeHandle shape);
  void SetInput(int idx, ShapeHandle shape) { inputs_[idx] = shape; }

  // ---- Outputs.

  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  ShapeHandle output(int64_t idx) const { return outputs_[idx]; }
  // The shapes set so far; unset handles included.
  Status output(absl::string_view output_name,
                std::vector<ShapeHandle>* output) const;
  // An index that the op does not have makes Run fail with Internal. By name:
  // InvalidArgument for an unknown argument or another number of shapes than it
  // has tensors.
  void set_output(int idx, ShapeHandle shape);
  Status set_output(absl::string_view output_name,
                    absl::Span<const ShapeHandle> shapes);

  // ---- Reading shapes and dimensions.

  static int32_t Rank(ShapeHandle s);  // kUnknownRank if unknown.
  static bool RankKnown(ShapeHandle s);
  static int64_t Value(DimensionOrConstant d);  // kUnknownDim if unknown.
  static bool ValueKnown(DimensionOrConstant d) {
    return Value(d) != kUnknownDim;
  }
  // The rank and every size are known.
  static bool FullyDefined(ShapeHandle s);

  // Dimension `idx`, counted from the end if negative; a new unknown one if the
  // rank is unknown, or if there is none of that number.  DimKnownRank is
  // unchecked and makes nothing.
  DimensionHandle Dim(ShapeHandle s, int64_t idx);
  static DimensionHandle DimKnownRank(ShapeHandle s, int64_t idx);

  // The product of the dimensions; unknown if one is, or if it overflows.
  DimensionHandle NumElements(ShapeHandle s);

  std::string DebugString(ShapeHandle s) const;      // "[2,?]", "?".
  std::string DebugString(DimensionHandle d) const;  // "2", "?".
  std::string DebugString() const;
  // The input argument (and place in its list) that has this very handle: "a",
  // "values[2]"; "shape" if it is none.
  std::string NameOf(ShapeHandle s) const;

  // These copy the shape: their results outlive the context.
  void ShapeHandleToProto(ShapeHandle s, TensorShapeProto* proto) const;
  PartialTensorShape ToPartialTensorShape(ShapeHandle s) const;

  // ---- Requirements.  Each sets *out to the shape or size as the requirement
  // makes it known, or fails with InvalidArgument, leaving *out unset, if it
  // contradicts the known part.  An unknown rank or size meets any requirement.
  // The argument itself stays as it was: use *out.

  // The shape itself if its rank is known; for an unknown rank WithRank makes a
  // shape of unknown dimensions, and the other two return the shape as it is.
  Status WithRank(ShapeHandle shape, int64_t rank, ShapeHandle* out);
  Status WithRankAtLeast(ShapeHandle shape, int64_t rank, ShapeHandle* out);
  Status WithRankAtMost(ShapeHandle shape, int64_t rank, ShapeHandle* out);
  Status WithValue(DimensionHandle dim, int64_t value, DimensionHandle* out);
  // Two dimensions or shapes that must be equal: *out has everything that
  // either of them knows.  It is one of the two handles if that handle already
  // says everything, so that identity is kept.
  Status Merge(DimensionHandle d0, DimensionHandle d1, DimensionHandle* out);
  Status Merge(ShapeHandle s0, ShapeHandle s1, ShapeHandle* out);
  // `prefix` must be the start of `s`: each dimension of *s_out and *prefix_out
  // knows what either of the two knows.  If a rank is unknown, both are as
  // given.
  Status MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out,
                     ShapeHandle* prefix_out);
  // The part that both have in common: unknown wherever they differ.  Never
  // fails; `d_old` or `s_old` itself if that is no less known.
  void Relax(DimensionHandle d_old, DimensionHandle d_new,
             DimensionHandle* out);
  void Relax(ShapeHandle s_old, ShapeHandle s_new, ShapeHandle* out);

  // ---- Making shapes.  Results live as long as the context.  Sizes below -1
  // count as unknown.  UnknownShapeOfRank gives the unknown shape for a rank
  // that no shape may have.

  ShapeHandle UnknownShape();
  ShapeHandle UnknownShapeOfRank(int64_t rank);
  ShapeHandle Scalar();
  ShapeHandle Vector(DimensionOrConstant dim);
  ShapeHandle Matrix(DimensionOrConstant dim1, DimensionOrConstant dim2);
  ShapeHandle MakeShape(const std::vector<DimensionHandle>& dims) {
    return CopyShape(dims);
  }
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims);
  // From other containers; a template, so that braces never mean it.
  template <typename Dims,
            typename = std::enable_if_t<std::is_convertible<
                const Dims&, absl::Span<const DimensionHandle>>::value>>
  ShapeHandle MakeShape(const Dims& dims) {
    return CopyShape(dims);
  }

  // Dimensions [start, end) of `s`, every `stride`-th; negative positions count
  // from the end, positions beyond it are the end.  With a negative stride
  // `start` is the first one taken and `end` the first one not.
  // InvalidArgument for stride 0, and for a stride of 1 if start lies behind
  // end or either lies before dimension 0.  If the rank is unknown, so is the
  // result.
  Status Subshape(ShapeHandle s, int64_t start, ShapeHandle* out);
  Status Subshape(ShapeHandle s, int64_t start, int64_t end, ShapeHandle* out);
  Status Subshape(ShapeHandle s, int64_t start, int64_t end, int64_t stride,
                  ShapeHandle* out);
  // Unknown if a rank is.  InvalidArgument for more dimensions than a shape may
  // have, or a dimension that `s` does not have (negative ones count from the
  // end).
  Status Concatenate(ShapeHandle s1, ShapeHandle s2, ShapeHandle* out);
  Status ReplaceDim(ShapeHandle s, int64_t dim_index, DimensionHandle new_dim,
                    ShapeHandle* out);

  // The shape that a vector input of int32 or int64 holds (with unknown sizes
  // for the elements that are not known): asks for the input's value. -1 is an
  // unknown size.  InvalidArgument for another rank or dtype, sizes below -1,
  // too many of them, a product beyond int64, or no input of that number.  If
  // only the vector's length is known the result has that rank.
  Status MakeShapeFromShapeTensor(int input_idx, ShapeHandle* out);
  // The same, except that a scalar -1 is the unknown shape.
  Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int input_idx,
                                                           ShapeHandle* out);
  // The same from `t`, the value of an input whose shape is `tensor_shape`;
  // null if the value is unknown.
  Status MakeShapeFromTensor(const Tensor* t, ShapeHandle tensor_shape,
                             ShapeHandle* out);
  // Makes a shape of other classes' shapes.  A malformed proto is
  // InvalidArgument; the other two always succeed.
  Status MakeShapeFromShapeProto(const TensorShapeProto& proto,
                                 ShapeHandle* out);
  Status MakeShapeFromPartialTensorShape(
      const PartialTensorShape& partial_shape, ShapeHandle* out);
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out);

  // ---- Making dimensions.

  DimensionHandle MakeDim(DimensionOrConstant d);
  DimensionHandle UnknownDim() { return MakeDim(kUnknownDim); }
  // The size that a scalar input of int32 or int64 holds, unknown if the value
  // is; InvalidArgument if it is negative, no scalar or of another dtype.  Asks
  // for the input's value.
  Status MakeDimForScalarInput(int idx, DimensionHandle* out);
  // The same for an index in [-input_rank, input_rank): negative ones count
  // from the end.  If `input_rank` is -1 (unknown) a negative index gives an
  // unknown dimension.
  Status MakeDimForScalarInputWithNegativeIndexing(int idx, int input_rank,
                                                   DimensionHandle* out);
  // `t` must not be null.  InvalidArgument unless it is a scalar of int32 or
  // int64.
  Status GetScalarFromTensor(const Tensor* t, int64_t* val);

  // Checked arithmetic; the result is unknown if an operand is, unless the
  // other one decides (0 * ?, Min with 0).  Adding 0, multiplying or dividing
  // by 1 keep the handle.  InvalidArgument if it overflows, is negative,
  // divides by a number that is not positive, or, if `evenly_divisible`, does
  // not come out even; *out is left as it was then.
  Status Divide(DimensionHandle dividend, DimensionOrConstant divisor,
                bool evenly_divisible, DimensionHandle* out);
  Status Add(DimensionHandle first, DimensionOrConstant second,
             DimensionHandle* out);
  Status Subtract(DimensionHandle first, DimensionOrConstant second,
                  DimensionHandle* out);
  Status Multiply(DimensionHandle first, DimensionOrConstant second,
                  DimensionHandle* out);
  Status Min(DimensionHandle first, DimensionOrConstant second,
             DimensionHandle* out);
  Status Max(DimensionHandle first, DimensionOrConstant second,
             DimensionHandle* out);

  // ---- Resource handles: the known shapes and dtypes of the tensors they
  // stand for, one entry per tensor; null if nothing is known.  Pointers that
  // the getters return are good until the next set or merge of that position.

  const std::vector<ShapeAndType>* input_handle_shapes_and_types(
      int idx) const {
    return input_handle_shapes_and_types_[idx].get();
  }
  const std::vector<ShapeAndType>* output_handle_shapes_and_types(
      int idx) const {
    return output_handle_shapes_and_types_[idx].get();
  }
  void set_input_handle_shapes_and_types(
      int idx, std::vector<ShapeAndType> shapes_and_types);
  void set_output_handle_shapes_and_types(
      int idx, std::vector<ShapeAndType> shapes_and_types);
  // True if something became better known.  False, with nothing changed, if
  // there is nothing new, or a dtype, a shape or the number of entries
  // contradicts.
  bool MergeInputHandleShapesAndTypes(
      int idx, const std::vector<ShapeAndType>& shapes_and_types);
  bool MergeOutputHandleShapesAndTypes(
      int idx, const std::vector<ShapeAndType>& shapes_and_types);

 private:
  void Init(int num_inputs, absl::Span<const Tensor* const> input_tensors);
  ShapeHandle CopyShape(absl::Span<const DimensionHandle> dims);
  // Keeps `dims`, which must belong to the arena.
  ShapeHandle NewShape(absl::Span<const DimensionHandle> dims);
  absl::Span<DimensionHandle> NewDims(size_t n);
  ShapeHandle ShapeFromSizes(absl::Span<const int64_t> sizes);
  bool MergeHandles(const std::vector<ShapeAndType>& news,
                    std::unique_ptr<std::vector<ShapeAndType>>* known);
  Status MakeShapeFromShapeTensorImpl(int input_idx, bool scalar_is_unknown,
                                      ShapeHandle* out);
  Status Describe(const Status& status) const;

  // Holds shapes and dimensions: they are freed together, without destructors.
  class Arena {
   public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // `bytes` of memory aligned to 8.
    void* Allocate(size_t bytes) {
      bytes = (bytes + 7) & ~size_t{7};
      if (bytes > left_) AddBlock(bytes);
      char* result = next_;
      next_ += bytes;
      left_ -= bytes;
      return result;
    }

   private:
    void AddBlock(size_t bytes);

    // Most shape functions fit in the first kilobyte.
    alignas(8) char first_block_[1024];
    char* next_ = first_block_;
    size_t left_ = sizeof(first_block_);
    std::vector<std::unique_ptr<char[]>> blocks_;
  };
  Arena arena_;

  const int graph_def_version_;
  const AttrSlice attrs_;
  const OpDef& op_def_;
  Status construction_status_;
  ShapeHandle NoSuchInput(int64_t idx) const;

  // Notes the use of an index that does not exist, by input() or set_output().
  mutable Status usage_status_;

  ArgRanges input_ranges_;
  ArgRanges output_ranges_;
  absl::InlinedVector<ShapeHandle, 4> inputs_;
  absl::InlinedVector<const Tensor*, 4> input_tensors_;
  absl::InlinedVector<bool, 8> requested_input_tensor_;
  absl::InlinedVector<bool, 8> requested_input_tensor_as_partial_shape_;
  absl::InlinedVector<ShapeHandle, 4> outputs_;
  std::vector<ShapeHandle> input_tensors_as_shapes_;
  std::vector<std::unique_ptr<std::vector<ShapeAndType>>>
      input_handle_shapes_and_types_;
  std::vector<std::unique_ptr<std::vector<ShapeAndType>>>
      output_handle_shapes_and_types_;
};

}  // namespace shape_inference
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_SHAPE_INFERENCE_H_
