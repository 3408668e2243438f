// Measures how well code search finds the files that questions mean, by words and with the model.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { loadRepositories, loadTasks } from '../code/benchmark.ts'
import { build } from '../code/quality.ts'
import { mean, ndcg10 } from '../code/score.ts'
import { round } from '../support/numbers.ts'

const questionSet = z.object({
  repo: z.string(),
  source_folder: z.string().default('.'),
  queries: z.array(
    z.object({
      query: z.string(),
      category: z.string(),
      relevant: z.array(z.object({ path: z.string() })),
      name_overlap: z.boolean().optional(),
    }),
  ),
})

/** Questions about one folder of a checkout, with the paths of the files they mean. */
export interface QuestionSet {
  readonly name: string
  readonly checkout: string
  /** The folder to index, relative to the checkout. */
  readonly folder: string
  readonly questions: readonly {
    readonly query: string
    readonly relevant: readonly { readonly path: string }[]
    /** Whether it shares no word with the file name. */
    readonly isUnshared: boolean
  }[]
}

export interface CodeQuality {
  /** The mean over all repositories of their mean NDCG@10 by file. */
  readonly all: number
  /** For questions that share no word with the file name, if the set says which. */
  readonly noSharedWord?: number
  readonly repositories: number
}

/** The sets of a folder, about repositories checked out as `<owner>+<name>` below `repos`. */
export function naturalQuestions(folder: string, repos: string): QuestionSet[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => questionSet.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))))
    .map(({ repo, source_folder: source, queries }) => ({
      name: repo,
      checkout: join(repos, repo.replace('/', '+')),
      folder: source,
      questions: queries.map(({ query, relevant, category, name_overlap: shares }) => ({
        query,
        relevant,
        isUnshared: category !== 'symbol' && shares === false,
      })),
    }))
}

/** The sets of the published benchmark, for its source folder or the whole checkout. */
export function publishedQuestions(
  data: string,
  repos: string,
  { whole }: { readonly whole: boolean },
): QuestionSet[] {
  return loadRepositories(data).map(({ name, benchmark_root: root }) => ({
    name,
    checkout: join(repos, name),
    folder: whole ? '' : root,
    questions: loadTasks(data, name).map(({ query, targets }) => ({
      query,
      relevant: targets.map(({ path }) => ({ path })),
      isUnshared: false,
    })),
  }))
}

/** Measures every set whose repository is checked out. */
export async function measureCode(
  sets: readonly QuestionSet[],
  { words, tell }: { readonly words: boolean; readonly tell: (line: string) => void },
): Promise<CodeQuality> {
  const means: number[] = []
  const unshared: number[] = []
  for (const { name, checkout, folder, questions } of sets) {
    const root = join(checkout, folder)
    if (!existsSync(root)) {
      tell(`${name}: left out, because there is no ${root}`)
      continue
    }
    const index = await build(root, { words })
    const scores = questions.map(({ query, relevant, isUnshared }) => {
      const files = new Set(index.lexical.search(query, { limit: 10 }).map(({ path }) => path))
      const found = [...files].map((path) => ({
        path: join(folder, path),
        startLine: 1,
        endLine: 1,
      }))
      const score = ndcg10(found, relevant)
      if (isUnshared) unshared.push(score)
      return score
    })
    means.push(mean(scores))
    tell(`${name}, ${words ? 'words' : 'fused'}: NDCG@10 ${round(mean(scores), 3)}`)
  }
  return {
    all: round(mean(means), 3),
    ...(unshared.length > 0 && { noSharedWord: round(mean(unshared), 3) }),
    repositories: means.length,
  }
}
