import { existsSync, realpathSync } from 'node:fs'
import { isInside } from '../../../base/files/paths.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { findProject } from '../project/find-project.ts'
import type { CodeDeps } from './code-deps.ts'
import { InBandError } from './in-band-error.ts'

type Reach = Pick<CodeDeps, 'allowedRoots' | 'library'>

/**
 * The same call, with the folders it may read: all for a program on stdio, and for one over the network
 * only the allowed ones. What such a client says about where it works chooses among these and adds none.
 */
export function confine(context: ServiceContext, deps: Reach): ServiceContext {
  if (!context.isRemote) return context
  return {
    ...context,
    async project() {
      const project = await context.project()
      checkAllowed(findProject(project.path).root, deps)
      return project
    },
  }
}

/** Throws for a folder that a client over the network may not read. Links in the path are resolved already. */
export function checkAllowed(folder: string, { allowedRoots, library }: Reach): void {
  // An existing index was made by a user who may read the folder, and can be searched by its name anyway.
  const roots = [...allowedRoots, ...library.store.list().map(({ root }) => root)]
  if (roots.some((root) => existsSync(root) && isInside(folder, realpathSync(root)))) return
  throw new InBandError(
    'Path not allowed',
    `${folder} is outside the folders that clients over HTTP may read here. Start the server in that folder, or add it to PORTOLAN_CODE_FOLDERS.`,
    { results: [] },
  )
}
