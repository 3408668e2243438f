import { expect, it } from 'vitest'
import { cookieOf } from './cookies.ts'

const sending = (cookie?: string) => ({ headers: { cookie } })

it('finds one cookie among others, with all that stands behind its first equals sign', () => {
  const sent = sending('a=1; portolan_visit=x=y==;  b=2')
  expect(cookieOf(sent, 'portolan_visit')).toBe('x=y==')
  expect(cookieOf(sent, 'b')).toBe('2')
})

it('takes no other name for it, and finds none where none was sent', () => {
  expect(cookieOf(sending('xportolan=1; portolan_other=2'), 'portolan')).toBeUndefined()
  expect(cookieOf(sending('portolan'), 'portolan')).toBeUndefined()
  expect(cookieOf(sending(), 'portolan')).toBeUndefined()
})
