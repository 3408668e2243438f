import { expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { META } from '../protocol/versions.ts'
import { GATEWAY_INFO, envelope } from './handshake.ts'

const infoFor = (info: Record<string, string> | undefined) =>
  envelope(aClient({ info }))[META.clientInfo]

it('introduces the client that asks, and completes what it left out', () => {
  expect(infoFor({ name: 'editor', version: '2', title: 'Ed' })).toEqual({
    name: 'editor',
    version: '2',
    title: 'Ed',
  })
  expect(infoFor({ name: 'editor' })).toEqual({ name: 'editor', version: GATEWAY_INFO.version })
  expect(infoFor(undefined)).toEqual(GATEWAY_INFO)
})
