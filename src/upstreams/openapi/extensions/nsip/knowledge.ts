import { readFile } from 'node:fs/promises'
import { Lazy } from '../../../../base/flow/lazy.ts'
import { type JsonObject, isObject } from '../../../../base/json/json.ts'
import { packageFile } from '../../../../base/files/package-files.ts'
import { object } from '../../spec/read-values.ts'

/** The data files of the pack, read once. */
export const knowledge = once(async () => object(await readYaml('knowledge.yaml')))

export const promptTexts = once(async () => {
  const listed = await readYaml('prompts.yaml')
  return Array.isArray(listed) ? listed.filter(isObject) : []
})

async function readYaml(name: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(await readFile(packageFile(`packs/nsip/${name}`), 'utf8'))
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  const reading = new Lazy(read)
  return async () => reading.get()
}

/** Returns a section of the knowledge, or one entry in any letter case; `undefined` if missing. */
export async function lookUpKnowledge(section: string, entry?: string): Promise<unknown> {
  const all: JsonObject = object((await knowledge())[section])
  if (Object.keys(all).length === 0) return undefined
  if (entry === undefined) return all
  const wanted = entry.toLowerCase()
  return Object.entries(all).find(([name]) => name.toLowerCase() === wanted)?.[1]
}
