import type { JsonObject, PromptDefinition } from 'portolan'
import { isObject, list, object, text } from './values.ts'
import { readFile } from 'node:fs/promises'

/** The data files of the pack, read once. */
export const knowledge = once(async () => object(await readYaml('knowledge.yaml')))

export const prompts = once(async () => list(await readYaml('prompts.yaml')).filter(isPrompt))

function isPrompt(value: unknown): value is PromptDefinition {
  return isObject(value) && ['name', 'description', 'text'].every((key) => text(value[key]) !== '')
}

async function readYaml(name: string): Promise<unknown> {
  const { parse } = await import('yaml')
  return parse(await readFile(new URL(name, import.meta.url), 'utf8'))
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return async () => (reading ??= read())
}

/** Returns a section of the knowledge, or one entry in any letter case; `undefined` if missing. */
export async function lookUpKnowledge(section: string, entry?: string): Promise<unknown> {
  const all: JsonObject = object((await knowledge())[section])
  if (Object.keys(all).length === 0) return undefined
  if (entry === undefined) return all
  const wanted = entry.toLowerCase()
  return Object.entries(all).find(([name]) => name.toLowerCase() === wanted)?.[1]
}
