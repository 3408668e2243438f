import type { JsonObject } from '../../../src/base/json/json.ts'

export interface Heard {
  readonly method: string
  readonly params: JsonObject
}

export interface AskOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (params: JsonObject) => void
}

/** A client of the gateway, independent of its library and transport. */
export interface Session {
  readonly era: 'legacy' | 'modern'
  /** Returns the result; an error answer is thrown with its `code` and `data`. */
  request(method: string, params?: JsonObject, options?: AskOptions): Promise<JsonObject>
  /** Returns the answer exactly as received, if the client gives access to it. */
  readonly text?: (method: string, params: JsonObject) => Promise<string>
  /** Every notification so far, except progress. */
  readonly heard: readonly Heard[]
  /** Subscribes to changes of lists and of these resources. */
  subscribe(uris: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const CLIENT_INFO = { name: 'suite', version: '1.0.0' }

export const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {} } }

/** The answers of every client of the suite to requests of servers. */
export const ANSWERS = {
  'roots/list': { roots: [{ uri: 'file:///srv/project%20one', name: 'one' }] },
  'sampling/createMessage': {
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
    model: 'a-model',
  },
  'elicitation/create': { action: 'accept' as const, content: { name: 'Ada' } },
}
