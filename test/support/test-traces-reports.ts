import { describe, expect, it } from 'vitest'
import { aTrace } from './traces-client.ts'
import { type Fresh, tracesSuite } from './traces-suite.ts'

/** Tests the reports of the service for its owner and the public. */
export function testReports(engine: string, fresh?: Fresh): void {
  describe(`traces reports on ${engine}`, () => {
    const on = tracesSuite(fresh)

    it.each(['analytics/knowledge-health', 'admin/health', 'admin/users/recent'])(
      'reports %s to the owner only',
      async (path) => {
        expect((await on.service.request('GET', `/api/v1/${path}`)).status).toBe(401)
        const { status, body } = await on.service.owner('GET', `/${path}`)
        expect(status).toBe(200)
        expect(JSON.stringify(body)).not.toContain('_hash')
      },
    )

    it('writes moments as the rest of the API does', async () => {
      const { body } = await on.service.owner('GET', `/admin/users/${on.reader.id}`)
      expect(body).toMatchObject({
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      })
    })

    it('deletes only accounts that nothing refers to', async () => {
      await on.author.post('/traces', aTrace())
      const used = await on.service.owner('DELETE', `/admin/users/${on.author.id}`)
      expect([used.status, used.body.references.traces > 0]).toEqual([409, true])
      const unused = await on.service.account()
      expect((await on.service.owner('DELETE', `/admin/users/${unused.id}`)).status).toBe(200)
    })

    it('lists tags in order', async () => {
      const { body } = await on.reader.get('/tags')
      const names: string[] = body.tags
      expect(names).toEqual(names.toSorted())
      expect(body.tags).toContain('postgres')
    })

    it('is well', async () => {
      const { status, body } = await on.service.request('GET', '/health')
      expect([status, body]).toEqual([
        200,
        {
          status: 'ok',
          checks: {
            database: 'ok',
            redis: 'off',
            embedding_worker: 'off',
            consolidation_worker: 'not run yet',
          },
        },
      ])
    })
  })
}
