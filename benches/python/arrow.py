"""A table into polars or pandas: ours through Arrow's C interface, theirs by their own Parquet reader.

    python arrow.py make FOLDER ROWS                       the same rows as TBF and as Parquet
    python arrow.py polars|pandas forebay|own FOLDER       prints one line of JSON
"""

import json
import os
import sys
import time

import forebay


def make(folder, rows):
    """Numbers, text with few values, text with many, and what is missing now and then."""
    os.makedirs(folder, exist_ok=True)
    csv = f"{folder}/rows.csv"
    with open(csv, "w", encoding="utf-8") as file:
        file.write("id,kind,name,x,y,score,count\n")
        for i in range(rows):
            at = (i * 2_654_435_761) % (1 << 32)
            score = "" if at % 17 == 0 else at % 1000 / 8
            file.write(f"{i},kind{at % 7},name {at % 99_991},{at / 65_536},{-at / 3},{score},{at % 4096}\n")
    forebay.convert(csv, f"{folder}/rows.tbf", force=True)
    forebay.convert(csv, f"{folder}/rows.parquet", force=True)
    os.remove(csv)
    print(json.dumps({"rows": rows}))


def ours(kind, folder):
    table = forebay.open(f"{folder}/rows.tbf")
    if kind == "polars":
        import polars

        return lambda: polars.DataFrame(table)
    import pandas
    import pyarrow

    del pandas  # imported before, as by the other
    return lambda: pyarrow.table(table).to_pandas()


def own(kind, folder):
    if kind == "polars":
        import polars

        return lambda: polars.read_parquet(f"{folder}/rows.parquet")
    import pandas

    return lambda: pandas.read_parquet(f"{folder}/rows.parquet")


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
    sys.exit()
kind, whose, folder = sys.argv[1:]
load = {"forebay": ours, "own": own}[whose](kind, folder)
load()
begun = time.perf_counter()
frame = load()
seconds = time.perf_counter() - begun
print(json.dumps({"seconds": seconds, "shape": list(frame.shape), "sum": float(frame["count"].sum()), "x": float(frame["x"].sum())}))
