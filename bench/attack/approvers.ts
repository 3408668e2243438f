import { DashboardPerson } from '../../test/support/sign-in/dashboard-person.ts'
import { tokenProvider } from '../../test/settings/token-provider.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { Asker, hasSaid, idIn } from './approvals.ts'
import type { Attack, Field } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'
import { PASSWORD, bearing, clientOf, createUser } from './users.ts'

const ELICITS = { elicitation: { form: {} } }

/** People who have signed in answer, or try to answer, what is not theirs. */
export const approvers: Attack = {
  name: 'people who may not approve',
  async run(field) {
    await eachTheirOwn(field)
    await withFourEyes(field)
    await withTokensOfProvider(field)
  },
}

async function openWith(
  approvals: JsonObject,
  auth: JsonObject = { required: true, server: { enabled: true } },
): Promise<Rig> {
  const all = {
    match: { agent: '*' },
    allow: { servers: ['*'] },
    ask: { tools: { one: ['echo'] } },
  }
  return Rig.open({
    servers: { one: hostile() },
    rules: { groups: { all } },
    settings: {
      auth,
      approvals: { waitMs: 50, ...approvals },
    },
    env: { PORTOLAN_KEYRING: 'off' },
  })
}

/** A user with a client that calls tools, and a browser. */
async function person(rig: Rig, name: string, ...more: readonly string[]) {
  createUser(rig, name, ...more)
  const { tokens } = await clientOf(rig, name)
  const { session = '' } = await new DashboardPerson(rig.url).byPassword(name, PASSWORD)
  const sent = bearing(tokens.access_token)
  return {
    asker: new Asker(rig, sent),
    token: tokens.access_token,
    sent,
    inBrowser: { cookie: `portolan_key=${session}` },
  }
}

async function eachTheirOwn(field: Field): Promise<void> {
  const rig = await openWith({})
  try {
    const wim = await person(rig, 'wim')
    const eve = await person(rig, 'eve')
    const key = rig.keyOf('wim')
    await field.try('control: wim approves his call in his browser', async () => {
      const text = wim.asker.newText()
      const status = await wim.asker.approve(await wim.asker.asks(text), wim.inBrowser)
      return status === 200 && wim.asker.ran(text)
    })
    const senders: Record<string, Record<string, string>> = {
      'another person, in her browser': eve.inBrowser,
      'another person, with her token': eve.sent.headers,
      'the agent, with the token of its person': wim.sent.headers,
      'the agent, with the token of its person as a cookie': {
        cookie: `portolan_key=${wim.token}`,
      },
      'an agent of the same name, with its key': { authorization: `Bearer ${key}` },
      'an agent of the same name, with its key as a cookie': { cookie: `portolan_key=${key}` },
      nobody: {},
      'another site in the browser of wim': { ...wim.inBrowser, origin: 'https://evil.example' },
    }
    for (const [name, headers] of Object.entries(senders))
      await field.try(name, async () => wim.asker.holds(headers))
    await field.try('another person sees nothing of it', async () => {
      const text = wim.asker.newText()
      const id = await wim.asker.asks(text)
      const seen = await rig.get('/api/dashboard/approvals', eve.inBrowser)
      return seen.status === 200 && !seen.text.includes(id) && !seen.text.includes(text)
    })
    await field.try('what wim approved is not for the same call of another person', async () => {
      const text = wim.asker.newText()
      await wim.asker.approve(await wim.asker.asks(text), wim.inBrowser)
      return !(await eve.asker.ran(text)) && wim.asker.ran(text)
    })
  } finally {
    await rig.discard()
  }
}

async function withFourEyes(field: Field): Promise<void> {
  const rig = await openWith({ fourEyes: true, approvers: ['leads'] })
  try {
    const wim = await person(rig, 'wim', '--groups', 'leads')
    const eve = await person(rig, 'eve', '--groups', 'others')
    const ann = await person(rig, 'ann', '--groups', 'leads')
    const boss = await person(rig, 'boss', '--role', 'admin')
    await field.try('control: another approver answers', async () => {
      const text = wim.asker.newText()
      const status = await wim.asker.approve(await wim.asker.asks(text), ann.inBrowser)
      return status === 200 && wim.asker.ran(text)
    })
    await field.try('an approver, for their own call', async () => wim.asker.holds(wim.inBrowser))
    await field.try('an admin, for their own call', async () => boss.asker.holds(boss.inBrowser))
    await field.try('an admin, for their own call, with the token of their client', async () =>
      boss.asker.holds(boss.sent.headers),
    )
    await field.try('a person in no group of approvers', async () => wim.asker.holds(eve.inBrowser))
    for (const [name, { asker, sent }] of Object.entries({ wim, eve }))
      await field.try(
        `a client of ${name} that answers its own question is not asked`,
        async () => {
          const options = { ...sent, capabilities: ELICITS }
          const text = asker.newText()
          return idIn(await asker.echo(text, options)) !== '' && !(await asker.ran(text, options))
        },
      )
    await field.try('an answer to a question that no client was asked', async () => {
      const text = wim.asker.newText()
      const content = { decision: 'once' }
      const inputResponses = { q1: { action: 'accept', content }, 0: { action: 'accept', content } }
      const params = { name: 'one__echo', arguments: { text }, inputResponses, requestState: 'x' }
      const options = { ...wim.sent, capabilities: ELICITS }
      return !hasSaid((await rig.request('tools/call', params, options)).text)
    })
  } finally {
    await rig.discard()
  }
}

/** The tokens of an identity provider, which agents hold and send themselves. */
async function withTokensOfProvider(field: Field): Promise<void> {
  const provider = await tokenProvider()
  const jwt = { jwksUrl: provider.jwksUrl, audience: 'portolan', roleClaim: 'role' }
  const rig = await openWith({}, { required: true, jwt })
  try {
    const wim = await provider.sign('wim', {})
    const boss = await provider.sign('boss', { role: 'admin' })
    for (const [name, token] of Object.entries({ wim, boss })) {
      const asker = new Asker(rig, bearing(token))
      const credentials = {
        'as a credential': bearing(token).headers,
        'as a cookie': { cookie: `portolan_key=${token}` },
      }
      for (const [how, headers] of Object.entries(credentials))
        await field.try(`the agent of ${name}, with its token ${how}`, async () =>
          asker.holds(headers),
        )
    }
    await field.try('control: an admin answers for another person', async () => {
      const asker = new Asker(rig, bearing(wim))
      const text = asker.newText()
      const status = await asker.approve(await asker.asks(text), bearing(boss).headers)
      return status === 200 && asker.ran(text)
    })
  } finally {
    await rig.discard()
  }
}
