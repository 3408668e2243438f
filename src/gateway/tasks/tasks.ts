import type { JsonObject } from '../../base/json.ts'
import type { Signal } from '../../base/signal.ts'
import type { Authorized } from '../call.ts'
import { ownerOfResults } from '../on-behalf-of.ts'
import { HeldTasks } from './held-tasks.ts'
import type { TaskIds, TaskRef } from './task-ids.ts'

/** A request about a task that another replica runs. */
export interface TaskRequest {
  readonly taskId: string
  readonly owner: string
  readonly method: string
  readonly params: JsonObject
}

/** Hands requests to the replica that runs a task; fails where that is gone. */
export interface TaskRelay {
  readonly replica: string
  forward(replica: string, request: TaskRequest, signal: Signal): Promise<JsonObject>
}

/** What is known of tasks between requests. */
export class Tasks {
  readonly ids: TaskIds
  readonly held = new HeldTasks()
  readonly relay: TaskRelay | undefined

  constructor(ids: TaskIds, relay?: TaskRelay) {
    this.ids = ids
    this.relay = relay
  }

  get replica(): string {
    return this.relay?.replica ?? ''
  }

  /** The id of a task that this process keeps. */
  sealHeld(call: Authorized, heldId: string): string {
    return this.#seal(call, { heldId, replica: this.replica })
  }

  /** The id of a task that the server of a call runs. A child process belongs to one replica. */
  sealUpstream(call: Authorized, upstreamId: string, connection = ''): string {
    const isRemote = call.upstream.kind === 'http'
    return this.#seal(call, {
      upstreamId,
      ...(!isRemote && { connection, replica: this.replica }),
    })
  }

  /** Where the task of a caller is; undefined where it has none by that id. */
  find(taskId: unknown, owner: string): TaskRef | undefined {
    const ref = this.ids.open(taskId)
    return ref?.owner === owner ? ref : undefined
  }

  #seal({ upstream, tool, agent }: Authorized, place: Partial<TaskRef>): string {
    return this.ids.seal({
      server: upstream.name,
      tool: tool?.name ?? '',
      owner: ownerOfResults(agent),
      replica: '',
      connection: '',
      upstreamId: '',
      heldId: '',
      ...place,
    })
  }
}
