import { type JsonObject, isObject, parseObject } from '../../src/base/json/json.ts'
import { type SeenRequest, serveHttp } from '../../test/support/http-server.ts'
import { Asker } from './approvals.ts'
import { Rig, until } from './rig.ts'
import { hostile } from './servers.ts'
import type { SendOptions } from './sender.ts'

export const SECRET = 'a secret of this attack alone'
/** The chat redirects what is sent to it about an argument with this word. */
export const REDIRECTED = 'redirected'

export type Chat = Awaited<ReturnType<typeof openChat>>

/** The receiver of `approvals.webhook`, which tries to approve each call by its response. */
export async function openChat() {
  const answer = JSON.stringify({ approve: true, decision: 'once', state: 'approved' })
  const server = await serveHttp((request, response) => {
    const status = request.body.includes(REDIRECTED) ? 307 : 200
    response.writeHead(status, { location: String(dataOf(request)['link']) }).end(answer)
  })
  return {
    url: `${server.url}/hook`,
    seen: server.seen,
    close: () => server[Symbol.asyncDispose](),
  }
}

function dataOf({ body }: SeenRequest): JsonObject {
  const data = parseObject(body)?.['data']
  return isObject(data) ? data : {}
}

/** Uses a gateway whose questions go to the chat. */
export async function withChat(
  { url }: Chat,
  settings: { readonly approvals?: JsonObject; readonly auth?: JsonObject },
  use: (rig: Rig) => Promise<void>,
): Promise<void> {
  const ask = { tools: { one: ['echo'] } }
  const webhook = { url, secret: '${HOOK_SECRET}', allowPrivate: true }
  const rig = await Rig.open({
    servers: { one: hostile() },
    rules: { groups: { all: { match: { agent: '*' }, allow: { servers: ['*'] }, ask } } },
    settings: { ...settings, approvals: { waitMs: 50, ...settings.approvals, webhook } },
    env: { HOOK_SECRET: SECRET, PORTOLAN_KEYRING: 'off' },
  })
  try {
    await use(rig)
  } finally {
    await rig.discard()
  }
}

export interface Question {
  readonly text: string
  readonly id: string
  /** The address in the chat; its last part is the proof. */
  readonly link: string
  readonly proof: string
  readonly request: SeenRequest
}

/** An agent whose calls wait for somebody who has the link. */
export class AskerInChat extends Asker {
  readonly #chat: Chat

  constructor(rig: Rig, chat: Chat, options?: SendOptions) {
    super(rig, options)
    this.#chat = chat
  }

  async question(text = this.newText()): Promise<Question> {
    const id = await this.asks(text)
    const { seen } = this.#chat
    const request = await until(() => seen.find((each) => dataOf(each)['id'] === id), 20_000)
    if (!request) throw new Error(`The chat did not receive approval ${id}`)
    const link = String(dataOf(request)['link'])
    return { text, id, link, proof: link.split('/').at(-1) ?? '', request }
  }

  /** Whether a try is refused and approves nothing, and the link is still good afterwards. */
  async refuses(how: (question: Question) => Promise<boolean>, asked?: string): Promise<boolean> {
    const question = await this.question(asked)
    const isRefused = await how(question)
    const hasRun = await this.ran(question.text)
    const status = await press(question.link)
    return isRefused && !hasRun && status === 200 && this.ran(question.text)
  }
}

/** The buttons of the page that approve. */
export const BUTTONS = ['once', 'arguments']

/** The status after a button of the page was pressed. */
export async function press(
  link: string,
  decision = 'once',
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const body = new URLSearchParams({ decision })
  return (await fetch(link, { method: 'POST', headers, body })).status
}

export async function hasButtons(link: string, headers: Readonly<Record<string, string>> = {}) {
  return (await (await fetch(link, { headers })).text()).includes('<button')
}
