# SPDX-License-Identifier: Apache-2.0
"""Tables from keys to values: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._lookup.lookup_ops_index import (
    FastHashSpec as FastHashSpec,
    HasherSpec as HasherSpec,
    IdTableWithHashBuckets as IdTableWithHashBuckets,
    StrongHashSpec as StrongHashSpec,
    index_table_from_file as index_table_from_file,
    index_table_from_tensor as index_table_from_tensor,
    index_to_string_table_from_file as index_to_string_table_from_file,
    index_to_string_table_from_tensor as index_to_string_table_from_tensor,
)
from tensorwright.python.ops._lookup.lookup_ops_init import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TableInitializerBase as TableInitializerBase,
    TextFileIdTableInitializer as TextFileIdTableInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
    TextFileStringTableInitializer as TextFileStringTableInitializer,
    initialize_all_tables as initialize_all_tables,
    tables_initializer as tables_initializer,
)
from tensorwright.python.ops._lookup.lookup_ops_mutable import (
    MutableDenseHashTable as MutableDenseHashTable,
    MutableHashTable as MutableHashTable,
)
from tensorwright.python.ops._lookup.lookup_ops_static import (
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
)
from tensorwright.python.ops._lookup.lookup_ops_tables import (
    HashTable as HashTable,
    InitializableLookupTableBase as InitializableLookupTableBase,
    LookupInterface as LookupInterface,
)
from tensorwright.python.ops.gen_lookup_ops import (
    _hash_table_v2 as hash_table_v2,
    _initialize_table_from_text_file_v2 as initialize_table_from_text_file_v2,
    _initialize_table_v2 as initialize_table_v2,
    _lookup_table_export_v2 as lookup_table_export_v2,
    _lookup_table_find_v2 as lookup_table_find_v2,
    _lookup_table_import_v2 as lookup_table_import_v2,
    _lookup_table_insert_v2 as lookup_table_insert_v2,
    _lookup_table_size_v2 as lookup_table_size_v2,
    _mutable_dense_hash_table_v2 as mutable_dense_hash_table_v2,
    _mutable_hash_table_of_tensors_v2 as mutable_hash_table_of_tensors_v2,
    _mutable_hash_table_v2 as mutable_hash_table_v2,
)
