import { expect, it } from 'vitest'
import { settingsSchema } from '../../config/settings/settings.ts'
import { noGateway } from './running-gateway.ts'

it.each([
  ['::1', 'http://[::1]:7411'],
  ['::', 'http://[::1]:7411'],
  ['0.0.0.0', 'http://127.0.0.1:7411'],
])('looks for a gateway that listens on %s at %s', (host, origin) => {
  const { listen } = settingsSchema.parse({ listen: { host } })
  expect(noGateway({ listen })).toBe(`No gateway with these files answers at ${origin}`)
})
