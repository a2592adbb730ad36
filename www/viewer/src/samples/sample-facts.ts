/** What is known of a sample: its facts, and its first bytes. */
import { html, type TemplateResult } from "lit";
import type { SampleInfo } from "../../../lib/src/model/index.ts";
import { bytes, count } from "../ui/wording.ts";
import { msg as common } from "../messages/common.ts";
import { msg } from "../messages/pictures.ts";

/** Whether its bytes are sound. */
export interface Sum {
  readonly state: "reading" | "good" | "bad";
  readonly text: string;
}

/** What the facts are made of. */
export interface Known {
  readonly info: SampleInfo;
  /** The file has a checksum of it, which was compared. */
  readonly verified: boolean;
  /** Its EXIF says that it is to be turned. */
  readonly turned: boolean;
  readonly image: { readonly width: number; readonly height: number } | null;
  readonly sum: Sum;
  readonly digest: string;
}

/** Its facts as a list. */
export function details({ info, verified, turned, image, sum, digest }: Known): TemplateResult {
  const rows: [string, string][] = [
    [common("format"), `${info.format} (${info.mime})`],
    [
      common("size"),
      info.width > 0
        ? turned
          ? msg("pixelsTurnedExifSays", { width: info.width, height: info.height })
          : msg("pixels2", { width: info.width, height: info.height })
        : image
          ? msg("pixelsFromPicture", { width: image.width, height: image.height })
          : msg("notIndex"),
    ],
    [common("bytes"), `${count(info.bytes)} (${bytes(info.bytes)})`],
    [
      msg("stored"),
      info.codec === "none"
        ? msg("bytesAsItIs", { storedBytes: info.storedBytes })
        : msg("bytes", { storedBytes: info.storedBytes, codec: info.codec }),
    ],
    [msg("inTheFile"), msg("bytesTo", { offset: info.offset, offset2: info.offset + info.storedBytes })],
    [
      msg("checksum"),
      sum.state === "reading"
        ? msg("reading2")
        : sum.state === "bad"
          ? sum.text
          : verified
            ? msg("fileVerified")
            : msg("tarHasNoneFiles"),
    ],
    ["SHA-256", digest || "–"],
  ];
  return html`<dl>${rows.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`;
}

/** Bytes as digits. */
export const hexText = (data: Uint8Array): string => Array.from(data, (b) => b.toString(16).padStart(2, "0")).join("");

/** Bytes as lines of sixteen: their place, their digits and their letters. */
export function hex(data: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < data.length; at += 16) {
    const row = Array.from(data.subarray(at, at + 16));
    const text = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join("");
    lines.push(
      `${at.toString(16).padStart(4, "0")}  ${row
        .map((b) => b.toString(16).padStart(2, "0"))
        .join(" ")
        .padEnd(48)} ${text}`,
    );
  }
  return lines.join("\n");
}
