import { call, ownWorker, type Client } from "./pool.js";
import type { Source } from "../model/index.js";

/** A worker that reads a large file for another, which is busy with the bytes that it has. */
export interface Reader {
  /** The number under which the other reads. */
  readonly reading: number;
  end(): void;
}

/** Starts one for this work in `client`; nothing if the file does not need or cannot have it. */
export async function readerFor(client: Client, { name, blob, handle, byteLength }: Source): Promise<Reader | null> {
  // A worker that reads a private file directly waits for nobody.
  const worker = blob && !handle ? await ownWorker(byteLength) : null;
  if (!blob || !worker) return null;
  const { port1, port2 } = new MessageChannel();
  const lost = call(worker, name, "serveReading", [blob, port2], [port2]);
  try {
    const reading = await call(client, name, "readThrough", [port1], [port1]);
    // The work must not wait for a reader that is gone.
    lost.catch(() => client.call("stop", [reading]).catch(() => {}));
    return {
      reading,
      end() {
        worker.end();
        if (!client.dead) void call(client, name, "endReading", [reading]).catch(() => {});
      },
    };
  } catch (e) {
    lost.catch(() => {});
    worker.end();
    throw e;
  }
}
