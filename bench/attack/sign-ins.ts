import { execFileSync } from 'node:child_process'
import { type Server, createServer } from 'node:http'
import { LittleBrowser } from '../../test/support/little-browser.ts'
import { type MailServer, startMailServer } from '../../test/support/mail-server.ts'
import type { Attack, Field } from './report.ts'
import { Rig } from './rig.ts'

/** Attacks on sign-ins to upstreams: mix-up, forged and replayed answers, sign-ins of others. */
export const signIns: Attack = {
  name: 'Sign-ins to servers',
  async run(field) {
    const ends: (() => unknown)[] = []
    const later = (end: () => unknown) => void ends.push(end)
    const mail = await startMailServer(later)
    const reached: string[] = []
    const hostile = await startHostileServer(reached, later)
    const rig = await Rig.open({
      servers: { mail: { url: mail.url }, hostile: { url: hostile } },
      settings: { auth: { required: true } },
      env: { PORTOLAN_KEYRING: 'off' },
    })
    try {
      const keys = { ada: rig.keyOf('ada'), eve: rig.keyOf('eve') }
      await mixUp(field, rig, mail, keys)
      await othersSignIns(field, rig, mail, keys)
      await wrongOrigins(field, rig, keys)
      await metadata(field, rig, keys.ada, reached)
    } finally {
      await rig.discard()
      for (const end of ends) await end()
    }
  },
}

