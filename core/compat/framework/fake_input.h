// SPDX-License-Identifier: Apache-2.0
// Inputs from nodes that need not exist, for tests of one node.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_

#include <initializer_list>

#include "core/compat/framework/node_def_builder.h"
#include "core/framework/types.h"

namespace tensorwright {

// What the attrs that are set already say: .Attr("T",
// DT_FLOAT).Input(FakeInput())
FakeInputFunctor FakeInput();
// A tensor of that type; or a list of tensors of that type, whose length an
// attr says.
FakeInputFunctor FakeInput(DataType dt);
// A list of n tensors, whose type the attrs say, or is given.
FakeInputFunctor FakeInput(int n);
FakeInputFunctor FakeInput(int n, DataType dt);
// A list of tensors of these types.
FakeInputFunctor FakeInput(DataTypeSlice dts);
inline FakeInputFunctor FakeInput(std::initializer_list<DataType> dts) {
  return FakeInput(DataTypeSlice(dts.begin(), dts.size()));
}

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_FAKE_INPUT_H_
