"""CSV to Parquet with another program, and whether outputs are the same table. Prints JSON.

usage: csv_peers.py polars|duckdb|pyarrow THREADS INPUT OUTPUT
       csv_peers.py same OUTPUT OUTPUT...

Times begin when the package is imported. Each reads the file in parts and keeps little of it: polars' streaming engine,
duckdb's COPY, pyarrow's batches. Columns have the types that each finds out by itself.
"""
import json
import os
import sys
import time


def polars(threads, source, target):
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars as pl

    yield
    pl.scan_csv(source, try_parse_dates=True).sink_parquet(target, compression="snappy")


def duckdb(threads, source, target):
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    yield
    connection.execute(f"COPY (FROM read_csv('{source}')) TO '{target}' (FORMAT parquet, COMPRESSION snappy)")


def pyarrow(threads, source, target):
    import pyarrow
    from pyarrow import csv, parquet

    pyarrow.set_cpu_count(threads)
    yield
    batches = csv.open_csv(source, convert_options=csv.ConvertOptions(timestamp_parsers=[csv.ISO8601]))
    with parquet.ParquetWriter(target, batches.schema, compression="snappy") as writer:
        for batch in batches:
            writer.write_batch(batch)


def same(paths):
    """Every column of every row, after types that differ in name or unit only are made one."""
    import pyarrow
    from pyarrow import parquet, types

    def wanted(kind):
        if types.is_large_string(kind) or types.is_string_view(kind):
            return pyarrow.string()
        return pyarrow.timestamp("us") if types.is_timestamp(kind) else kind

    first = None
    for path in paths:
        table = parquet.read_table(path)
        table = table.cast(pyarrow.schema([(field.name, wanted(field.type)) for field in table.schema]))
        if first is None:
            first = table
        elif table.schema != first.schema:
            return f"{path}: {table.schema} is not {first.schema}"
        else:
            differ = [name for name in table.column_names if not table[name].equals(first[name])]
            if differ:
                return f"{path}: {', '.join(differ)}"
    return {"rows": first.num_rows, "columns": first.num_columns, "types": [str(t) for t in first.schema.types]}


def main():
    if sys.argv[1] == "same":
        found = same(sys.argv[2:])
        print(json.dumps({"differ": found} if isinstance(found, str) else found))
        return
    name, threads, source, target = sys.argv[1:]
    work = {"polars": polars, "duckdb": duckdb, "pyarrow": pyarrow}[name](int(threads), source, target)
    next(work)
    begun, busy = time.perf_counter(), time.process_time()
    next(work, None)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - busy
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu, "peak_bytes": peak * 1024}))


main()
