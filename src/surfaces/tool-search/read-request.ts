import { splitIdentifier } from '../../search/analyse/split-identifier.ts'

/** Words that begin an instruction: after "then" or "and", such a word begins a new step. */
const ACTION_VERBS: ReadonlySet<string> = new Set(
  `add analyse analyze append apply assign book browse build calculate call capture check choose clear
  click close collect comment commit compare compute convert copy count crawl create delete describe
  determine display download draw email enrich execute explain export extract fetch filter find fork
  format forward gather generate get give go identify import include insert invite join list log look
  make map mark merge monitor move navigate notify open organize pick plan plot post prepare print
  provide publish pull push query read recommend record remove rename reply report research retrieve
  return run save schedule scrape search select send set share show sort star store suggest summarise
  summarize take tell test track translate update upload use validate verify visit write`.split(
    /\s+/,
  ),
)

const MIN_WORDS = 3
/** More steps than this are a plan, not a request; the rest belongs to the last step. */
const MAX_STEPS = 8
const SENTENCE_END = /(?<=[.!?;])\s+|\n/
const STEP_END =
  /(?<=[.!?;])\s+|\n|,?\s+(?:and\s+)?then\s+|,?\s+after\s+that,?\s+|,\s+|\s+and\s+(?:also\s+)?/i
const POLITE =
  /^(?:(?:please|also|finally|next|first|lastly|now|and|then|can you|could you|i need you to|help me(?: to)?)[,\s]+)*/i

/** Splits a query into requests: at each ";", and into the steps of each part. */
export function requestsOf(query: string): string[] {
  const things = withSingleSpaces(query)
    .split(';')
    .filter((thing) => thing.trim() !== '')
  return things.flatMap((thing) => stepsOf(thing.trim()))
}

/** Collapses white space, because long runs would take the patterns above quadratic time. */
function withSingleSpaces(text: string): string {
  return text.replaceAll(/\s+/g, (run) => (run.includes('\n') ? '\n' : ' '))
}

/** Returns the sentences of a text that has several; a short one says too little by itself. */
export function sentencesOf(text: string): string[] {
  const sentences = text.split(SENTENCE_END).filter((sentence) => countWords(sentence) >= MIN_WORDS)
  return sentences.length > 1 ? sentences : []
}

/**
 * Splits a request into steps: "crawl the site, then write it to a file" has two. A step begins
 * with a verb; a part without one belongs to the step before it.
 */
function stepsOf(request: string): string[] {
  const steps: string[] = []
  for (const part of request.split(STEP_END)) {
    const text = part.trim()
    if (text === '') continue
    const begins = isInstruction(text) && countWords(text) >= MIN_WORDS
    const last = steps.length - 1
    if (last < 0 || (begins && steps.length < MAX_STEPS)) steps.push(text)
    else steps[last] += `, ${text}`
  }
  return steps.filter(isInstruction).length > 1 ? steps : [request]
}

function isInstruction(text: string): boolean {
  return ACTION_VERBS.has(firstWord(text))
}

export function withoutPoliteWords(request: string): string {
  return request.replace(POLITE, '')
}

function firstWord(text: string): string {
  const [word = ''] = withoutPoliteWords(text).split(/[\s,.:?!]+/, 1)
  return word.toLowerCase()
}

/** Not "how do I": "How do I delete a file" wants something done, as "delete a file" does. */
const QUESTION =
  /^(?:what|which|who|whose|where|why|how (?:many|much|far|long|often|old|big|large)|is|are|was|were|does|did|has)\b/i

/** Whether a request wants to know something and change nothing. */
export function isQuestion(request: string): boolean {
  return QUESTION.test(request)
}

/** The verb that answers a question, by its first word. */
const ANSWERED_BY: Readonly<Record<string, string>> = {
  how: 'count',
  why: 'explain',
  what: 'list',
  which: 'list',
  who: 'list',
}

/** Returns the verb of what a request wants done; none if it does not begin with one. */
export function verbOf(request: string): string[] {
  const first = firstWord(request)
  if (ACTION_VERBS.has(first)) return [first]
  const answer = isQuestion(request) ? ANSWERED_BY[first] : undefined
  return answer === undefined ? [] : [answer]
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}

/** Words that are in the names of many servers and identify none. */
const COMMON = new Set(['mcp', 'server', 'api', 'service', 'the'])

/** Returns the servers that a request names, as "in Slack" names `slack-mcp`. */
export function serversNamedIn(request: string, servers: Iterable<string>): Set<string> {
  const words = request.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const text = ` ${words.join(' ')} `
  const spoken = new Set(words)
  return new Set(
    [...servers].filter((server) => {
      const parts = splitIdentifier(server)
        .map((part) => part.toLowerCase())
        .filter((part) => !COMMON.has(part))
      if (parts.length === 0) return false
      return text.includes(` ${parts.join(' ')} `) || spoken.has(parts.join(''))
    }),
  )
}
