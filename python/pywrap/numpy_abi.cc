// SPDX-License-Identifier: Apache-2.0
// The few entries of NumPy's C API that a run needs, without NumPy's headers.
#include "python/pywrap/numpy_abi.h"

namespace tensorwright::pywrap::numpy {

Api api;

bool Load() {
  // NumPy 2 moved the module; the old name still works there but warns.
  Ref module(PyImport_ImportModule("numpy._core._multiarray_umath"));
  if (!module) {
    PyErr_Clear();
    module = Ref(PyImport_ImportModule("numpy.core._multiarray_umath"));
  }
  if (!module) return false;
  Ref capsule(PyObject_GetAttrString(module.get(), "_ARRAY_API"));
  if (!capsule) return false;
  auto** table =
      static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (table == nullptr) return false;
  const auto load = [table](auto& slot, int index) {
    slot =
        reinterpret_cast<std::remove_reference_t<decltype(slot)>>(table[index]);
  };
  load(api.array_type, 2);
  load(api.generic_type, 10);
  load(api.descr_from_type, 45);
  load(api.scalar, 60);
  load(api.from_any, 69);
  load(api.new_from_descr, 94);
  load(api.set_base_object, 282);
  return true;
}

}  // namespace tensorwright::pywrap::numpy
