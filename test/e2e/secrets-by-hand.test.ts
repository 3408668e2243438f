import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { call, valueOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { storedSecrets } from '../support/stored-secrets.ts'

it('a secrets.env written while a gateway runs applies, is sealed and removed, beside what commands store', async () => {
  const env = { MINE: '${MINE:-none}', A: '${A:-none}', B: '${B:-none}' }
  const gateway = await openGateway({ servers: { near: { ...stdioUpstream(), env } } })
  const { folder } = gateway
  const client = await gateway.connect()
  const seen = async () => valueOf(await call(client, 'near__whoami'))['env']
  folder.write('data/secrets.env', '# by hand\nMINE=written-by-hand\n')
  const set = async (name: string) =>
    runCli(folder, ['secrets', 'set', name], {}, `value-of-${name}`)
  expect((await Promise.all([set('A'), set('B')])).map(({ code }) => code)).toEqual([0, 0])
  const all = { MINE: 'written-by-hand', A: 'value-of-A', B: 'value-of-B' }
  await expect.poll(seen).toMatchObject(all)
  await expect.poll(() => existsSync(folder.file('data/secrets.env'))).toBe(false)
  expect(storedSecrets(folder)).toContain('# by hand\nMINE=written-by-hand\n')

  folder.write('data/secrets.env', 'MINE=written-again\n')
  await expect.poll(seen).toMatchObject({ ...all, MINE: 'written-again' })
  await expect.poll(() => existsSync(folder.file('data/secrets.env'))).toBe(false)
  expect(gateway.log()).toContain('are sealed in')
  expect(gateway.log()).not.toContain('written-again')
})
