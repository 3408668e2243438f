import { countUpTo } from '../tokens.ts'

export interface TextBudget {
  readonly maxTokens: number
  readonly handle: string
}

/** The share of characters taken from the end, where logs and errors have their main point. */
const TAIL = 0.25

/** Returns the start and the end of a text within the budget, with a note on what is missing. */
export function clipText(text: string, budget: TextBudget): { text: string; tokens: number } {
  let fitting = 0
  let failing = Math.min(text.length, budget.maxTokens * 8)
  let best = render(text, 0, budget)
  while (failing - fitting > Math.max(8, fitting / 32)) {
    const characters = (fitting + failing) >> 1
    const tried = render(text, characters, budget)
    if (tried.tokens <= budget.maxTokens) {
      fitting = characters
      best = tried
    } else {
      failing = characters
    }
  }
  return best
}

function render(text: string, characters: number, budget: TextBudget) {
  const tailLength = Math.floor(characters * TAIL)
  const head = endAtLine(text.slice(0, characters - tailLength))
  const tail = tailLength === 0 ? '' : startAtLine(text.slice(-tailLength))
  const missing = text.length - head.length - tail.length
  const note = `…[${missing} of ${text.length} characters omitted; read_result handle ${budget.handle}]…`
  const clipped = [head, note, tail].filter((part) => part !== '').join('\n')
  return { text: clipped, tokens: countUpTo(clipped, budget.maxTokens) }
}

/** Ends at a whole line if that loses little; never splits a surrogate pair. */
function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return (end > text.length * 0.7 ? text.slice(0, end) : text).replace(/[\ud800-\udbff]$/, '')
}

function startAtLine(text: string): string {
  const start = text.indexOf('\n')
  const whole = start >= 0 && start < text.length * 0.3 ? text.slice(start + 1) : text
  return whole.replace(/^[\udc00-\udfff]/, '')
}
