import { join } from 'node:path'
import { languageById } from '../languages/languages.ts'
import { ParserThread } from '../parse/parser-thread.ts'
import type { ProjectIndex } from './project-index.ts'

export interface ParseOptions {
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((done: number, total: number) => void) | undefined
}

/** A few files under way keep the thread busy without queueing the whole project in it. */
const IN_FLIGHT = 8

/** Parses every file that has a grammar and was not parsed since it changed; returns how many were. */
export async function parsePending(
  index: ProjectIndex,
  options: ParseOptions = {},
): Promise<number> {
  const pending = [...index.files].filter(([, { parse }]) => parse.status === 'pending')
  if (pending.length === 0) return 0
  const thread = new ParserThread(index.project.root)
  let done = 0
  const work = pending.values()
  const lane = async (): Promise<void> => {
    for (const [path, record] of work) {
      if (options.signal?.aborted) return
      const grammar = languageById(record.language)?.grammar ?? ''
      const { hash, symbols, parse } = await thread.parse(join(index.project.root, path), grammar)
      if (parse)
        index.refine(path, hash ?? record.hash, {
          parse,
          ...(parse.status !== 'error' && symbols && { symbols }),
        })
      options.progress?.(++done, pending.length)
    }
  }
  try {
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  } finally {
    await thread.close()
  }
  return done
}
