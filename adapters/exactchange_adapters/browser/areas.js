// Runs in an isolated world of one frame and tells what its origin keeps besides documents: databases, caches, files,
// service workers, permissions. It opens databases at the version that they have, and lets go of one as soon as anybody wants to
// change or delete it: whoever works in the page never waits for a reader.
//
// A value is told as null, true, false, a text or a number, or else as a list whose first item says what it is; see
// `kept.py`, which reads it. No timer is set here: a page counts them, and can clear them.
//
// This makes {begin, end}. A world keeps them.
() => {
  "use strict";
  // A page cannot change the built-ins of this world; those of its elements that are called like one are no own property.
  const has = (name) => Object.hasOwn(globalThis, name);
  const listen = (target, name, heard) => EventTarget.prototype.addEventListener.call(target, name, heard);

  let round = null; // what is going on
  const LATE = "it did not answer in time";

  const base64 = (buffer) => {
    const bytes = new Uint8Array(buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };

  class TooMuch extends Error {}

  const why = (error) => (error instanceof TooMuch ? error.message : `it cannot be read: ${error && error.name}`);

  // Tells values; what it may spend on them is counted for each database, so that it is the same at every look.
  class Teller {
    constructor(limits, bytes) {
      this.limits = limits;
      this.left = bytes;
      this.files = [];
    }

    spend(count) {
      this.left -= count;
      if (this.left < 0) throw new TooMuch("it is too large to read");
    }

    told(value, depth) {
      this.spend(32);
      if (value === null || value === true || value === false) return value;
      if (depth > this.limits.depth) return ["?", "it is nested too deeply"];
      switch (typeof value) {
        case "string":
          this.spend(value.length);
          return value;
        case "number":
          return Number.isFinite(value) && !Object.is(value, -0) ? value : ["n", Object.is(value, -0) ? "-0" : String(value)];
        case "bigint":
          return ["i", String(value)];
        case "undefined":
          return ["u"];
      }
      return this.object(value, depth + 1);
    }

    all(values, depth) {
      return values.map((value) => this.told(value, depth));
    }

    named(value, names, depth) {
      return names.flatMap((name) => [this.told(name, depth), this.told(value[name], depth)]);
    }

    object(value, depth) {
      if (value instanceof Date) return ["d", this.told(value.getTime(), depth)];
      if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
        this.spend(value.byteLength);
        if (value instanceof ArrayBuffer) return ["b", base64(value)];
        const { buffer, byteOffset, byteLength } = value;
        return ["v", value.constructor.name, base64(buffer.slice(byteOffset, byteOffset + byteLength))];
      }
      if (value instanceof Blob) return this.file(value);
      if (value instanceof Map) return ["m", ...this.all([...value].flat(), depth)];
      if (value instanceof Set) return ["s", ...this.all([...value], depth)];
      if (value instanceof RegExp) return ["r", value.source, value.flags];
      if (value instanceof Error) return ["e", this.told(value.name, depth), this.told(value.message, depth)];
      const names = Object.keys(value);
      if (Array.isArray(value))
        return names.length === value.length && names.every((name, at) => name === String(at))
          ? ["a", ...this.all(value, depth)]
          : ["l", value.length, ...this.named(value, names, depth)]; // with holes, or with names beside its numbers
      if (Object.getPrototypeOf(value) !== Object.prototype) return ["?", "a kind of value that is not read"];
      return ["o", ...this.named(value, names, depth)];
    }

    file(blob) {
      const out = ["f", blob.type, blob.size, blob instanceof File ? blob.name : null, null];
      this.spend(blob.size);
      const keep = (buffer) => (out[4] = base64(buffer));
      this.files.push(blob.arrayBuffer().then(keep, () => {})); // without content it is unread
      return out;
    }
  }

  const answered = (request) =>
    new Promise((resolve, reject) => {
      listen(request, "success", () => resolve(request.result));
      listen(request, "error", (event) => {
        event.preventDefault();
        reject(request.error);
      });
    });

  const records = async (store, teller) => {
    const out = [];
    const { batch } = teller.limits;
    let range = null;
    for (;;) {
      // Asked for together, so that the transaction does not come to its end in between.
      const [keys, values] = await Promise.all([store.getAllKeys(range, batch), store.getAll(range, batch)].map(answered));
      for (let at = 0; at < keys.length; at++) out.push([teller.told(keys[at], 0), teller.told(values[at], 0)]);
      if (keys.length < batch) return out;
      range = IDBKeyRange.lowerBound(keys[keys.length - 1], true);
    }
  };

  const stored = async (store, teller) => {
    teller.spend(64 + store.name.length);
    const indexes = [...store.indexNames].map((name) => {
      teller.spend(64 + name.length);
      const index = store.index(name);
      return [name, index.keyPath, index.unique, index.multiEntry];
    });
    const schema = { name: store.name, path: store.keyPath, counts: store.autoIncrement, indexes };
    try {
      return { ...schema, records: await records(store, teller), why: "" };
    } catch (error) {
      return { ...schema, records: [], why: why(error) };
    }
  };

  const opened = (name, mine, out) =>
    new Promise((resolve) => {
      const request = indexedDB.open(name);
      const giveUp = (reason) => {
        out.why = reason;
        resolve(null);
      };
      listen(request, "upgradeneeded", () => request.transaction.abort()); // it was deleted: to open it would make it anew
      listen(request, "error", (event) => {
        event.preventDefault();
        giveUp("it was deleted while it was read, or cannot be opened");
      });
      listen(request, "success", () => {
        const database = request.result;
        if (mine !== round) return database.close(); // nobody waits any more
        const leave = () => {
          database.close();
          giveUp("it was changed or deleted while it was read");
        };
        listen(database, "versionchange", leave);
        listen(database, "close", leave);
        mine.open.push(database);
        resolve(database);
      });
    });

  const database = async (name, version, mine, bytes) => {
    const out = { name, version, stores: [], why: LATE };
    mine.said.databases.push(out);
    const there = await opened(name, mine, out);
    if (there === null) return;
    try {
      const teller = new Teller(mine.limits, bytes);
      const names = [...there.objectStoreNames];
      const transaction = names.length ? there.transaction(names, "readonly") : null;
      for (const store of names) out.stores.push(await stored(transaction.objectStore(store), teller));
      await Promise.all(teller.files);
      out.version = there.version;
      if (out.why === LATE) out.why = "";
    } catch (error) {
      out.why = why(error);
    } finally {
      there.close();
    }
  };

  const few = (found, mine, named) => {
    const length = found.reduce((sum, one) => sum + named(one).length, 0);
    if (found.length > mine.limits.names || length > mine.limits.named) throw new TooMuch("there are too many to read");
    return found;
  };

  const databases = async (mine) => {
    const listed = few(await indexedDB.databases(), mine, (one) => one.name).sort((a, b) => (a.name < b.name ? -1 : 1));
    delete mine.said.why.databases; // from here on each one says so itself
    const bytes = Math.min(mine.limits.bytes, mine.limits.all / listed.length);
    await Promise.all(listed.map(({ name, version }) => database(name, version, mine, bytes)));
  };

  const caches = async (mine) => {
    if (has("caches")) mine.said.caches = few(await globalThis.caches.keys(), mine, (name) => name).sort();
  };

  // The files of an origin that no person sees, below a folder of its own. To ask for that folder would make one.
  const files = async (mine) => {
    if (origin === "null" || !("storage" in Navigator.prototype)) return;
    const { usageDetails } = await navigator.storage.estimate();
    if (usageDetails && !usageDetails.fileSystem) return;
    const teller = new Teller(mine.limits, mine.limits.bytes);
    const found = [];
    const inside = async (folder, above) => {
      for await (const [name, handle] of folder.entries()) {
        const path = above + name;
        teller.spend(64 + path.length);
        if (handle.kind === "file") found.push([path, teller.file(await handle.getFile())]);
        else {
          found.push([`${path}/`, null]);
          await inside(handle, `${path}/`);
        }
      }
    };
    await inside(await navigator.storage.getDirectory(), "");
    await Promise.all(teller.files);
    mine.said.files = found.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  };

  const state = (worker) => worker && [worker.scriptURL, worker.state];

  const workers = async (mine) => {
    if (!("serviceWorker" in Navigator.prototype)) return;
    const listed = await navigator.serviceWorker.getRegistrations().catch((error) => {
      if (error.name === "InvalidStateError") return null; // this document is not told, such as an empty one
      throw error;
    });
    const told = (one) => [one.scope, state(one.installing), state(one.waiting), state(one.active)];
    mine.said.workers = listed && few(listed, mine, (one) => one.scope + one.active?.scriptURL).map(told).sort((a, b) => (a[0] < b[0] ? -1 : 1));
  };

  const permissions = async (mine) => {
    if (!mine.names.length) mine.said.permissions = null; // not asked for
    if (!mine.names.length || !("permissions" in Navigator.prototype)) return;
    const ask = (name) =>
      navigator.permissions.query({ name, userVisibleOnly: true }).then(
        (status) => (status.state === "granted" ? [name] : []),
        () => [], // this browser has none of the name
      );
    mine.said.permissions = (await Promise.all(mine.names.map(ask))).flat();
  };

  const part = async (name, read, mine) => {
    mine.said.why[name] = LATE;
    try {
      await read(mine);
      delete mine.said.why[name];
    } catch (error) {
      // Where an origin is opaque or may store nothing, there is nothing.
      if (error && error.name === "SecurityError") delete mine.said.why[name];
      else mine.said.why[name] = why(error);
    }
  };

  const end = () => {
    if (round === null) return "";
    const mine = round;
    round = null;
    for (const one of mine.open) one.close();
    return JSON.stringify(mine.said);
  };

  const begin = async (limits, names) => {
    end();
    const said = { origin, databases: [], caches: [], files: [], workers: [], permissions: [], why: {} };
    const mine = (round = { limits, names, said, open: [] });
    await Promise.all([
      part("databases", databases, mine),
      part("caches", caches, mine),
      part("files", files, mine),
      part("workers", workers, mine),
      part("permissions", permissions, mine),
    ]);
    return mine === round ? end() : "";
  };

  const kept = { begin, end };
  Object.defineProperty(globalThis, "exactChangeAreas", { value: kept, configurable: true });
  return kept;
}
