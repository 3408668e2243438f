import type { ApiPrompts, JsonObject } from 'portolan'
import { list, object, text } from './values.ts'
import { promptTexts } from './knowledge.ts'

/** The prompts of the contract, from a data file: texts with placeholders for arguments. */
export const nsipPrompts: ApiPrompts = {
  async list() {
    const all = await promptTexts()
    return all.map(({ name, description, arguments: args }) => ({
      name,
      description,
      arguments: args,
    }))
  },
  async get(name, args) {
    const prompt = (await promptTexts()).find((each) => each['name'] === name)
    if (!prompt) return undefined
    const missing = list(prompt['arguments'])
      .map(object)
      .filter((each) => each['required'] === true && !text(args[text(each['name'])]))
    if (missing.length > 0) return { missing: missing.map((each) => text(each['name'])) }
    return { description: text(prompt['description']), text: fill(text(prompt['text']), args) }
  },
}

function fill(template: string, args: JsonObject): string {
  return template.replaceAll(
    /\{(\w+)(?:\|([^}]*))?\}/g,
    (_, name: string, otherwise: string | undefined) => text(args[name]) || (otherwise ?? ''),
  )
}
