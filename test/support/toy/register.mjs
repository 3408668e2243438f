import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

/** With `node --import`: whoever imports the list of built-ins gets the one with the toy in it. */
const LIST = new URL('builtins.ts', import.meta.url).href

if (isMainThread) register(import.meta.url)

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const isList = found.url.split('?')[0].endsWith('/src/builtins/index.ts')
  return isList && context.parentURL?.split('?')[0] !== LIST ? { ...found, url: LIST } : found
}
