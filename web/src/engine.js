// The library in the browser: loading the WebAssembly module, asking it, and workers.
//
// The module's whole interface is three functions over its memory (the essay of the crate
// queens-wasm tells it): a question goes in as text, in the form of the page's own links,
// and JSON comes out. `Engine` asks in this thread, for what is quick. `Helper` asks in a
// worker, for what may be long: the page stays free, and ending the worker cancels the
// question at once, whatever it was doing.

export class EngineError extends Error {}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Engine {
  constructor(module, progress = () => {}) {
    this.exports = new WebAssembly.Instance(module, { page: { progress } }).exports;
  }

  /** Answers a question given as a verb and its values; throws what the library refuses. */
  ask(verb, values = {}) {
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

/** A question as text; values left out or empty keep their defaults. */
export function question(verb, values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
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
 * A server that knows the ending may have unpacked it on the way; the first bytes tell.
 */
async function unpack(bytes) {
  const start = new Uint8Array(bytes, 0, 2);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** One worker that answers one question at a time. */
export class Helper {
  constructor(module) {
    this.module = module;
    this.worker = null;
    this.waiting = null;
  }

  /** Asks; a question still unanswered is cancelled first. `progress` hears the share done. */
  ask(verb, values, progress = () => {}) {
    if (this.waiting) this.cancel();
    if (!this.worker) this.start();
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject, progress };
      this.worker.postMessage({ verb, values });
    });
  }

  start() {
    this.worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.worker.postMessage({ module: this.module });
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
      waiting?.reject(new EngineError("The count broke off; the browser may be short of memory."));
    };
  }

  /** Ends the question at once. Its promise never settles: nobody waits for it any more. */
  cancel() {
    this.end();
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
    this.waiting = null;
  }
}
