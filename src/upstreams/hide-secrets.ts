import type { SecretValues } from '../base/secrets/secret-values.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Upstream, UpstreamStatus } from '../gateway/upstream.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import { wrapUpstream } from './wrap-upstream.ts'

/**
 * Wraps a server so that its failures hold none of our secrets: agents, audit and dashboard read
 * them, and a server may repeat what we sent it. Results pass exactly as they came.
 */
export function hideSecrets(upstream: Upstream, secrets: SecretValues): Upstream {
  const fail = (error: unknown): never => {
    throw withoutSecrets(error, secrets)
  }
  const guarded = async <Value>(work: Promise<Value>): Promise<Value> => work.catch(fail)
  return wrapUpstream(upstream, (inner) => ({
    get status() {
      return cleanStatus(inner.status, secrets)
    },
    get output() {
      return inner.output.map(({ at, text }) => ({ at, text: secrets.hide(text) }))
    },
    // Not `async`, because every call passes here.
    request: (method, params, context) => inner.request(method, params, context).catch(fail),
    ...(inner.answer && {
      answer: async (...args) => guarded(inner.answer?.(...args) ?? NOTHING),
    }),
    live: async (...args) => guarded(inner.live(...args)),
    ...(inner.refresh && { refresh: async () => guarded(inner.refresh?.() ?? NOTHING) }),
    ...(inner.check && { check: async () => guarded(inner.check?.() ?? NOTHING) }),
    watch: async (uri, client) => guarded(inner.watch(uri, client)),
  }))
}

const NOTHING = Promise.resolve()

function cleanStatus(status: UpstreamStatus, secrets: SecretValues): UpstreamStatus {
  return status.state === 'down' ? secrets.hideDeep(status) : status
}

/** Hides configured values in a server's error; in our own text, all that looks like a secret. */
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

function cleanData(data: unknown, secrets: SecretValues): unknown {
  if (data === undefined) return undefined
  const json = JSON.stringify(data)
  const clean = secrets.hideJson(json)
  return clean === json ? data : JSON.parse(clean)
}
