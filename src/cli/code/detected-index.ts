import { builtinOptionsFrom } from '../../app/builtins/builtin-context.ts'
import { IndexStore } from '../../builtins/code/engine/index/index-store.ts'
import { findProject } from '../../builtins/code/project/find-project.ts'
import { configOf, indexNameFor } from '../../builtins/code/tools/indexing/find-index.ts'
import { projectOfUser } from './project-of-user.ts'

/** Returns the name of the current project's index, whether or not the index exists. */
export async function detectedIndex(): Promise<string> {
  const project = findProject(projectOfUser().path)
  const { env, home } = builtinOptionsFrom('code', process.env)
  return indexNameFor(project, await configOf(project, { env: { ...env } }), new IndexStore(home))
}
