import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceContext } from '../../../protocol/service.ts'
import { findProject, projectAt, type FoundProject } from '../project/find-project.ts'
import type { CodeDeps } from '../tools/code-deps.ts'
import { configOf, indexNameFor } from '../tools/indexing/find-index.ts'
import { InBandError } from '../tools/in-band-error.ts'

/** Describes the project in which the caller works, and whether it is indexed. */
export async function describeProject(
  deps: CodeDeps,
  context: Pick<ServiceContext, 'project'>,
): Promise<Record<string, unknown>> {
  const { path, source } = await context.project()
  const project = findProject(path)
  return {
    has_project: project.isMarked,
    source,
    ...(await describe(project, deps)),
    branch: project.git?.branch ?? null,
    commit_hash: project.git?.commit ?? null,
  }
}

/** Lists the projects in `COCOSEARCH_PROJECTS_DIR`. */
export async function listProjects(deps: CodeDeps): Promise<Record<string, unknown>> {
  const folder = deps.env['COCOSEARCH_PROJECTS_DIR']
  if (!folder) return { projects_dir: null, projects: [] }
  if (!existsSync(folder))
    throw new InBandError('Path not found', `COCOSEARCH_PROJECTS_DIR: ${folder} does not exist`)
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
  const projects: Record<string, unknown>[] = []
  for (const name of names.toSorted())
    projects.push({ name, ...(await describe(projectAt(join(folder, name)), deps)) })
  return { projects_dir: folder, projects }
}

async function describe(project: FoundProject, deps: CodeDeps): Promise<Record<string, unknown>> {
  const name = await nameOf(project, deps)
  const known = deps.library.store.summary(name)
  const isIndexed = known?.identity === project.identity
  return {
    project_path: project.root,
    index_name: name,
    is_indexed: isIndexed,
    ...(known && !isIndexed && { collision: known.identity }),
    ...(isIndexed && { updated_at: known.updatedAt, file_count: known.files }),
  }
}

/** Falls back to the suggested name if the project's settings are invalid. */
async function nameOf(project: FoundProject, deps: CodeDeps): Promise<string> {
  try {
    return indexNameFor(project, await configOf(project, deps), deps.library.store)
  } catch (error) {
    if (!(error instanceof InBandError)) throw error
    return project.names.suggested
  }
}
