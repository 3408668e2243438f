import { Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http'
import { Agent as HttpsAgent, request as overHttps } from 'node:https'
import { type JsonObject, parseObject } from '../../src/base/json/json.ts'

export interface Answer {
  readonly status: number
  readonly session: string | undefined
  /** The JSON-RPC answer, from the body or the last event of a stream. */
  readonly message: JsonObject | undefined
}

/** Posts one message; every worker keeps one connection open. */
export type Post = (headers: Readonly<Record<string, string>>, body: string) => Promise<Answer>

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export function createPost(url: URL, timeoutMs: number): { post: Post; close: () => void } {
  const secure = url.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: 1 }
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options)
  return {
    post: async (headers, body) =>
      new Promise((resolve, reject) => {
        const asking = (secure ? overHttps : overHttp)(
          url,
          { method: 'POST', agent, timeout: timeoutMs, headers: { ...ACCEPT, ...headers } },
          (response) => {
            read(response).then(resolve, reject)
          },
        )
        asking.once('timeout', () => asking.destroy(coded('no answer in time', 'TIMEOUT')))
        asking.once('error', reject)
        asking.end(body)
      }),
    close: () => agent.destroy(),
  }
}

async function read(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) text += String(chunk)
  const session = response.headers['mcp-session-id']
  const streamed = response.headers['content-type']?.startsWith('text/event-stream') === true
  return {
    status: response.statusCode ?? 0,
    session: typeof session === 'string' ? session : undefined,
    message: parseObject(streamed ? lastEvent(text) : text),
  }
}

function lastEvent(text: string): string {
  const events = text.split('\n\n').filter((event) => /^data:/m.test(event))
  return (events.at(-1) ?? '').replaceAll(/^(?!data:).*$\n?/gm, '').replaceAll(/^data: ?/gm, '')
}

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
