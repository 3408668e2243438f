import { onTestFinished, vi } from 'vitest'
import { withSection } from '../../src/app/builtins/builtin-context.ts'
import { parseTracesSettings } from '../../src/builtins/traces/service/settings.ts'
import { loadSettings } from '../../src/config/load.ts'
import { type TracesUnderTest, DAY_MS, aTracesService } from '../support/a-traces-service.ts'
import { gatewayEnv } from '../support/gateway.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { aTrace } from '../support/traces-client.ts'
import { type Effects, effect } from './effect.ts'

type Env = Record<string, string>

/** The variables as a built-in gets them: from the settings, which have read them first. */
export function sectionOf(env: Env) {
  const folder = tempFolder()
  const place = { cwd: folder.path, env: gatewayEnv(folder, env) }
  return { ...withSection('traces', loadSettings(place), place.env) }
}

const service = (
  what: (traces: TracesUnderTest) => Promise<unknown>,
  options: Parameters<typeof aTracesService>[0] = {},
) =>
  async function observe(env: Env): Promise<unknown> {
    const settings = parseTracesSettings(sectionOf({ ...OWNER, ...env }))
    return what(await aTracesService({ ...options, settings }))
  }

const OWNER = { PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN: 'owner' }

const manyTimes = async (count: number, ask: () => Promise<{ status: number }>) => {
  let last = 0
  for (let n = 0; n < count; n++) last = (await ask()).status
  return last
}

/** Whether the most hard-won of three traces is among the two that are asked for. */
const difficultShown = service(async (traces) => {
  const author = await traces.account()
  const [pump, valve, notes] = [
    await author.contribute({ title: 'Whirligig stalls on drain: prime its pump' }),
    await author.contribute({ title: 'Whirligig stalls on drain: replace its valve' }),
    await author.contribute({ title: 'Whirligig stalls: some notes' }),
  ]
  await traces.storage.db
    .updateTable('traces')
    .set({ somatic_intensity: 0.9 })
    .where('id', '=', notes)
    .execute()
  const asked = { q: 'whirligig stalls on drain', limit: 2, context: { language: 'python' } }
  const { body } = await author.post('/traces/search', asked)
  const shown = body.results.map(({ id }: { id: string }) => id)
  return [pump, valve, notes].filter((id) => shown.includes(id)).includes(notes)
})

/** Whether a vote of an account makes a trace of another one count as confirmed. */
const confirmations = (votes: number) =>
  service(async (traces) => {
    const author = await traces.account()
    const id = await author.contribute()
    for (let n = 0; n < votes; n++)
      await (await traces.account()).post(`/traces/${id}/votes`, { vote_type: 'up' })
    return (await author.get(`/traces/${id}`)).body.status
  })

const mails = async (env: Env) => {
  const sent: { subject: string; text: string }[] = []
  const settings = parseTracesSettings(
    sectionOf({ PORTOLAN_TRACES_REQUIRE_EMAIL_VERIFICATION: 'true', ...env }),
  )
  const traces = await aTracesService({ settings, sendMail: async (mail) => void sent.push(mail) })
  await traces.register()
  return sent[0]
}

