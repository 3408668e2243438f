import { writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createLog } from '../telemetry/log.ts'
import { type SessionSecretOptions, sessionSecret } from './session-secret.ts'

function secret(options: Partial<SessionSecretOptions>) {
  const log = createLog({ level: 'error' })
  const warn = vi.spyOn(log, 'warn').mockImplementation(() => undefined)
  const source = tempFolder().file('handle-secret')
  const found = sessionSecret({ source, shared: false, env: {}, log, ...options })
  return { hex: found.toString('hex'), warned: warn.mock.calls.length }
}

it('is that of the data folder, for every process that uses it', () => {
  const source = tempFolder().file('handle-secret')
  expect(secret({ source })).toEqual(secret({ source }))
  expect(secret({}).hex).not.toBe(secret({}).hex)
})

it('is that of the database, whatever the environment says', () => {
  const source = Buffer.alloc(32, 7)
  const env = { PORTOLAN_SECRET_KEY: 'a passphrase' }
  expect(secret({ source, shared: true, env })).toEqual({ hex: source.toString('hex'), warned: 0 })
})

it('comes from the passphrase of replicas that share nothing but Redis', () => {
  const shared = true
  const env = { PORTOLAN_SECRET_KEY: 'a passphrase' }
  expect(secret({ shared, env })).toEqual(secret({ shared, env }))
  expect(secret({ shared, env }).hex).not.toBe(
    secret({ shared, env: { PORTOLAN_SECRET_KEY: 'another' } }).hex,
  )
})

it('lasts as long as the process where it cannot be stored', () => {
  const folder = tempFolder()
  writeFileSync(folder.file('taken'), '')
  const found = secret({ source: folder.file('taken/handle-secret') })
  expect(found).toEqual({ hex: expect.stringMatching(/^[\da-f]{64}$/), warned: 1 })
})
