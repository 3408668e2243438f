import { chmodSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { call, valueOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ONE = 'tok_one_0123456789abcdef'
const TWO = 'tok_two_fedcba9876543210'

it('a secret of a vault reaches servers, is read again when they restart, and stands in no file', async () => {
  const folder = tempFolder()
  const vault = folder.write('vault', '#!/bin/sh\necho "$1" >> runs\ncat "value of $1"\n')
  chmodSync(vault, 0o755)
  folder.write('value of item/near', ONE)
  folder.write('value of item/far', ONE)
  folder.write('data/portolan.yaml', { secrets: { helpers: { vault: [vault, 'item/{ref}'] } } })
  const far = await startHttpUpstream('--auth', ONE)
  onTestFinished(async () => far.close())
  const gateway = await openGateway({
    folder,
    servers: {
      near: { ...stdioUpstream(), env: { TOKEN: '${vault:near}' } },
      far: { url: far.url, headers: { Authorization: 'Bearer ${vault:far}' } },
      broken: { ...stdioUpstream(), env: { TOKEN: '${vault:nothing}' } },
    },
  })
  const client = await gateway.connect()
  const seen = async () => Object(valueOf(await call(client, 'near__whoami'))['env'])['TOKEN']
  expect(await seen()).toBe(ONE)
  expect(await seen()).toBe(ONE)
  expect(JSON.stringify(await call(client, 'far__echo', { text: 'hello' }))).toContain('hello')
  expect(
    folder
      .read('runs')
      .split('\n')
      .filter((line) => line === 'item/near'),
  ).toHaveLength(1)
  const failure = JSON.stringify(await call(client, 'broken__echo').catch(String))
  expect(failure).toMatch(/vault.*No such file/)

  folder.write('value of item/near', TWO)
  expect(await seen(), 'a running server keeps what it was given').toBe(ONE)
  const env = { PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
  expect(await runCli(folder, ['server', 'restart', 'near'], env)).toMatchObject({ code: 0 })
  await expect.poll(seen).toBe(TWO)

  const files = [gateway.log(), folder.read('data/audit.jsonl')].join()
  expect(files).not.toMatch(/tok_one|tok_two/)
})
