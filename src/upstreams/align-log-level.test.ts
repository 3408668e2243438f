import { expect, it } from 'vitest'
import { type TestLink, aLink } from '../../test/support/a-link.ts'
import { alignLogLevel } from './align-log-level.ts'

const levels = ({ sent }: TestLink) => sent.map(({ method, params }) => [method, params['level']])

it('asks a legacy server for another level, once for each change', async () => {
  const [one, other] = [
    aLink({ capabilities: { logging: {} } }),
    aLink({ capabilities: { logging: {} } }),
  ]
  for (const level of ['debug', 'debug', 'error']) await alignLogLevel(one, level)
  await alignLogLevel(other, 'error')
  expect(levels(one)).toEqual([
    ['logging/setLevel', 'debug'],
    ['logging/setLevel', 'error'],
  ])
  expect(levels(other)).toEqual([['logging/setLevel', 'error']])
})

it('asks no server that has no log or is modern, and no refusal matters', async () => {
  const silent = aLink()
  const modern = aLink({ era: 'modern', capabilities: { logging: {} } })
  await alignLogLevel(silent, 'debug')
  await alignLogLevel(modern, 'debug')
  expect([silent.sent, modern.sent]).toEqual([[], []])
  const refuses = aLink(
    { capabilities: { logging: {} } },
    {
      'logging/setLevel': async () => Promise.reject(new Error('no')),
    },
  )
  await alignLogLevel(refuses, 'debug')
  expect(refuses.sent).toHaveLength(1)
})
