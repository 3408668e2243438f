import { expect, it } from 'vitest'
import { sendJson, serveHttp } from '../../test/support/http-server.ts'
import { aContext } from '../../test/support/service-context.ts'
import { loadApi } from '../../src/upstreams/openapi/load/load-api.ts'

it('takes "success: false" for an error, whatever its status says, and asks again the next time', async () => {
  let answer: object = { success: false, message: 'The database is being updated' }
  await using api = await serveHttp((_, response) => sendJson(response, answer))
  const service = await loadApi('nsip', { config: { baseUrl: api.url, allowPrivate: true } })
  const call = async (name: string) =>
    service.handle('tools/call', { name, arguments: {} }, aContext())
  try {
    for (const tool of ['nsip_list_breeds', 'nsip_search_animals', 'nsip_get_statuses'])
      expect(await call(tool)).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code: -32000, message: 'The API refused: The database is being updated' },
        },
      })
    answer = { success: true, data: ['CURRENT', 'SOLD'] }
    expect(await call('nsip_get_statuses')).toMatchObject({ structuredContent: answer })
  } finally {
    await service.close()
  }
})
