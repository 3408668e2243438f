import { alignment } from '../../service/rules/context-fingerprint.ts'
import { parseFingerprint } from '../../service/present-trace.ts'
import type { TraceRow } from '../../../../storage/tables/trace-tables.ts'
import { STOP_WORDS } from '../../../../search/analyse/stop-words.ts'

const WORD = /[\p{L}_][\p{L}\p{N}_.-]*[\p{L}\p{N}_]/gu
const MAX_WORDS = 6
const DAY_MS = 86_400_000

/** Describes how two solutions differ: words used by only one, environment, trust and age. */
export function describeDivergence(one: TraceRow, other: TraceRow): string {
  return [
    names('first', onlyIn(one, other)),
    names('second', onlyIn(other, one)),
    places(one, other),
    trust(one, other),
    age(one, other),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

/** Returns words of one solution only, longest first, because names say more than plain words. */
function onlyIn({ solution_text }: TraceRow, other: TraceRow): string[] {
  const theirs = new Set(wordsOf(other.solution_text))
  return [...new Set(wordsOf(solution_text))]
    .filter((word) => !theirs.has(word) && !STOP_WORDS.has(word))
    .toSorted((a, b) => b.length - a.length || a.localeCompare(b))
    .slice(0, MAX_WORDS)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

function names(which: string, words: readonly string[]): string {
  return words.length === 0 ? '' : `Only the ${which} names ${words.join(', ')}.`
}

function places(one: TraceRow, other: TraceRow): string {
  const [a, b] = [parseFingerprint(one), parseFingerprint(other)]
  if (alignment(a, b) === 1 || Object.keys({ ...a, ...b }).length === 0) return ''
  return `The first is from ${place(a)}, the second from ${place(b)}.`
}

function place(fingerprint: Readonly<Record<string, string>>): string {
  return Object.values(fingerprint).join(', ') || 'anywhere'
}

function trust(one: TraceRow, other: TraceRow): string {
  const [a, b] = [one.trust_score, other.trust_score]
  if (Math.abs(a - b) < 0.1) return ''
  return `The ${a > b ? 'first' : 'second'} is trusted more (${a.toFixed(1)} and ${b.toFixed(1)}).`
}

function age(one: TraceRow, other: TraceRow): string {
  const days = Math.round((one.created_at - other.created_at) / DAY_MS)
  if (days === 0) return ''
  return `The ${days > 0 ? 'first' : 'second'} is ${Math.abs(days)} days newer.`
}
