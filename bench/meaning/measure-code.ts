// How well code search finds the files that natural questions mean, with words and with the model.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
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

export interface CodeQuality {
  /** Mean of the means of the repositories, NDCG@10 by file. */
  readonly all: number
  /** Questions that share no word with the name of the file. */
  readonly noSharedWord: number
  readonly repositories: number
}

/** Every set of questions in a folder whose repository is checked out as `<owner>+<name>` below `repos`. */
export async function measureCode(
  sets: string,
  repos: string,
  { words, tell }: { readonly words: boolean; readonly tell: (line: string) => void },
): Promise<CodeQuality> {
  const means: number[] = []
  const unshared: number[] = []
  for (const name of readdirSync(sets).filter((each) => each.endsWith('.json'))) {
    const set = questionSet.parse(JSON.parse(readFileSync(join(sets, name), 'utf8')))
    const root = join(repos, set.repo.replace('/', '+'), set.source_folder)
    if (!existsSync(root)) {
      tell(`${set.repo}: left out, because there is no ${root}`)
      continue
    }
    const index = await build(root, { words })
    const scores = set.queries.map(({ query, relevant, category, name_overlap: shares }) => {
      const files = new Set(index.lexical.search(query, { limit: 10 }).map(({ path }) => path))
      const found = [...files].map((path) => ({
        path: join(set.source_folder, path),
        startLine: 1,
        endLine: 1,
      }))
      const score = ndcg10(found, relevant)
      if (category !== 'symbol' && shares === false) unshared.push(score)
      return score
    })
    means.push(mean(scores))
    tell(`${set.repo}, ${words ? 'words' : 'fused'}: NDCG@10 ${round(mean(scores), 3)}`)
  }
  return {
    all: round(mean(means), 3),
    noSharedWord: round(mean(unshared), 3),
    repositories: means.length,
  }
}
