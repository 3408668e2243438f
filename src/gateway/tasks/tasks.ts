import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { withTimeout } from '../../base/flow/time.ts'
import type { Authorized, Identified } from '../call.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import type { HeldTask } from './held-task.ts'
import { HeldTasks } from './held-tasks.ts'
import { type TaskIds, type TaskRef, standsFor } from './task-ids.ts'
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

  /** Keeps a task that its client polls for: in memory, and once it has ended in the store. */
  hold(task: HeldTask): void {
    this.held.add(task)
    if (task.endsWithProcess) return
    const store = () => {
      const storing = task.ended ? this.records?.put(recordOf(task)) : undefined
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

  /** Returns the id of a kept task. */
  sealHeld(call: Authorized, { heldId, ttlMs }: HeldTask): string {
    return this.#seal(call, { ...toolOf(call), heldId, ttlMs, ...this.#here })
  }

  /** The same for one of the gateway's own tools, which has no server. */
  sealOwn(call: Identified, tool: string, { heldId, ttlMs }: HeldTask): string {
    return this.#seal(call, { tool, heldId, ttlMs, ...this.#here })
  }

  /**
   * Returns the id of a server's task. One that the server knows on one connection alone, such as
   * that of a child process, belongs to one run of one replica.
   */
  sealUpstream(
    call: Authorized,
    task: JsonObject,
    { era, connection }: { readonly era: TaskRef['era']; readonly connection?: string | undefined },
  ): string {
    const { taskId, ttlMs } = task
    return this.#seal(call, {
      ...toolOf(call),
      upstreamId: String(taskId),
      era,
      ttlMs: typeof ttlMs === 'number' ? ttlMs : Infinity,
      ...(connection !== undefined && { connection, ...this.#here }),
    })
  }

  get #here() {
    return { replica: this.replica, run: this.run }
  }

  /** Returns where a caller's task is; undefined if it has none with that id. */
  find(taskId: unknown, owner: string): TaskRef | undefined {
    const ref = this.ids.open(taskId)
    return ref && standsFor(ref.owner, owner) ? { ...ref, owner } : undefined
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
  const { taskId: _id, ...state } = task.describe('')
  return { id, owner, expiresAt: createdAt + ttlMs, state }
}

function toolOf({ upstream, tool }: Authorized): Pick<TaskRef, 'server' | 'tool'> {
  return { server: upstream.name, tool: tool?.name ?? '' }
}
