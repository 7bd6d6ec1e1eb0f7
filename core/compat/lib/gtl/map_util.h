// SPDX-License-Identifier: Apache-2.0
// Look-ups in maps whose names tell what happens when the key is missing.
#ifndef TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MAP_UTIL_H_
#define TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MAP_UTIL_H_

#include <utility>

namespace tensorwright {
namespace gtl {

// The value's address, or null.
template <typename Map>
const typename Map::mapped_type* FindOrNull(const Map& map,
                                            const typename Map::key_type& key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}
template <typename Map>
typename Map::mapped_type* FindOrNull(Map& map,
                                      const typename Map::key_type& key) {
  const auto it = map.find(key);
  return it == map.end() ? nullptr : &it->second;
}
// For maps to pointers: the value, or null.
template <typename Map>
typename Map::mapped_type FindPtrOrNull(const Map& map,
                                        const typename Map::key_type& key) {
  const auto it = map.find(key);
  return it == map.end() ? typename Map::mapped_type() : it->second;
}
// A reference to a temporary default dangles: pass an object that lives on.
template <typename Map>
const typename Map::mapped_type& FindWithDefault(
    const Map& map, const typename Map::key_type& key,
    const typename Map::mapped_type& value) {
  const auto it = map.find(key);
  return it == map.end() ? value : it->second;
}
template <typename Map>
bool ContainsKey(const Map& map, const typename Map::key_type& key) {
  return map.find(key) != map.end();
}
// False, with nothing changed, if the key is there.
template <typename Map>
bool InsertIfNotPresent(Map* map, const typename Map::value_type& entry) {
  return map->insert(entry).second;
}
template <typename Map>
bool InsertIfNotPresent(Map* map, const typename Map::key_type& key,
                        const typename Map::mapped_type& value) {
  return map->insert({key, value}).second;
}
// True if the key is new.
template <typename Map>
bool InsertOrUpdate(Map* map, const typename Map::key_type& key,
                    const typename Map::mapped_type& value) {
  const auto inserted = map->insert({key, value});
  if (!inserted.second) inserted.first->second = value;
  return inserted.second;
}
template <typename Map>
typename Map::mapped_type& LookupOrInsert(
    Map* map, const typename Map::key_type& key,
    const typename Map::mapped_type& value) {
  return map->insert({key, value}).first->second;
}
// Removes the entry and returns its pointer, or null.
template <typename Map>
typename Map::mapped_type EraseKeyReturnValuePtr(
    Map* map, const typename Map::key_type& key) {
  const auto it = map->find(key);
  if (it == map->end()) return {};
  typename Map::mapped_type value = std::move(it->second);
  map->erase(it);
  return value;
}

}  // namespace gtl
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_LIB_GTL_MAP_UTIL_H_
