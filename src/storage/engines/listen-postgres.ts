import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { MIGRATIONS } from '../migrations/index.ts'
import { CHANNEL, type Topic } from '../notices.ts'
import { applicationName } from '../replica-level.ts'

/** Receives notices of other replicas over its own connection, which it reopens when it is lost. */
export interface Listening {
  /** Calls back for each notice of a topic, and without a detail if some may have been missed. */
  on(topic: Topic, listener: (detail: string | undefined) => void): () => void
  /** Calls back each time the database answers again. */
  onLive(listener: () => void): () => void
  readonly state: ListeningState
  close(): Promise<void>
}

export interface ListeningState {
  /**
   * `lost`: the connection was lost and no reconnection has failed yet. `no_notices`: the database
   * answers, but notices do not arrive, as behind a connection pool.
   */
  readonly kind: 'live' | 'lost' | 'no_notices' | 'down'
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly error?: string
}

const HEARTBEAT_MS = 2_000
const ANSWER_MS = 2_000
const RETRY_MS = { min: 50, max: 1_000 }
const NO_NOTICES_RETRY_MS = 15_000

type Listener = (detail: string | undefined) => void

/** Listens for notices; `send` sends one in the usual way, to test whether they arrive here. */
export function listenPostgres(
  databaseUrl: string,
  send: (topic: Topic, detail: string) => Promise<void>,
): Listening {
  const listeners = new Map<Topic, Set<Listener>>()
  const whenLive = new Set<() => void>()
  let state: ListeningState = { kind: 'lost', since: Date.now() }
  const ending = new AbortController()
  const running = run()

  function become(kind: ListeningState['kind'], error?: unknown): void {
    const since = state.kind === kind ? state.since : Date.now()
    state = { kind, since, ...(error !== undefined && { error: messageOf(error) }) }
  }

  function notify(topic: string, detail: string | undefined): void {
    for (const [name, set] of listeners)
      if (name === topic) for (const listener of set) listener(detail)
  }

  async function run(): Promise<void> {
    let wait = RETRY_MS.min
    while (!ending.signal.aborted) {
      const client = new Client({
        connectionString: databaseUrl,
        application_name: applicationName(MIGRATIONS),
        connectionTimeoutMillis: ANSWER_MS,
        query_timeout: ANSWER_MS,
        keepAlive: true,
      })
      const lost = new Promise<Error>((resolve) => {
        client.on('error', resolve)
        client.on('end', () => resolve(new Error('The database closed the connection')))
      })
      try {
        await client.connect()
        client.on('notification', ({ payload = '' }) => {
          const colon = payload.indexOf(':')
          notify(payload.slice(0, colon), payload.slice(colon + 1))
        })
        await client.query(`listen ${CHANNEL}`)
        for (const topic of listeners.keys()) notify(topic, undefined)
        for (const listener of whenLive) listener()
        await receiveOwnNotice(client, lost)
        become('live')
        wait = RETRY_MS.min
        await untilLost(client, lost)
        become('lost')
      } catch (error) {
        const gone = state.kind === 'live' ? 'lost' : 'down'
        become(error instanceof NoNotices ? 'no_notices' : gone, error)
      }
      // Also closes the socket if the server no longer answers.
      void client.end().catch(() => undefined)
      if (state.kind === 'no_notices') await pause(NO_NOTICES_RETRY_MS)
      if (state.kind === 'down') await pause(wait * (0.5 + Math.random() / 2))
      wait = Math.min(wait * 2, RETRY_MS.max)
    }
  }

  /** Throws if no notice arrives, as behind a pool that uses another connection per transaction. */
  async function receiveOwnNotice(client: Client, lost: Promise<Error>): Promise<void> {
    const word = randomUUID()
    const received = new Promise<true>((resolve) => {
      client.on('notification', ({ payload }) => {
        if (payload === `hello:${word}`) resolve(true)
      })
    })
    await send('hello', word)
    const heard = await Promise.race([received, lost, pause(ANSWER_MS)])
    if (heard instanceof Error) throw heard
    if (!heard) throw new NoNotices()
  }

  /** Waits until the connection is lost; regular queries detect a hanging server or network. */
  async function untilLost(client: Client, lost: Promise<Error>): Promise<void> {
    while (!ending.signal.aborted) {
      const ended = await Promise.race([lost, pause(HEARTBEAT_MS)])
      if (ended instanceof Error || ending.signal.aborted) return
      await client.query('select 1')
    }
  }

  async function pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
  }

  return {
    on(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    onLive(listener) {
      whenLive.add(listener)
      return () => whenLive.delete(listener)
    },
    get state() {
      return state
    },
    async close() {
      ending.abort()
      await running
    },
  }
}

class NoNotices extends Error {
  constructor() {
    super(
      'no notices come through; give PORTOLAN_DATABASE_LISTEN_URL an address that passes by the pool',
    )
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
