/** A list of pictures as samples: a TAR that is made as it is read, of pictures which stay where they are. */
import { NAME_BYTES, TAR_END, memberHeader, memberPadding } from "../base/tar-member.js";
import { kindByName } from "../base/picture-kind.js";
import { ForebayError } from "../model/errors.js";
import { formats, textFormatOf } from "../model/formats.js";
import { openDataset, type OpenDataset } from "../samples/dataset.js";
import type { Files } from "../source/folder.js";
import { joinedSource } from "../source/joined.js";
import { listedLines, type ListedLine } from "../source/listed-lines.js";
import { ListedPictures, type ListedPicture } from "../source/listed-pictures.js";
import type { Scattered } from "../source/ranges.js";
import { blobSource, bytesSource } from "../source/sources.js";
import type { OpenOptions, Source } from "../model/index.js";

/** Pictures that are asked for at once. */
const AT_ONCE = 8;

/** Whether what could not be opened may be a list of pictures. */
export const mayList = (e: unknown, source: Source, { column }: OpenOptions): boolean =>
  e instanceof ForebayError &&
  e.code === "format.unknown" &&
  (textFormatOf(source.name) ?? (column === undefined ? "csv" : "jsonl")) === "jsonl";

/**
 * Opens a list of pictures. Of each picture behind an address the first bytes are fetched at once, for its length, and the others
 * when somebody asks for them. Lines without a picture that can be read are left out, and `damage` says which.
 */
export async function openList(
  source: Source,
  url: URL | null,
  files: Files | null,
  options: OpenOptions,
  owned: boolean,
): Promise<OpenDataset> {
  const { column, signal, onProgress, limits = {}, http = {}, keepGoing = true, tbfSchema: _ } = options;
  const file = source.name;
  const lines = await listedLines(source, column, limits.metadataBytes, signal);
  const pictures = new ListedPictures({ file, url, files }, http, limits.itemBytes);
  const found: (ListedPicture | null)[] = [];
  const failures: { line: number; e: ForebayError }[] = [];
  let [next, done] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < lines.length) {
      const k = next++;
      const { line, named } = lines[k]!;
      try {
        signal?.throwIfAborted();
        if (typeof named !== "string") throw named;
        found[k] = await pictures.find(named, line, signal);
      } catch (e) {
        if (!(e instanceof ForebayError) || !keepGoing) {
          next = lines.length;
          throw e;
        }
        found[k] = null;
        failures.push({ line, e });
      }
      const samples = ++done;
      const { byteLength } = source;
      onProgress?.({ samples, bytes: (byteLength / lines.length) * samples, totalBytes: byteLength });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [first, ...others] = failures.sort((a, b) => a.line - b.line);
  if (first && failures.length === lines.length) throw first.e;
  const state = { scanning: true };
  const archive = archiveOf(lines, found, pictures, state, options.name ?? file);
  const opened = await openDataset(archive, { ...(signal && { signal }), limits }, true);
  if (typeof opened === "string") throw new ForebayError("format.unknown", "unsupported", "the list cannot be read");
  state.scanning = false;
  if (first) {
    const more = others.length > 0 ? `; so are ${others.length} others, such as line ${others[0]!.line}` : "";
    const { code, kind, line } = first.e;
    const message = `${failures.length} of ${lines.length} lines are left out: ${first.e.message}${more}`;
    opened.damage = new ForebayError(code, kind, message, { file, line }, first.e);
  }
  // All that is wanted of the list itself was read.
  if (owned) void source.close?.();
  return opened;
}

/** Names of members: those of the pictures where a TAR can have them, and the number of the line where not. */
function nameOf({ path, format }: ListedPicture, line: number): string {
  const plain = path.replace(/^\/+/, "");
  const said = kindByName(plain);
  const extension = /[^.]*$/.exec(plain)![0];
  const wanted =
    said !== null && (format === null || said === format) ? extension : formats[format ?? "unknown"].extension;
  const stem = plain.slice(0, plain.length - (plain.includes(".") ? extension.length + 1 : 0));
  // A second dot would be read as part of the extension, and what controls a terminal is not a name.
  const odd = /\.[^/]*$/.test(stem) || /(^|\/)(\.{0,2})(\/|$)/.test(stem) || /[\p{Cc}\\]/u.test(stem);
  const long = new TextEncoder().encode(`${stem}.${wanted}`).byteLength > NAME_BYTES - 5;
  return odd || long ? `${String(line).padStart(8, "0")}.${wanted}` : `${stem}.${wanted}`;
}

/** The TAR: what stands between the pictures is in memory, and a picture is read where it lies. */
function archiveOf(
  lines: readonly ListedLine[],
  found: readonly (ListedPicture | null)[],
  pictures: ListedPictures,
  state: { scanning: boolean },
  name: string | undefined,
): Scattered {
  const pieces: (Uint8Array<ArrayBuffer> | Source)[] = [];
  let between: Uint8Array[] = [];
  const end = (): void => {
    const bytes = new Uint8Array(between.reduce((all, part) => all + part.byteLength, 0));
    let at = 0;
    for (const part of between) {
      bytes.set(part, at);
      at += part.byteLength;
    }
    pieces.push(bytes);
    between = [];
  };
  for (const [k, { line, text }] of lines.entries()) {
    const picture = found[k];
    if (!picture) continue;
    const { source } = picture;
    const member = nameOf(picture, line);
    between.push(memberHeader(member, source.byteLength));
    end();
    pieces.push(source);
    between.push(new Uint8Array(memberPadding(source.byteLength)));
    between.push(memberHeader(member.replace(/[^.]*$/, "json"), text.byteLength), text);
    between.push(new Uint8Array(memberPadding(text.byteLength)));
  }
  between.push(new Uint8Array(TAR_END));
  end();
  const blobs = pieces.map((piece) => ("read" in piece ? piece.blob : piece));
  // Files of the page stay files: workers read them by themselves.
  if (blobs.every((blob) => blob !== undefined)) return blobSource(new Blob(blobs as BlobPart[]), name);
  // Headers are looked for in long reads. Whatever of a picture lies in one is thrown away, and is not fetched for that.
  const lazy = (source: Source): Source => ({
    byteLength: source.byteLength,
    read: (start, end, how) =>
      state.scanning ? Promise.resolve(new Uint8Array(end - start)) : source.read(start, end, how),
  });
  const parts = pieces.map((piece) => ("read" in piece ? lazy(piece) : bytesSource(piece)));
  return {
    ...joinedSource(parts, name),
    scattered: true,
    telemetry: pictures.telemetry,
    close: () => pictures.close(),
  };
}
