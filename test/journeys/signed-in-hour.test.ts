import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { freePort } from '../support/free-port.ts'
import { OAuthClient } from '../support/sign-in/oauth-client.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { startShopServer } from '../support/start-shop-server.ts'
import { stdioUpstream } from '../support/start.ts'

const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const ROWS = Array.from({ length: 300 }, (_, id) => ({ id, name: `row number ${id}` }))
const YES = { action: 'accept', content: { ok: true } }

const buy = (item: string) => ({
  name: 'run_script',
  arguments: {
    code: `const { approved } = await tools.shop.approve({ item: '${item}' })
      return approved ? tools.shop.buy({ item: '${item}' }) : 'declined'`,
  },
})

it('a signed-in hour: results, tasks and questions are there with every new token, and after a kill', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const port = String(await freePort())
  const gateway = await startWithSignIn(
    {},
    {
      servers: { notes: stdioUpstream(), shop: { url: shop.url } },
      rules: RULES,
      args: ['--port', port],
    },
  )
  const oauth = await new OAuthClient(gateway.url).register()
  let { body: token } = await oauth.redeem(await oauth.code(withKey(gateway.key)))
  const open = async (query: string) =>
    openHttp('modern', `${gateway.url}/mcp?surface=${query}`, {
      authorization: `Bearer ${token.access_token}`,
    })
  const refresh = async () => {
    const { body } = await oauth.refresh(token.refresh_token)
    expect(body.access_token).not.toBe(token.access_token)
    token = body
  }

  const first = await open('discover')
  const long = await call(first, 'execute_tool', {
    server: 'notes',
    tool: 'echo',
    args: { text: JSON.stringify({ rows: ROWS }) },
    max_tokens: 300,
  })
  const { _handle: handle } = JSON.parse(textOf(long))
  const asked = JSON.parse(await first.text('tools/call', buy('tea'))).result
  expect(asked).toMatchObject({ resultType: 'input_required' })
  const tasks = async () => withTasks(await open('scripts'))
  const waiting = await beginTask(await tasks(), buy('milk'))
  await untilStatus(await tasks(), waiting, 'input_required')

  await refresh()
  const second = await open('discover')
  const read = await call(second, 'read_result', { handle, select: 'rows[].id', offset: 290 })
  expect(JSON.parse(textOf(read))).toMatchObject({ total: 300 })
  await untilStatus(await tasks(), waiting, 'input_required')

  gateway.child.kill('SIGKILL')
  await once(gateway.child, 'exit')
  await startGateway(gateway.folder, ['--port', port])
  await refresh()
  const third = await open('discover')
  const inputResponses = Object.fromEntries(
    Object.keys(asked.inputRequests).map((key) => [key, YES]),
  )
  const bought = await third.request('tools/call', {
    ...buy('tea'),
    requestState: asked.requestState,
    inputResponses,
  })
  expect(structured(bought)).toEqual({ result: { orders: 1 } })
  const client = await tasks()
  const { inputRequests } = await untilStatus(client, waiting, 'input_required')
  await client.request('tasks/update', {
    taskId: waiting,
    inputResponses: Object.fromEntries(Object.keys(Object(inputRequests)).map((key) => [key, YES])),
  })
  await untilStatus(client, waiting, 'completed')
  expect(shop.bought).toEqual(['tea', 'milk'])
  expect(structured(await call(third, 'read_result', { handle }))).toMatchObject({
    error: { code: 'RESULT_GONE' },
  })
})
