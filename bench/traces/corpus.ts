import { STOP_WORDS } from '../../src/search/analyse/stop-words.ts'
import type { NewTraceRequest } from '../../src/builtins/traces/service/schemas.ts'

/** A small, reproducible stream of numbers in 0..1. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const TAGS =
  'python,javascript,typescript,rust,go,java,docker,kubernetes,postgres,redis,nginx,react,django,fastapi,aws,linux,ci,testing,security,performance'.split(
    ',',
  )
const SYLLABLES =
  'ba,ce,di,fo,gu,ka,le,mi,no,pu,ra,se,ti,vo,zu,bra,cle,dri,flo,gru,pla,ste,tri,cho'.split(',')
const VOCABULARY = 30_000
/** The most frequent words of a language carry no meaning; titles use the others. */
const functionWords = [...STOP_WORDS].slice(0, 100)
const FUNCTION_WORDS = functionWords.length

const words = Array.from({ length: VOCABULARY }, (_, rank) => {
  if (rank < FUNCTION_WORDS) return functionWords[rank] ?? ''
  let rest = rank + 1
  let spelt = ''
  while (rest > 0) {
    spelt += SYLLABLES[rest % SYLLABLES.length] ?? ''
    rest = Math.floor(rest / SYLLABLES.length)
  }
  return `${spelt}${rank % 7 === 0 ? 'ing' : ''}`
})

/** Words follow Zipf's law, as they do in real text: a few are everywhere, most are rare. */
function word(next: () => number, from = 1): string {
  const rank = Math.exp(Math.log(from) + next() * (Math.log(VOCABULARY) - Math.log(from)))
  return words[Math.floor(rank) - 1] ?? ''
}

function sentence(next: () => number, length: number, from = 1): string {
  return Array.from({ length }, () => word(next, from)).join(' ')
}

/** A made-up trace of about 150 words. */
export function synthetic(next: () => number, number: number): NewTraceRequest {
  const tag = (): string => TAGS[Math.floor(next() * TAGS.length)] ?? ''
  return {
    title: sentence(next, 7, FUNCTION_WORDS),
    context_text: `${sentence(next, 40)}.`,
    solution_text: `${sentence(next, 50 + Math.floor(next() * 100))} case${number}.`,
    tags: [...new Set([tag(), tag(), tag()])],
  }
}

/** Returns a query like an agent's: most words of a trace's title, and one other word. */
export function aQuery(next: () => number, titles: readonly string[]): string {
  const title = (titles[Math.floor(next() * titles.length)] ?? '').split(' ')
  return [...title.slice(0, 5), word(next, FUNCTION_WORDS)].join(' ')
}
