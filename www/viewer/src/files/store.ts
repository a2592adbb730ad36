/** What the page keeps in the browser: one small database, and nothing at all where the browser refuses it. */

/** `sets`: named sets of samples. `filters`: named filters. `recent`: files that were opened. `indexes`: what was found in files without an index. `index-facts`: their sizes and dates. */
type Name = "recent" | "indexes" | "index-facts" | "sets" | "filters";
const NAMES: readonly Name[] = ["recent", "indexes", "index-facts", "sets", "filters"];
const KEYS: Record<Name, string> = {
  recent: "id",
  indexes: "identity",
  "index-facts": "identity",
  sets: "identity",
  filters: "identity",
};

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("forebay-viewer", 5);
    request.onupgradeneeded = ({ oldVersion }) => {
      const { result: db, transaction } = request;
      const make = (name: Name): IDBObjectStore => db.createObjectStore(name, { keyPath: KEYS[name] });
      for (const name of NAMES) if (!db.objectStoreNames.contains(name)) make(name);
      if (oldVersion === 0 || oldVersion > 2) return;
      // Before the third, of all files with one name the last was the only one.
      const old = transaction!.objectStore("recent").getAll();
      old.onsuccess = () => {
        db.deleteObjectStore("recent");
        const store = make("recent");
        for (const entry of old.result as { name: string }[]) store.put({ ...entry, id: entry.name });
      };
    };
    request.onsuccess = () => {
      const db = request.result;
      // Another tab brings a newer version: this one opens again when it needs to.
      db.onversionchange = db.onclose = () => {
        db.close();
        opened = undefined;
      };
      resolve(db);
    };
    request.onerror = () => {
      opened = undefined;
      reject(request.error);
    };
  });
  return opened;
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** A table of the database. */
export class Store<T> {
  constructor(private readonly name: Name) {}
  private async at(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await database()).transaction(this.name, mode).objectStore(this.name);
  }
  async all(): Promise<T[]> {
    return done((await this.at("readonly")).getAll() as IDBRequest<T[]>);
  }
  async get(key: string): Promise<T | undefined> {
    return done((await this.at("readonly")).get(key) as IDBRequest<T | undefined>);
  }
  put(entry: T): Promise<void> {
    return this.write((to) => to.put(entry));
  }
  delete(key: string): Promise<void> {
    return this.write((to) => to.delete(key));
  }
  clear(): Promise<void> {
    return this.write((to) => to.clear());
  }
  /** Ends when it is kept: a full disk says so after all was taken. */
  private async write(act: (to: IDBObjectStore) => IDBRequest): Promise<void> {
    const to = await this.at("readwrite");
    const { transaction } = to;
    const kept = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the browser keeps nothing"));
    });
    act(to);
    await kept;
  }
}
