import { withTimeout } from '../../../../base/flow/time.ts'
import type { ServiceContext } from '../../../../protocol/service.ts'
import type { IndexSettings } from '../../engine/index/index-settings.ts'
import type { LiveIndex } from '../../engine/index/live-index.ts'
import type { FoundProject } from '../../project/find-project.ts'
import { walk } from '../../walk/walk.ts'
import type { CodeDeps } from '../code-deps.ts'
import { InBandError } from '../in-band-error.ts'

/** A project with more files is indexed only on request: a search should not wait that long. */
const MAX_FILES = 10_000

export interface IndexToBuild {
  readonly project: FoundProject
  readonly name: string
  readonly settings: IndexSettings
}

/** Indexes a project at its first search; undefined if the user must ask for it. */
export async function autoIndex(
  deps: CodeDeps,
  context: ServiceContext,
  { project, name, settings }: IndexToBuild,
): Promise<LiveIndex | undefined> {
  // A folder that is not marked as a project may be a whole home folder.
  if (!deps.autoIndex || !project.isMarked || isTooLarge(project, settings)) return undefined
  let files = 0
  // Not cancelled with the call, so that the next search finds it further along, or done.
  const building = deps.library.build(project, name, settings, {
    progress(done, total) {
      files = done
      context.progress({
        progress: done,
        ...(total !== undefined && { total }),
        message: `Indexed ${done} files`,
      })
    },
  })
  const built = await withTimeout(building, deps.autoIndexBudgetMs, () => undefined)
  if (built) return built.live
  throw new InBandError(
    'Indexing in progress',
    `${project.root} is being indexed for the first time: ${files} files so far. Ask again in a few seconds.`,
    { detected_path: project.root, suggested_index_name: name, results: [] },
  )
}

function isTooLarge(project: FoundProject, settings: IndexSettings): boolean {
  let files = 0
  for (const _ of walk(project.root, settings, { excluded: () => undefined }))
    if (++files > MAX_FILES) return true
  return false
}
