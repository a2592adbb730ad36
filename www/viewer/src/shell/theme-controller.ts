/** Dark or light: as the system has it, until somebody says otherwise. */
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { keep, recall } from "../ui/remembered.ts";

export type Theme = "light" | "dark";

const NAME = "theme";

/** Sets the theme of the viewer; on a page of its own it is remembered. */
export class ThemeController implements ReactiveController {
  constructor(private readonly host: ReactiveControllerHost & { theme: Theme | null }) {
    host.addController(this);
  }
  hostConnected(): void {
    this.host.theme = kept() ?? this.host.theme;
  }
  toggle(): void {
    const { theme } = this.host;
    const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.host.theme = dark ? "light" : "dark";
    keep(NAME, this.host.theme);
  }
}

function kept(): Theme | null {
  const theme = recall(NAME);
  return theme === "light" || theme === "dark" ? theme : null;
}
