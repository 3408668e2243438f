import { SERVER_NAME } from '../../../builtins/code/cocosearch-names.ts'
import { isObject } from '../../../base/json/json.ts'
import { IndexStore, portolanHome } from '../../../builtins/code/engine/index/index-store.ts'
import { findProject } from '../../../builtins/code/project/find-project.ts'
import { configOf, indexNameFor } from '../../../builtins/code/tools/indexing/find-index.ts'

/** Answers the PreToolUse hook of Claude Code with a hint about the index, if any. Never throws. */
export async function nudge(input: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  try {
    const asked: unknown = JSON.parse(input)
    const { cwd, tool_name: tool } = isObject(asked) ? asked : {}
    const project = findProject(typeof cwd === 'string' ? cwd : process.cwd())
    const store = new IndexStore(portolanHome(env))
    const name = indexNameFor(project, await configOf(project, { env }), store)
    const summary = store.summary(name)
    if (summary?.identity !== project.identity) return undefined
    return JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: `This project is indexed (${name}, ${summary.files} files). To find where something is done, search_code of the MCP server ${SERVER_NAME} ranks definitions by words or a question, find_symbol and find_references find names; ${typeof tool === 'string' ? tool : 'Grep'} is for exact text and file names.`,
      },
    })
  } catch {
    return undefined
  }
}
