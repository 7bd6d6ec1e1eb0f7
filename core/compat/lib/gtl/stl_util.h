// SPDX-License-Identifier: Apache-2.0
// Small helpers on standard containers.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_STL_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_STL_UTIL_H_

#include <algorithm>
#include <string>
#include <vector>

namespace tensorwright {
namespace gtl {

// Null for an empty vector.
template <typename T, typename A>
T* vector_as_array(std::vector<T, A>* v) {
  return v->empty() ? nullptr : v->data();
}
template <typename T, typename A>
const T* vector_as_array(const std::vector<T, A>* v) {
  return v->empty() ? nullptr : v->data();
}
inline char* string_as_array(std::string* s) { return &(*s)[0]; }
inline void STLStringResizeUninitialized(std::string* s, size_t size) {
  s->resize(size);
}
// Deletes the pointers in a container and empties it.
template <typename Container>
void STLDeleteElements(Container* c) {
  if (c == nullptr) return;
  for (auto* p : *c) delete p;
  c->clear();
}
template <typename Map>
void STLDeleteValues(Map* map) {
  if (map == nullptr) return;
  for (auto& entry : *map) delete entry.second;
  map->clear();
}
template <typename T>
void STLSortAndRemoveDuplicates(T* v) {
  std::sort(v->begin(), v->end());
  v->erase(std::unique(v->begin(), v->end()), v->end());
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_STL_UTIL_H_
