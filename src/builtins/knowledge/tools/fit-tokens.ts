import { splitText } from '../chunks/split-text.ts'
import { answerText } from './tool-kit.ts'

type Result = Readonly<Record<string, unknown>>

export interface TokenLimit {
  readonly maxTokens: number
  readonly countTokens: (text: string) => number
}

/** Less is no beginning of a text. */
const LEAST_ROOM = 25

/**
 * The answer with as many results as fit, counted as it is sent; of the first that does not fit, its
 * citation and the beginning of its text.
 */
export function fitTokens(
  results: readonly Result[],
  answer: (kept: readonly Result[], omitted: number) => Result,
  { maxTokens, countTokens }: TokenLimit,
): Result {
  const answerWith = (kept: readonly Result[]) => answer(kept, results.length - kept.length)
  const cost = (kept: readonly Result[]) => countTokens(answerText(answerWith(kept)))
  const kept: Result[] = []
  for (const result of results) {
    if (cost([...kept, result]) > maxTokens) {
      const room = maxTokens - cost([...kept, beginning(result, '')])
      const [start] =
        room < LEAST_ROOM ? [] : splitText(String(result['content']), room * 0.8, countTokens)
      if (start) kept.push(beginning(result, start))
      break
    }
    kept.push(result)
  }
  return answerWith(kept)
}

function beginning({ citation, score }: Result, content: string): Result {
  return { citation, score, content, truncated: true }
}
