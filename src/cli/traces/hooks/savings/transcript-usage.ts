import { open } from 'node:fs/promises'
import { z } from 'zod'

const line = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  message: z.object({
    id: z.string(),
    usage: z.object({
      input_tokens: z.number().default(0),
      output_tokens: z.number().default(0),
      cache_creation_input_tokens: z.number().default(0),
    }),
  }),
})

const CHUNK = 1024 * 1024
/** The most bytes to read, as a hook has only a few seconds. */
const MAX_BYTES = 64 * CHUNK

/**
 * Returns the tokens an agent used between two moments, by the usage in its transcript. Reads from
 * the end, as far back as needed. Does not count cache reads, which are nearly free.
 */
export async function tokensBetween(path: string, since: number, until: number): Promise<number> {
  const spent = new Map<string, number>()
  for await (const text of linesFromEnd(path)) {
    const found = readUsage(text)
    if (!found) continue
    if (found.at < since) break
    // A message is written once for each of its parts, each time with its total usage.
    if (found.at <= until && !spent.has(found.id)) spent.set(found.id, found.tokens)
  }
  return [...spent.values()].reduce((sum, tokens) => sum + tokens, 0)
}

function readUsage(text: string): { id: string; at: number; tokens: number } | undefined {
  if (!text.includes('"usage"')) return undefined
  try {
    const { timestamp, message } = line.parse(JSON.parse(text))
    const { input_tokens, output_tokens, cache_creation_input_tokens } = message.usage
    return {
      id: message.id,
      at: Date.parse(timestamp),
      tokens: input_tokens + output_tokens + cache_creation_input_tokens,
    }
  } catch {
    return undefined // A line of another kind, or one that is still being written.
  }
}

async function* linesFromEnd(path: string): AsyncGenerator<string> {
  const file = await open(path, 'r')
  try {
    let { size: position } = await file.stat()
    const first = Math.max(0, position - MAX_BYTES)
    let rest = Buffer.alloc(0)
    while (position > first) {
      const start = Math.max(first, position - CHUNK)
      const chunk = Buffer.alloc(position - start)
      await file.read(chunk, 0, chunk.length, start)
      position = start
      const whole = Buffer.concat([chunk, rest])
      const firstBreak = whole.indexOf(10)
      if (firstBreak < 0) {
        rest = whole
        continue
      }
      rest = whole.subarray(0, firstBreak)
      yield* whole
        .toString('utf8', firstBreak + 1)
        .split('\n')
        .toReversed()
    }
    if (first === 0) yield rest.toString()
  } finally {
    await file.close()
  }
}
