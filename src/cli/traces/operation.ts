import { GatewayError } from '../../gateway/errors.ts'

/** A command of `portolan traces` that sends one request to the service. */
export interface Operation {
  /** The name, and arguments in commander's syntax. */
  readonly command: string
  readonly description: string
  /** A last argument with few values. */
  readonly choice?: readonly [name: string, values: readonly string[]]
  readonly options?: readonly (readonly [flags: string, description: string])[]
  toRequest(args: readonly string[], options: Options): OperationRequest
}

export type Options = Readonly<Record<string, string | string[] | boolean | undefined>>

export interface OperationRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: Record<string, unknown>
}

export function get(path: string, query: Options = {}): OperationRequest {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value))
  return { method: 'GET', path: parameters.size === 0 ? path : `${path}?${parameters.toString()}` }
}

export function post(path: string, body: Record<string, unknown> = {}): OperationRequest {
  const given = Object.entries(body).filter(([, value]) => value !== undefined)
  return { method: 'POST', path, body: Object.fromEntries(given) }
}

export function remove(path: string): OperationRequest {
  return { method: 'DELETE', path }
}

export function toNumber(value: Options[string]): number | undefined {
  return value === undefined ? undefined : Number(value)
}

/** Parses an option that holds JSON; `name` is as written on the command line. */
export function toJson(name: string, value: Options[string]): unknown {
  if (typeof value !== 'string') return undefined
  try {
    return JSON.parse(value)
  } catch (error) {
    throw new GatewayError('INVALID_PARAMS', `${name} is not JSON: ${value}`, {
      hint: `Write it like ${name} '{"language":"go"}'.`,
      cause: error,
    })
  }
}
