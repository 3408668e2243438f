import { join } from 'node:path'
import { languageById } from '../../languages/languages.ts'
import { type ParseAnswer, ParserThread } from '../../parse/parser-thread.ts'
import type { ProjectIndex } from './project-index.ts'

export interface ParseOptions {
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((done: number, total: number) => void) | undefined
}

/** A few files in flight keep the thread busy without queueing the whole project in it. */
const IN_FLIGHT = 8

/** Parses every file with a grammar that changed since its last parse; returns how many. */
export async function parsePending(
  index: ProjectIndex,
  options: ParseOptions = {},
): Promise<number> {
  const pending = [...index.files].filter(([, { parse }]) => parse.status === 'pending')
  if (pending.length === 0) return 0
  const thread = new ParserThread(index.project.root)
  // Files in flight are not worth waiting for: they stay pending and are parsed later.
  const stop = (): void => void thread.close()
  options.signal?.addEventListener('abort', stop, { once: true })
  let done = 0
  const work = pending.values()
  const lane = async (): Promise<void> => {
    for (const [path, record] of work) {
      if (options.signal?.aborted) return
      const grammar = languageById(record.language)?.grammar ?? ''
      const answer = await thread.parse(join(index.project.root, path), grammar)
      if (options.signal?.aborted) return
      keep(index, path, record.hash, answer)
      done++
      options.progress?.(done, pending.length)
    }
  }
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  } finally {
    options.signal?.removeEventListener('abort', stop)
    await thread.close()
  }
  return done
}

/** Stores the parser's answer; where the parser failed, what the scanner found remains. */
function keep(
  index: ProjectIndex,
  path: string,
  asked: string,
  { hash, symbols, parse }: ParseAnswer,
): void {
  if (!parse) return
  const isParsed = parse.status === 'ok' || parse.status === 'partial'
  index.refine(path, hash ?? asked, { parse, ...(isParsed && symbols && { symbols }) })
}
