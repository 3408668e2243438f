import type { SecretValues } from '../../base/secrets/secret-values.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { RpcError } from '../../protocol/json-rpc.ts'

/**
 * Hides configured values in a server's error, which may repeat what we sent it; in our own text, all
 * that looks like a secret. Returns the same error if it holds none.
 */
export function withoutSecrets(error: unknown, secrets: SecretValues): unknown {
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
