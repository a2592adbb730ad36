// Prints what ML.NET reads from IDV files, for tests to compare with what was written.
//
//   dump LIST          for each path in LIST: PATH.dump, one line a fact, or "refused" and why
//   time FILE          how long a cursor over all columns takes, best of five, in milliseconds
//
// A dump has "rows N", then for every column "column NAME TYPE" (hidden ones too), "annotation KIND TYPE VALUE" and
// one "value" line a row. Text is hexadecimal UTF-16, floats are their bits, sparse vectors list slot:value.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using Microsoft.ML;
using Microsoft.ML.Data;

static class Words
{
    static string Number(IFormattable n) { return n.ToString(null, CultureInfo.InvariantCulture); }

    public static string Text(ReadOnlyMemory<char> text)
    {
        var hex = new StringBuilder("t");
        foreach (char c in text.ToString()) hex.Append(((int)c).ToString("x4"));
        return hex.ToString();
    }

    public static string Item<T>(T value)
    {
        object o = value;
        if (o is ReadOnlyMemory<char> text) return Text(text);
        if (o is float f) return "f" + BitConverter.SingleToInt32Bits(f).ToString("x8");
        if (o is double d) return "d" + BitConverter.DoubleToInt64Bits(d).ToString("x16");
        if (o is bool b) return b ? "true" : "false";
        if (o is TimeSpan span) return "s" + Number(span.Ticks);
        if (o is DateTime time) return "c" + Number(time.Ticks);
        if (o is DateTimeOffset at) return "z" + Number(at.DateTime.Ticks) + "/" + Number((int)at.Offset.TotalMinutes);
        if (o is DataViewRowId id) return "r" + Number(id.Low) + "/" + Number(id.High);
        return Number((IFormattable)o);
    }

    public static string Vector<T>(VBuffer<T> vector)
    {
        var words = vector.IsDense
            ? vector.GetValues().ToArray().Select(Item)
            : vector.Items(false).Select(pair => Number(pair.Key) + ":" + Item(pair.Value));
        return "[" + Number(vector.Length) + (vector.IsDense ? " dense" : " sparse") + string.Concat(words.Select(w => " " + w)) + "]";
    }

    public static string Type(DataViewType type)
    {
        if (type is VectorDataViewType vector) return Type(vector.ItemType) + "[" + string.Join(",", vector.Dimensions) + "]";
        if (type is KeyDataViewType key) return "Key<" + key.RawType.Name + "," + Number(key.Count) + ">";
        return type is TextDataViewType ? "Text" : type.RawType.Name;
    }
}

// One typed reader for each column; the type is only known at run time.
abstract class Reader
{
    public abstract void Bind(DataViewRow row, DataViewSchema.Column column);
    public abstract void Touch();
    public abstract string Say();
    public abstract string Annotation(DataViewSchema.Annotations annotations, string kind);

    public static Reader For(DataViewType type)
    {
        Type raw = type.RawType;
        if (raw.IsGenericType && raw.GetGenericTypeDefinition() == typeof(VBuffer<>))
            return (Reader)Activator.CreateInstance(typeof(VectorReader<>).MakeGenericType(raw.GetGenericArguments()));
        return (Reader)Activator.CreateInstance(typeof(ScalarReader<>).MakeGenericType(raw));
    }
}

class ScalarReader<T> : Reader
{
    T value; ValueGetter<T> get;
    public override void Bind(DataViewRow row, DataViewSchema.Column column) { get = row.GetGetter<T>(column); }
    public override void Touch() { get(ref value); }
    public override string Say() { return Words.Item(value); }
    public override string Annotation(DataViewSchema.Annotations annotations, string kind)
    {
        annotations.GetValue(kind, ref value);
        return Say();
    }
}

class VectorReader<T> : Reader
{
    VBuffer<T> value; ValueGetter<VBuffer<T>> get;
    public override void Bind(DataViewRow row, DataViewSchema.Column column) { get = row.GetGetter<VBuffer<T>>(column); }
    public override void Touch() { get(ref value); }
    public override string Say() { return Words.Vector(value); }
    public override string Annotation(DataViewSchema.Annotations annotations, string kind)
    {
        annotations.GetValue(kind, ref value);
        return Say();
    }
}

static class Dump
{
    static readonly MLContext Context = new MLContext(1);

    static void Write(string path, TextWriter to)
    {
        IDataView view = Context.Data.LoadFromBinary(path);
        var readers = view.Schema.Select(column => Reader.For(column.Type)).ToArray();
        var values = view.Schema.Select(_ => new List<string>()).ToArray();
        long rows = 0;
        using (var cursor = view.GetRowCursor(view.Schema))
        {
            for (int i = 0; i < readers.Length; i++) readers[i].Bind(cursor, view.Schema[i]);
            for (; cursor.MoveNext(); rows++)
                for (int i = 0; i < readers.Length; i++) { readers[i].Touch(); values[i].Add(readers[i].Say()); }
        }
        to.Write("rows " + rows + "\n");
        foreach (var column in view.Schema)
        {
            to.Write("column " + Words.Text(column.Name.AsMemory()) + " " + Words.Type(column.Type) + "\n");
            foreach (var kind in column.Annotations.Schema)
                to.Write("annotation " + Words.Text(kind.Name.AsMemory()) + " " + Words.Type(kind.Type) + " "
                    + Reader.For(kind.Type).Annotation(column.Annotations, kind.Name) + "\n");
            foreach (string value in values[column.Index]) to.Write("value " + value + "\n");
        }
    }

    static double Time(string path)
    {
        var watch = Stopwatch.StartNew();
        IDataView view = Context.Data.LoadFromBinary(path);
        var readers = view.Schema.Select(column => Reader.For(column.Type)).ToArray();
        using (var cursor = view.GetRowCursor(view.Schema))
        {
            for (int i = 0; i < readers.Length; i++) readers[i].Bind(cursor, view.Schema[i]);
            while (cursor.MoveNext())
                foreach (var reader in readers) reader.Touch();
        }
        return watch.Elapsed.TotalMilliseconds;
    }

    static int Main(string[] args)
    {
        if (args.Length == 2 && args[0] == "dump")
        {
            foreach (string path in File.ReadAllLines(args[1]))
            {
                string said;
                try
                {
                    var to = new StringWriter();
                    Write(path, to);
                    said = to.ToString();
                }
                catch (Exception e)
                {
                    while (e.InnerException != null) e = e.InnerException;
                    said = "refused " + e.GetType().Name + ": " + e.Message + "\n";
                }
                File.WriteAllText(path + ".dump", said);
            }
            return 0;
        }
        if (args.Length == 2 && args[0] == "time")
        {
            double best = Enumerable.Range(0, 5).Select(_ => Time(args[1])).Min();
            Console.WriteLine(best.ToString("F1", CultureInfo.InvariantCulture));
            return 0;
        }
        Console.Error.WriteLine("usage: dump LIST | time FILE");
        return 2;
    }
}
