/**
 * The report that a piece of work ends with. The modules write it with the names of the command's `--json`, in
 * snake_case; JavaScript speaks camelCase, and this is the only place that knows both. Integers beyond 2^53 come as
 * `{ int: "digits" }`, and become `bigint`.
 */
export function reportOf<T>(json: string): T {
  return JSON.parse(json, renamed) as T;
}

function renamed(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value);
  if (fields.length === 1 && fields[0]![0] === "int") return BigInt(fields[0]![1] as string);
  return Object.fromEntries(fields.map(([name, field]) => [camelCase(name), field]));
}

/** A name of a report in the words of JavaScript. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
