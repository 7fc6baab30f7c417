// A worker: an instance of the module of its own, which answers the questions it is sent.
//
// The page sends the compiled module once, so a worker starts without loading anything.
// Times are taken here, around the question alone. A short count is repeated in batches
// and the best batch is taken: browsers round their clocks, compile while they run, and
// share the processor with everything else. While a count runs it reports its progress; each
// report looks at the flag of the page, and ends the worker if the flag is raised.

import { Engine } from "./engine.js";

let engine = null;
let flag = null;
let told = 0;
let warm = false;

function progress(share) {
  if (flag && Atomics.load(flag, 0) !== 0) {
    close();
    throw new Error("cancelled");
  }
  const now = performance.now();
  if (now - told < 40 && share < 1) return;
  told = now;
  postMessage({ id: 0, progress: share });
}

function again(data, spent) {
  const end = performance.now() + 60;
  let batch = 1;
  let best = Infinity;
  while (performance.now() < end) {
    const start = performance.now();
    for (let run = 0; run < batch; run++) engine.ask(data.verb, data.values);
    const took = performance.now() - start;
    // A batch much shorter than a few ticks of the clock says nothing.
    if (took < 3) batch *= 2;
    else best = Math.min(best, took / batch);
  }
  return Number.isFinite(best) ? best : spent;
}

onmessage = ({ data }) => {
  if (data.module) {
    engine = new Engine(data.module, { progress });
    flag = data.flag ?? null;
    return;
  }
  try {
    // The browser compiles a function at its first call; that time is not the engine's.
    if (data.verb === "count" && !warm) {
      warm = true;
      engine.ask("count", { ...data.values, n: 6 });
    }
    const start = performance.now();
    const answer = engine.ask(data.verb, data.values);
    let spent = performance.now() - start;
    if (data.verb === "count" && spent < 30) spent = again(data, spent);
    postMessage({ id: data.id, answer, milliseconds: spent });
  } catch (error) {
    // After a trap the instance is of no use any more, so the worker fails as a whole.
    if (error instanceof WebAssembly.RuntimeError) throw error;
    postMessage({ id: data.id, error: error.message });
  }
};
