import { EventEmitter, once } from 'node:events'
import type { Environment } from '../../base/environment.ts'
import { Lazy } from '../../base/flow/lazy.ts'
import { BUILTINS, type BuiltinName } from '../../builtins/index.ts'
import type { BuiltinApi, RunningApi } from '../../builtins/kit/builtin-api.ts'
import type { Builtin } from '../../builtins/kit/define-builtin.ts'
import type { Mount } from '../../http/mount.ts'
import type { App } from '../app.ts'

const MANIFESTS: readonly Builtin<BuiltinName>[] = BUILTINS

/** An API and the path prefix that it serves. */
export interface MountedApi {
  readonly prefix: string
  readonly mount: Pick<Mount, 'fetch'>
}

export interface MountedApis {
  readonly mounts: readonly MountedApi[]
  close(): void
}

/** The API of a standalone built-in: open from the start, and able to end the process. */
export interface StandaloneApi extends RunningApi {
  readonly builtin: string
  readonly page: string
  /** Resolves when the API was asked to end the process. */
  readonly stopped: Promise<void>
}

/** Mounts the HTTP APIs of all built-ins; each is loaded with its first request. */
export function mountBuiltinApis(app: App, standalone: StandaloneApi | undefined): MountedApis {
  const closing: (() => void)[] = []
  const mounts = MANIFESTS.flatMap(({ name, api }) => {
    if (!api) return []
    const alone = standalone?.builtin === name ? standalone : undefined
    const opening = new Lazy(
      async () => alone ?? openApi(app, name, api, { env: process.env, stop: undefined }),
    )
    // It is open already, so it is closed even if no request comes.
    if (alone) void opening.get()
    closing.push(() => void opening.made().then(async (running) => running?.close()))
    const mount: MountedApi['mount'] = {
      fetch: async (request, env) => (await opening.get()).fetch(request, env),
    }
    return api.prefixes.map((prefix) => ({ prefix, mount }))
  })
  return { mounts, close: () => closing.forEach((close) => close()) }
}

/** Opens the API of a standalone built-in, if it has one. */
export async function startStandaloneApi(
  app: App,
  { name, api }: Builtin<BuiltinName>,
  env: Environment,
): Promise<StandaloneApi | undefined> {
  if (!api) return undefined
  const stopping = new EventEmitter()
  const stopped = once(stopping, 'stop').then(() => undefined)
  const running = await openApi(app, name, api, { env, stop: () => void stopping.emit('stop') })
  let closing: Promise<void> | undefined
  return {
    ...running,
    builtin: name,
    page: api.page,
    stopped,
    // Closed by the HTTP server, to end its streams, and again by the code that started it.
    close: async () => (closing ??= running.close()),
  }
}

async function openApi(
  app: App,
  name: BuiltinName,
  api: BuiltinApi,
  options: { readonly env: Environment; readonly stop: (() => void) | undefined },
): Promise<RunningApi> {
  const { createApiHost } = await import('./builtin-api-host.ts')
  return api.open(createApiHost(app, name, options))
}
