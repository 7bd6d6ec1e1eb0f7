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
