import type { SecretValues } from '../../base/secrets/secret-values.ts'
import type { Config } from '../../config/load.ts'
import type { ConfigWatcher, WatchListeners } from '../../config/reload/watch.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { Log } from '../../telemetry/log.ts'
import { CleanValues, type Replacement } from '../../upstreams/tapes/clean-values.ts'
import { createReplayed } from '../../upstreams/tapes/create-replayed.ts'
import { Player } from '../../upstreams/tapes/player.ts'
import { Recorder } from '../../upstreams/tapes/recorder.ts'
import { readTape } from '../../upstreams/tapes/tape.ts'
import type { Upstream } from '../../gateway/upstream.ts'

/** Stands between the pool and its servers. */
export interface ServerTape {
  serverOf(config: ServerConfig, make: () => Upstream): Upstream
  close(): void
}

/** A tape that a process records or replays. */
export interface TapeRun {
  readonly isReplay: boolean
  open(parts: { readonly secrets: SecretValues; readonly log: Log }): ServerTape
  /** Follows a configuration, with the servers of the tape where those are replayed. */
  follow(watch: Watch): Watch
  /** What went wrong by now: calls that are not on the tape, or a tape that is not complete. */
  problems(): readonly string[]
}

type Watch = (listeners: WatchListeners) => ConfigWatcher

export interface RecordOptions {
  /** Texts that the tape has in place of others. */
  readonly replacements?: readonly Replacement[] | undefined
}

export interface ReplayRules extends RecordOptions {
  /** Paths of arguments that may differ, beside those that the tape names. */
  readonly ignore?: readonly string[] | undefined
  /** Whether any date and time stands for any other. */
  readonly times?: boolean | undefined
  /** Whether the real servers are asked, and recorded, where the tape has no answer. */
  readonly recordsMissing?: boolean | undefined
}

/** Records all servers of a process on a new tape. */
export function recordTape(path: string, { replacements }: RecordOptions = {}): TapeRun {
  let recorder: Recorder | undefined
  return {
    isReplay: false,
    open({ secrets, log }) {
      const failed = (message: string) => log.error(message)
      const made = new Recorder({ path, failed }, new CleanValues(secrets, replacements))
      recorder = made
      return {
        serverOf: (_, make) => made.record(make()),
        close: () => made.close(),
      }
    },
    follow: (watch) => watch,
    problems: () => (recorder?.problem === undefined ? [] : [recorder.problem]),
  }
}

/** Answers from a tape in the place of all servers of a process. */
export function replayTape(path: string, rules: ReplayRules = {}): TapeRun {
  const { recordsMissing = false, replacements, ignore = [], times = false } = rules
  const tape = readTape(path)
  let player: Player | undefined
  let recorder: Recorder | undefined
  const names = new Set(tape.lines.map(({ server }) => server))
  return {
    isReplay: true,
    open({ secrets, log }) {
      const values = new CleanValues(secrets, replacements)
      const playing = new Player(tape, values, { ignore, times })
      player = playing
      if (recordsMissing)
        recorder = new Recorder({ path, adds: true, failed: (text) => log.error(text) }, values)
      return {
        serverOf({ name, description, kind }, make) {
          const real = kind === 'broken' ? undefined : recorder?.record(make())
          return createReplayed({ name, description, player: playing, real })
        },
        close: () => recorder?.close(),
      }
    },
    follow: (watch) => (listeners) => {
      const converted = new WeakMap<Config, Config>()
      const toReplayed = (config: Config): Config => {
        const known = converted.get(config)
        if (known) return known
        const servers = serversOf(config, names, recordsMissing)
        const replayed = { ...config, servers }
        converted.set(config, replayed)
        return replayed
      }
      const watcher = watch({
        ...listeners,
        onReload: (next, previous) => listeners.onReload(toReplayed(next), toReplayed(previous)),
      })
      return {
        ...watcher,
        get current() {
          return toReplayed(watcher.current)
        },
        get status() {
          return watcher.status
        },
        get history() {
          return watcher.history
        },
        reload: async () => toReplayed(await watcher.reload()),
      }
    },
    problems: () => [...(player?.misses ?? []), recorder?.problem ?? []].flat(),
  }
}

/** Returns the entries of the servers that are on a tape; what they say of tools stays in force. */
function serversOf(
  { servers }: Config,
  names: ReadonlySet<string>,
  isAll: boolean,
): ReadonlyMap<string, ServerConfig> {
  const known = [...servers.keys()].filter((name) => isAll || names.has(name))
  const all = new Set([...known, ...names])
  return new Map(
    [...all].map((name): [string, ServerConfig] => {
      const entry = servers.get(name)
      if (entry && entry.kind !== 'broken') return [name, { ...entry, enabled: true }]
      // Never started: the tape answers in its place.
      const error = 'it has no entry of its own, and is only on the tape'
      return [name, { ...entry, kind: 'broken', name, enabled: true, error }]
    }),
  )
}
