import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Authorized, Identified } from '../call.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import type { HeldTask } from './held-task.ts'
import { HeldTasks } from './held-tasks.ts'
import type { TaskIds, TaskRef } from './task-ids.ts'
import type { TaskRecord, TaskRecords } from './task-records.ts'

/** A request about a task that another replica runs. */
export interface TaskRequest {
  readonly taskId: string
  readonly owner: string
  readonly method: string
  readonly params: JsonObject
}

/** Forwards requests to the replica that runs a task; throws `TaskLost` if that is gone. */
export interface TaskRelay {
  readonly replica: string
  forward(replica: string, request: TaskRequest, signal: Signal): Promise<JsonObject>
}

/** The task of a server that a task of the gateway waits for, and where it runs. */
export type FollowedTask = Pick<TaskRef, 'upstreamId' | 'era' | 'connection'>

export interface TasksOptions {
  readonly ids: TaskIds
  readonly relay?: TaskRelay | undefined
  readonly records?: TaskRecords | undefined
}

/** The longest that a client waits for a store that does not answer. */
const STORE_MS = 2000

/** The state of tasks between requests. */
export class Tasks {
  readonly ids: TaskIds
  readonly held = new HeldTasks()
  /** The id of this run of the gateway; no other run knows what it keeps in memory. */
  readonly run = randomUUID().slice(0, 8)
  readonly relay: TaskRelay | undefined
  readonly records: TaskRecords | undefined
  readonly #storing = new WeakMap<HeldTask, Promise<void>>()

  constructor({ ids, relay, records }: TasksOptions) {
    this.ids = ids
    this.relay = relay
    this.records = records
  }

  get replica(): string {
    return this.relay?.replica ?? ''
  }

  /**
   * Keeps a task that its client polls for: in memory, and once it has ended in the store. With
   * `outlives`, its questions are stored too: its server accepts answers of another process.
   */
  hold(task: HeldTask, outlives = false): void {
    this.held.add(task)
    let asked = ''
    const store = () => {
      const keys = outlives ? Object.keys(task.questions).join('\n') : asked
      if (keys === asked && !task.ended) return
      asked = keys
      const storing = this.records?.put(recordOf(task))
      if (storing) this.#storing.set(task, storing)
    }
    task.onChange(store)
    store()
  }

  /** Resolves when the task is stored, so that what its client is shown outlives this process. */
  async stored(task: HeldTask): Promise<void> {
    const storing = this.#storing.get(task)
    if (storing) await withTimeout(storing, STORE_MS, () => undefined)
  }

  /** Returns the id of a kept task; `followed` is a server's task that outlives this process. */
  sealHeld(call: Authorized, { heldId, ttlMs }: HeldTask, followed?: FollowedTask): string {
    return this.#seal(call, { ...toolOf(call), heldId, ttlMs, ...this.#here, ...followed })
  }

  /** The same for one of the gateway's own tools, which has no server and may store its state. */
  sealOwn(call: Identified, tool: string, { heldId, ttlMs }: HeldTask): string {
    return this.#seal(call, { tool, heldId, ttlMs, upstreamId: heldId, ...this.#here })
  }

  /** Returns the id of a server's task. A child process belongs to one run of one replica. */
  sealUpstream(call: Authorized, task: JsonObject, connection = ''): string {
    const { taskId, ttlMs } = task
    return this.#seal(call, {
      ...toolOf(call),
      upstreamId: String(taskId),
      ttlMs: typeof ttlMs === 'number' ? ttlMs : Infinity,
      ...(call.upstream.kind !== 'http' && { connection, ...this.#here }),
    })
  }

  get #here() {
    return { replica: this.replica, run: this.run }
  }

  /** Returns where a caller's task is; undefined if it has none with that id. */
  find(taskId: unknown, owner: string): TaskRef | undefined {
    const ref = this.ids.open(taskId)
    return ref?.owner === owner ? ref : undefined
  }

  #seal({ agent }: Identified, place: Partial<TaskRef>): string {
    return this.ids.seal({
      server: '',
      tool: '',
      owner: ownerOfResults(agent),
      replica: '',
      connection: '',
      upstreamId: '',
      era: 'modern',
      heldId: '',
      run: '',
      createdAt: Date.now(),
      ttlMs: Infinity,
      ...place,
    })
  }
}

function recordOf(task: HeldTask): TaskRecord {
  const { heldId: id, owner, createdAt, ttlMs } = task
  const { taskId: _id, inputRequests: _asked, ...state } = task.describe('')
  const questions = task.asks && { questions: task.questions }
  return { id, owner, expiresAt: createdAt + ttlMs, state: { ...state, ...questions } }
}

function toolOf({ upstream, tool }: Authorized): Pick<TaskRef, 'server' | 'tool'> {
  return { server: upstream.name, tool: tool?.name ?? '' }
}
