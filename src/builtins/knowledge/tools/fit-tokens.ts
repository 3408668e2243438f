import { splitText } from '../chunks/split-text.ts'
import type { Passage } from '../answers.ts'
import { answerText } from './tool-kit.ts'

export interface TokenLimit {
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** The fewest tokens of text worth including. */
const MIN_ROOM = 25
/** How much of its text a stub shows. */
const STUB_CHARACTERS = 100

/**
 * Returns the answer with the best results whole, as many as fit, and the others as stubs of one line.
 * If not even the first fits, it is reduced to the start of its text. Counted as it is sent.
 */
export function fitTokens<Answer>(
  results: readonly Passage[],
  answer: (kept: Passage[], omitted: number) => Answer,
  { maxTokens, countTokens }: TokenLimit,
): Answer {
  const answerWith = (kept: Passage[]) => answer(kept, results.length - kept.length)
  const cost = (kept: Passage[]) => countTokens(answerText(answerWith(kept)))
  const [first, ...others] = results
  if (!first) return answerWith([])
  if (cost([first]) > maxTokens) {
    const room = maxTokens - cost([beginning(first, '')])
    const [start] = room < MIN_ROOM ? [] : splitText(first.content, room * 0.8, countTokens)
    return answerWith(start ? [beginning(first, start)] : [])
  }
  const kept = [first]
  const costOf = (result: Passage) => countTokens(JSON.stringify(result)) + 1
  let room = maxTokens - cost([first])
  const stubs = others.map((result) => stubOf(result))
  for (const stub of stubs) {
    room -= costOf(stub)
    if (room < 0) break
    kept.push(stub)
  }
  for (const [at, result] of others.slice(0, kept.length - 1).entries()) {
    room -= costOf(result) - costOf(kept[at + 1] ?? result)
    if (room < 0) break
    kept[at + 1] = result
  }
  // What is counted by parts may differ from the whole by a few tokens.
  while (kept.length > 1 && cost(kept) > maxTokens) kept.pop()
  return answerWith(kept)
}

function stubOf({ citation, score, content, metadata }: Passage): Passage {
  const line = content.replaceAll(/\s+/g, ' ').trim()
  const text = line.length > STUB_CHARACTERS ? `${line.slice(0, STUB_CHARACTERS)}…` : line
  const id = metadata && { metadata: { chunk_id: metadata.chunk_id } }
  return { citation, score, content: text, truncated: true, ...id }
}

function beginning({ citation, score }: Passage, content: string): Passage {
  return { citation, score, content, truncated: true }
}
