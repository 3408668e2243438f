import { defineAnalyser } from '../../../../search/analyse/analyser.ts'
import { STOP_WORDS } from '../../../../search/analyse/stop-words.ts'

const words = defineAnalyser({ identifiers: true, stem: true, stopWords: STOP_WORDS })

export const FIELDS = {
  title: { analyser: words, weight: 3 },
  tags: { analyser: words, weight: 2 },
  context: { analyser: words, weight: 1.5 },
  solution: { analyser: words, weight: 1 },
} as const

export type TraceFields = keyof typeof FIELDS

/** How far an index has read the changes of the table. */
export interface Position {
  readonly revision: number
  readonly id: string
}
