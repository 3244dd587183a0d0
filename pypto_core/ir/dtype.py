"""Element data types (docs/spec/ir.md §2.1)."""

from __future__ import annotations

from typing import ClassVar


class DataType:
    """One element type; instances are singletons, compare with ``is`` (``==`` is identity)."""

    __slots__ = ("bits", "c_type", "code", "printed", "text")

    by_name: ClassVar[dict[str, DataType]] = {}
    by_text: ClassVar[dict[str, DataType]] = {}

    BOOL: ClassVar[DataType]
    INT4: ClassVar[DataType]
    INT8: ClassVar[DataType]
    INT16: ClassVar[DataType]
    INT32: ClassVar[DataType]
    INT64: ClassVar[DataType]
    INDEX: ClassVar[DataType]
    UINT4: ClassVar[DataType]
    UINT8: ClassVar[DataType]
    UINT16: ClassVar[DataType]
    UINT32: ClassVar[DataType]
    UINT64: ClassVar[DataType]
    FP4: ClassVar[DataType]
    FP8E4M3FN: ClassVar[DataType]
    FP8E5M2: ClassVar[DataType]
    FP16: ClassVar[DataType]
    FP32: ClassVar[DataType]
    FP8E8M0: ClassVar[DataType]
    BF16: ClassVar[DataType]
    HF4: ClassVar[DataType]
    HF8: ClassVar[DataType]
    TASK_ID: ClassVar[DataType]

    def __init__(self, printed: str, code: int, bits: int, text: str, c_type: str) -> None:
        self.printed = printed
        self.code = code
        self.bits = bits
        self.text = text
        self.c_type = c_type

    @property
    def name(self) -> str:
        """The name behind ``pl.``: ``FP32``."""
        return self.printed

    @property
    def byte(self) -> int:
        """Bytes of one element, rounded up (``get_byte``)."""
        return (self.bits + 7) // 8

    @property
    def storage_bits(self) -> int:
        """Bits one element occupies in memory: 4 for packed nibbles, else whole bytes (§2.8)."""
        return 4 if self.bits == 4 else 8 * self.byte

    def storage_bytes(self, elements: int) -> int:
        """Bytes of ``elements`` elements (§2.8)."""
        return (elements * self.storage_bits + 7) // 8

    @property
    def is_signed_int(self) -> bool:
        """INT4 to INT64, and INDEX; BOOL and TASK_ID are not integers."""
        return 0x10 <= self.code <= 0x15

    @property
    def is_unsigned_int(self) -> bool:
        """UINT4 to UINT64."""
        return 0x20 <= self.code <= 0x24

    @property
    def is_int(self) -> bool:
        """Signed or unsigned, INDEX included; BOOL and TASK_ID are not integers."""
        return 0x10 <= self.code <= 0x2F

    @property
    def is_float(self) -> bool:
        """Floating point of any width, BF16 and the 8- and 4-bit formats included."""
        return 0x30 <= self.code <= 0x4F

    @property
    def is_index_like(self) -> bool:
        """Whether values of it count as INDEX: INDEX itself and the 64-bit integers."""
        return self.code in (0x14, 0x15, 0x24)

    def __reduce__(self) -> str:
        return f"DataType.{self.printed}"

    def __repr__(self) -> str:
        return f"DataType.{self.printed}"


_ROWS = (
    ("BOOL", 0x00, 1, "bool", "bool"),
    ("INT4", 0x10, 4, "int4", ""),
    ("INT8", 0x11, 8, "int8", "int8_t"),
    ("INT16", 0x12, 16, "int16", "int16_t"),
    ("INT32", 0x13, 32, "int32", "int32_t"),
    ("INT64", 0x14, 64, "int64", "int64_t"),
    ("INDEX", 0x15, 64, "index", "int64_t"),
    ("UINT4", 0x20, 4, "uint4", ""),
    ("UINT8", 0x21, 8, "uint8", "uint8_t"),
    ("UINT16", 0x22, 16, "uint16", "uint16_t"),
    ("UINT32", 0x23, 32, "uint32", "uint32_t"),
    ("UINT64", 0x24, 64, "uint64", "uint64_t"),
    ("FP4", 0x30, 4, "fp4", "float4_e2m1x2_t"),
    ("FP8E4M3FN", 0x31, 8, "fp8e4m3fn", "float8_e4m3_t"),
    ("FP8E5M2", 0x32, 8, "fp8e5m2", "float8_e5m2_t"),
    ("FP16", 0x33, 16, "fp16", "half"),
    ("FP32", 0x34, 32, "fp32", "float"),
    ("FP8E8M0", 0x36, 8, "fp8e8m0", "float8_e8m0_t"),
    ("BF16", 0x40, 16, "bfloat16", "bfloat16_t"),
    ("HF4", 0x41, 4, "hf4", ""),
    ("HF8", 0x42, 8, "hf8", ""),
    ("TASK_ID", 0x50, 64, "task_id", ""),
)
for _row in _ROWS:
    _dtype = DataType(*_row)
    setattr(DataType, _row[0], _dtype)
    DataType.by_name[_row[0]] = _dtype
    DataType.by_text[_row[3]] = _dtype
del _row, _dtype
