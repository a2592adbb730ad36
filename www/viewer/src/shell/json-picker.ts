/** Asks for a file of JSON. */
import { msg } from "../messages/shell.ts";

/** Hands on the object in a file that is chosen, or says in words why it is none. */
export function pickJson(take: (object: object) => void, refuse: (why: string) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".json,application/json";
  input.onchange = async () => {
    const file = input.files?.[0];
    if (!file) return;
    try {
      const json = JSON.parse(await file.text()) as unknown;
      if (typeof json !== "object" || json === null) throw new Error(msg("notObject"));
      take(json);
    } catch (e) {
      refuse(msg("notSchema", { file: file.name, message: (e as Error).message }));
    }
  };
  input.click();
}
