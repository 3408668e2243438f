import type { NewTraceRequest } from '../src/traces/schemas.ts'

/** A small, reproducible stream of numbers in 0..1. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const SUBJECTS =
  'connection pool,cache,session,migration,index,queue,worker,webhook,token,certificate,container,volume,cluster,proxy,router,parser,compiler,bundle,test suite,fixture,scheduler,transaction,replica,snapshot,stream,buffer,socket,thread,lock,heap'.split(
    ',',
  )
const FAULTS =
  'times out,leaks memory,deadlocks,is rejected,returns stale data,crashes on start,loses messages,is never invalidated,fails intermittently,blocks the event loop,exceeds its limit,is created twice,cannot be resolved,ignores its configuration,breaks after an upgrade'.split(
    ',',
  )
const FIXES =
  'raise the limit,pin the version,close it in a finally block,retry with back-off,add an index,move it out of the transaction,validate the input first,use a smaller batch,set an explicit timeout,regenerate the lock file,run it in a separate process,make the handler idempotent,warm it up at start,add a health check,rotate the key'.split(
    ',',
  )
const TAGS =
  'python,javascript,typescript,rust,go,java,docker,kubernetes,postgres,redis,nginx,react,django,fastapi,aws,linux,ci,testing,security,performance'.split(
    ',',
  )
const LETTERS = 'bcdfghklmnprstvz'

/** A made-up but well-formed trace: real sentences around a vocabulary with a long tail of names. */
export function synthetic(next: () => number, number: number): NewTraceRequest {
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? ''
  const name = (): string => {
    const length = 2 + Math.floor(next() * 3)
    // Squared, so that some names are common and most are rare, as in real text.
    const seed = Math.floor(next() ** 2 * 40_000)
    let rest = seed
    return Array.from({ length }, () => {
      const letter = LETTERS[rest % LETTERS.length] ?? 'b'
      rest = Math.floor(rest / LETTERS.length) + 7
      return letter + 'aeiou'[rest % 5]
    }).join('')
  }
  const [subject, fault, fix] = [pick(SUBJECTS), pick(FAULTS), pick(FIXES)]
  const [one, two, three] = [name(), name(), name()]
  const sentences = Array.from(
    { length: 4 + Math.floor(next() * 6) },
    () =>
      `In ${name()} the ${pick(SUBJECTS)} of ${name()} ${pick(FAULTS)}, so ${pick(FIXES)} and check ${name()}.`,
  )
  return {
    title: `The ${subject} of ${one} ${fault} in ${two} (${number})`,
    context_text: `While working on ${one} with ${two}, the ${subject} ${fault}. ${sentences.slice(0, 2).join(' ')}`,
    solution_text: `${fix} for ${one}: ${sentences.join(' ')} Then verify ${three} number ${number}.`,
    tags: [...new Set([pick(TAGS), pick(TAGS), pick(TAGS)])],
  }
}
