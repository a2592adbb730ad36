/** Labels as the module has them: JSON whose integers beyond 2^53 are objects that hold their digits. */

/** What the module says. */
export function parsed<T>(text: string): T {
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("int" in value)) return value;
    return BigInt((value as { int: string }).int);
  }) as T;
}

/** What the module is told. */
export function told(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? { int: String(part) } : part));
}
