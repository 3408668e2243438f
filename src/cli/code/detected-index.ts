import { IndexStore } from '../../builtins/code/engine/index/index-store.ts'
import { findProject } from '../../builtins/code/project/find-project.ts'
import { configOf, indexNameFor } from '../../builtins/code/tools/indexing/find-index.ts'
import { projectOfUser } from './project-of-user.ts'

/** The name of the index of the project we are in, whether there is one or not. */
export async function detectedIndex(): Promise<string> {
  const project = findProject(projectOfUser().path)
  return indexNameFor(project, await configOf(project, { env: process.env }), new IndexStore())
}
