import { pathToFileURL } from 'node:url'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Project } from '../../protocol/service.ts'
import type { Client, QuestionOptions } from '../call.ts'
import type { Signal } from '../../base/flow/signal.ts'

export interface Question extends QuestionOptions {
  readonly method: string
  readonly params: JsonObject
  /** The project, if there is no client to ask. */
  readonly project: () => Promise<Project>
}

/** Whether a client declared that it answers this method. */
export function canAnswer({ capabilities }: Client, method: string): boolean {
  return capabilities[method.split('/')[0] ?? method] !== undefined
}

/** Whether a server may ask this client anything at all. */
export function canBeAsked({ capabilities }: Pick<Client, 'capabilities'>): boolean {
  const { roots, sampling, elicitation } = capabilities
  return (roots ?? sampling ?? elicitation) !== undefined
}

/** Calls back when a server begins and stops waiting for the client; overlaps are one wait. */
export function withQuestions(client: Client, begun: () => void, ended: () => void): Client {
  let open = 0
  return {
    ...client,
    async request(...args) {
      if (open++ === 0) begun()
      try {
        return await client.request(...args)
      } finally {
        if (--open === 0) ended()
      }
    },
  }
}

/** Forwards a server's question to a client that can answer, or answers `roots/list` here. */
export async function askClient(
  client: Client | undefined,
  { method, params, project, ...options }: Question,
): Promise<JsonObject> {
  if (client && canAnswer(client, method)) return client.request(method, params, options)
  if (method === 'roots/list') {
    const { path, source } = await (client ? client.project() : project())
    // A shared gateway's working directory is not the client's: a server could read too much.
    if (source === 'cwd' && !client?.alone) return { roots: [] }
    return { roots: [{ uri: pathToFileURL(path).href, name: path.split('/').at(-1) ?? path }] }
  }
  const problem = client
    ? `The client behind this call does not support ${method}`
    : `Cannot tell which client should answer ${method}, because several clients share this connection. Call again while no other call is running, or set "session": "per-session" for this server`
  throw new RpcError(RPC.methodNotFound, problem)
}

export interface AskAllOptions {
  readonly client: Client
  readonly signal: Signal
  /** Keys that were asked before and are not asked again; keys asked now are added. */
  readonly asked?: Set<string>
  /** Changes the params that the client is sent. */
  readonly toParams?: (params: JsonObject) => JsonObject
}

/** Asks a client the questions of a modern server, one by one, and returns answers by key. */
export async function askAll(
  inputRequests: unknown,
  { client, signal, asked = new Set(), toParams = (params) => params }: AskAllOptions,
): Promise<JsonObject> {
  const answers: JsonObject = {}
  for (const [key, question] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    if (asked.has(key) || !isObject(question)) continue
    asked.add(key)
    answers[key] = await askClient(client, {
      method: String(question['method']),
      params: toParams(isObject(question['params']) ? question['params'] : {}),
      signal,
      project: async () => client.project(),
    })
  }
  return answers
}

/** Whether a modern server answered with questions, so that the call is repeated with answers. */
export function needsInput(result: JsonObject): boolean {
  return result['resultType'] === 'input_required'
}

/** Returns the params to add when such a call is repeated. */
export async function answersTo(result: JsonObject, options: AskAllOptions): Promise<JsonObject> {
  const inputResponses = await askAll(result['inputRequests'], options)
  const { requestState } = result
  return { inputResponses, ...(requestState !== undefined && { requestState }) }
}

/** The most rounds of questions, so that a server cannot ask for ever. */
export const MAX_ROUNDS = 16
