import { type JsonObject, isObject } from '../../src/base/json/json.ts'

export interface Sent {
  readonly status: number
  readonly text: string
}

export interface SendOptions {
  readonly agent?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** The surface for the agent; `direct` by default. */
  readonly surface?: string
  /** The capabilities that the client declares. */
  readonly capabilities?: JsonObject
}

const META = 'io.modelcontextprotocol/'
const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'attack', version: '1' },
}

/** Sends requests to a gateway that runs. */
export class Sender {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Sent> {
    const answer = await fetch(`${this.url}${path}`, {
      headers,
      signal: AbortSignal.timeout(30_000),
    })
    return { status: answer.status, text: await answer.text() }
  }

  async post(
    body: string,
    { agent, headers, timeoutMs = 30_000, surface = 'direct' }: SendOptions = {},
  ): Promise<Sent> {
    const answer = await fetch(`${this.url}/mcp?surface=${surface}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(agent !== undefined && { 'x-agent-id': agent }),
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: answer.status, text: await answer.text() }
  }

  async request(method: string, params: JsonObject, options: SendOptions = {}): Promise<Sent> {
    const name = params['name'] ?? params['taskId']
    const { capabilities = {} } = options
    const envelope = { ...ENVELOPE, [`${META}clientCapabilities`]: capabilities }
    return this.post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
      {
        ...options,
        headers: {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          // A name with characters that headers cannot contain is not sent in a header.
          ...(typeof name === 'string' && /^[\x20-\x7e]*$/.test(name) && { 'mcp-name': name }),
          ...options.headers,
        },
      },
    )
  }

  /** Returns the text of a tool's answer, or of the refusal. */
  async call(name: string, args: JsonObject = {}, options: SendOptions = {}): Promise<string> {
    return (await this.request('tools/call', { name, arguments: args }, options)).text
  }

  /** The structured part of a tool's answer. */
  async value(name: string, args: JsonObject, options: SendOptions = {}): Promise<JsonObject> {
    const text = await this.call(name, args, options)
    const json: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))
    const result = isObject(json) && isObject(json['result']) ? json['result'] : {}
    return isObject(result['structuredContent']) ? result['structuredContent'] : result
  }

  async isAlive(withinMs = 10_000): Promise<boolean> {
    const answer = await fetch(`${this.url}/health`, { signal: AbortSignal.timeout(withinMs) })
    return answer.ok
  }
}
