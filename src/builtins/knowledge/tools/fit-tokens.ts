import { splitText } from '../chunks/split-text.ts'
import type { Passage } from '../answers.ts'
import { answerText } from './tool-kit.ts'

export interface TokenLimit {
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** The fewest tokens of text worth including. */
const MIN_ROOM = 25

/**
 * Returns the answer with as many results as fit, counted as it is sent. The first result that does
 * not fit is reduced to its citation, its score and the start of its text.
 */
export function fitTokens<Answer>(
  results: readonly Passage[],
  answer: (kept: Passage[], omitted: number) => Answer,
  { maxTokens, countTokens }: TokenLimit,
): Answer {
  const answerWith = (kept: Passage[]) => answer(kept, results.length - kept.length)
  const cost = (kept: Passage[]) => countTokens(answerText(answerWith(kept)))
  const kept: Passage[] = []
  for (const result of results) {
    if (cost([...kept, result]) > maxTokens) {
      const room = maxTokens - cost([...kept, beginning(result, '')])
      const [start] = room < MIN_ROOM ? [] : splitText(result.content, room * 0.8, countTokens)
      if (start) kept.push(beginning(result, start))
      break
    }
    kept.push(result)
  }
  return answerWith(kept)
}

function beginning({ citation, score }: Passage, content: string) {
  return { citation, score, content, truncated: true }
}
