import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApprovalLinks } from '../../src/identity/approval-links.ts'
import type { SeenRequest } from '../../test/support/http-server.ts'
import { DashboardPerson } from '../../test/support/sign-in/dashboard-person.ts'
import {
  AskerInChat,
  BUTTONS,
  type Chat,
  type Question,
  REDIRECTED,
  SECRET,
  hasButtons,
  openChat,
  press,
  withChat,
} from './approval-chat.ts'
import { MARKED } from './approvals.ts'
import type { Attack, Field } from './report.ts'
import { PASSWORD, bearing, clientOf, createUser } from './users.ts'

const EXPIRE_MS = 3_000
const AT_ONCE = 20

/** Links that `approvals.webhook` sends to a chat, in the hands of those who should not answer. */
export const approvalLinks: Attack = {
  name: 'links in a chat that approve calls',
  async run(field) {
    const chat = await openChat()
    try {
      await withChat(chat, {}, async (rig) => {
        const asker = new AskerInChat(rig, chat)
        await forged(field, asker)
        await notByButton(field, asker)
        await answeredBefore(field, asker)
        await byReceiver(field, asker)
      })
      await tooLate(field, chat)
      await whereItMattersWhoAnswers(field, chat)
    } finally {
      await chat.close()
    }
  },
}

/** Links that the gateway has not made, or not for this question. */
async function forged(field: Field, asker: AskerInChat): Promise<void> {
  const { url } = asker.rig
  await field.try('control: the link approves the call, once', async () => {
    const { text, link } = await asker.question()
    return (await press(link)) === 200 && (await asker.ran(text)) && !(await asker.ran(text))
  })
  const signedWith = (id: string, key: string) =>
    `${url}${createApprovalLinks(() => Buffer.from(key)).pathOf(id)}`
  const other = await asker.question()
  const links: Record<string, (question: Question) => string> = {
    'the id of no approval': ({ link, id }) => link.replace(id, '0123456789'),
    'the id of another approval': ({ link, id }) => link.replace(id, other.id),
    'the signature of another approval': ({ link, proof }) => link.replace(proof, other.proof),
    'another last character': ({ link }) =>
      link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    'half a signature': ({ link }) => link.slice(0, -20),
    'a longer signature': ({ link }) => `${link}A`,
    'an empty signature': ({ link, proof }) => link.replace(proof, '%20'),
    'the id as its signature': ({ link, proof, id }) => link.replace(proof, id),
    'the secret of the webhook as the key': ({ id }) => signedWith(id, SECRET),
    'an empty key': ({ id }) => signedWith(id, ''),
    'the signature of the webhook': ({ link, proof, request }) =>
      link.replace(proof, encodeURIComponent(String(request.headers['webhook-signature']))),
  }
  for (const [name, forge] of Object.entries(links))
    await field.try(`a link with ${name}`, async () =>
      asker.refuses(async (question) => {
        const link = forge(question)
        const { status } = await fetch(link)
        return link !== question.link && status === 404 && (await press(link)) === 404
      }),
    )
  await field.try('a link for another approval', async () =>
    asker.refuses(async () => (await press((await asker.question()).link)) === 200),
  )
}

