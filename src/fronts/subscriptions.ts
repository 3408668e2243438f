import { type Signal, onAbort } from '../base/flow/signal.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import type { Client } from '../gateway/call.ts'
import type { NotificationListener } from '../gateway/upstream.ts'
import type { Requester, TaskWatch, WatchedTasks } from '../gateway/request.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { declaresTasks, missingTasks } from '../protocol/tasks.ts'
import { META, metaOf } from '../protocol/versions.ts'
import type { Backend, Watched } from './backend.ts'
import type { ModernRequest } from './modern.ts'

const CHANGES = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
}

interface ClientWatch extends Watched {
  /** The URI that the client knows the resource by. */
  readonly asked: string
}

/** The streams of `subscriptions/listen`: each lasts until one side ends it. */
export class Subscriptions {
  readonly #backend: Backend
  readonly #ends = new Set<() => void>()

  constructor(backend: Backend) {
    this.#backend = backend
  }

  get size(): number {
    return this.#ends.size
  }

  /** Ends all of them, each with an answer. */
  close(): void {
    for (const end of this.#ends) end()
  }

  /** Serves a stream until it ends; its first message says what it carries. */
  async open(request: ModernRequest, client: Client): Promise<JsonObject> {
    const { id, params, arrival: caller, canceller } = request
    const who = { caller, client }
    await this.#backend.authenticate(caller)
    const filter = params['notifications']
    if (!isObject(filter))
      throw new RpcError(RPC.invalidParams, '"notifications" must be an object')
    const tagged = { [META.subscriptionId]: id }
    const send = (method: string, content: JsonObject) =>
      request.notify(method, { ...content, _meta: { ...metaOf(content), ...tagged } })
    const changes = Object.entries(CHANGES).filter(([key]) => filter[key] === true)
    // May fail, so it comes before any resource is watched.
    const tasks = await this.#watchTasks(filter['taskIds'], { ...who, signal: canceller })
    const wanted = filter['resourceSubscriptions']
    const uris = Array.isArray(wanted) ? wanted.map(String) : []
    const watched = await this.#watchResources(uris, who)
    send('notifications/subscriptions/acknowledged', {
      notifications: {
        ...Object.fromEntries(changes.map(([key]) => [key, true])),
        ...(uris.length > 0 && { resourceSubscriptions: watched.map(({ asked }) => asked) }),
        ...(tasks && { taskIds: tasks.taskIds }),
      },
    })
    tasks?.start((task) => send('notifications/tasks', task))
    const methods = changes.map(([, method]) => method)
    const forward = async (
      server: string,
      ...[method, content, audience]: Parameters<NotificationListener>
    ) => {
      const sent =
        method === 'notifications/resources/updated'
          ? watched
              .filter(({ uri }) => uri === content['uri'])
              .map(({ asked }) => ({ ...content, uri: asked }))
          : [content].filter(() => methods.includes(method))
      if (sent.length === 0 || !(await this.#backend.permits(who, server, audience))) return
      for (const one of sent) send(method, one)
    }
    const unsubscribe = this.#backend.onNotification((...notification) => {
      void forward(...notification)
    })
    await this.#untilEnded(canceller)
    unsubscribe()
    for (const { unwatch } of watched) unwatch()
    return { resultType: 'complete', _meta: tagged }
  }

  async #watchTasks(
    wanted: unknown,
    watch: Omit<TaskWatch, 'taskIds'>,
  ): Promise<WatchedTasks | undefined> {
    if (!Array.isArray(wanted) || wanted.length === 0) return undefined
    if (!declaresTasks(watch.client.capabilities)) throw missingTasks()
    return this.#backend.watchTasks({ ...watch, taskIds: wanted.map(String) })
  }

  /** Leaves out the resources that cannot be watched. */
  async #watchResources(uris: readonly string[], who: Requester): Promise<ClientWatch[]> {
    const watches = await Promise.allSettled(
      uris.map(async (uri) => ({ asked: uri, ...(await this.#backend.watch(uri, who)) })),
    )
    return watches.flatMap((watch) => (watch.status === 'fulfilled' ? [watch.value] : []))
  }

  async #untilEnded(signal: Signal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#ends.delete(end)
        resolve()
      }
      this.#ends.add(end)
      onAbort(signal, end)
    })
  }
}
