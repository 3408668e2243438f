import { existsSync, realpathSync } from 'node:fs'
import { isInside, resolveLinks } from '../../../base/files/paths.ts'
import type { ServiceContext } from '../../../protocol/service.ts'
import { findProject } from '../project/find-project.ts'
import type { CodeDeps } from './code-deps.ts'
import { InBandError } from './in-band-error.ts'

type Reach = Pick<CodeDeps, 'allowedRoots' | 'library'>

/**
 * Restricts a call to the folders it may read: all of them over stdio, only the allowed ones over
 * the network. The project that a network client names selects one of these folders and cannot add
 * one.
 */
export function confine(context: ServiceContext, deps: Reach): ServiceContext {
  if (!context.isRemote) return context
  return {
    ...context,
    async project() {
      const project = await context.project()
      checkAllowed(project.path, deps)
      checkAllowed(findProject(project.path).root, deps)
      return project
    },
  }
}

/**
 * Throws if a network client may not read a folder. The message contains the path as the client
 * gave it, whether or not it exists: it must not reveal what exists elsewhere or where links lead.
 */
export function checkAllowed(folder: string, { allowedRoots, library }: Reach): void {
  // An index was made by a user who may read the folder, and can be searched by name anyway.
  const roots = [...allowedRoots, ...library.store.list().map(({ root }) => root)]
  const real = resolveLinks(folder)
  if (roots.some((root) => existsSync(root) && isInside(real, realpathSync(root)))) return
  throw new InBandError(
    'Path not allowed',
    `${folder} is outside the folders that clients over HTTP may read here. Start the server in that folder, or add it to PORTOLAN_CODE_FOLDERS.`,
    { results: [] },
  )
}
