import { appendFileSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

/** With `node --import`: writes the URL of every module that is loaded to the file MODULES_TO names. */
if (isMainThread && process.env.MODULES_TO !== undefined) register(import.meta.url)

export async function load(url, context, next) {
  appendFileSync(process.env.MODULES_TO, `${url}\n`)
  return next(url, context)
}