interface Keys {
  readonly ada: string
  readonly eve: string
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** Signs a person in to a server with a browser. */
export async function signInTo(server: string, name: string, rig: Rig, key: string): Promise<void> {
  const browser = new LittleBrowser(name)
  const page = await browser.open(await answerFor(browser, await begin(browser, rig, key, server)))
  if (page.status !== 200) throw new Error(`${name} is not signed in: ${await page.text()}`)
}

/** Begins a sign-in; returns the address to which the browser is sent. */
async function begin(browser: LittleBrowser, rig: Rig, key: string, server = 'mail'): Promise<URL> {
  return browser.step(`${rig.url}/connect/start/${server}`, {
    method: 'POST',
    headers: FORM,
    body: `key=${encodeURIComponent(key)}`,
  })
}

/** Returns the redirect of the authorization server to the gateway, without following it. */
async function answerFor(browser: LittleBrowser, address: URL): Promise<URL> {
  let at = address
  while (!at.pathname.startsWith('/connect/callback')) at = await browser.step(at)
  return at
}

async function isRefused(page: Promise<Response>, ...shows: string[]): Promise<boolean> {
  const { status, text } = await page.then(async (one) => ({
    status: one.status,
    text: await one.text(),
  }))
  return status >= 400 && status < 500 && !shows.some((secret) => text.includes(secret))
}

async function whoami(rig: Rig, key: string): Promise<string> {
  return rig.call('mail__whoami', {}, { headers: { authorization: `Bearer ${key}` } })
}

async function mixUp(field: Field, rig: Rig, mail: MailServer, { ada }: Keys): Promise<void> {
  const withIss = async (iss: string | undefined) => {
    const browser = new LittleBrowser('ada')
    const back = await answerFor(browser, await begin(browser, rig, ada))
    if (iss === undefined) back.searchParams.delete('iss')
    else back.searchParams.set('iss', iss)
    return browser.open(back)
  }
  for (const iss of ['https://evil.example', `${mail.issuer}/`, `${mail.issuer}.evil.example`, ''])
    await field.try(`an answer with iss "${iss}"`, async () =>
      isRefused(withIss(iss), 'evil.example'),
    )
  await field.try('an answer without its iss', async () => isRefused(withIss(undefined)))
  await field.try('nobody is signed in by any of them', async () =>
    (await whoami(rig, ada)).includes('/connect/start/mail'),
  )
  for (const change of [
    { state: 'x' },
    { state: '' },
    { code: 'forged' },
    { code: '' },
    { error: 'access_denied', code: '' },
  ])
    await field.try(`an answer with ${JSON.stringify(change)}`, async () => {
      const browser = new LittleBrowser('ada')
      const back = await answerFor(browser, await begin(browser, rig, ada))
      for (const [name, value] of Object.entries(change)) back.searchParams.set(name, value)
      return isRefused(browser.open(back))
    })
}

async function othersSignIns(
  field: Field,
  rig: Rig,
  mail: MailServer,
  { ada, eve }: Keys,
): Promise<void> {
  await field.try('Eve has Ada open the address that Eve was sent to', async () => {
    const eves = await begin(new LittleBrowser('eve'), rig, eve)
    return isRefused(new LittleBrowser('ada').open(eves))
  })
  await field.try('Eve brings back the answer that Ada got', async () => {
    const browser = new LittleBrowser('ada')
    const back = await answerFor(browser, await begin(browser, rig, ada))
    return isRefused(new LittleBrowser('eve').open(back))
  })
  await field.try('Eve gives Ada a code of her own', async () => {
    const eves = new LittleBrowser('eve')
    const hers = await answerFor(eves, await begin(eves, rig, eve))
    const browser = new LittleBrowser('ada')
    const back = await answerFor(browser, await begin(browser, rig, ada))
    back.searchParams.set('code', hers.searchParams.get('code') ?? '')
    return isRefused(browser.open(back))
  })
  const browser = new LittleBrowser('ada')
  const back = await answerFor(browser, await begin(browser, rig, ada))
  await field.try('Ada signs in', async () => (await browser.open(back)).status === 200)
  await field.try('the same answer once more', async () => isRefused(browser.open(back)))
  await field.try('Ada is Ada', async () => (await whoami(rig, ada)).includes('you are ada'))
  await field.try('Eve is not', async () => !(await whoami(rig, eve)).includes('you are'))
  for (const claim of ['X-Agent-Id', 'X-Person', 'X-User'])
    await field.try(`Eve says ${claim}: ada`, async () => {
      const headers = { authorization: `Bearer ${eve}`, [claim]: 'ada' }
      return !(await rig.call('mail__whoami', {}, { headers })).includes('you are')
    })
  await field.try('no token is in any file, log or page', async () => {
    const found = execFileSync('grep', ['-rhoa', '.', rig.folder], {
      maxBuffer: 1 << 28,
    }).toString()
    return [...mail.tokens].every((token) => token === '' || !found.includes(token))
  })
  await field.try('our own keys never reach the server', () =>
    [ada, eve].every((key) => !mail.tokens.has(key)),
  )
}

async function wrongOrigins(field: Field, rig: Rig, { ada }: Keys): Promise<void> {
  for (const origin of ['https://evil.example', 'null', `${rig.url}.evil.example`])
    await field.try(`a form of ${origin}`, async () => {
      const body = `key=${encodeURIComponent(ada)}`
      const address = `${rig.url}/connect/start/mail`
      const headers = { ...FORM, origin }
      return isRefused(fetch(address, { method: 'POST', headers, body, redirect: 'manual' }))
    })
  for (const server of ['nothing', '..%2f..%2fetc', 'https:%2f%2fevil.example', '%00'])
    await field.try(`a sign-in to "${server}"`, async () => {
      const headers = { authorization: `Bearer ${ada}` }
      const at = `${rig.url}/connect/start/${server}`
      return isRefused(fetch(at, { headers, redirect: 'manual' }))
    })
}

/** The metadata address that a server names must not lead the gateway to other machines. */
async function metadata(field: Field, rig: Rig, ada: string, reached: string[]): Promise<void> {
  await field.try('a server that names a foreign resource gets no sign-in', async () => {
    const headers = { authorization: `Bearer ${ada}` }
    const at = `${rig.url}/connect/start/hostile`
    const answer = await fetch(at, { headers, redirect: 'manual' })
    return answer.status >= 400 && !reached.includes('/authorize') && !reached.includes('/token')
  })
}

async function startHostileServer(reached: string[], later: (end: () => unknown) => void) {
  const http: Server = createServer((request, response) => {
    const path = request.url ?? ''
    reached.push(path)
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      return response.end(
        JSON.stringify({
          resource: 'https://bank.example/mcp',
          authorization_servers: ['http://127.0.0.1:1'],
        }),
      )
    return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  later(() => http.close())
  const address = http.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`
}
