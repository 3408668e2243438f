import type { JsonObject } from '../../../src/base/json/json.ts'

/** What the fixture can use while it answers; the same in both eras. */
export interface Session {
  readonly era: 'legacy' | 'modern'
  readonly capabilities: JsonObject
  readonly progressToken: string | number | undefined
  readonly inputResponses: JsonObject | undefined
  readonly requestState: string | undefined
  readonly log: (text: string) => Promise<void>
  readonly notify: (method: string, params: JsonObject) => Promise<void>
  /** Asks a legacy client; modern ones are asked with `input_required`. */
  readonly request: (method: string, params: JsonObject) => Promise<JsonObject>
  readonly changed: (list: 'tools' | 'prompts') => void
}

export type Run = (args: JsonObject, session: Session) => JsonObject | Promise<JsonObject>

export interface Tool {
  readonly description: string
  readonly inputSchema?: JsonObject
  readonly run: Run
}

export const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] })
