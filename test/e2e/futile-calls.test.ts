import { expect, it } from 'vitest'
import { execute, structured, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

it('an agent whose calls are all refused waits while others use the gateway, which do not', async () => {
  const gateway = await openGateway({
    servers: { files: stdioUpstream() },
    rules: { agents: { admin: { allow: { servers: ['*'] } } } },
  })
  const as = async (agent: string) => gateway.connect({ headers: { 'x-agent-id': agent } })
  const [admin, stranger] = [await as('admin'), await as('stranger')]
  const refused = async () => execute(stranger, 'files', 'echo')
  expect(textOf(await execute(admin, 'files', 'whoami'))).not.toBe('')
  await Promise.all(Array.from({ length: 100 }, refused))
  const order: string[] = []
  const late = refused().then((result) => {
    order.push('stranger')
    return result
  })
  await execute(admin, 'files', 'whoami')
  order.push('admin')
  expect(structured(await late)['error']).toMatchObject({ code: 'DENIED_BY_POLICY' })
  expect(order).toEqual(['admin', 'stranger'])
})
