import { expect, it, onTestFinished } from 'vitest'
import { call, callUntilProgress, textOf, valueOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

const OLD = 'tok_old_0123456789abcdef'
const NEW = 'tok_new_fedcba9876543210'

it('a secret that is changed while its servers work: calls end, the next have the new one, nobody sees either', async () => {
  const far = await startHttpUpstream('--auth', NEW)
  onTestFinished(async () => far.close())
  const bearer = { headers: { Authorization: 'Bearer ${TOKEN}' } }
  const wanted = {
    servers: {
      near: { ...stdioUpstream(), env: { TOKEN: '${TOKEN}' } },
      other: stdioUpstream(),
      far: { url: far.url, ...bearer },
    },
  }
  const gateway = await openGateway(wanted)
  const set = async (value: string) =>
    expect(
      await runCli(gateway.folder, ['secrets', 'set', 'TOKEN'], {}, `${value}\n`),
    ).toMatchObject({
      code: 0,
    })
  await set(OLD)
  const client = await gateway.connect()
  const seenBy = async (server: string) =>
    call(client, `${server}__whoami`).then(
      (result) => Object(valueOf(result)['env'])['TOKEN'],
      () => undefined,
    )
  await expect.poll(async () => seenBy('near')).toBe(OLD)
  const pidOfOther = async () => valueOf(await call(client, 'other__whoami'))['pid']
  const other = await pidOfOther()
  const refused = JSON.stringify(await call(client, 'far__echo', { text: 'x' }).catch(String))
  expect(refused).not.toContain('"x"')
  expect(refused).not.toContain(OLD)

  const { result } = await callUntilProgress(client, 'near__slow', { ms: 1_500, steps: 15 })
  await set(NEW)
  expect(textOf(await result), 'it ends with the process it began in').toBe('slept 1500 ms')
  await expect.poll(async () => seenBy('near')).toBe(NEW)
  const answered = async () =>
    JSON.stringify(await call(client, 'far__echo', { text: 'hello' }).catch(String))
  await expect.poll(answered).toContain('hello')
  expect(await pidOfOther(), 'a server without the secret goes on').toBe(other)
  for (const text of [gateway.log(), gateway.folder.read('data/audit.jsonl')]) {
    expect(text).not.toContain(OLD)
    expect(text).not.toContain(NEW)
  }
})
