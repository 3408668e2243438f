import { canonicalJson } from '../../base/json/json.ts'
import type { Config } from '../../config/load.ts'
import { writeLockedServer } from '../../config/lock/write-locked.ts'
import type { Workspace } from '../../config/paths.ts'
import { npmPackageOf } from '../../config/servers/npm-package.ts'
import type { ServerConfig, StdioServer } from '../../config/servers/servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { NOTHING_ACCEPTED } from '../../gateway/tools/accepted.ts'
import type { LockedPackage } from '../../gateway/tools/locked-package.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { whyAsItIs } from '../../upstreams/stdio/packages/open-package.ts'
import { resolvePackage } from '../../upstreams/stdio/packages/install-package.ts'
import { PackageStore, type WantedPackage } from '../../upstreams/stdio/packages/package-store.ts'
import { type ListChange, acceptedOf, compareLists } from './compare-lists.ts'
import { originOf } from './identity.ts'
import { packageOf } from './package-of.ts'
import { createQuietPool, list, listAsTheyAre } from './quiet-pool.ts'
import { createReviews } from './review-drift.ts'
import { suspectsOf } from './suspects.ts'

export interface UpgradeOptions {
  readonly config: Config
  readonly server: StdioServer
  readonly place: Workspace
  readonly timeoutMs: number
}

/** What an upgrade would change. */
export interface Upgrade {
  /** What it is now; undefined before its first start. */
  readonly from: LockedPackage | undefined
  readonly to: LockedPackage
  /** How its tools and the like differ, by listing both versions. */
  readonly changes: readonly ListChange[]
  /** Has the entry start the new version, and accepts what that lists. */
  apply(by: string): Promise<void>
}

/** Finds out what an entry would start if it were new; undefined if that is what it starts. */
export async function findUpgrade(options: UpgradeOptions): Promise<Upgrade | undefined> {
  const { config, server, place, timeoutMs } = options
  const { name, command } = server
  const store = new PackageStore(config.settings.home)
  const from = packageOf(server, config.settings.home)
  const wanted = wantedBy(server, from, place)
  const to = await resolvePackage(wanted, { store, server: name, npx: command, env: place.env })
  if (from && canonicalJson(from) === canonicalJson(to)) return undefined
  const listed = async (locked: LockedPackage) => listOne(config, { ...server, locked }, timeoutMs)
  const before = from ? acceptedOf(await listed(from)) : NOTHING_ACCEPTED
  const now = acceptedOf(await listed(to))
  const changes = compareLists(before, now, suspectsOf(name)(Object.keys(now.tools)))
  return {
    from,
    to,
    changes,
    async apply(by) {
      const origin = originOf(server)
      if (!origin?.locked) {
        store.repin(wanted, to)
        return acceptAll(options, by)
      }
      const reason = `upgrade ${name} to ${to.version}`
      const accepted = new Map([[name, { ...now, package: to }]])
      await writeLockedServer({ place, file: origin.file, by, reason }, accepted)
    },
  }
}

function wantedBy(
  { name, command, args, ...program }: StdioServer,
  from: LockedPackage | undefined,
  { cwd, env: inherits }: Workspace,
): WantedPackage {
  const found = npmPackageOf(command, args)
  const whyNot =
    found && 'name' in found
      ? from
        ? undefined
        : whyAsItIs(found, { command, args, env: program.env, cwd: program.cwd ?? cwd, inherits })
      : (found?.notPinned ?? 'it starts a program of this machine')
  if (found && 'name' in found && whyNot === undefined) return found
  throw new GatewayError('INVALID_PARAMS', `'${name}' is not pinned: ${whyNot}`, {
    hint: 'Upgrade it in the way in which you installed it.',
  })
}

async function listOne(config: Config, server: ServerConfig, timeoutMs: number): Promise<Listing> {
  const servers = new Map([[server.name, { ...server, enabled: true }]])
  const found = (await listAsTheyAre({ ...config, servers }, timeoutMs)).get(server.name)
  if (found && !(found instanceof Error)) return found
  throw found ?? new Error(`${server.name} was not listed`)
}

/** Lists the new version as agents do, and accepts what of it would be held. */
async function acceptAll(
  { config, server, place, timeoutMs }: UpgradeOptions,
  by: string,
): Promise<void> {
  const { name } = server
  const pool = createQuietPool(config)
  const servers = new Map([[name, { ...server, enabled: true }]])
  try {
    const [upstream] = pool.adopt({ ...config, servers })
    if (upstream) await list(upstream, timeoutMs)
    const reviews = createReviews({
      place,
      guardOf: (one) => pool.guardOf(one),
      entryOf: () => server,
      reload: async () => undefined,
    })
    const held = reviews.review(name)?.changes.filter(({ rejected }) => !rejected) ?? []
    const digests = held.map(({ digest }) => digest)
    await reviews.decide(name, { accept: true, digests }, by)
  } finally {
    await pool.close()
  }
}
