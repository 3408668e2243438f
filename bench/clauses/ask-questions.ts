import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { searchKnowledge } from '../../src/builtins/knowledge/search/search-knowledge.ts'
import type { KnowledgeStore } from '../../src/builtins/knowledge/store/knowledge-store.ts'
import { round } from '../support/numbers.ts'

const questions = z.record(z.string(), z.array(z.tuple([z.string(), z.array(z.string())])))

export interface QuestionScore {
  readonly questions: number
  readonly first: number
  readonly firstThree: number
}

/** Which share of the questions is answered by a passage that is cited under a right clause. */
export async function askQuestions(
  store: KnowledgeStore,
  tell: (line: string) => void,
): Promise<QuestionScore> {
  const text = await readFile(join(import.meta.dirname, 'questions.yml'), 'utf8')
  let [asked, first, firstThree] = [0, 0, 0]
  for (const [manual, list] of Object.entries(questions.parse(parse(text)))) {
    for (const [query, clauses] of list) {
      const { found } = await searchKnowledge(store, { query, limit: 3 })
      const cited = found.map(({ chunk, part }) => ({
        manual: chunk.source.location.split('/').at(-1)?.replace('.pdf', ''),
        clause: part ? part.clause : chunk.clauseNumber,
      }))
      const right = new Set(clauses.map((one) => (one.includes(' ') ? one : `${manual} ${one}`)))
      const rank = cited.findIndex((one) => right.has(`${one.manual} ${one.clause}`))
      asked += 1
      if (rank === 0) first += 1
      if (rank >= 0) firstThree += 1
      const places = cited.map(({ manual: where, clause }) => `${where} ${clause}`).join(', ')
      if (rank !== 0) tell(`${rank < 0 ? 'missed' : `rank ${rank + 1}`}: ${query} (${places})`)
    }
  }
  return {
    questions: asked,
    first: round(first / asked, 4),
    firstThree: round(firstThree / asked, 4),
  }
}
