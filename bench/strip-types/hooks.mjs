import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'rolldown/utils'

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const path = fileURLToPath(url)
  const { code, errors } = await transform(path, await readFile(path, 'utf8'), { target: 'node20' })
  if (errors.length > 0) throw new Error(`${path} does not compile`, { cause: errors })
  return { format: 'module', source: code, shortCircuit: true }
}
