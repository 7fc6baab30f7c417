// The library in the browser: loading the WebAssembly module, asking it, and workers.
//
// The module's whole interface is three functions over its memory (lib.rs of the crate
// queens-wasm describes them): a question goes in as text, in the form of the page's own
// links, and JSON comes out. Three askers share it:
//
// - `Engine` asks in this thread. On the page it takes only questions that are answered
//   within a frame; anything else is refused, so nothing can hold the page up.
// - `Clerk` is a worker that answers one question after the other and remembers, as the
//   module does, what it worked out.
// - `Helper` is a worker for one long question, which can be cancelled.

/** Why there is no answer, in words. */
export class EngineError extends Error {}

/** No fault of the question: its worker failed. */
export class BrokeOff extends EngineError {
  constructor() {
    super("The answer broke off; the browser may be short of memory.");
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The questions that take less than a frame whatever they say. */
const QUICK = new Set(["hello", "program", "try", "race", "images", "picture", "heat-of", "split", "meeting", "why", "step"]);

export class Engine {
  constructor(module, { progress = () => {}, quick = false } = {}) {
    this.exports = new WebAssembly.Instance(module, { page: { progress } }).exports;
    this.quick = quick;
  }

  /** Answers a question given as a verb and its values; throws the library's refusal. */
  ask(verb, values = {}) {
    if (this.quick && !QUICK.has(verb)) throw new Error(`“${verb}” may be long and belongs to a worker`);
    const { memory, input, ask, answer } = this.exports;
    const bytes = encoder.encode(question(verb, values));
    // Every call may let the memory grow, which replaces its buffer: look at it afterwards.
    const address = input(bytes.length);
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
    const length = ask();
    const reply = JSON.parse(decoder.decode(new Uint8Array(memory.buffer, answer(), length)));
    if (reply.error !== undefined) throw new EngineError(reply.error);
    return reply;
  }
}

/** A question as text; values that are left out keep their defaults. */
export function question(verb, values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return `${verb}?${pairs.map(([key, value]) => `${key}=${value}`).join("&")}`;
}

/** Fetches and compiles the module; throws an `EngineError` in words where it cannot. */
export async function load() {
  if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiate !== "function") {
    throw new EngineError("This browser has no WebAssembly, or it is switched off (some privacy modes do that).");
  }
  const response = await fetch(new URL("queens.wasm.gz", import.meta.url)).catch(() => null);
  if (!response || !response.ok) {
    throw new EngineError("The file queens.wasm.gz could not be loaded from where this page came from.");
  }
  try {
    return await WebAssembly.compile(await unpack(await response.arrayBuffer()));
  } catch (error) {
    throw new EngineError(`This browser cannot run the library; versions from 2024 or later can. (${error.message})`);
  }
}

/**
 * Unpacks the module, which is stored compressed so that it is small from any web server.
 * Some servers say that it is compressed, and then the browser has unpacked it already.
 */
async function unpack(bytes) {
  const start = new Uint8Array(bytes, 0, 2);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

function startWorker(module, flag) {
  try {
    const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.postMessage({ module, flag });
    return worker;
  } catch {
    throw new BrokeOff();
  }
}

/** One worker that answers questions in their order. */
export class Clerk {
  constructor(module) {
    this.module = module;
    this.waiting = new Map();
    this.last = 0;
  }

  start() {
    this.worker = startWorker(this.module);
    this.worker.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.id);
      if (!waiting || data.progress !== undefined) return;
      this.waiting.delete(data.id);
      if (data.error !== undefined) waiting.reject(new EngineError(data.error));
      else waiting.resolve(data.answer);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.worker.terminate();
      this.worker = null;
      for (const { reject } of this.waiting.values()) reject(new BrokeOff());
      this.waiting.clear();
    };
  }

  ask(verb, values) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      if (!this.worker) this.start();
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, verb, values });
    });
  }
}

/** One worker for one question at a time, which can be cancelled. */
export class Helper {
  constructor(module) {
    this.module = module;
    this.worker = null;
    this.waiting = null;
  }

  /** Asks; a question still unanswered is cancelled first. `progress` hears the share done. */
  ask(verb, values, progress = () => {}) {
    if (this.waiting) this.end();
    return new Promise((resolve, reject) => {
      if (!this.worker) this.start();
      this.waiting = { resolve, reject, progress };
      this.worker.postMessage({ id: 0, verb, values });
    });
  }

  start() {
    // Browsers take up to two seconds to end a busy worker. With shared memory the worker can
    // end itself; where the page's server does not allow that, the two seconds stay.
    this.flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
    this.worker = startWorker(this.module, this.flag);
    this.worker.onmessage = ({ data }) => {
      if (!this.waiting) return;
      if (data.progress !== undefined) return this.waiting.progress(data.progress);
      const { resolve, reject } = this.waiting;
      this.waiting = null;
      if (data.error !== undefined) reject(new EngineError(data.error));
      else resolve(data);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      const waiting = this.waiting;
      this.end();
      waiting?.reject(new BrokeOff());
    };
  }

  /** Ends the question at once. Its promise never settles: nobody waits for it any more. */
  end() {
    if (this.flag) Atomics.store(this.flag, 0, 1);
    this.worker?.terminate();
    this.worker = null;
    this.waiting = null;
  }
}
