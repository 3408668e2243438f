import { z } from 'zod'
import { defineTool } from '../../kit/define-tool.ts'
import { indexStats } from '../engine/index-stats.ts'
import { answeringObject, listAnswer } from './answer.ts'
import type { CodeDeps } from './code-deps.ts'
import { findIndex } from './find-index.ts'
import { freshen } from './freshness.ts'
import { READ_ONLY } from './inputs.ts'

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
      await freshen(deps, found)
      const { provider = null, model = null } = found.config.embedding
      return {
        ...(await indexStats(deps.library, found.live, input.include_failures)),
        embedding_provider: provider,
        embedding_model: model,
        configured_embedding_provider: provider,
        configured_embedding_model: model,
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
    for (const { name, root } of deps.library.store.list()) {
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
