import type { JsonObject } from '../../base/json/json.ts'
import { legacy } from './legacy/legacy.ts'
import { modern } from './modern/modern.ts'

/** `legacy` is MCP up to 2025-11-25, with a handshake; `modern` is 2026-07-28, without. */
export type EraName = 'legacy' | 'modern'

/** A client as the servers that it uses know it. */
export interface Party {
  readonly info: JsonObject | undefined
  readonly capabilities: JsonObject
  readonly logLevel: string | undefined
  /** Whether it is the only client of this process. */
  readonly alone: boolean
}

/** What is agreed on, and said by the server, when a connection to it is opened. */
export interface Greeting {
  readonly era: EraName
  /** The version that was agreed on. */
  readonly version: string
  readonly capabilities: JsonObject
  readonly serverInfo: JsonObject | undefined
  readonly instructions: string | undefined
}

export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>

export interface GreetOptions {
  /** The client that the connection is opened for; undefined for no client in particular. */
  readonly owner?: Party | undefined
  /** Whether the configuration says that the server speaks this era. */
  readonly isConfigured?: boolean | undefined
}

/**
 * How one era of the protocol differs from the other. There is one object per era, each in a folder
 * of its own, and code outside of these folders asks the object instead of comparing names.
 */
export interface Era {
  /** The version of messages that are sent before one is agreed on. */
  readonly version: string | undefined
  /**
   * Whether a connection is a session: it begins with a handshake, either side sends requests and
   * notifications in it at any time, and it has subscriptions and a log level. Otherwise a question
   * is the answer to the call that it belongs to, and one stream has all that is subscribed to.
   */
  readonly hasSession: boolean
  /** Whether clients over HTTP repeat marked arguments of a call in headers (`Mcp-Param-*`). */
  readonly repeatsArguments: boolean
  /** Whether structured content is always an object, so that other values are wrapped in one. */
  readonly wrapsValues: boolean
  /**
   * Whether a call becomes a task only if it asks for that, which the definition of its tool allows.
   * Otherwise a client that declares tasks takes one as the answer to any call.
   */
  readonly asksForTasks: boolean
  /** Whether the answer to this call may be a task. */
  takesTask(params: JsonObject, capabilities: JsonObject): boolean
  /** Opens a conversation with a server; `ask` sends it a request. */
  greet(ask: Ask, options: GreetOptions): Promise<Greeting>
  /** The `_meta` that every request carries on behalf of its client, if there is any. */
  envelope(client: Party | undefined): JsonObject | undefined
  /** Headers that repeat parts of a message, for proxies that route by them. */
  headers(method: string, params: JsonObject): Record<string, string>
  /**
   * Returns a result as clients of this era know it; the same object, with its text, if nothing
   * changes. `outputSchema` finds that of the tool that was called.
   */
  toResult(method: string, result: JsonObject, outputSchema: () => unknown): JsonObject
}

export const ERAS: Readonly<Record<EraName, Era>> = { legacy, modern }
