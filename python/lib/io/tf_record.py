# SPDX-License-Identifier: Apache-2.0
"""Files of records: a writer, and a loop over what one has."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from tensorwright.python import _pywrap
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from types import TracebackType

    from tensorwright.python.framework.type_aliases import PathLike


class TFRecordCompressionType:
    """How the records of a file are compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@dataclasses.dataclass(eq=False)
class TFRecordOptions:
    """How the records of a file are compressed, and zlib's numbers for that; None stands for zlib's own choice.

    Args:
        compression_type: "GZIP", "ZLIB" or "", or one of `TFRecordCompressionType`.
        flush_mode: what zlib is asked for where the file is flushed.
        input_buffer_size: bytes that are deflated at once.
        output_buffer_size: bytes that are handed to the file at once.
        window_bits: zlib's window, 9 to 15, and 16 more for gzip's format.
        compression_level: 0 to 9.
        compression_method: zlib's method.
        mem_level: 1 to 9.
        compression_strategy: zlib's strategy.

    Raises:
        ValueError: for another `compression_type`.
    """

    compression_type: Any = None
    flush_mode: int | None = None
    input_buffer_size: int | None = None
    output_buffer_size: int | None = None
    window_bits: int | None = None
    compression_level: int | None = None
    compression_method: int | None = None
    mem_level: int | None = None
    compression_strategy: int | None = None

    compression_type_map: ClassVar[dict[int, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __post_init__(self) -> None:
        # An unknown one is an error here, not where the file is written.
        self.get_compression_type_string(self.compression_type)

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """ "GZIP", "ZLIB" or "", of options, of a number of `TFRecordCompressionType`, of such a string, or of None."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def zlib_numbers(self) -> dict[str, int]:
        """Returns zlib's numbers that are set, by name."""
        numbers = dataclasses.asdict(self)
        del numbers["compression_type"]
        return {name: n for name, n in numbers.items() if n is not None}


def tf_record_iterator(
    path: PathLike, options: TFRecordOptions | int | str | None = None
) -> Iterator[bytes]:
    """The records of a file, one after the other.

    Args:
        path: the path of the file.
        options: `TFRecordOptions`, if it is compressed.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: a record is cut off, or not as it was written.
    """
    reader = _pywrap.RecordReader(
        compat.as_text(compat.path_to_str(path)),
        TFRecordOptions.get_compression_type_string(options),
    )
    # None is the end; a record may be empty.
    return iter(reader.next, None)


class TFRecordWriter:
    """Writes records to a new file; in a `with` statement it is closed at the end."""

    def __init__(
        self, path: PathLike, options: TFRecordOptions | int | str | None = None
    ):
        """Opens the file.

        Args:
            path: the path of the file, which is replaced.
            options: `TFRecordOptions`, "GZIP", "ZLIB" or "", or one of
                `TFRecordCompressionType`.

        Raises:
            OpError: the file cannot be written.
        """
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._writer = _pywrap.RecordWriter(
            compat.as_text(compat.path_to_str(path)),
            options.get_compression_type_string(options),
            options.zlib_numbers(),
        )

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self,
        unused_type: type[BaseException] | None,
        unused_value: BaseException | None,
        unused_traceback: TracebackType | None,
    ) -> None:
        self.close()

    def write(self, record: bytes | str) -> None:
        """Adds a record."""
        self._writer.write(compat.as_bytes(record))

    def flush(self) -> None:
        """Hands the written records to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Closes the file; nothing can be written afterwards."""
        self._writer.close()
