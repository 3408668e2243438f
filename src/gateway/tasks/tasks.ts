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

/** Hands requests to the replica that runs a task; throws `TaskLost` where that is gone. */
export interface TaskRelay {
  readonly replica: string
  forward(replica: string, request: TaskRequest, signal: Signal): Promise<JsonObject>
}

/** The task of a server that a task of the gateway waits for, and where that runs. */
export type FollowedTask = Pick<TaskRef, 'upstreamId' | 'era' | 'connection'>

export interface TasksOptions {
  readonly ids: TaskIds
  readonly relay?: TaskRelay | undefined
  readonly records?: TaskRecords | undefined
}

/** A client is not kept waiting longer for a store that does not answer. */
const STORE_MS = 2000

/** What is known of tasks between requests. */
export class Tasks {
  readonly ids: TaskIds
  readonly held = new HeldTasks()
  /** This run of the gateway: what it keeps in memory, no other run knows. */
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
   * Keeps a task that its client polls for: here, and once it has ended in the store. So are the
   * questions of one whose server would go on with an answer of another process.
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

  /** Resolves when what is known of the task is stored: what its client is shown outlives this process. */
  async stored(task: HeldTask): Promise<void> {
    const storing = this.#storing.get(task)
    if (storing) await withTimeout(storing, STORE_MS, () => undefined)
  }

  /** The id of a task that this process keeps; `followed` is that of a server which outlives the process. */
  sealHeld(call: Authorized, { heldId, ttlMs }: HeldTask, followed?: FollowedTask): string {
    return this.#seal(call, { ...toolOf(call), heldId, ttlMs, ...this.#here, ...followed })
  }

  /** The same for a tool of the gateway's own, which is of no server and may store what it waits for. */
  sealOwn(call: Identified, tool: string, { heldId, ttlMs }: HeldTask): string {
    return this.#seal(call, { tool, heldId, ttlMs, upstreamId: heldId, ...this.#here })
  }

  /** The id of a task that the server of a call runs. A child process belongs to one run of one replica. */
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

  /** Where the task of a caller is; undefined where it has none by that id. */
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
