import { expect, it } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'

it('describes itself', async () => {
  const traces = await aTracesService()
  const { body } = await traces.request('GET', '/openapi.json')
  const operations = Object.entries<Record<string, unknown>>(body.paths).flatMap(
    ([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(operations.toSorted()).toMatchInlineSnapshot(`
    [
      "DELETE /api/v1/admin/users/{id}",
      "DELETE /api/v1/keys",
      "DELETE /api/v1/moderation/traces/{id}",
      "DELETE /api/v1/moderation/traces/{id}/flags",
      "GET /api/v1/admin/health",
      "GET /api/v1/admin/users/recent",
      "GET /api/v1/admin/users/{id}",
      "GET /api/v1/analytics/knowledge-health",
      "GET /api/v1/contributors/{id}/reputation",
      "GET /api/v1/invitations",
      "GET /api/v1/keys/confirm",
      "GET /api/v1/keys/verify",
      "GET /api/v1/moderation/flagged",
      "GET /api/v1/tags",
      "GET /api/v1/tags/trending",
      "GET /api/v1/traces",
      "GET /api/v1/traces/{id}",
      "GET /api/v1/traces/{id}/amendments",
      "GET /api/v1/wanted",
      "GET /health",
      "POST /api/v1/admin/contributors/{id}",
      "POST /api/v1/admin/invitations",
      "POST /api/v1/admin/users/{id}/verification",
      "POST /api/v1/amendments/{id}/decision",
      "POST /api/v1/amendments/{id}/votes",
      "POST /api/v1/invitations",
      "POST /api/v1/invitations/redeem",
      "POST /api/v1/keys",
      "POST /api/v1/keys/confirmation",
      "POST /api/v1/keys/rotate",
      "POST /api/v1/moderation/traces/{id}/validate",
      "POST /api/v1/traces",
      "POST /api/v1/traces/search",
      "POST /api/v1/traces/{id}/amendments",
      "POST /api/v1/traces/{id}/flag",
      "POST /api/v1/traces/{id}/votes",
    ]
  `)
})
