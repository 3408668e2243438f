import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { GatewayError } from '../gateway/errors.ts'
import { fail } from './problem.ts'
import { Reply } from './reply.ts'

async function answerTo(error: GatewayError): Promise<Response> {
  const http = createServer((_, response) => fail(new Reply(response), 1, error))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void http.close())
  const address = http.address()
  return fetch(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
}

it('answers 503 while a credential cannot be looked up, so that clients and proxies try again', async () => {
  const down = new GatewayError('SERVER_UNAVAILABLE', 'no answer', { reason: 'database_down' })
  const answer = await answerTo(down)
  expect(answer.status).toBe(503)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.headers.get('www-authenticate')).toBeNull()
  expect(await answer.json()).toMatchObject({ id: 1, error: { message: 'no answer' } })
})

it('answers 401 with a challenge for a wrong credential, and 200 for what concerns a server', async () => {
  const wrong = await answerTo(new GatewayError('UNAUTHENTICATED', 'no'))
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get('www-authenticate')).toContain('Bearer')
  expect((await answerTo(new GatewayError('SERVER_UNAVAILABLE', 'down'))).status).toBe(200)
})
