// SPDX-License-Identifier: Apache-2.0
// Makes inputs from nodes that need not exist, for tests of one node.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_

#include <initializer_list>

#include "core/compat/framework/node_def_builder.h"
#include "core/framework/types.h"

namespace tensorwright {

// Takes number and types from the attrs set already: .Attr("T",
// DT_FLOAT).Input(FakeInput())
FakeInputFunctor FakeInput();
// A tensor of that type, or a list of such tensors, whose length an attr gives.
FakeInputFunctor FakeInput(DataType dt);
// A list of n tensors, whose type is given, or comes from the attrs.
FakeInputFunctor FakeInput(int n);
FakeInputFunctor FakeInput(int n, DataType dt);
// A list of tensors of these types.
FakeInputFunctor FakeInput(DataTypeSlice dts);
inline FakeInputFunctor FakeInput(std::initializer_list<DataType> dts) {
  return FakeInput(DataTypeSlice(dts.begin(), dts.size()));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_
