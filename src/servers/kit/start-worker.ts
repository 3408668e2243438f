import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts a module of ours in a thread. From TypeScript sources, as in tests, the thread needs a loader first. */
export function startWorker(module: URL, options: WorkerOptions = {}): Worker {
  if (!module.pathname.endsWith('.ts')) return new Worker(module, options)
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const script = `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(module.href)}) })`
  return new Worker(script, { ...options, eval: true })
}
