import type { JsonObject } from '../../../src/base/json/json.ts'

export interface Heard {
  readonly method: string
  readonly params: JsonObject
}

export interface AskOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (params: JsonObject) => void
}

/** A client of the gateway, whichever library and transport it is made of. */
export interface Session {
  readonly era: 'legacy' | 'modern'
  /** The result; an error answer is thrown with its `code` and `data`. */
  request(method: string, params?: JsonObject, options?: AskOptions): Promise<JsonObject>
  /** The answer exactly as it came over the wire, where the client lets one see it. */
  readonly text?: (method: string, params: JsonObject) => Promise<string>
  /** Every notification so far, but for progress. */
  readonly heard: readonly Heard[]
  /** Asks to be told of changes: of lists, and of these resources. */
  subscribe(uris: readonly string[]): Promise<void>
  close(): Promise<void>
}

export const CLIENT_INFO = { name: 'suite', version: '1.0.0' }

export const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {} } }

/** What every client of the suite answers when a server asks. */
export const ANSWERS = {
  'roots/list': { roots: [{ uri: 'file:///srv/project%20one', name: 'one' }] },
  'sampling/createMessage': {
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
    model: 'a-model',
  },
  'elicitation/create': { action: 'accept' as const, content: { name: 'Ada' } },
}
