import { PROJECT_FILE, asWritten } from '../../cocosearch-names.ts'
import { existsSync } from 'node:fs'
import { z } from 'zod'
import { defineTool } from '../../../kit/define-tool.ts'
import { isDashboardDisabled } from '../../mcp-defaults.ts'
import { indexesAnswer } from '../../answers.ts'
import { answeringObject, listAnswer, objectAnswer } from '../answer.ts'
import type { CodeDeps } from '../code-deps.ts'
import { projectAt } from '../../project/find-project.ts'
import { configOf } from './find-index.ts'
import { READ_ONLY } from '../inputs.ts'

export const listIndexesTool = defineTool({
  name: 'list_indexes',
  title: 'List indexes',
  description: 'The code indexes there are, with the folder each was made from.',
  input: z.object({}),
  output: indexesAnswer,
  annotations: READ_ONLY,
  run: async (_, { library }: CodeDeps) =>
    listAnswer(
      library.list().map(({ name, root, updatedAt, files }) => ({
        name,
        table_name: `codeindex_${name}__${name}_chunks`,
        source_path: root,
        updated_at: updatedAt,
        file_count: files,
      })),
    ),
})

export const clearIndexTool = defineTool({
  name: 'clear_index',
  title: 'Clear indexes',
  description:
    'Delete one index (index_name) or several (index_names). The code itself is not touched; an index can be built again.',
  input: z.object({
    index_name: z.string().nullable().default(null).describe('The index to delete'),
    index_names: z.array(z.string()).nullable().default(null).describe('Several indexes to delete'),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async (input, deps: CodeDeps) =>
    answeringObject(async () => {
      const { library } = deps
      if (input.index_names?.length) return clearSeveral(library, input.index_names)
      if (!input.index_name) return { success: false, error: 'Provide index_name or index_names' }
      const removed = await clearOne(library, input.index_name)
      if (!removed.success) return { success: false, error: removed.error }
      const warnings = await linkedWarnings(deps, input.index_name)
      return {
        success: true,
        message: `Index '${input.index_name}' deleted`,
        ...(warnings.length > 0 && { linked_index_warnings: warnings }),
      }
    }),
})

/** Warns about each project that links to an index which no longer exists. */
async function linkedWarnings(deps: CodeDeps, gone: string): Promise<string[]> {
  const warnings: string[] = []
  for (const { name, root } of deps.library.store.list()) {
    if (!existsSync(root)) continue
    // Invalid settings link to nothing; searches in that project report them.
    const config = await configOf(projectAt(root), deps).catch(() => undefined)
    if (config?.linkedIndexes.includes(gone))
      warnings.push(`Index '${name}' links to '${gone}' in linkedIndexes of its ${PROJECT_FILE}`)
  }
  return warnings
}

async function clearSeveral(
  library: CodeDeps['library'],
  names: readonly string[],
): Promise<Record<string, unknown>> {
  const results: Awaited<ReturnType<typeof clearOne>>[] = []
  for (const name of names) results.push(await clearOne(library, name))
  const deleted = results.filter(({ success }) => success).length
  return { success: deleted === names.length, deleted, total: names.length, results }
}

async function clearOne(
  library: CodeDeps['library'],
  name: string,
): Promise<{ index_name: string; success: boolean; error?: string }> {
  // Only listed names: a name becomes a folder below the data folder, and must not lead out of it.
  const isKnown = library.store.list().some((index) => index.name === name)
  if (isKnown && (await library.remove(name))) return { index_name: name, success: true }
  return {
    index_name: name,
    success: false,
    error: `Index '${name}' not found. Use list_indexes to see those there are.`,
  }
}

const OFF = 'PORTOLAN_CODE_NO_DASHBOARD'

export const openDashboardTool = defineTool({
  name: 'open_dashboard',
  title: 'Open the dashboard',
  description:
    'Open the dashboard in the browser of the user, for example after its tab was closed.',
  input: z.object({}),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  run: async (_, deps: CodeDeps) => {
    if (isDashboardDisabled(deps.env)) {
      return objectAnswer({
        success: false,
        error: `The dashboard is disabled: ${asWritten(OFF, deps.env)}=${deps.env[OFF]} is set`,
      })
    }
    const url = await deps.dashboardUrl()
    if (url === undefined) {
      return objectAnswer({
        success: false,
        error: 'No dashboard is being served. Start one with `portolan serve`.',
      })
    }
    return objectAnswer({ success: true, url, opened: await deps.openBrowser(url) })
  },
})
