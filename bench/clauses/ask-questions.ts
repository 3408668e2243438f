import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { searchKnowledge } from '../../src/builtins/knowledge/search/search-knowledge.ts'
import type { KnowledgeStore } from '../../src/builtins/knowledge/store/knowledge-store.ts'
import { round } from '../support/numbers.ts'

/** Further clauses that another reader would accept, and why. */
const also = z.object({ also: z.array(z.string()), because: z.string() })
const questions = z.record(
  z.string(),
  z.array(z.tuple([z.string(), z.array(z.string())]).rest(also)),
)

export interface QuestionScore {
  readonly questions: number
  readonly first: number
  readonly firstThree: number
}

export interface QuestionScores extends QuestionScore {
  /** Weights are tuned on one half of the questions, chosen by a hash, and checked on the other. */
  readonly tuned: QuestionScore
  readonly checked: QuestionScore
  /** With the clauses that another reader would accept. */
  readonly accepting: QuestionScore
}

/** Returns the share of questions that are answered by a passage cited under a right clause. */
export async function askQuestions(
  store: KnowledgeStore,
  file: string,
  tell: (line: string) => void,
): Promise<QuestionScores> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  const asked: { rank: number; accepted: number; half: number }[] = []
  for (const [manual, list] of Object.entries(questions.parse(parse(text)))) {
    for (const [query, clauses, ...others] of list) {
      const { found } = await searchKnowledge(store, { query, limit: 3 })
      const cited = found.map(({ chunk, part }) => {
        const name = chunk.source.location.split('/').at(-1)?.replace('.pdf', '')
        return `${name} ${part ? part.clause : chunk.clauseNumber}`
      })
      const rankOf = (right: readonly string[]) =>
        cited.findIndex((one) =>
          right.some((it) => one === (it.includes(' ') ? it : `${manual} ${it}`)),
        )
      const rank = rankOf(clauses)
      const accepted = rankOf([...clauses, ...others.flatMap((other) => other.also)])
      asked.push({
        rank,
        accepted,
        half: (createHash('sha256').update(query).digest()[0] ?? 0) % 2,
      })
      if (rank !== 0)
        tell(`${rank < 0 ? 'missed' : `rank ${rank + 1}`}: ${query} (${cited.join(', ')})`)
    }
  }
  const ranks = (half?: number) =>
    asked.filter((one) => half === undefined || one.half === half).map(({ rank }) => rank)
  return {
    ...score(ranks()),
    tuned: score(ranks(0)),
    checked: score(ranks(1)),
    accepting: score(asked.map(({ accepted }) => accepted)),
  }
}

function score(ranks: readonly number[]): QuestionScore {
  const share = (isRight: (rank: number) => boolean) =>
    round(ranks.filter(isRight).length / ranks.length, 4)
  return {
    questions: ranks.length,
    first: share((rank) => rank === 0),
    firstThree: share((rank) => rank >= 0),
  }
}
