import { type JsonObject, isObject } from '../../base/json/json.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { exposedUri, parseExposedUri } from '../../gateway/tools/resource-uri.ts'
import { type Listing, type Upstream, stateKeyOf } from '../../gateway/upstream.ts'
import type { DriftGuard } from '../drift/drift-guard.ts'
import { type Rename, renameField, renameInListing, renameUris } from './rename-uris.ts'
import { type Shape, createReshaping } from './reshape.ts'
import { RpcError } from '../../protocol/json-rpc.ts'

export interface ExposeOptions extends Shape {
  /** Under which the gateway keeps the state of the server; its name by default. */
  readonly id?: string
  /** Holds what has changed since it was accepted; absent for servers in this process. */
  readonly guard?: DriftGuard | undefined
  /** Fills the keys of a person into fixed arguments. */
  readonly fillKeys?: Upstream['fillKeys']
  /** Values that no failure shows: agents, audit and dashboard read what failed. */
  readonly secrets?: SecretValues
}

/** Requests whose results may hold resources or links to them. */
const WITH_RESOURCES =
  /^(?:tools\/call|resources\/(?:directory\/)?read|skills\/.+|prompts\/get|tasks\/.+)$/
/** Requests about one resource. */
const ABOUT_RESOURCE = new Set(['resources/read', 'resources/directory/read', 'skills/get'])
const UPDATED = 'notifications/resources/updated'

/** How a successor is passed on: its results come back through a server that renames their URIs. */
const behind = new WeakMap<Upstream, () => Upstream>()

/**
 * Wraps a server for the gateway: only the chosen tools, as overrides show them, resource URIs that no
 * other server has (see gateway/tools/resource-uri.ts), and no secret in what fails. Callers know only
 * the exposed URIs, the server only its own. Results pass exactly as they came.
 */
export function expose(upstream: Upstream, options: ExposeOptions = {}): Upstream {
  const { name } = upstream
  const toOwn = (uri: string) => {
    const parsed = parseExposedUri(uri)
    return parsed?.server === name ? parsed.uri : uri
  }
  const exposed = wrap(upstream, options, { toExposed: (uri) => exposedUri(name, uri), toOwn })
  behind.set(exposed, () => wrap(upstream, options, { toExposed: same, toOwn: same }))
  return exposed
}

function wrap(
  upstream: Upstream,
  {
    id = stateKeyOf(upstream),
    guard,
    secrets = new SecretValues(),
    fillKeys,
    ...shape
  }: ExposeOptions,
  { toExposed, toOwn }: { readonly toExposed: Rename; readonly toOwn: Rename },
): Upstream {
  const { names, isOffered, toListing: reshaped } = createReshaping(shape)
  const exposed = (result: JsonObject) =>
    renameUris(withoutSecretsOfTask(result, secrets), toExposed)
  const toShown = once((whole: Listing) => renameInListing(reshaped(whole), toExposed))
  const toListing = (whole: Listing) => toShown(guard?.view(whole) ?? whole)
  const fail = (error: unknown): never => {
    throw withoutSecrets(error, secrets)
  }
  const toView = once((inner: Upstream): Upstream => {
    const { inProcess } = inner
    return {
      name: inner.name,
      id,
      kind: inner.kind,
      description: inner.description,
      ...(names && { names }),
      ...(fillKeys && { fillKeys }),
      get status() {
        const { status } = inner
        return status.state === 'down' ? secrets.hideDeep(status) : status
      },
      get diagnostics() {
        const { diagnostics } = inner
        return {
          ...diagnostics,
          // Searching the lines takes time, so it is done only for those who read them.
          get output() {
            return diagnostics.output.map(({ at, text }) => ({ at, text: secrets.hide(text) }))
          },
        }
      },
      get listing() {
        return toListing(inner.listing)
      },
      ...(inner.listingFor && {
        listingFor: (client) => toListing(inner.listingFor?.(client) ?? inner.listing),
      }),
      async list(how) {
        const whole = await inner.list(how).catch(fail)
        await guard?.loaded()
        return toListing(whole)
      },
      // Not `async`, because every call passes here.
      request(method, params, context) {
        if (method === 'tools/call' && !isOffered(String(params['name'])))
          return Promise.reject(switchedOff(inner.name, String(params['name'])))
        const check = guard?.isAbout(method)
          ? () => guard.check(inner.listingFor?.(context.client) ?? inner.listing, method, params)
          : undefined
        try {
          check?.()
        } catch (error) {
          return Promise.reject(error)
        }
        const how = check ? { ...context, confirm: check } : context
        const sent = inner.request(method, toOwnParams(method, params, toOwn), how)
        return WITH_RESOURCES.test(method) ? sent.then(exposed, fail) : sent.catch(fail)
      },
      watch: async (uri, client) => inner.watch(toOwn(uri), client).catch(fail),
      onNotification(listener) {
        const unsubscribe = inner.onNotification((method, params, audience) =>
          listener(
            method,
            method === UPDATED ? renameField(params, 'uri', toExposed) : exposed(params),
            audience,
          ),
        )
        const decided = guard?.onChange(() => {
          for (const list of ['tools', 'prompts', 'resources'])
            listener(`notifications/${list}/list_changed`, {})
        })
        return () => {
          unsubscribe()
          decided?.()
        }
      },
      sessionChanged: (session, event) => inner.sessionChanged(session, event),
      ...(inner.as && { as: (person) => toView(inner.as?.(person) ?? inner) }),
      ...(inner.credentials && { credentials: () => inner.credentials?.() }),
      ...(inProcess && {
        inProcess: { ...inProcess, check: async () => inProcess.check?.().catch(fail) },
      }),
      close: async (successor) =>
        inner.close(successor && (behind.get(successor)?.() ?? successor)),
    }
  })
  return toView(upstream)
}