/** Requests that a chat, a browser or an agent sends without anybody pressing a button. */
async function notByButton(field: Field, asker: AskerInChat): Promise<void> {
  const body = 'decision=once'
  const requests: Record<string, RequestInit> = {
    'the preview of a chat': { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } },
    'a browser that looks ahead': { headers: { 'sec-purpose': 'prefetch;prerender' } },
    'GET that claims to be POST': { headers: { 'x-http-method-override': 'POST' } },
    HEAD: { method: 'HEAD' },
    OPTIONS: { method: 'OPTIONS' },
    PUT: { method: 'PUT', body },
    DELETE: { method: 'DELETE', body },
  }
  for (const [name, request] of Object.entries(requests))
    await field.try(`the link is opened by ${name}`, async () =>
      asker.refuses(async ({ link }) => {
        await fetch(link, request)
        await fetch(`${link}?_method=POST&${body}`, request)
        return true
      }),
    )
  const pages: Record<string, Record<string, string>> = {
    'another site': { origin: 'https://evil.example' },
    'another port': { origin: 'http://127.0.0.1:3000' },
    'no origin': { origin: 'null' },
    'another site, as its browser says': { 'sec-fetch-site': 'cross-site' },
    'a neighbour site, as its browser says': { 'sec-fetch-site': 'same-site' },
    'another site, with the mark of the dashboard': { ...MARKED, 'sec-fetch-site': 'cross-site' },
  }
  for (const [name, headers] of Object.entries(pages))
    await field.try(`the button is pressed by a page of ${name}`, async () =>
      asker.refuses(async ({ link }) => (await press(link, 'once', headers)) === 403),
    )
  await field.try('the button is pressed without the signature', async () =>
    asker.refuses(async ({ link, proof }) => {
      const bare = link.replace(`/${proof}`, '')
      const all = [bare, `${bare}/`, `${bare}?proof=${proof}`].map(async (each) => press(each))
      return (await Promise.all(all)).every((status) => [404, 405].includes(status))
    }),
  )
  await field.try('the signature as a credential of the dashboard', async () =>
    asker.refuses(async ({ id, proof }) =>
      [401, 403].includes(await asker.approve(id, { authorization: `Bearer ${proof}` })),
    ),
  )
  await field.try('the agent reads the link in what it can read', async () =>
    asker.refuses(async ({ text, id, proof }) => {
      const { text: list } = await asker.rig.get('/api/dashboard/approvals')
      const all = [await asker.echo(text), list, asker.rig.log(), asker.rig.audit()]
      return all.join('').includes(id) && !all.join('').includes(proof)
    }),
  )
}

/** Links whose question has been answered. */
async function answeredBefore(field: Field, asker: AskerInChat): Promise<void> {
  const answers: Record<string, (question: Question) => Promise<number>> = {
    'approved by the link': async ({ link }) => press(link),
    'denied by the link': async ({ link }) => press(link, 'deny'),
    'approved in the dashboard': async ({ id }) => asker.approve(id),
  }
  for (const [name, answer] of Object.entries(answers))
    await field.try(`the link again, of a call that was ${name}`, async () => {
      const question = await asker.question()
      const { text, link } = question
      const isAnswered = (await answer(question)) === 200
      const hasRun = await asker.ran(text)
      const again = [await press(link), await press(link, 'arguments')]
      const isOver = again.every((status) => status === 409) && !(await hasButtons(link))
      return (
        isAnswered && hasRun === name.startsWith('approved') && isOver && !(await asker.ran(text))
      )
    })
  await field.try('the link again, when the same call is asked about again', async () => {
    const { text, link } = await asker.question()
    const hasRun = (await press(link)) === 200 && (await asker.ran(text))
    return hasRun && asker.refuses(async () => (await press(link)) === 409, text)
  })
  await field.try(`the link ${AT_ONCE} times at once: one answers`, async () => {
    const { link, text } = await asker.question()
    const all = await Promise.all(Array.from({ length: AT_ONCE }, async () => press(link)))
    const answered = all.filter((status) => status === 200).length
    return answered === 1 && (await asker.ran(text)) && !(await asker.ran(text))
  })
}

