import { userInfo } from 'node:os'
import type { Workspace } from '../../config/paths.ts'
import { HttpError } from '../../http/http-error.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import type { Visitor } from '../access/visitor.ts'

const MAX_SHOWN = 200

/** The versions of the configuration. Their code is loaded with the first request. */
export function historyRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /history', {
      role: 'viewer',
      async answer() {
        const { listVersions } = await import('../../config/history/list-versions.ts')
        const versions = sources.files ? await listVersions(sources.files) : []
        return { inFiles: sources.files !== undefined, versions: versions.slice(0, MAX_SHOWN) }
      },
    }),
    defineRoute('POST /history/:version/rollback', {
      role: 'admin',
      async answer({ visitor, params: { version = '' } }) {
        const place = mustBeInFiles(sources)
        const { rollback } = await import('../../config/history/rollback.ts')
        const info = { by: authorOf(visitor), reason: `back to version ${version}` }
        const { version: made } = await rollback(place, Number(version), info)
        recordChange(sources, visitor, 'config.rollback', { version })
        await sources.reload()
        return { version: made?.version ?? null }
      },
    }),
  ]
}

/** Returns where the files are; throws if the configuration is not in files. */
export function mustBeInFiles({ files }: Pick<Sources, 'files'>): Workspace {
  if (files) return files
  throw new HttpError(
    409,
    'NOT_IN_A_FILE',
    'The configuration of this gateway is not in files',
    'A configuration in the database is changed with `portolan config push` and `portolan config rollback`.',
  )
}

/** Who makes a change on a page, for the history. */
export function authorOf({ via, actAs: [agent] }: Visitor): string {
  return via === 'local' ? userInfo().username : (agent ?? 'dashboard')
}
