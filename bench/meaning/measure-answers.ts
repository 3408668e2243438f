// Measures what an agent gets from `search_code` with its default settings: the tokens of the
// answer, and whether a file that the question means is in it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createLocalCodeService } from '../../src/builtins/code/create-code-service.ts'
import type { Service, ServiceContext } from '../../src/protocol/service.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import { covers, mean } from '../code/score.ts'
import { round } from '../support/numbers.ts'
import type { QuestionSet } from './measure-code.ts'

export interface AnswerFigures {
  readonly questions: number
  readonly meanTokens: number
  readonly mostTokens: number
  /** The share of answers that have a file that the question means. */
  readonly rightFile: number
}

const answer = z.object({ content: z.tuple([z.object({ text: z.string() })]) })
const results = z.array(z.looseObject({ file_path: z.string().optional() }))

/** Asks the questions of every set whose repository is checked out, each in a new data folder. */
export async function measureAnswers(sets: readonly QuestionSet[]): Promise<AnswerFigures> {
  const tokens: number[] = []
  const right: number[] = []
  for (const { checkout, folder, questions } of sets) {
    const root = join(checkout, folder)
    if (!existsSync(root)) continue
    const home = mkdtempSync(join(tmpdir(), 'portolan-answers-'))
    const service = createLocalCodeService({ home, background: false, env: {} })
    try {
      const index = { index_name: 'bench' }
      await call(service, root, 'index_codebase', { path: root, ...index })
      for (const { query, relevant } of questions) {
        const text = await call(service, root, 'search_code', { query, ...index })
        tokens.push(countTokens(text))
        const files = results.parse(JSON.parse(text)).flatMap(({ file_path: path }) => path ?? [])
        const isRight = files.some((path) =>
          relevant.some((target) => covers({ path, startLine: 1, endLine: 1 }, target)),
        )
        right.push(isRight ? 1 : 0)
      }
    } finally {
      await service.close()
      rmSync(home, { recursive: true, force: true })
    }
  }
  return {
    questions: tokens.length,
    meanTokens: Math.round(mean(tokens)),
    mostTokens: Math.max(0, ...tokens),
    rightFile: round(mean(right), 3),
  }
}

async function call(
  service: Service,
  root: string,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const context: ServiceContext = {
    signal: new AbortController().signal,
    agent: undefined,
    isRemote: false,
    headers: {},
    project: async () => ({ path: root, source: 'cwd' }),
    progress: () => undefined,
  }
  const result = await service.handle('tools/call', { name, arguments: args }, context)
  return answer.parse(result).content[0].text
}
