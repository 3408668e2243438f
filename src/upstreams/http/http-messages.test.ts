import { expect, it } from 'vitest'
import { toTransportError } from './http-messages.ts'

function messageFor(text: string, status = 500, location?: string): string {
  const headers = location === undefined ? {} : { location }
  return toTransportError({ status, headers }, text, hide).message
}

function hide(said: string): string {
  return said.replaceAll('secret', '***')
}

it('hides secrets before it cuts a long answer, so that no half of one is left', () => {
  expect(messageFor('it was secret')).toBe('it answered HTTP 500: it was ***')
  expect(messageFor(`${'x'.repeat(197)}secret`)).toBe(`it answered HTTP 500: ${'x'.repeat(197)}***`)
})

it('takes little time for a large page that is no markup', () => {
  const before = process.cpuUsage()
  expect(messageFor('<'.repeat(2 ** 20)).length).toBeLessThan(300)
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000)
})

it('says where a redirect leads that is not followed', () => {
  expect(messageFor('<p>Moved</p>', 302, 'https://id.example/login?t=secret')).toBe(
    'it answered HTTP 302 and redirects to https://id.example/login?t=***',
  )
})
