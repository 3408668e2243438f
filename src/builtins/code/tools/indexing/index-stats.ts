import { z } from 'zod'
import { defineTool } from '../../../kit/define-tool.ts'
import { indexStats } from '../../engine/stats/index-stats.ts'
import type { EmbeddingModel } from '../../engine/index/saved-index.ts'
import { answeringObject, listAnswer } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import { type FoundIndex, findIndex } from './find-index.ts'
import { freshen } from './freshness.ts'
import { READ_ONLY } from '../inputs.ts'

/** Statistics wait this long for the parser, which begins once the words are indexed. */
const PARSE_WAIT_MS = 10_000

export const indexStatsTool = defineTool({
  name: 'index_stats',
  title: 'Statistics of an index',
  description:
    'What is in an index: files, languages, symbols, parse health, dependencies, what was left out and why. Without a name, all indexes.',
  input: z.object({
    index_name: z
      .string()
      .nullable()
      .default(null)
      .describe('The index; all of them when left out'),
    include_failures: z
      .boolean()
      .default(false)
      .describe('Also list every file that could not be parsed or was left out'),
  }),
  annotations: READ_ONLY,
  run: async (input, deps: CodeDeps, context) => {
    const stats = async (name: string): Promise<Record<string, unknown>> => {
      const found = await findIndex(deps, context, name)
      const stale = await freshen(deps, found)
      if (!found.live.index.isPartial) await found.live.parsed(PARSE_WAIT_MS)
      const embedding = embeddingOf(deps, found)
      return {
        ...(await indexStats(deps.library, found.live, input.include_failures)),
        warnings: [
          ...stale.map(({ message }) => String(message)),
          ...stillParsing(found),
          ...embedding.warnings,
        ],
        ...embedding.fields,
        controller_enabled: found.config.controller.enabled,
        controller_provider: found.config.controller.provider ?? null,
        controller_model: found.config.controller.model ?? null,
      }
    }
    if (input.index_name !== null) {
      const name = input.index_name
      return answeringObject(async () => stats(name))
    }
    const all: Record<string, unknown>[] = []
    for (const { name, root } of deps.library.list()) {
      // One index whose project is gone must not hide the others.
      all.push(
        await stats(name).catch((error: unknown) => ({
          name,
          source_path: root,
          status: 'error',
          warnings: [String(error)],
        })),
      )
    }
    return listAnswer(all)
  },
})

/** Warns about files not parsed yet: the parser may take longer than statistics wait. */
function stillParsing({ live }: FoundIndex): string[] {
  const pending = [...live.index.files.values()].filter(({ parse }) => parse.status === 'pending')
  return pending.length === 0
    ? []
    : [`${pending.length} files are still being parsed: ask again for the whole parse health.`]
}

/** Describes the model of the vectors and the configured one, with a warning if they differ. */
function embeddingOf(deps: CodeDeps, { live, config }: FoundIndex) {
  const made = live.index.identity.embedding
  const configured = deps.embedders.modelFor(config)
  const isOther = made && configured && nameOf(made) !== nameOf(configured)
  return {
    fields: {
      embedding_provider: made?.provider ?? null,
      embedding_model: made?.model ?? null,
      configured_embedding_provider: configured?.provider ?? null,
      configured_embedding_model: configured?.model ?? null,
    },
    warnings: isOther
      ? [
          `The vectors were made by ${nameOf(made)}, the configured model is ${nameOf(configured)}: the next search makes them again.`,
        ]
      : [],
  }
}

const nameOf = ({ provider, model }: EmbeddingModel): string => `${model} (${provider})`
