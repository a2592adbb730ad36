/** Bytes in and out: sources, sinks, and how ranges are fetched. */

/** Bytes that can be read by range: the only seam for input. */
export interface Source {
  /** The length in bytes. */
  readonly byteLength: number;
  /** A name for messages and for a suggestion when saving. It decides nothing else. */
  readonly name?: string;
  /** The bytes from `start` to `end`, exclusive. Fewer bytes than asked for are an error of the source. */
  read(start: number, end: number, options?: { signal?: AbortSignal }): Promise<Uint8Array>;
  /** The whole as a `Blob`, if there is one: payloads are then cut out of it without being read. */
  readonly blob?: Blob;
  /** A handle of the same file of the origin-private file system: workers then read it faster, several of them at once. */
  readonly handle?: FileSystemFileHandle;
  /** What was read so far, if the source counts. */
  readonly telemetry?: Telemetry;
  /** Tells this content from any other, also tomorrow: a name with length and date, an address with its ETag. */
  readonly identity?: string;
  /** Frees what the source holds. `open` calls it for sources that it made itself. */
  close?(): void | Promise<void>;
}

/**
 * What {@link open} takes. A string is a URL; in Node also a path. A file of the origin-private file system is given
 * best as its handle: work on the whole of it then reads it without another process, and nobody can write it meanwhile.
 */
export type Input = Blob | FileSystemFileHandle | ArrayBuffer | Uint8Array | URL | string | Source;

/** Requests and bytes so far. One object for the life of a dataset; its numbers grow. */
export interface Telemetry {
  /** Reads that reached the source: HTTP requests, or reads of a file. */
  readonly requests: number;
  /** Bytes that came back. */
  readonly bytesRead: number;
  /** The length of the whole. */
  readonly byteLength: number;
}

/** Keeps what was found in files without an index. What it gives back is compared with the file before it is used. */
export interface IndexStore {
  /** What was kept under this identity, if anything. */
  get(identity: string): Promise<Uint8Array | null | undefined>;
  /** Keeps it, or does not: nothing depends on it. */
  set(identity: string, index: Uint8Array): Promise<void>;
}

/** How to fetch ranges. */
export interface HttpOptions {
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Sent with every request, given as to `fetch`. Headers that are not safelisted cost a preflight. */
  headers?: Record<string, string> | Headers | [name: string, value: string][];
  /** As of `fetch`. Default: "same-origin". */
  credentials?: RequestCredentials;
  /** The length, for servers that hide it. */
  byteLength?: number;
  /** Times that a failed request is repeated; usual 3. */
  retries?: number;
  /** Milliseconds without a byte after which a request has stalled; usual 30,000. `Infinity` waits for ever. */
  stallTimeout?: number;
  /**
   * A server that ignores `Range` sends the whole file; it is kept in memory up to this many bytes. Default: 256 MiB.
   */
  maxWholeBytes?: number;
}

/** Where converted bytes go. Positions may come in any order; bytes that were never written are zero. */
export interface Sink {
  /** Writes bytes at a position. */
  write(position: number, bytes: Uint8Array): Promise<void>;
  /**
   * Reads back what was written. Needed in one case only: the turboloader layout with `keepGoing`, where samples
   * that were left out move all that follow.
   */
  read?(start: number, end: number): Promise<Uint8Array>;
  /** Cuts or extends to a length. */
  truncate?(length: number): Promise<void>;
  /** Everything was written. */
  close?(): Promise<void>;
  /**
   * The conversion failed or was canceled: what was written is not wanted. Called when the last write has ended; none
   * follows it. After a cancel nobody waits for it: `convert` has rejected by then. As with a `WritableStream`, a write
   * that has begun is not interrupted, and if it never ends this is never called; a sink that may wait forever
   * listens to the conversion's `signal` itself.
   */
  abort?(reason: unknown): Promise<void>;
}

/** What {@link convert} writes to. */
export type Output = Sink | FileSystemFileHandle | FileSystemWritableFileStream;
