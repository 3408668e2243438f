import { SecretValues } from '../base/secrets/secret-values.ts'
import type { Environment } from '../base/environment.ts'
import type { Config } from '../config/load.ts'
import { sharedServicesWarning } from '../config/shared-services.ts'
import type { Settings } from '../config/settings/settings.ts'
import { openVault } from '../identity/vault/open-vault.ts'
import type { FolderSources } from '../dashboard/sources.ts'
import type { World } from '../surfaces/world.ts'
import type { Log } from '../telemetry/log.ts'
import { Drain } from './health/draining.ts'
import { gaugeServers } from './health/server-gauges.ts'
import { openSignIn } from './open-sign-in.ts'
import type { TapeRun } from './tapes/tape-run.ts'
import { serveTasks } from './relay-tasks.ts'
import { type ReplicaServices, ALONE, shareListChanges } from './shared.ts'
import { createAppState, untilChanged } from './state.ts'
import type { Telemetry } from './telemetry.ts'
import { sealAtRest, sealSecrets } from './seal-at-rest.ts'
import { createPeople } from './upstreams/people.ts'
import { reportDrift } from './upstreams/report-drift.ts'
import { type OpenService, UpstreamPool } from './upstreams/upstream-pool.ts'

export interface ProcessOptions {
  readonly log: Log
  readonly openService: OpenService
  /** State shared with other replicas; closed with the process. */
  readonly shared?: ReplicaServices
  /** Reports calls to other systems; closed with the process. */
  readonly telemetry?: Telemetry | undefined
  /** Ranks tools by meaning, with the embedder of these settings; undefined without one. */
  readonly meanings?: (settings: Settings) => World['toolMeanings']
  readonly env?: Environment
  /** Records the servers, or replays them; opened once the secrets of the configuration are known. */
  readonly tape?: TapeRun | undefined
}

/** What the process knows of a folder that it serves. */
export interface ServedFolder {
  readonly sources: FolderSources
  close(): Promise<void>
}

/** What a gateway has once, however many folders it serves: its records, keys, people and limits. */
export type Process = ReturnType<typeof createProcess>

/** `current` is the configuration of the main folder, whose settings apply to the whole process. */
export function createProcess(options: ProcessOptions, current: () => Config) {
  const { log, openService, shared = ALONE, env = process.env } = options
  const { home } = current().settings
  const sharing = sharedServicesWarning(env)
  if (sharing) log.warn(sharing.message, { fix: sharing.fix })
  /** The main folder first. */
  const folders = new Set<ServedFolder>()
  const worlds = () => [...folders].map(({ sources }) => sources.world)
  const secrets = new SecretValues()
  const vault = shared.database?.vault ?? openVault(home, env)
  void sealAtRest({ home, env, log }, vault)
  const people = createPeople(vault, {
    secrets,
    onSignedIn: list,
  })
  const tape = options.tape?.open({ secrets, log })
  const pool = new UpstreamPool({
    log,
    tape,
    isUnguarded: options.tape?.isReplay ?? false,
    openService,
    // The state of the old server says nothing about its replacement.
    onRetired: (id) => state.gatewayState.forget(id),
    people,
    vault: shared.database?.vault,
    onDrift: (server, changes) => reportDrift({ log, ledger: state.ledger }, server, changes),
    secrets,
  })
  const state = createAppState(current, log, shared, { telemetry: options.telemetry, env })
  const signIn = openSignIn({
    settings: current().settings,
    current: () => current().settings,
    keys: state.keys,
    shared,
    env,
    world: mainWorld,
    ledger: state.ledger,
  })
  /** Undefined once the folders are closed, which what comes from other replicas may outlast. */
  const mainCatalog = () => worlds()[0]?.catalog
  const unserveTasks =
    shared.redis &&
    serveTasks(shared.redis.relay(), state.gatewayState.tasks, (name) =>
      mainCatalog()?.server(name),
    )
  gaugeServers(state.metrics, worlds)
  const publish = shared.redis && shareListChanges(shared.redis.client.bus, mainCatalog)

  function mainWorld(): World {
    const [main] = folders
    if (!main) throw new Error('No folder is open yet')
    return main.sources.world
  }

  /** Lists a server for a person who has just signed in to it. */
  function list(server: string, person: string): void {
    for (const { catalog } of worlds())
      catalog
        .server(server)
        ?.as?.(person)
        .list()
        .catch(() => undefined)
  }

  return {
    log,
    pool,
    shared,
    secrets,
    people,
    state,
    signIn,
    drain: new Drain(),
    /** Seals what a person has written into `secrets.env`. */
    sealSecrets: () => void sealSecrets({ home, env, log }),
    folders,
    /** Tells other replicas of a list that has changed. */
    listChanged: publish,
    meanings: untilChanged(({ settings }) => [
      [settings.embedding, settings.home],
      () => options.meanings?.(settings),
    ]),
    async close(): Promise<void> {
      unserveTasks?.()
      await people.signIns.close()
      state.storedTasks.leave()
      await state.scripts.close()
      await Promise.all([...folders].map(async (folder) => folder.close()))
      await pool.close()
      tape?.close()
      await state.storedTasks.flush()
      await state.sealed.close()
      await state.questions.close()
      await signIn?.close()
      await state.history.close()
      await state.auditLog.close()
      await state.auditIndex?.close()
      await options.telemetry?.close()
      await shared.close()
    },
  }
}
