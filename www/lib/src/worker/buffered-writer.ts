/** Bytes on their way from a worker's work to a file. */

/** Bytes that go on together. */
const GATHERED = 2 << 20;
/** Blocks on their way to another worker before the work waits: what it makes while that one sends bytes to the disk. */
const UNDER_WAY = 20;

/** A failure as the module throws its own, so that it is not taken for a trap. */
export function writeFailure(why: string): string {
  return JSON.stringify({ code: "io", kind: "io", message: `the output cannot be written: ${why}` });
}

/** What goes to the worker that writes. */
export interface Block {
  at: number;
  buffer: ArrayBuffer;
  length: number;
}

/** What comes back: the memory, for what comes next, or why it could not be written. */
export type Reply = { buffer: ArrayBuffer } | { failed: string };

/** How bytes go on. */
interface BlockTarget {
  /** Memory for the next ones. */
  memory(): ArrayBuffer;
  /** Takes that memory with this many bytes. */
  send(block: Block): void;
  /** Until at most this many blocks are under way. */
  under(most: number): Promise<void>;
  /** No answer will come any more. */
  close(): void;
}

/** Gathers what work writes piece by piece, and lets it go on in blocks. */
export class BufferedWriter {
  #memory: Uint8Array<ArrayBuffer> | null = null;
  #at = 0;
  #length = 0;

  private constructor(readonly target: BlockTarget) {}

  /** Written in this worker, at once. */
  static here(write: (at: number, bytes: Uint8Array) => void): BufferedWriter {
    const memory = new ArrayBuffer(GATHERED);
    const send = ({ at, buffer, length }: Block) => write(at, new Uint8Array(buffer, 0, length));
    return new BufferedWriter({ memory: () => memory, send, under: async () => {}, close: () => {} });
  }

  /** Written by another worker, meanwhile. */
  static through(port: MessagePort): BufferedWriter {
    return new BufferedWriter(new PortTarget(port));
  }

  /** The next bytes, which mostly follow the last. */
  write(at: number, bytes: Uint8Array): void {
    if (at !== this.#at + this.#length) {
      this.#go();
      this.#at = at;
    }
    for (let done = 0; done < bytes.length; ) {
      const memory = (this.#memory ??= new Uint8Array(this.target.memory()));
      const part = bytes.subarray(done, done + memory.length - this.#length);
      memory.set(part, this.#length);
      this.#length += part.length;
      done += part.length;
      if (this.#length === memory.length) this.#go();
    }
  }

  /** Until there is room for more. */
  room(): Promise<void> {
    return this.target.under(UNDER_WAY);
  }

  /** Until everything is written. */
  settled(): Promise<void> {
    this.#go();
    return this.target.under(0);
  }

  /** Whoever waits for it need not wait any more. */
  close(): void {
    this.target.close();
  }

  #go(): void {
    const [memory, at, length] = [this.#memory, this.#at, this.#length];
    this.#memory = null;
    this.#at += length;
    this.#length = 0;
    if (memory && length > 0) this.target.send({ at, buffer: memory.buffer, length });
  }
}

/** Parcels through a port; their memory comes back. */
class PortTarget implements BlockTarget {
  readonly #spare: ArrayBuffer[] = [];
  #under = 0;
  #failed: string | null = null;
  #wake: () => void = () => {};

  constructor(readonly port: MessagePort) {
    port.onmessage = ({ data }: MessageEvent<Reply>) => {
      this.#under--;
      if ("failed" in data) this.#failed ??= data.failed;
      else this.#spare.push(data.buffer);
      this.#wake();
    };
  }

  memory(): ArrayBuffer {
    return this.#spare.pop() ?? new ArrayBuffer(GATHERED);
  }

  send(block: Block): void {
    this.#under++;
    this.port.postMessage(block, [block.buffer]);
  }

  close(): void {
    this.port.close();
    this.#failed ??= writeFailure("it was closed");
    this.#wake();
  }

  async under(most: number): Promise<void> {
    while (this.#under > most && this.#failed === null) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#failed !== null) throw this.#failed;
  }
}
