import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { moduleFile } from '../files/package-files.ts'

/** Starts a module of ours in a thread. From TypeScript sources, as in tests, the thread needs a loader first. */
export function startThread(name: string, options: WorkerOptions = {}): Worker {
  const file = moduleFile(name)
  if (!file.endsWith('.ts')) return new Worker(file, options)
  const [loader, module] = [import.meta.resolve('tsx/esm/api'), pathToFileURL(file).href].map(
    (each) => JSON.stringify(each),
  )
  const script = `import(${loader}).then(({ register }) => { register(); return import(${module}) })`
  return new Worker(script, { ...options, eval: true })
}
