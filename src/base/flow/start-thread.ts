import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { moduleFile } from '../files/package-files.ts'

export interface ThreadOptions extends WorkerOptions {
  /** The extension of the built file (scripts/bundle.ts). */
  readonly built?: 'js' | 'cjs'
}

/** Starts one of our modules in a worker thread; TypeScript sources, as in tests, need a loader. */
export function startThread(name: string, { built, ...options }: ThreadOptions = {}): Worker {
  const file = moduleFile(name, built)
  if (!file.endsWith('.ts')) return new Worker(file, options)
  const [loader, module] = [import.meta.resolve('tsx/esm/api'), pathToFileURL(file).href].map(
    (each) => JSON.stringify(each),
  )
  const script = `import(${loader}).then(({ register }) => { register(); return import(${module}) })`
  return new Worker(script, { ...options, eval: true })
}