/** What the receiver of the webhook can check, and what it cannot do. */
async function byReceiver(field: Field, asker: AskerInChat): Promise<void> {
  const { request } = await asker.question()
  await field.try('control: the receiver finds the signature good', () => isSigned(request))
  const { headers, body } = request
  const changed: Record<string, SeenRequest> = {
    'another body': { ...request, body: body.replace('ada', 'bob') },
    'another link': { ...request, body: body.replace('http://', 'https://') },
    'another id': { ...request, headers: { ...headers, 'webhook-id': '0123456789' } },
    'another time': {
      ...request,
      headers: {
        ...headers,
        'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1),
      },
    },
    'another signature': { ...request, headers: { ...headers, 'webhook-signature': 'v1,AAAA' } },
  }
  for (const [name, each] of Object.entries(changed))
    await field.try(`a request to the receiver with ${name}`, () => !isSigned(each))
  await field.try('a receiver that approves in its response', async () =>
    asker.refuses(async () => true),
  )
  await field.try('a receiver that redirects to the link', async () =>
    asker.refuses(async ({ link }) => hasButtons(link), `${asker.newText()} ${REDIRECTED}`),
  )
}

/** As a receiver checks it, by the rules of Standard Webhooks. */
function isSigned({ headers, body }: SeenRequest): boolean {
  const [id, time] = [headers['webhook-id'], headers['webhook-timestamp']].map(String)
  const signature = createHmac('sha256', SECRET).update(`${id}.${time}.${body}`).digest('base64')
  const isRecent = Math.abs(Date.now() / 1_000 - Number(time)) < 300
  return isRecent && headers['webhook-signature'] === `v1,${signature}`
}

/** Whether a page has no buttons, and refuses what they would send. */
async function answersNothing({ link }: Question, decision: string, headers = {}) {
  return !(await hasButtons(link, headers)) && (await press(link, decision, headers)) === 409
}

async function tooLate(field: Field, chat: Chat): Promise<void> {
  await withChat(chat, { approvals: { expireMs: EXPIRE_MS } }, async (rig) => {
    const asker = new AskerInChat(rig, chat)
    const question = await asker.question()
    await sleep(EXPIRE_MS + 500)
    for (const decision of BUTTONS)
      await field.try(`an expired link: ${decision}`, async () =>
        answersNothing(question, decision),
      )
    await field.try('an expired link: the call', async () => !(await asker.ran(question.text)))
  })
}

/** A link does not say who opens it, so it answers nothing where that matters. */
async function whereItMattersWhoAnswers(field: Field, chat: Chat): Promise<void> {
  const refused = async (name: string, asker: AskerInChat, headers = {}) => {
    for (const decision of BUTTONS)
      await field.try(`${name}: ${decision}`, async () => {
        const question = await asker.question()
        const isRefused = await answersNothing(question, decision, headers)
        return isRefused && !(await asker.ran(question.text))
      })
  }
  for (const approvals of [{ fourEyes: true }, { approvers: ['leads'] }])
    await withChat(chat, { approvals }, async (rig) =>
      refused(`the asker, with ${Object.keys(approvals).join()}`, new AskerInChat(rig, chat)),
    )
  const auth = { required: true, server: { enabled: true } }
  await withChat(chat, { auth }, async (rig) => {
    const person = async (name: string) => {
      createUser(rig, name)
      const { tokens } = await clientOf(rig, name)
      const { session = '' } = await new DashboardPerson(rig.url).byPassword(name, PASSWORD)
      const asker = new AskerInChat(rig, chat, bearing(tokens.access_token))
      return { asker, inBrowser: { cookie: `portolan_key=${session}` } }
    }
    const [wim, eve] = [await person('wim'), await person('eve')]
    await field.try('control: wim approves his call in his browser', async () => {
      const { id, text } = await wim.asker.question()
      return (await wim.asker.approve(id, wim.inBrowser)) === 200 && wim.asker.ran(text)
    })
    await refused('nobody, for the call of wim', wim.asker)
    await refused('eve in her browser, for the call of wim', wim.asker, eve.inBrowser)
    await field.try("eve, with the id of wim's approval in her link", async () => {
      const [hers, his] = [await eve.asker.question(), await wim.asker.question()]
      const status = await press(hers.link.replace(hers.id, his.id), 'once', eve.inBrowser)
      return status === 404 && !(await wim.asker.ran(his.text))
    })
  })
}
