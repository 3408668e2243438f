import { nearest } from '../base/nearest.ts'

export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const [found] = nearest(word, candidates, 1)
  return found === undefined ? undefined : `did you mean "${found}"?`
}