function same(uri: string): string {
  return uri
}

/** Converts each object only once: indexes recognise a listing, and lists a server, by identity. */
function once<Value extends object>(convert: (value: Value) => Value): (value: Value) => Value {
  const converted = new WeakMap<Value, Value>()
  return (before) => {
    const after = converted.get(before) ?? convert(before)
    converted.set(before, after)
    return after
  }
}

function switchedOff(server: string, tool: string): GatewayError {
  return new GatewayError(
    'TOOL_NOT_FOUND',
    `Tool '${tool}' of server '${server}' is switched off`,
    {
      hint: `Its entry in the servers file hides it, lists it in disabled_tools, or leaves it out of enabled_tools.`,
      inconclusive: true,
    },
  )
}

/** Renames the URI of the resource to read, or the template to complete, to the server's own. */
function toOwnParams(method: string, params: JsonObject, toOwn: Rename): JsonObject {
  if (ABOUT_RESOURCE.has(method)) return renameField(params, 'uri', toOwn)
  const { ref } = params
  if (method !== 'completion/complete' || !isObject(ref)) return params
  return { ...params, ref: renameField(ref, 'uri', toOwn) }
}

/**
 * Hides configured values in a server's error, which may repeat what we sent it; in our own text, all
 * that looks like a secret. Returns the same error if it holds none.
 */
function withoutSecrets(error: unknown, secrets: SecretValues): unknown {
  if (!(error instanceof Error)) return error
  const { message, cause } = error
  if (error instanceof RpcError) {
    const text = secrets.hideValues(message)
    const data = cleanData(error.data, secrets)
    if (text === message && data === error.data) return error
    return new RpcError(error.code, text, data, { cause })
  }
  const hidden = secrets.hide(message)
  if (!(error instanceof GatewayError))
    return hidden === message ? error : new Error(hidden, { cause: error })
  const { data, ...details } = error.details
  const hint = details.hint && secrets.hideValues(details.hint)
  if (hidden === message && hint === details.hint && data === undefined) return error
  return new GatewayError(error.code, hidden, {
    ...details,
    hint,
    ...(data && { data: secrets.hideDeep(data) }),
  })
}

/** Hides configured values in why a task of the server failed, as in an error of a call. */
function withoutSecretsOfTask(task: JsonObject, secrets: SecretValues): JsonObject {
  if (task['status'] !== 'failed' || typeof task['taskId'] !== 'string') return task
  const clean = cleanData(task, secrets)
  return isObject(clean) ? clean : task
}

function cleanData(data: unknown, secrets: SecretValues): unknown {
  if (data === undefined) return undefined
  const json = JSON.stringify(data)
  const clean = secrets.hideJson(json)
  return clean === json ? data : JSON.parse(clean)
}
