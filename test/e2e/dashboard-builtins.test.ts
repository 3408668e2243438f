import { chmodSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { call, execute, structured } from '../support/clients/talk.ts'
import { as, sharedDashboard } from '../support/dashboard/open-dashboard.ts'
import { openGateway } from '../support/open-gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

it('is where open_dashboard sends the browser of the user', async () => {
  const folder = tempFolder()
  // A desktop that writes down what it is asked to show.
  const desktop = '#!/bin/sh\necho "$1" > "$HOME/shown"\n'
  for (const command of ['xdg-open', 'open'])
    chmodSync(folder.write(`bin/${command}`, desktop), 0o755)
  const gateway = await openGateway({
    folder,
    servers: { code: { builtin: 'code' } },
    env: { PATH: `${folder.file('bin')}:${process.env['PATH'] ?? ''}` },
  })
  const client = await gateway.connect()
  const answer = await call(client, 'open_dashboard')
  expect(structured(answer)).toMatchObject({ success: true, url: `${gateway.url}/` })
  expect((await fetch(`${gateway.url}/`)).headers.get('content-security-policy')).toContain(
    "'none'",
  )
  await vi.waitFor(() => expect(folder.read('shown').trim()).toBe(`${gateway.url}/`))
})

describe('the pages of the built-in servers', () => {
  const running = sharedDashboard({
    settings: { builtins: { code: true, knowledge: true, traces: true } },
  })

  it('search code, documents and traces as an agent would, under its rules and in its audit', async () => {
    const { ask, folder } = running()
    folder.write('src/harbour.ts', 'export function dockShip(name: string) { return name }\n')
    folder.write('docs/pilots.md', '# Pilots\n\nA pilot shall board every vessel over 500 tons.\n')

    const indexing = await ask('POST /code/index', { body: { path: '.' } })
    expect(indexing.value).toMatchObject({ available: true, job_id: expect.any(String) })
    await vi.waitFor(
      async () =>
        expect((await ask('GET /code')).value).toMatchObject({
          jobs: [{ status: 'done', current: expect.stringContaining('files in index') }],
          indexes: [{ source_path: folder.path, file_count: expect.any(Number) }],
        }),
      { timeout: 20_000 },
    )
    expect((await ask('GET /code/search', { query: { q: 'dock ship' } })).value).toMatchObject({
      available: true,
      results: expect.arrayContaining([
        expect.objectContaining({
          file_path: 'src/harbour.ts',
          symbol_type: 'function',
          symbol_name: 'dockShip',
          score: 1,
        }),
      ]),
    })

    const ingest = await ask('POST /knowledge/ingest', { body: { location: 'docs' } })
    expect(ingest.value).toMatchObject({ job_id: expect.any(String) })
    await vi.waitFor(
      async () =>
        expect((await ask('GET /knowledge')).value).toMatchObject({
          documents: 1,
          jobs: [{ status: 'done', done: 1, total: 1 }],
        }),
      { timeout: 20_000 },
    )
    expect(
      (await ask('GET /knowledge/search', { query: { q: 'pilot vessel' } })).value,
    ).toMatchObject({
      results: [
        {
          citation: expect.stringContaining('Pilots'),
          metadata: {
            chunk_type: expect.any(String),
            url: expect.stringMatching(/\.md$/),
          },
        },
      ],
    })
    expect((await ask('GET /knowledge/sources')).value).toMatchObject({
      total: 1,
      sources: [{ status: 'complete', title: 'Pilots' }],
    })

    await ask('POST /knowledge/ingest', { body: { location: '/not/there.md' } })
    await vi.waitFor(
      async () =>
        expect((await ask('GET /knowledge')).value).toMatchObject({
          jobs: [
            {
              status: 'failed',
              done: 1,
              total: 1,
              errors: [{ suggestion: expect.stringContaining('Allowed: ') }],
            },
            { status: 'done' },
          ],
        }),
      { timeout: 20_000 },
    )

    const bob = await ask('GET /code/search', { query: { q: 'dock', agent: 'bob' } })
    expect(bob.value).toMatchObject({ available: false, reason: 'denied' })
    const { value: audit } = await ask('GET /audit', { query: { server: 'code' } })
    expect(audit.calls.map(({ agent, decision }) => [agent, decision])).toEqual(
      expect.arrayContaining([
        ['dashboard', 'ALLOW'],
        ['bob', 'DENY'],
      ]),
    )
  })

  it('browse and moderate traces', async () => {
    const gateway = running()
    const { ask } = gateway
    const ada = await as(gateway, 'ada')
    for (const name of ['Anchor', 'Rudder'])
      await execute(ada, 'traces', 'contribute_trace', {
        title: `${name} jams when the tide turns in the narrow channel`,
        context_text: `The ${name} would not move after the tide turned, and nothing was logged about ${name}.`,
        solution_text: `Grease the ${name} bearing and check it before every tide, as the manual of the ${name} asks.`,
        tags: ['tide'],
      })
    const page = await ask('GET /traces')
    expect(page.value).toMatchObject({ available: true, total: 2, tags: ['tide'], next: null })
    if (!page.value.available) throw new Error('it is configured')
    const [trace] = page.value.traces
    const params = { id: trace?.id ?? '' }
    expect(await ask('GET /traces/:id', { params: { id: 'nope' } })).toMatchObject({
      status: 404,
      failure: { message: 'There is no trace "nope"' },
    })
    const { value: first } = await ask('GET /traces', { query: { limit: 1 } })
    expect(first).toMatchObject({ traces: [{ id: trace?.id }], next: '1' })
    expect((await ask('GET /traces/:id', { params })).value).toMatchObject({
      title: trace?.title,
      solution_text: expect.stringContaining('Grease'),
    })
    const { value: found } = await ask('GET /traces', { query: { q: 'rudder jams' } })
    expect(found).toMatchObject({
      traces: [
        { title: expect.stringContaining('Rudder'), combined_score: expect.any(Number) },
        { title: expect.stringContaining('Anchor'), weak: true },
      ],
    })
    expect(JSON.stringify(found).match(/"weak"/g)).toHaveLength(1)
    const moderate = async (action: 'approve' | 'flag' | 'remove') =>
      ask('POST /traces/:id/moderate', { params, body: { action } })
    expect((await moderate('flag')).status).toBe(200)
    expect((await ask('GET /traces')).value).toMatchObject({ total: 1 })
    expect((await ask('GET /traces', { query: { flagged: '1' } })).value).toMatchObject({
      traces: [{ id: trace?.id, is_flagged: true }],
    })
    await moderate('approve')
    expect((await ask('GET /traces', { query: { status: 'validated' } })).value).toMatchObject({
      traces: [{ id: trace?.id, is_flagged: false }],
    })
    await moderate('remove')
    expect((await ask('GET /traces/:id', { params })).status).toBe(404)
    expect((await ask('GET /traces')).value).toMatchObject({ total: 1 })
  })
})