/** The service itself, asked without a socket. */
export const TRACES: Effects = {
  'traces.apiKeyPepper': effect(
    'pepper',
    async (env) => {
      // A key that was made with the setting is no good to a service without it.
      const place = { home: tempFolder().path }
      const settings = parseTracesSettings(sectionOf(env))
      const account = await (await aTracesService({ place, settings })).account()
      return statusOf(await (await aTracesService({ place })).as(account).get('/tags'))
    },
    [200, 401],
  ),
  'traces.adminDashboardToken': effect(
    'another',
    service(async (traces) => statusOf(await traces.owner('GET', '/admin/health'))),
    [200, 401],
  ),
  'traces.validationThreshold': effect('1', confirmations(1), ['pending', 'validated']),
  'traces.rateLimitReadPerMinute': effect(
    '1',
    service(async (traces) => {
      const reader = await traces.account()
      return manyTimes(2, async () => reader.get('/tags'))
    }),
    [200, 429],
  ),
  'traces.rateLimitWritePerMinute': effect(
    '1',
    service(async (traces) => {
      const author = await traces.account()
      return manyTimes(2, async () => author.post('/traces', aTrace()))
    }),
    [202, 429],
  ),
  'traces.rateLimitKeysPerHour': effect(
    '1',
    service(async (traces) =>
      manyTimes(2, async () => traces.request('POST', '/api/v1/keys', { body: {} })),
    ),
    [201, 429],
  ),
  'traces.temporalDecayDefaultHalfLifeDays': effect(
    '7',
    service(async (traces) => {
      const author = await traces.account()
      const id = await author.contribute({ tags: ['a-kind-of-its-own'] })
      return (await author.get(`/traces/${id}`)).body.half_life_days
    }),
    [365, 7],
  ),
  'traces.consolidationIntervalHours': effect(
    '1',
    service(async (traces) => {
      await traces.consolidate()
      traces.travel(2 * 3_600_000)
      return (await traces.consolidate()) === undefined ? 'not yet' : 'again'
    }),
    ['not yet', 'again'],
  ),
  'traces.consolidationStaleAgeDays': effect(
    '1',
    service(async (traces) => {
      const author = await traces.account()
      const id = await author.contribute()
      const { db } = traces.storage
      const at = Date.now() - 2 * DAY_MS
      await db
        .updateTable('traces')
        .set({ trust_score: -2, last_retrieved_at: at })
        .where('id', '=', id)
        .execute()
      await traces.consolidate()
      const found = db.selectFrom('traces').select('memory_temperature').where('id', '=', id)
      return (await found.executeTakeFirst())?.memory_temperature
    }),
    ['COLD', 'FROZEN'],
  ),
  'traces.requireInvitation': effect(
    'true',
    service(async (traces) => statusOf(await (await traces.account()).post('/traces', aTrace()))),
    [202, 403],
  ),
  'traces.retrievalFloorN': effect('0', difficultShown, [true, false]),
  'traces.retrievalSomaticFloor': effect('1', difficultShown, [true, false]),
  'traces.retrievalFloorMinAlign': effect('1', difficultShown, [true, false]),
  'traces.packageRegistryUrl': effect(
    async () => {
      const registry = await serveHttp((_, response) =>
        sendJson(response, { info: { version: '9.0.0' } }),
      )
      return registry.url
    },
    service(async (traces) => {
      const author = await traces.account()
      const id = await author.contribute({
        metadata_json: { library: 'fastapi', library_version: '0.1.0', language: 'python' },
      })
      await traces.settle()
      return (await author.get(`/traces/${id}`)).body.is_stale
    }),
    [false, true],
  ),
  'traces.requireEmailVerification': effect(
    'true',
    service(async (traces) => statusOf(await (await traces.account()).post('/traces', aTrace()))),
    [202, 403],
  ),
  'traces.publicUrl': effect(
    'https://traces.example',
    async (env) => /https?:\/\/[^/]+/.exec((await mails(env))?.text ?? '')?.[0],
    ['http://127.0.0.1:8000', 'https://traces.example'],
  ),
  'traces.mailRelayUrl': effect(
    async () => (await relay()).url,
    async (env) => {
      const { mails: relayed } = await relay()
      vi.spyOn(console, 'error').mockImplementation(() => undefined)
      onTestFinished(() => void vi.restoreAllMocks())
      const settings = parseTracesSettings(
        sectionOf({ PORTOLAN_TRACES_REQUIRE_EMAIL_VERIFICATION: 'true', ...env }),
      )
      await (await aTracesService({ settings })).register()
      return relayed.splice(0).length
    },
    [0, 1],
  ),
  'traces.apiKeyHeaderName': effect(
    'X-Key',
    service(async (traces) => {
      const { key } = await traces.account()
      return statusOf(await traces.request('GET', '/api/v1/tags', { headers: { 'X-Key': key } }))
    }),
    [401, 200],
  ),
  'traces.appName': effect('Our memory', async (env) => (await mails(env))?.subject, [
    'Portolan traces: confirm your address',
    'Our memory: confirm your address',
  ]),
  'traces.debug': effect(
    'true',
    service(async (traces) => statusOf(await traces.request('GET', '/metrics')), {
      log: () => undefined,
    }),
    [404, 200],
  ),
}

function statusOf({ status }: { status: number }): number {
  return status
}

interface Relay {
  readonly url: string
  readonly mails: unknown[]
}

let relaying: Promise<Relay> | undefined

async function relay(): Promise<Relay> {
  relaying ??= (async () => {
    const received: unknown[] = []
    const { url } = await serveHttp((request, response) => {
      received.push(request.url)
      sendJson(response, {})
    })
    onTestFinished(() => void (relaying = undefined))
    return { url, mails: received }
  })()
  return relaying
}
