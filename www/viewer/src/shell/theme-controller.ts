/** Dark or light: as the system has it, until somebody says otherwise. */
import type { ReactiveController, ReactiveControllerHost } from "lit";

export type Theme = "light" | "dark";

const KEY = "forebay-theme";

/** Sets the theme of the page, and remembers it. */
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
    try {
      localStorage.setItem(KEY, this.host.theme);
    } catch {
      // A browser that keeps nothing shows the theme until the page is left.
    }
  }
}

function kept(): Theme | null {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === "light" || theme === "dark" ? theme : null;
  } catch {
    return null;
  }
}
