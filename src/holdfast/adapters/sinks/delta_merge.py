"""One batch as a MERGE: which of its rows count, whether they fit, and the statement."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    MapType,
    StructField,
    StructType,
    VariantType,
)

from holdfast.adapters.sinks.delta_options import DeltaSinkOptions

_PLACE = "holdfast place"
"""A column of our own while rows are chosen; a name that nobody gives to a column."""


def misfits(options: DeltaSinkOptions, came: StructType, held: StructType | None) -> list[str]:
    """All that is wrong with the columns of a batch; `held` are those of the table, if any."""
    wrong: list[str] = []
    seen: dict[str, str] = {}
    for name in came.names:
        if name.lower() in seen:
            wrong.append(f"its columns {seen[name.lower()]!r} and {name!r} are one to Spark")
        seen[name.lower()] = name
    named = [("key", name) for name in options.key]
    named += [("version", options.version)] if options.version else []
    named += [("tombstone", options.tombstone)] if options.tombstone else []
    named += [("partition_by", name) for name in options.partition_by]
    for what, name in named:
        if name not in came.names:
            wrong.append(f"it has no column {name!r}, which {what} names")
        elif what == "tombstone" and came[name].dataType != BooleanType():
            kind = came[name].dataType.simpleString()
            wrong.append(f"its tombstone {name!r} is {kind}, and not boolean")
    if held is None:
        return wrong
    return wrong + _differences(options, came, held, seen)


def stored(came: StructType, options: DeltaSinkOptions) -> StructType:
    """The columns of a batch that go into the table: all but the tombstone."""
    return StructType([field for field in came.fields if field.name != options.tombstone])


def new_columns(came: StructType, held: StructType) -> StructType:
    """Columns of a batch that the table does not have, in their order."""
    known = {name.lower() for name in held.names}
    return StructType(
        [StructField(f.name, f.dataType) for f in came.fields if f.name.lower() not in known]
    )


def _differences(
    options: DeltaSinkOptions, came: StructType, held: StructType, seen: Mapping[str, str]
) -> list[str]:
    wrong: list[str] = []
    types = {field.name: field.dataType for field in held.fields}
    spelled = {name.lower(): name for name in types}
    for field in stored(came, options).fields:
        other = spelled.get(field.name.lower())
        if other is None and options.merge_schema:
            continue
        if other is None:
            wrong.append(f"the table has no column {field.name!r}")
        elif other != field.name:
            wrong.append(f"column {field.name!r} is called {other!r} in the table")
        elif not _same(field.dataType, types[other]):
            wrong.append(
                f"column {field.name!r} is {field.dataType.simpleString()}, and in the table "
                f"{types[other].simpleString()}"
            )
    if not options.merge_schema:
        wrong += [f"it has no column {name!r}" for name in types if name.lower() not in seen]
    return wrong


def chosen_rows(frame: DataFrame, options: DeltaSinkOptions) -> DataFrame:
    """One row of each key: the highest version, and of one version the highest by its content.

    No choice depends on the order in which Spark delivers rows.
    """
    order: list[Column] = []
    if options.version is not None:
        order.append(_column(options.version).desc_nulls_last())
    for field in sorted(frame.schema.fields, key=lambda field: field.name):
        if field.name not in (*options.key, options.version):
            column = _column(field.name)
            sortable = column if _orderable(field.dataType) else F.to_json(F.struct(column))
            order.append(sortable.desc_nulls_last())
    keys = [_column(name) for name in options.key]
    place = F.row_number().over(Window.partitionBy(*keys).orderBy(*(order or keys)))
    kept = frame.withColumn(_PLACE, place).where(F.col(f"`{_PLACE}`") == 1)
    return kept.drop(_PLACE)


def merge_statement(options: DeltaSinkOptions, columns: Sequence[str], view: str) -> str:
    """The statement that puts the rows of a view into the table."""
    on = " AND ".join(f"held.{quoted(name)} <=> came.{quoted(name)}" for name in options.key)
    newer = ""
    if options.version is not None:
        version = quoted(options.version)
        newer = (
            f" AND (came.{version} > held.{version}"
            f" OR (held.{version} IS NULL AND came.{version} IS NOT NULL))"
        )
    kept = [name for name in columns if name != options.tombstone]
    gone = f"came.{quoted(options.tombstone)} <=> true" if options.tombstone else ""
    others = [quoted(name) for name in kept if name not in options.key]
    update = ", ".join(f"{name} = came.{name}" for name in others)
    matched = f" WHEN MATCHED{newer} AND {gone} THEN DELETE" if gone else ""
    matched += f" WHEN MATCHED{newer} THEN UPDATE SET {update}" if update else ""
    every = [quoted(name) for name in kept]
    values = ", ".join(f"came.{name}" for name in every)
    new = f" AND NOT ({gone})" if gone else ""
    return (
        f"MERGE INTO {table_name(options.path)} AS held USING {quoted(view)} AS came ON {on}"
        f"{matched} WHEN NOT MATCHED{new} THEN INSERT ({', '.join(every)}) VALUES ({values})"
    )


def table_name(path: str) -> str:
    """A table by its path, as a statement names it."""
    return f"delta.{quoted(str(path))}"


def quoted(name: str) -> str:
    """A name in a statement, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def settings_of(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session for as long as a `with` block lasts."""
    before = {name: spark.conf.get(name, None) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


@contextmanager
def computed_once(frame: DataFrame) -> Iterator[DataFrame]:
    """The same rows, computed whole now and never again: a MERGE reads its source twice.

    Where a part of them is lost with its executor, what reads them fails; computing that part
    again could give other rows than the first reading saw.
    """
    computed = frame.localCheckpoint(eager=True)
    try:
        yield computed
    finally:
        computed._jdf.queryExecution().analyzed().rdd().unpersist(False)


def _column(name: str) -> Column:
    return F.col(quoted(name))


def _orderable(kind: DataType) -> bool:
    match kind:
        case MapType() | VariantType():
            return False
        case ArrayType():
            return _orderable(kind.elementType)
        case StructType():
            return all(_orderable(field.dataType) for field in kind.fields)
    return True


def _same(one: DataType, other: DataType) -> bool:
    """Whether two types are one, but for what may be null."""
    return one.simpleString() == other.simpleString()
