import { createHash } from 'node:crypto'

const WORD = /[\p{L}\p{N}_]+/gu
const SHINGLE = 3

/** From this share of common three-word runs on, two traces say the same. */
export const NEAR_IDENTICAL = 0.85

interface Text {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

/** The same for two texts that differ only in case, spacing and punctuation. */
export function contentHash(text: Text): string {
  return createHash('sha256').update(words(text).join(' ')).digest('hex')
}

/** 0..1: the share of three-word runs that two traces have in common. */
export function similarity(one: Text, other: Text): number {
  const [a, b] = [shingles(one), shingles(other)]
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const shingle of a) if (b.has(shingle)) common += 1
  return common / (a.size + b.size - common)
}

/** 0..1: how far two traces are about the same problem, whatever they did about it. */
export function problemSimilarity(one: Text, other: Text): number {
  return similarity({ ...one, solution_text: '' }, { ...other, solution_text: '' })
}

/** 0..1: how far two traces did the same, whatever it was about. */
export function solutionSimilarity(one: Text, other: Text): number {
  const empty = { title: '', context_text: '' }
  return similarity({ ...one, ...empty }, { ...other, ...empty })
}

function shingles(text: Text): Set<string> {
  const all = words(text)
  const found = new Set<string>()
  for (let at = 0; at + SHINGLE <= all.length; at += 1)
    found.add(all.slice(at, at + SHINGLE).join(' '))
  return found
}

function words({ title, context_text, solution_text }: Text): string[] {
  return `${title}\n${context_text}\n${solution_text}`.toLowerCase().match(WORD) ?? []
}
