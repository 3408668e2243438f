import type { Workspace } from '../../config/paths.ts'
import { npmPackageOf, pinnablePackage } from '../../config/servers/npm-package.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { LockedPackage } from '../../gateway/tools/locked-package.ts'
import { whyAsItIs } from '../../upstreams/stdio/packages/open-package.ts'
import { PackageStore } from '../../upstreams/stdio/packages/package-store.ts'

/** Returns the package that the command of an entry is; undefined before its first start. */
export function packageOf(
  server: ServerConfig | undefined,
  home: string,
): LockedPackage | undefined {
  if (server?.kind !== 'stdio') return undefined
  const wanted = pinnablePackage(server.command, server.args)
  return wanted && (server.locked ?? new PackageStore(home).pinOf(wanted))
}

export interface PackageState {
  /** Its package and version, as `name@version`. */
  readonly package?: string
  /** Why each start of a package runner may start another version. */
  readonly notPinned?: string
}

/** Says which package an entry starts, or why that may be another one at every start. */
export function packageState(
  server: ServerConfig | undefined,
  home: string,
  { cwd, env: inherits }: Workspace,
): PackageState {
  if (server?.kind !== 'stdio') return {}
  const found = npmPackageOf(server.command, server.args)
  if (!found || 'notPinned' in found) return found ?? {}
  const now = packageOf(server, home)
  if (now) return { package: `${now.name}@${now.version}` }
  const why = whyAsItIs(found, { ...server, cwd: server.cwd ?? cwd, inherits })
  return why === undefined ? {} : { notPinned: why }
}
