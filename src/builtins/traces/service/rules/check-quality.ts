export interface Contribution {
  readonly title: string
  readonly context_text: string
  readonly solution_text: string
}

const WORD = /[\p{L}\p{N}]+/gu
const PLACEHOLDER =
  /^(?:n\/?a|none|null|undefined|todo|tbd|wip|fixed|done|solved|see above|no (?:details|context|solution)|untitled|auto[- ]?(?:generated|submitted)|session summary|placeholder|lorem ipsum)\b[\s.!:-]*$/i

/** Returns the reasons why a trace is too empty to be useful; none if it is not. */
export function checkQuality({ title, context_text, solution_text }: Contribution): string[] {
  const reasons = [
    ...tooThin('title', title, { words: 2, characters: 6 }),
    ...tooThin('context_text', context_text, { words: 3, characters: 12 }),
    ...tooThin('solution_text', solution_text, { words: 3, characters: 15 }),
  ]
  if (reasons.length > 0) return reasons
  const [context, solution] = [words(context_text), words(solution_text)]
  if (context.join(' ') === solution.join(' '))
    reasons.push('solution_text repeats context_text: say what was done about the problem')
  if (words(title).join(' ') === solution.join(' '))
    reasons.push('solution_text only repeats the title: say how it is done')
  return reasons
}

function tooThin(
  field: string,
  text: string,
  least: { readonly words: number; readonly characters: number },
): string[] {
  const found = words(text)
  if (PLACEHOLDER.test(text.trim()))
    return [`${field} is a placeholder ("${text.trim().slice(0, 40)}")`]
  if (found.length < least.words || text.trim().length < least.characters)
    return [`${field} is too short: write at least ${least.words} words`]
  if (found.length >= 8 && new Set(found).size <= found.length / 8)
    return [`${field} repeats the same few words`]
  return []
}

function words(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}
