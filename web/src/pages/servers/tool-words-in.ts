import type { ToolWords } from '../../../../src/dashboard/contract/additions.ts'

/** Returns what the JSON of an entry says of one tool by its name. */
export function toolWordsIn(entry: string, tool: string): ToolWords {
  const { name, description, hidden } = toolsIn(entry)[tool] ?? {}
  return {
    name: typeof name === 'string' ? name : null,
    description: typeof description === 'string' ? description : null,
    hidden: hidden === true ? true : null,
  }
}

/** Returns the names, or patterns, of the tools that the entry hides. */
export function hiddenIn(entry: string): string[] {
  return Object.entries(toolsIn(entry)).flatMap(([name, { hidden }]) =>
    hidden === true ? [name] : [],
  )
}

type Said = Readonly<Record<string, unknown>>

function toolsIn(entry: string): Readonly<Record<string, Said>> {
  const { tools }: { readonly tools?: unknown } = JSON.parse(entry)
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools)) return {}
  return Object.fromEntries(
    Object.entries(tools).flatMap(([name, said]: [string, unknown]) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      typeof said === 'object' && said !== null ? [[name, said as Said]] : [],
    ),
  )
}
